"""Rewrites calls and indices that NumPy no longer understands while a script is compiled.

    x.tostring()    owner(x, 'tostring').tostring()
    np.load(x)      function(np.load)(x)        array, stack and others of `FUNCTIONS` too, where
                                                `np` is NumPy, or where it or `load` comes from a
                                                star import
    np.f(old=x)     keyword(np.f, 'old', old=x) for keyword arguments that have another name now

These are the functions of `numpy_calls.py`. They leave every other value unchanged. Operators,
conversions of numbers and assignments stay as they are, and as fast: the NumPy that `run` lays in
front understands them. Calls in functions with a decorator of Numba's stay too: Numba compiles
NumPy's functions, and refuses others.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import List, Union

from tf1grad.programs.source.scopes import bound_names, nodes_of
from tf1grad.run.dropped_names import docstrings
from tf1grad.run.dropped_names.numpy_calls import FUNCTIONS, KEYWORDS, METHODS

Code = Union[str, bytes, ast.Module]  # of a module
_Imports = List[Union[ast.Import, ast.ImportFrom]]
HELPER = "__tf1grad_dropped_names__"  # a name in `builtins`, so that no module's namespace changes


def compile_module(source: Code, filename: str) -> CodeType:
    """Compiles a module with its expressions rewritten."""
    try:
        # Not `ast.parse`, which a traceback would show.
        tree: ast.Module = compile(source, filename, "exec", ast.PyCF_ONLY_AST, True)  # type: ignore[assignment]
        rewriter = _ExpressionRewriter(tree)
        rewriter.visit(tree)
        changed = rewriter.changed
    except RecursionError:  # the compiler itself goes deeper than a visitor
        return compile(source, filename, "exec", dont_inherit=True)
    code = compile(
        ast.fix_missing_locations(tree) if changed else source, filename, "exec", dont_inherit=True
    )
    return docstrings.keep(code, tree)


def rewrite(tree: ast.Module) -> ast.Module:
    """Rewrites the expressions of an `ast.Module` in place, and returns it."""
    _ExpressionRewriter(tree).visit(tree)
    return ast.fix_missing_locations(tree)


class _ExpressionRewriter(ast.NodeTransformer):
    def __init__(self, tree: ast.Module) -> None:
        self.changed = False
        imports: _Imports = [
            node for node in nodes_of(tree) if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        self._numpy = _aliases(imports, "numpy")
        self._bound = bound_names(tree)
        self._from_numpy = {
            alias.asname or alias.name
            for node in imports
            if isinstance(node, ast.ImportFrom) and node.module == "numpy"
            for alias in node.names
            if alias.name in FUNCTIONS
        }
        self._numba = _aliases(imports, "numba") | {
            alias.asname or alias.name
            for node in imports
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba"
            for alias in node.names
        }

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        decorators = [
            each.func if isinstance(each, ast.Call) else each for each in node.decorator_list
        ]
        names = {
            _name(each.value if isinstance(each, ast.Attribute) else each) for each in decorators
        }
        return self.generic_visit(node) if names.isdisjoint(self._numba) else node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        function = node.func
        if self._may_be_numpys(function):
            node.func = self._call("function", function)
        elif not isinstance(function, ast.Attribute):
            pass
        elif _name(function.value) in self._numpy and _old_keyword(node):
            node.args[:0] = [function, ast.Constant(value=_old_keyword(node), kind=None)]
            node.func = self._helper("keyword", function)
        elif function.attr in METHODS and not isinstance(function.value, ast.Constant):
            function.value = self._call(
                "owner", function.value, ast.Constant(value=function.attr, kind=None)
            )
        return node

    def _may_be_numpys(self, function: ast.expr) -> bool:
        """Says whether a function is imported from NumPy, or may be:
        its name comes from a star import.
        """
        if isinstance(function, ast.Name):
            return (
                function.id in self._from_numpy
                or function.id in FUNCTIONS
                and self._is_from_star(function)
            )
        return (
            isinstance(function, ast.Attribute)
            and function.attr in FUNCTIONS
            and isinstance(function.value, ast.Name)
            and (function.value.id in self._numpy or self._is_from_star(function.value))
        )

    def _is_from_star(self, name: ast.Name) -> bool:
        return "*" in self._bound and name.id not in self._bound

    def _call(self, name: str, *arguments: ast.expr) -> ast.Call:
        call = ast.Call(func=self._helper(name, arguments[0]), args=list(arguments), keywords=[])
        return ast.copy_location(call, arguments[0])

    def _helper(self, name: str, place: ast.expr) -> ast.Attribute:
        self.changed = True
        module = ast.copy_location(ast.Name(id=HELPER, ctx=ast.Load()), place)
        return ast.copy_location(ast.Attribute(value=module, attr=name, ctx=ast.Load()), place)


def _aliases(imports: _Imports, module: str) -> set[str]:
    return {
        alias.asname or alias.name
        for node in imports
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == module
    }


def _name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _old_keyword(call: ast.Call) -> str | None:
    return next((keyword.arg for keyword in call.keywords if keyword.arg in KEYWORDS), None)
