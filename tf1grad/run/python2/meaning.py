"""Rewrites expressions that mean different things in Python 2 and 3, in the tree of a module.

a / b           divided(a, b)               whole numbers give a whole number, unless the file
                                            imports `division`
a /= b          a = divided_in_place(a, b)
a[f()] /= b     Place(a, f()).quotient /= b, which calls f once
d.keys()        method(d, 'keys')()         values, items, has_key, iteritems, ...; next, sort,
                                            encode, write, ... too
import pickle   import cPickle as pickle    which reads pickles of Python 2; csv, json and re get a
                                            module of this room
"a" + b         "a" + as_text(b)            bytes become text beside a literal: also in "a" % b, b
                                            == "a", "a" in b
import beside   from . import beside        in a package with a module `beside`
__metaclass__, __nonzero__ and next of a class get the names that Python 3 calls, and __cmp__ is
called for `<`
[x for x in y]  leaves x (`source/comprehension_variables.py`)
"""

from __future__ import annotations

import ast
import copy
import functools
import hashlib
import operator
import os
import re
import subprocess
import sys
from typing import Any, Callable, Mapping

from tf1grad.programs.names.python_rows import RENAMED_METHODS
from tf1grad.programs.source import comprehension_variables, scopes
from tf1grad.run.python2 import builtin_functions, own_modules, re_module, text_or_bytes

HELPER = "__tf1grad_python2__"  # a name in `builtins`, as for the fixes of dropped names


def give_meaning(
    tree: ast.Module, filename: str, namespace: Mapping[str, object] | None = None
) -> ast.Module:
    """Rewrites an `ast.Module` in place to its meaning in Python 2, and returns it.

    `filename` says what stands beside it; `namespace` has the names of cells that were executed
    before.
    """
    futures = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for alias in node.names
    }
    comprehension_variables.keep(tree)
    divides_truly = "division" in futures or _divides_truly(namespace or {})
    _MeaningRewriter(divides_truly, os.path.dirname(filename), "absolute_import" in futures).visit(
        tree
    )
    return ast.fix_missing_locations(tree)


def _divides_truly(namespace: Mapping[str, object]) -> bool:
    """Says whether the module imports `division` from `__future__`."""
    return bool(getattr(namespace.get("division"), "compiler_flag", 0))


