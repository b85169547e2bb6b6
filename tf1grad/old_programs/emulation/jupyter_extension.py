"""Prepares a notebook's kernel for `%load_ext tf1grad`: later cells see TensorFlow 1.15, as under `tf1grad run`.

Cells are translated from the first cell that only Python 2 reads: a kernel does not know the notebook's metadata.
"""

from __future__ import annotations

import ast
import sys
from typing import Any, Mapping

from tf1grad.old_programs import dropped_names, python2
from tf1grad.old_programs.emulation import child_processes, startup


def _tensorflow_version(line: str) -> None:
    """Stands for Colab's magic of this name: later cells have TensorFlow 1.15 already."""


class _Rewriter(ast.NodeTransformer):
    """Rewrites each cell, as IPython calls it: with the cell's lines (`text`), then with its tree."""

    def __init__(self, compiler: python2.Compiler, namespace: dict[str, Any]) -> None:
        self._compiler, self._namespace = compiler, namespace

    def text(self, lines: list[str]) -> list[str]:
        """Returns the lines of a cell, as Python 3 reads them."""
        return self._compiler.cell("".join(lines)).splitlines(True)

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.Module):
            return node
        return dropped_names.rewritten_expressions.rewritten(
            self._compiler.cell_meaning(node, self._namespace)
        )


def load(ipython: Any, options: Mapping[str, Any]) -> None:
    """Prepares the kernel's process as `tf1grad run` does its own; a second call changes nothing.

    `options` are those of `startup.prepare`. An ImportError says that TensorFlow is imported already.
    """
    if any(isinstance(transformer, _Rewriter) for transformer in ipython.ast_transformers):
        return
    compiler = child_processes.compiler_of_child()
    if compiler is None:
        if "tensorflow" in sys.modules:
            raise ImportError(
                "tensorflow is imported already. Restart the kernel, and put %load_ext tf1grad before the first "
                "import of tensorflow"
            )
        compiler = startup.prepare(options)
    rewriter = _Rewriter(compiler, ipython.user_ns)
    ipython.register_magic_function(_tensorflow_version, magic_name="tensorflow_version")
    ipython.input_transformers_post.append(rewriter.text)
    ipython.ast_transformers.append(rewriter)
