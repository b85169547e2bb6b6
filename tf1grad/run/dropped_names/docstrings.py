"""Keeps the indentation of docstrings, which Python strips since 3.13:
old libraries read sections of their own.

neupy, for one, knows a section by the spaces before its lines, and cannot be imported otherwise.
"""

from __future__ import annotations

import ast
import sys
from types import CodeType
from typing import Dict, Tuple, Union

from tf1grad.programs.source.scopes import statements_of

_Documented = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef]
# The docstring as it is written, of a function or class: by name and first line, which may be a
# decorator's.
_Texts = Dict[Tuple[str, int], str]


def keep(code: CodeType, tree: ast.Module) -> CodeType:
    """Returns the code of a module whose classes and functions have the
    docstrings that the tree has.
    """
    if sys.version_info < (3, 13):
        return code
    texts: _Texts = {}
    for node in statements_of(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            text = ast.get_docstring(node, clean=False)
            if text is not None and stripped(text) != text:
                texts[node.name, _first_line(node)] = text
    return _with_texts(code, texts) if texts else code


def _first_line(node: _Documented) -> int:
    return min(each.lineno for each in (node, *node.decorator_list))


def _with_texts(code: CodeType, texts: _Texts) -> CodeType:
    text = texts.get((code.co_name, code.co_firstlineno))
    known = None if text is None else stripped(text)
    constants = []
    for each in code.co_consts:
        if isinstance(each, CodeType):
            each = _with_texts(each, texts)
        elif known is not None and each == known:
            each = text
        constants.append(each)
    return code.replace(co_consts=tuple(constants))


def stripped(text: str) -> str:
    """Returns a docstring as the compiler of this Python leaves it."""
    # Whatever -OO says, which would leave none.
    constant = compile(repr(text), "", "exec", dont_inherit=True, optimize=0).co_consts[0]
    assert isinstance(constant, str)
    return constant