class _MeaningRewriter(ast.NodeTransformer):
    def __init__(self, divides_truly: bool, folder: str, is_absolute: bool) -> None:
        self._divides_truly = divides_truly
        self._folder = os.path.abspath(folder)
        is_package = folder and os.path.exists(os.path.join(folder, "__init__.py"))
        self._package = folder if is_package and not is_absolute else None
        self._classes: list[str] = []

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and _is_text(node.left):
            node.right = _call("as_text_within", node.right, node.right)
        elif isinstance(node.op, ast.Add) and _is_text(node):
            node.left, node.right = _as_text(node.left), _as_text(node.right)
        if not isinstance(node.op, ast.Div) or self._divides_truly:
            return node
        return _call("divided", node, node.left, node.right)

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        self.generic_visit(node)
        if len(node.ops) > 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            return node
        other = node.comparators[0]
        is_collection = isinstance(other, (ast.Tuple, ast.List, ast.Set))
        if is_collection and any(map(_is_text, other.elts)):  # type: ignore[attr-defined]
            node.left = _as_text(node.left)
        elif _is_text(node.left) or _is_text(other):
            node.left, node.comparators = _as_text(node.left), [_as_text(other)]
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div) or self._divides_truly:
            return node
        if isinstance(node.target, (ast.Subscript, ast.Attribute)):
            node.target = self._place(node.target)
            return node
        value = copy.deepcopy(node.target)
        value.ctx = ast.Load()
        assigned = ast.Assign(
            targets=[node.target], value=_call("divided_in_place", node, value, node.value)
        )
        return ast.copy_location(assigned, node)

    def _place(self, target: ast.Subscript | ast.Attribute) -> ast.Attribute:
        """Returns the attribute `quotient` of a `Place`,
        which computes the parts of a target once.
        """
        if isinstance(target, ast.Subscript):
            made = _call("Place", target, target.value, _index(target.slice))
        else:
            name = self._mangled(target.attr)
            constants = (ast.Constant(value=name, kind=None), ast.Constant(value=True, kind=None))
            made = _call("Place", target, target.value, *constants)
        place = ast.Attribute(value=made, attr="quotient", ctx=ast.Store())
        return ast.copy_location(place, target)

    def _mangled(self, name: str) -> str:
        around = self._classes[-1].lstrip("_") if self._classes else ""
        is_private = name.startswith("__") and not name.endswith("__") and around
        return f"_{around}{name}" if is_private else name

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in METHODS:
            name = ast.copy_location(ast.Constant(value=function.attr, kind=None), function)
            node.func = _call("method", function, function.value, name)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self._classes.append(node.name)
        self.generic_visit(node)
        self._classes.pop()
        names = {
            statement.name for statement in node.body if isinstance(statement, ast.FunctionDef)
        }
        for old, new in RENAMED_METHODS.items():
            if old in names and new not in names:
                node.body.append(_alias(new, old, node))
        if names & {"__cmp__", "__eq__"}:
            compared = ast.Name(id=HELPER, ctx=ast.Load())
            node.decorator_list.append(
                ast.Attribute(value=compared, attr="compared", ctx=ast.Load())
            )
        for statement in node.body:
            if not isinstance(statement, ast.Assign):
                continue
            if getattr(statement.targets[0], "id", "") == "__metaclass__":
                node.keywords.append(ast.keyword(arg="metaclass", value=statement.value))
        return node

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        return [
            self._import(ast.copy_location(ast.Import(names=[alias]), node), alias)
            for alias in node.names
        ]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        if node.level or node.module is None or node.module == "__future__":
            return node
        if node.module == "pickle":
            node.module = "cPickle"
        elif self._is_of_then(node.module):
            node.module = _MODULES[node.module]
            return node
        return self._relative(node, node.module)

    def _import(self, node: ast.Import, alias: ast.alias) -> ast.stmt:
        if alias.name == "pickle":
            alias.name, alias.asname = "cPickle", alias.asname or "pickle"
        if self._is_of_then(alias.name):
            alias.name, alias.asname = _MODULES[alias.name], alias.asname or alias.name
            return node
        if "." in alias.name:
            return node
        return self._relative(node, alias.name)

    def _is_of_then(self, module: str) -> bool:
        """Says whether a module has another meaning in Python 2,
        and the program no file of its name.
        """
        if module not in _MODULES:
            return False
        folders = [self._folder, *sys.path[:1]]
        return not any(os.path.exists(os.path.join(each, module + ".py")) for each in folders)

    def _relative(self, node: ast.Import | ast.ImportFrom, module: str) -> ast.stmt:
        """Rewrites the import of a module beside this one in a package:
        Python 2 looked there first.
        """
        place = self._package and os.path.join(self._package, *module.split("."))
        if not place or not (
            os.path.exists(place + ".py") or os.path.exists(os.path.join(place, "__init__.py"))
        ):
            return self._with_own_name(node, module)
        beside = node.module if isinstance(node, ast.ImportFrom) else None
        inside = ast.ImportFrom(module=beside, names=node.names, level=1)
        in_package = ast.Name(id="__package__", ctx=ast.Load())
        return ast.copy_location(ast.If(test=in_package, body=[inside], orelse=[node]), node)

    def _with_own_name(
        self, node: ast.Import | ast.ImportFrom, module: str
    ) -> ast.Import | ast.ImportFrom:
        """Names a module of the program whose name the standard library took:
        in its folder, or beside the file.
        """
        for folder in (self._folder, *map(os.path.abspath, sys.path[:1])):
            alias = own_modules.alias_of(module, folder)
            if alias != module and isinstance(node, ast.ImportFrom):
                node.module = alias
            elif alias != module:
                node.names[0].asname = node.names[0].asname or module
                node.names[0].name = alias
            if alias != module:
                break
        return node


