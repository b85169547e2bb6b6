"""Prepares a notebook's kernel for `%load_ext tf1grad`:
later cells see TensorFlow 1.15, as under `tf1grad run`.

Cells are translated from the first cell that only Python 2 reads: a kernel does not know the
notebook's metadata.
"""

from __future__ import annotations

import sys

from tf1grad.run.script import cell_rewriter
from tf1grad.run.start import child_processes, startup
from tf1grad.run.start.options import Options


def load(ipython: object, options: Options) -> None:
    """Prepares the kernel's process as `tf1grad run` does its own; a second call changes nothing.

    An ImportError says that TensorFlow is imported already.
    """
    if cell_rewriter.is_installed(ipython):
        return
    compiler = child_processes.compiler_of_child()
    if compiler is None:
        if "tensorflow" in sys.modules:
            raise ImportError(
                "tensorflow is imported already. Restart the kernel, and put %load_ext tf1grad before the first "
                "import of tensorflow"
            )
        compiler = startup.prepare(options)
    cell_rewriter.install(ipython, compiler)
