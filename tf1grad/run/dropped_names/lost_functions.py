"""Defines functions and methods that libraries and Python dropped,
where nothing of today takes the same arguments.

stderr shows the first line of a docstring when its function is used. Libraries are imported when
they are called.
"""

from __future__ import annotations

import collections
import inspect
import unittest
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence

if TYPE_CHECKING:
    import numpy
    import pandas


def asfarray(a: object, dtype: object = None) -> numpy.ndarray:
    """Returns numpy.asarray in float64, or in the floating type that is given."""
    import numpy as np

    inexact = dtype is not None and np.issubdtype(dtype, np.inexact)
    return np.asarray(a, dtype=dtype if inexact else np.float64)


def Imputer(missing_values: object = "NaN", strategy: str = "mean") -> Any:
    """Returns a sklearn.impute.SimpleImputer, which fills columns."""
    from sklearn.impute import SimpleImputer

    missing = float("nan") if missing_values == "NaN" else missing_values
    return SimpleImputer(missing_values=missing, strategy=strategy)


class _Cast:
    """Replaces numpy.cast[dtype](x) by numpy.asarray(x, dtype)."""

    def __getitem__(self, dtype: object) -> Callable[[Any], Any]:
        import numpy as np

        return lambda x: np.asarray(x, dtype=dtype)


cast = _Cast()