def _index(index: Any) -> ast.expr:
    """Returns what an index of brackets, an `ast.AST`, is as an expression."""
    if isinstance(index, ast.Slice):
        parts = [index.lower, index.upper, index.step]
        return _call(
            "slice", index, *(each or ast.Constant(value=None, kind=None) for each in parts)
        )
    if type(index).__name__ == "ExtSlice":  # before Python 3.9
        return ast.Tuple(elts=[_index(each) for each in index.dims], ctx=ast.Load())
    if type(index).__name__ == "Index":
        return _index(index.value)
    if isinstance(index, ast.Tuple):
        index.elts = list(map(_index, index.elts))
    expression: ast.expr = index
    return expression


def _is_text(node: ast.expr) -> bool:
    """Says whether an expression is text by what is written:
    a literal, or one that something is added to.
    """
    if isinstance(node, ast.BinOp):
        is_sum = isinstance(node.op, ast.Add)
        is_known = is_sum or isinstance(node.op, ast.Mod)
        return is_known and (_is_text(node.left) or (is_sum and _is_text(node.right)))
    is_literal = type(node).__name__ in ("Constant", "Str")  # the latter before Python 3.8
    return is_literal and isinstance(scopes.constant(node), str)


def _as_text(node: ast.expr) -> ast.expr:
    return node if _is_text(node) else _call("as_text", node, node)


def _alias(new: str, old: str, place: ast.AST) -> ast.Assign:
    target, value = ast.Name(id=new, ctx=ast.Store()), ast.Name(id=old, ctx=ast.Load())
    return ast.copy_location(ast.Assign(targets=[target], value=value), place)


def _call(name: str, place: ast.AST, *arguments: ast.expr) -> ast.Call:
    function = ast.Attribute(value=ast.Name(id=HELPER, ctx=ast.Load()), attr=name, ctx=ast.Load())
    return ast.copy_location(ast.Call(func=function, args=list(arguments), keywords=[]), place)


def divided(a: Any, b: Any) -> Any:
    """Returns `a / b` as in Python 2: whole numbers, also NumPy's,
    divided by whole numbers give whole numbers.

    Objects that define a Python 2 division, such as tensors, use it.
    """
    if _is_whole(a) and _is_whole(b):
        return a // b
    for value, name, other in ((a, "__div__", b), (b, "__rdiv__", a)):
        own = getattr(type(value), name, None)
        result = NotImplemented if own is None else own(value, other)
        if result is not NotImplemented:
            return result
    return a / b


def divided_in_place(a: Any, b: Any) -> Any:
    """Returns `a` after `a /= b`; arrays are changed in place."""
    if _is_whole(a) and _is_whole(b):
        a //= b
        return a
    if getattr(type(a), "__itruediv__", None):
        a /= b
        return a
    return divided(a, b)


class Place:
    """Holds an item or an attribute that is divided:
    the target of `a[f()] /= b`, whose parts are computed once.
    """

    def __init__(self, owner: Any, key: Any, is_attribute: bool = False) -> None:
        self._owner, self._key, self._is_attribute = owner, key, is_attribute

    @property
    def quotient(self) -> _Dividend:
        """Its value, which `/=` divides as in Python 2."""
        if self._is_attribute:
            return _Dividend(getattr(self._owner, self._key))
        return _Dividend(self._owner[self._key])

    @quotient.setter
    def quotient(self, value: object) -> None:
        if self._is_attribute:
            setattr(self._owner, self._key, value)
        else:
            self._owner[self._key] = value


class _Dividend:
    def __init__(self, value: Any) -> None:
        self._value = value

    def __itruediv__(self, divisor: object) -> Any:
        return divided_in_place(self._value, divisor)


