"""Rewrites the cells of a notebook between IPython's own steps:
Python 2, and the names that libraries dropped.
"""

from __future__ import annotations

import ast
from typing import Any

from tf1grad.run import dropped_names, python2


def install(ipython: Any, compiler: python2.Compiler) -> None:
    """Lets a shell of IPython rewrite all later cells,
    and gives it Colab's magic `%tensorflow_version`.
    """
    rewriter = _CellRewriter(compiler, ipython.user_ns)
    ipython.register_magic_function(_tensorflow_version, magic_name="tensorflow_version")
    ipython.input_transformers_post.append(rewriter.text)
    ipython.ast_transformers.append(rewriter)


def is_installed(ipython: Any) -> bool:
    """Says whether a shell of IPython rewrites its cells already."""
    return any(isinstance(transformer, _CellRewriter) for transformer in ipython.ast_transformers)


def _tensorflow_version(line: str) -> None:
    """Stands for Colab's magic of this name: later cells have TensorFlow 1.15 already."""


class _CellRewriter(ast.NodeTransformer):
    """Rewrites each cell, as IPython calls it:
    with the cell's lines (`text`), then with its tree.
    """

    def __init__(self, compiler: python2.Compiler, namespace: dict[str, Any]) -> None:
        self._compiler, self._namespace = compiler, namespace

    def text(self, lines: list[str]) -> list[str]:
        """Returns the lines of a cell, as Python 3 reads them."""
        return self._compiler.cell("".join(lines)).splitlines(True)

    def visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, ast.Module):
            return node
        tree = self._compiler.cell_meaning(node, self._namespace)
        if self._compiler.plain is not dropped_names.compile_module:  # --no-dropped-names
            return tree
        return dropped_names.rewritten_expressions.rewrite(tree)
