"""Makes an array of one number count as that number again, as it did until NumPy 2.4."""

import functools
import sys
import warnings
from typing import Any, Callable, Dict

from tf1grad.old_programs.era.fix_messages import say

_FORMAT = ("numpy '%f' % array", "an array of one number is formatted as that number")
_NUMBER = ("numpy float(array)", "an array of one number is converted as that number")
_ELEMENT = ("numpy a[i] = array", "an array of one number is assigned as that number")
FIXES = (_FORMAT, _NUMBER, _ELEMENT)


def template(left: Any) -> Any:
    """Returns the left side of a `%`: a string is made to format arrays of one number."""
    return _Template(left) if type(left) is str and _refuses() else left


class _Template(str):
    def __mod__(self, values: Any) -> str:
        return str.__mod__(self, operand(values))


def operand(values: Any) -> Any:
    """Returns the right side of a string's `%`; its arrays of one number become numbers where the format needs one."""
    if not _refuses():
        return values
    if isinstance(values, tuple):
        return tuple(map(_one_number, values))
    if isinstance(values, dict):
        return {key: _one_number(value) for key, value in values.items()} if type(values) is dict else values
    return _one_number(values)


def number(value: Any) -> Any:
    """Returns an argument of `float`, `int`, `complex` or a function of `math`; an array of one becomes its number."""
    array = value.numpy() if type(value).__name__ == "EagerTensor" else value  # which NumPy converts
    if not (_refuses() and _is_one_number(array)):
        return value
    say(*_NUMBER)
    return array.flat[0]


def element(value: Any, target: Any) -> Any:
    """Returns the right side of `target[...] = value`; an array of one becomes its number if the target is an array."""
    if not (_refuses() and _is_one_number(value) and _is_numeric(target)):
        return value
    say(*_ELEMENT)
    return value.flat[0]


def _numpy() -> Any:
    return sys.modules.get("numpy")


def _is_numeric(value: Any) -> bool:
    numpy = _numpy()
    return (isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc"
            and not isinstance(value, numpy.ma.MaskedArray))


def _is_one_number(value: Any) -> bool:
    return _is_numeric(value) and value.size == 1 and value.ndim > 0


def _one_number(value: Any) -> Any:
    return value.view(_one_number_type()) if _is_one_number(value) else value


def _refuses() -> bool:
    """Says whether this NumPy rejects an array of one number as that number."""
    return _numpy() is not None and _probe()


@functools.lru_cache(maxsize=None)
def _probe() -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return not float(_numpy().ones(1))
        except TypeError:
            return True


@functools.lru_cache(maxsize=None)
def _one_number_type() -> type:
    def converting(name: str) -> Callable[[Any], Any]:
        def convert(self: Any) -> Any:
            say(*_FORMAT)
            return getattr(self.item(), name)()
        return convert

    names = ("__float__", "__int__", "__index__")
    methods: Dict[str, Callable[[Any], Any]] = {name: converting(name) for name in names}
    methods["__repr__"] = lambda self: repr(self.view(_numpy().ndarray))
    return type("OneNumber", (_numpy().ndarray,), methods)
