"""Tells from the text which class of pandas, NumPy,
Pillow or Python an expression is an instance of.
"""

from __future__ import annotations

import ast
from typing import FrozenSet, Tuple

from tf1grad.programs.names import recorded_names
from tf1grad.programs.source.name_resolution import Names
from tf1grad.programs.source.scopes import Scope, Special, Update, constant, index_of

# Keys of names, as `Names.bindings_of` returns them.
Seen = FrozenSet[Tuple[int, str]]

_FRAME, _SERIES, _ARRAY = "pandas.DataFrame", "pandas.Series", "numpy.ndarray"
_IMAGE = "PIL.Image.Image"
READ_DATES = "what pandas.to_datetime returns"
# What makes an instance of each class.
_MAKERS = {
    _FRAME: (
        (
            "pandas.DataFrame",
            "pandas.read_csv",
            "pandas.read_table",
            "pandas.read_excel",
            "pandas.read_json",
            "pandas.read_hdf",
            "pandas.read_pickle",
            "pandas.read_sql",
            "pandas.DataFrame.from_dict",
            "pandas.DataFrame.from_records",
        )
    ),
    _SERIES: ("pandas.Series",),
    "pandas.Index": ("pandas.Index",),
    READ_DATES: ("pandas.to_datetime",),
    _ARRAY: (
        (
            "numpy.array",
            "numpy.asarray",
            "numpy.zeros",
            "numpy.ones",
            "numpy.empty",
            "numpy.full",
            "numpy.arange",
            "numpy.linspace",
            "numpy.logspace",
            "numpy.eye",
            "numpy.identity",
            "numpy.zeros_like",
            "numpy.ones_like",
            "numpy.concatenate",
            "numpy.stack",
            "numpy.vstack",
            "numpy.hstack",
            "numpy.loadtxt",
            "numpy.genfromtxt",
            "numpy.random.rand",
            "numpy.random.randn",
            "numpy.frombuffer",
            "numpy.fromstring",
        )
    ),
    "PIL.ImageDraw.ImageDraw": ("PIL.ImageDraw.Draw", "PIL.ImageDraw.ImageDraw", "ImageDraw.Draw"),
    "PIL.ImageFont.FreeTypeFont": ("PIL.ImageFont.truetype", "ImageFont.truetype"),
    _IMAGE: (
        "PIL.Image.open",
        "PIL.Image.new",
        "PIL.Image.fromarray",
        "Image.open",
        "Image.new",
        "Image.fromarray",
    ),
    "threading.Thread": ("threading.Thread", "threading.Timer"),
    "array.array": ("array.array",),
}
_CLASS_OF = {name: owner for owner, names in _MAKERS.items() for name in names}
# The methods of each class that give another instance of it.
_SAME_CLASS = {
    _FRAME: (
        "append",
        "copy",
        "dropna",
        "fillna",
        "head",
        "tail",
        "reset_index",
        "set_index",
        "sort_values",
        "sort_index",
        "sort",
        "drop",
        "rename",
        "drop_duplicates",
        "astype",
        "applymap",
        "sample",
    ),
    _SERIES: (
        "append",
        "copy",
        "dropna",
        "fillna",
        "head",
        "tail",
        "reset_index",
        "sort_values",
        "sort_index",
        "order",
        "map",
        "apply",
        "astype",
    ),
    _ARRAY: ("copy", "astype", "reshape", "flatten", "ravel", "transpose"),
    _IMAGE: ("convert", "resize", "crop", "copy", "rotate", "transpose"),
}
_INHERITS = {"tensorflow.test.TestCase": "unittest.TestCase"}


class LibraryValues:
    """Answers `class_of(expression, scope)` for the program of `names`."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def class_of(self, node: ast.expr, scope: Scope) -> str | None:
        """Returns the dotted class of an expression;
        None unless everything that it may be has that one class.
        """
        classes = self._classes(node, scope, frozenset())
        return classes.pop() if len(classes) == 1 else None

    def _classes(self, node: object, scope: Scope, seen: Seen) -> set[str | None]:
        if isinstance(node, (ast.Name, ast.Attribute)):
            key, bindings = self._names.bindings_of(node, scope)
            if key in seen:  # a value made of itself
                return set()
            values = [pair for pair in bindings if pair[0] is not Special.NOTHING]
            classes = [self._classes(value, where, seen | {key}) for value, where in values]
            around = self._class_around(node, scope)
            return {around} if around else set().union(*classes) or {None}
        if isinstance(node, Update):  # `x += 1` keeps the class of x
            return set()
        if isinstance(node, ast.Subscript):
            return {self._selected(owner, node) for owner in self._classes(node.value, scope, seen)}
        if not isinstance(node, ast.Call):
            return {None}
        name = self._names.resolve(node.func, scope)
        if name is not None or not isinstance(node.func, ast.Attribute):
            recorded = name if name in recorded_names.classes() else None
            return {_CLASS_OF.get(name or "", recorded)}
        method = node.func.attr
        return {
            owner if method in _SAME_CLASS.get(owner or "", ()) else None
            for owner in self._classes(node.func.value, scope, seen)
        }

    def _class_around(self, node: ast.expr, scope: Scope) -> str | None:
        """Returns the library's class from which `self` inherits what Python has lost."""
        owner = scope.owner_of(node.id) if isinstance(node, ast.Name) else None
        inside = owner and owner.parent
        if owner is None or inside is None or not isinstance(inside.node, ast.ClassDef):
            return None
        arguments = getattr(getattr(owner.node, "args", None), "args", None)
        if not arguments or arguments[0].arg != getattr(node, "id", None):
            return None
        bases = [self._names.resolve(base, inside) or "" for base in inside.node.bases]
        bases = [_INHERITS.get(base, base) for base in bases]
        return next((base for base in bases if base in recorded_names.classes()), None)

    @staticmethod
    def _selected(owner: str | None, node: ast.Subscript) -> str | None:
        key = index_of(node)
        if owner != _FRAME:
            return owner if isinstance(key, ast.Slice) else None
        if isinstance(constant(key), str):
            return _SERIES
        return _FRAME if isinstance(key, ast.List) else None