def compared(kind: type) -> type:
    """Lets `<`, `==` and the like call the method `__cmp__` of a class,
    and leaves its instances hashable.
    """
    if hasattr(kind, "__cmp__"):
        for name, compare in _COMPARISONS.items():
            if name not in vars(kind):
                setattr(kind, name, compare)
    if vars(kind).get("__hash__", kind) is None:
        delattr(kind, "__hash__")
    return kind


def _comparison(compare: Callable[[int, int], bool]) -> Callable[[Any, Any], Any]:
    def compared_with(one: Any, other: object) -> Any:
        order = one.__cmp__(other)
        return order if order is NotImplemented else compare(order, 0)

    return compared_with


_COMPARISONS = {
    f"__{compare.__name__}__": _comparison(compare)
    for compare in (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)
}


def _is_whole(value: object) -> bool:
    return isinstance(value, int) or getattr(getattr(value, "dtype", None), "kind", "") in tuple(
        "iub"
    )


def method(value: Any, name: str) -> Any:
    """Returns the method `name` of a value, as it was in Python 2."""
    if name in ("keys", "values", "items") and isinstance(value, dict):
        return lambda: list(getattr(value, name)())
    if name == "sort" and isinstance(value, list):
        return lambda cmp=None, key=None, reverse=False: value.sort(
            key=builtin_functions.sort_key(key, cmp), reverse=bool(reverse)
        )
    if isinstance(value, (str, bytes)):
        if name in ("encode", "decode"):
            return getattr(value, name, None) or functools.partial(_unchanged, value)
        if name in text_or_bytes.METHODS:
            return text_or_bytes.method_of(value, name)
    if name == "split" and isinstance(value, _PATTERN):
        return functools.partial(re_module.split, value)
    own = getattr(value, name, None)
    if name in _OF_HASHES and (value is hashlib or hasattr(value, "hexdigest")):
        return functools.partial(_of_bytes, own)
    if name in _OF_FILES and text_or_bytes.is_file(value):
        return functools.partial(_OF_FILES[name], value.write)
    if name == "communicate" and isinstance(value, subprocess.Popen):
        return functools.partial(text_or_bytes.communicate, value)
    if own is None and name in _INSTEAD:
        own = _INSTEAD[name](value)
    return getattr(value, name) if own is None else own


def _unchanged(value: str | bytes, encoding: str = "utf-8", errors: str = "strict") -> str | bytes:
    """Returns text that is to be decoded, or bytes to be encoded;
    a LookupError for a codec such as "hex".
    """
    "".encode(encoding)
    return value


def _of_bytes(function: Any, *arguments: object, **options: object) -> Any:
    last = arguments[-1] if arguments else None
    if isinstance(last, str) and not (function is hashlib.new and len(arguments) == 1):
        arguments = (*arguments[:-1], text_or_bytes.encode(last))
    return function(*arguments, **options)


_INSTEAD: dict[str, Callable[[Any], Any]] = {
    "has_key": lambda value: value.__contains__,
    "iteritems": lambda value: lambda: iter(value.items()),
    "iterkeys": lambda value: lambda: iter(value.keys()),
    "itervalues": lambda value: lambda: iter(value.values()),
    "next": lambda value: lambda: next(value),
}
# Of `hashlib`, which takes the bytes that a string was.
_OF_HASHES = ("md5", "new", "sha1", "sha224", "sha256", "sha384", "sha512", "update")
# Python 2 wrote text to temporary, compressed and all other binary files, and to pipes.
_OF_FILES: dict[str, Callable[..., Any]] = {
    "write": text_or_bytes.write,
    "writelines": text_or_bytes.write_lines,
}
METHODS = (
    *("communicate", "decode", "encode", "items", "keys", "sort", "values"),
    *(*_INSTEAD, *_OF_HASHES, *_OF_FILES, *text_or_bytes.METHODS),
)
_PATTERN = type(re.compile(""))
# Modules of the standard library, and those that do here what they did in Python 2.
_MODULES = {name: f"{__package__}.{name}_module" for name in ("csv", "json", "re")}