def normpdf(x: object, *args: object) -> Any:
    """Returns the density of the normal distribution."""
    import numpy as np

    mu, sigma = args
    return np.exp(-0.5 * ((np.asarray(x) - mu) / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma)


def hold(b: bool | None = None) -> None:
    """Does nothing: Matplotlib always adds to the drawing."""


ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")
ArgSpec.__doc__ = "Replaces it by a named tuple of the same fields."


def getargspec(func: Callable[..., Any]) -> ArgSpec:
    """Returns the first part of inspect.getfullargspec."""
    spec = inspect.getfullargspec(func)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError(
            "Function has keyword-only parameters or annotations, use inspect.signature()"
        )
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def formatargspec(
    args: Sequence[str],
    varargs: str | None = None,
    varkw: str | None = None,
    defaults: Sequence[Any] | None = None,
    kwonlyargs: Sequence[str] = (),
    kwonlydefaults: Mapping[str, Any] | None = None,
    *,
    formatvalue: Callable[[Any], str] = "={!r}".format,
) -> str:
    """Returns parameters as text, such as "(a, b=2, *c, **d)"."""
    values = dict(kwonlydefaults or {})
    if defaults:
        values.update(zip(args[-len(defaults) :], defaults))
    shown = [*args]
    if varargs or kwonlyargs:
        shown.append(f"*{varargs or ''}")
    shown += kwonlyargs
    if varkw:
        shown.append(f"**{varkw}")
    return "({})".format(
        ", ".join(name + formatvalue(values[name]) if name in values else name for name in shown)
    )


def makeSuite(
    testCaseClass: type[unittest.TestCase],
    prefix: str = "test",
    sortUsing: Callable[[str, str], int] = unittest.TestLoader.sortTestMethodsUsing,
    suiteClass: Callable[[Any], unittest.TestSuite] = unittest.TestSuite,
) -> unittest.TestSuite:
    """Calls the method loadTestsFromTestCase of a unittest.TestLoader."""
    loader = unittest.TestLoader()
    loader.testMethodPrefix, loader.suiteClass = prefix, suiteClass
    loader.sortTestMethodsUsing = sortUsing
    return loader.loadTestsFromTestCase(testCaseClass)


def setdefaultencoding(name: str) -> None:
    """Does nothing: text is Unicode."""


def maketrans(*arguments: Any) -> dict[int, Any]:
    """Calls str.maketrans."""
    return str.maketrans(*arguments)


def string_join(words: Iterable[str], sep: str = " ") -> str:
    """Calls the method of the separator."""
    return sep.join(words)


def _method(name: str) -> Callable[..., Any]:
    def function(string: str, *arguments: object) -> Any:
        return getattr(string, name)(*arguments)

    function.__doc__ = "Calls the method of the string."
    return function


string_split, string_replace, string_strip, string_upper, string_lower = map(
    _method, ("split", "replace", "strip", "upper", "lower")
)


# Methods, which get the object as their first argument.
def append(
    frame: pandas.DataFrame,
    other: Any,
    ignore_index: bool = False,
    verify_integrity: bool = False,
    sort: Any = None,
) -> pandas.DataFrame:
    """Returns the rows of a frame or series, followed by those of others."""
    import pandas

    if isinstance(other, dict):
        if not ignore_index:
            raise TypeError("Can only append a dict if ignore_index=True")
        other = pandas.Series(other)
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    if isinstance(frame, pandas.DataFrame):
        if isinstance(others[0], dict):
            others = [pandas.DataFrame(others)]
        if others[0].ndim == 1:
            sort = False
        others = [_row(frame, each) for each in others]
    options = {} if sort is None else {"sort": sort}
    return pandas.concat(
        [frame] + others, ignore_index=ignore_index, verify_integrity=verify_integrity, **options
    )


def _row(frame: pandas.DataFrame, other: Any) -> pandas.Series:
    """Returns a series as a frame of one row, labelled by the name of the series; its new
    columns are the last ones.
    """
    if other.ndim == 2:
        return other
    labels = [*frame.columns, *other.index.difference(frame.columns)]
    return other.reindex(labels).to_frame().T.infer_objects()


def sort(
    frame: pandas.DataFrame,
    columns: object = None,
    axis: int = 0,
    ascending: object = True,
    inplace: bool = False,
) -> pandas.DataFrame:
    """Sorts a frame by columns, or by its labels where none are given."""
    if columns is None:
        return frame.sort_index(axis=axis, ascending=ascending, inplace=inplace)
    return frame.sort_values(columns, axis=axis, ascending=ascending, inplace=inplace)


def get_value(table: pandas.DataFrame | pandas.Series, *labels: Any) -> Any:
    """Returns one value of a series or frame, by its labels."""
    return table.at[labels if table.ndim == 2 else labels[0]]


def set_value(
    table: pandas.DataFrame | pandas.Series, *labels_and_value: Any
) -> pandas.DataFrame | pandas.Series:
    """Sets one value of a series or frame, by its labels."""
    *labels, value = labels_and_value
    table.at[tuple(labels) if table.ndim == 2 else labels[0]] = value
    return table


def clip_lower(
    table: pandas.DataFrame | pandas.Series, threshold: Any, *arguments: Any, **options: Any
) -> pandas.DataFrame | pandas.Series:
    """Returns the values of a series or frame, and the threshold where they are smaller."""
    return table.clip(threshold, None, *arguments, **options)


def clip_upper(
    table: pandas.DataFrame | pandas.Series, threshold: Any, *arguments: Any, **options: Any
) -> pandas.DataFrame | pandas.Series:
    """Returns the values of a series or frame, and the threshold where they are larger."""
    return table.clip(None, threshold, *arguments, **options)


def mad(table: pandas.DataFrame | pandas.Series, axis: int = 0) -> pandas.Series | float:
    """Returns the mean of the distances from the mean."""
    numbers = table if table.ndim == 1 else table.select_dtypes("number")
    distances = numbers.sub(numbers.mean(axis=axis), axis=1 - axis if table.ndim == 2 else 0)
    return distances.abs().mean(axis=axis)


def lookup(frame: pandas.DataFrame, row_labels: Any, col_labels: Any) -> numpy.ndarray:
    """Returns one value of a frame for each pair of labels."""
    import numpy as np

    return np.array([frame.at[labels] for labels in zip(row_labels, col_labels)])


def as_matrix(values: Any, columns: Any = None) -> numpy.ndarray:
    """Returns a series, or the columns of a frame, as an array."""
    return (values if columns is None or values.ndim == 1 else values[columns]).to_numpy()


def nonzero(values: Any) -> Any:
    """Returns the positions of a series that are not zero, in a tuple."""
    return values.to_numpy().nonzero()


def text_size(draw: Any, text: str, font: Any = None) -> tuple[int, int]:
    """Returns (width, height) of a text that would be drawn."""
    _, _, right, bottom = draw.multiline_textbbox((0, 0), text, font)
    return int(right), int(bottom)


def font_size(font: Any, text: str) -> tuple[int, ...]:
    """Returns (width, height) of a text in a font."""
    return tuple(map(int, font.getbbox(text)[2:]))


def tostring_rgb(canvas: Any) -> bytes:
    """Returns the red, green and blue of the pixels that are drawn."""
    import numpy as np

    pixels: bytes = np.asarray(canvas.buffer_rgba())[..., :3].tobytes()
    return pixels


def set_window_title(canvas: Any, title: str) -> None:
    """Calls the method of the canvas manager."""
    if canvas.manager is not None:
        canvas.manager.set_window_title(title)
