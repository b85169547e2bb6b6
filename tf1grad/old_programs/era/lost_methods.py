"""Methods that classes of pandas and Pillow have lost: what they are now, and a function that does what they did."""

from typing import Any, Callable, Dict, Tuple

# What a method is now, and a function that does what it did.
Method = Tuple[str, Callable[..., Any]]


def _append(frame: Any, other: Any, ignore_index: bool = False, verify_integrity: bool = False,
            sort: bool = False) -> Any:
    """The rows of a frame or series, and then those of others."""
    import pandas
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    if isinstance(frame, pandas.DataFrame):
        others = [pandas.DataFrame(others)] if isinstance(others[0], dict) else [_row(frame, each) for each in others]
        if not ignore_index and isinstance(other, dict):
            raise TypeError("Can only append a dict if ignore_index=True")
    return pandas.concat([frame] + others, ignore_index=ignore_index, verify_integrity=verify_integrity)


def _row(frame: Any, other: Any) -> Any:
    """A series as a row of one frame; its name is the label."""
    return other.to_frame().T.infer_objects() if other.ndim == 1 else other


def _sort(frame: Any, columns: Any = None, axis: int = 0, ascending: Any = True, inplace: bool = False) -> Any:
    """A frame sorted by columns, or by its labels where none are given."""
    if columns is None:
        return frame.sort_index(axis=axis, ascending=ascending, inplace=inplace)
    return frame.sort_values(columns, axis=axis, ascending=ascending, inplace=inplace)


PANDAS: Dict[str, Method] = {
    "pandas.DataFrame.append": ("pandas.concat", _append),
    "pandas.Series.append": ("pandas.concat", _append),
    "pandas.DataFrame.as_matrix": (
        "to_numpy", lambda frame, columns=None: (frame if columns is None else frame[columns]).to_numpy()),
    "pandas.Series.as_matrix": ("to_numpy", lambda series, columns=None: series.to_numpy()),
    "pandas.DataFrame.get_values": ("to_numpy", lambda frame: frame.to_numpy()),
    "pandas.Series.get_values": ("to_numpy", lambda series: series.to_numpy()),
    "pandas.DataFrame.iteritems": ("items", lambda frame: frame.items()),
    "pandas.Series.iteritems": ("items", lambda series: series.items()),
    "pandas.DataFrame.applymap": ("map", lambda frame, function: frame.map(function)),
    "pandas.DataFrame.sort": ("sort_values", _sort),
    "pandas.Series.order": ("sort_values", lambda series, ascending=True: series.sort_values(ascending=ascending)),
}


def _text_size(draw: Any, text: str, font: Any = None) -> Tuple[int, int]:
    """(width, height) of a text that would be drawn."""
    left, top, right, bottom = draw.multiline_textbbox((0, 0), text, font)
    return int(right), int(bottom)


def _font_size(font: Any, text: str) -> Tuple[int, ...]:
    return tuple(map(int, font.getbbox(text)[2:]))


PILLOW: Dict[str, Method] = {
    "PIL.ImageDraw.ImageDraw.textsize": ("textbbox", _text_size),
    "PIL.ImageFont.FreeTypeFont.getsize": ("getbbox", _font_size),
    "PIL.Image.Image.tostring": ("tobytes", lambda image, *arguments: image.tobytes(*arguments)),
}
