"""Makes AutoGraph convert functions of rewritten modules as they run, not as their files read."""

from __future__ import annotations

import ast
import copy
import textwrap
from typing import Any, Callable, Optional, Tuple, Union

from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import patches

_Function = Union[ast.FunctionDef, ast.Lambda]
Module = Tuple[ast.Module, str]  # the tree that runs, and a text that has the same lines


def install(module_of: Callable[[str], Optional[Module]]) -> None:
    """Gives AutoGraph the trees that `module_of` returns for a file; None for a file that runs as it reads."""

    def parse(
        parse_entity: Callable[..., Any], entity: Any, *arguments: Any, **options: Any
    ) -> Any:
        code: Any = getattr(entity, "__code__", None)
        module = None if code is None else module_of(code.co_filename)
        function = None if module is None else _function(module[0], code)
        if module is None or function is None:
            return parse_entity(entity, *arguments, **options)
        return _parsed(function, module[1], code.co_firstlineno)

    patches.wrap(
        _compat.resolve("tensorflow.python.autograph.pyct.parser"),
        "parse_entity",
        parse,
        reason="functions of Python 2 programs that AutoGraph converts keep their meaning",
    )


def _function(tree: ast.Module, code: Any) -> Optional[_Function]:
    """Returns what `code` was compiled from in a module; None if several lambdas stand on its line."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.Lambda))
        and getattr(node, "name", "<lambda>") == code.co_name
        and _first_line(node) == code.co_firstlineno
    ]
    return found[0] if len(found) == 1 else None


def _first_line(node: _Function) -> int:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return min(each.lineno for each in (node, *decorators))


def _parsed(function: _Function, text: str, first: int) -> Tuple[Any, str]:
    """Returns a function's tree and text in the form of `parse_entity`, whose lines begin at 1."""
    gast = _compat.resolve("gast")
    node = ast.increment_lineno(copy.deepcopy(function), 1 - first)
    lines = text.splitlines(keepends=True)[first - 1 : function.end_lineno]
    return gast.ast_to_gast(node), textwrap.dedent("".join(lines))
