"""Finds a program's own copies of TensorFlow 1's example modules: files beside the file that imports them."""

import os
import re
from typing import Optional

from tf1grad.old_programs.source.edits import with_alias
from tf1grad.old_programs.source.program import Program

EXAMPLES = ("tensorflow.examples.", "tensorflow.models.")
_STARTED = re.compile(r"^if __name__ ==", re.M)


def import_statement(program: Program, name: str, local: Optional[str] = None) -> Optional[str]:
    """Returns the statement that imports a program's own copy of an example as `local`, or None if there is not one.

    The copy of "tensorflow.models.rnn.ptb.reader" is `reader.py` beside the program, in a folder `ptb`.
    """
    parent, _, last = name.rpartition(".")
    written = with_alias(last, local)
    start = _start(program, name)
    if start is not None:
        return "from . import " + written if start else "import " + written
    start = _start(program, parent)
    return None if start is None else f"from {start}{parent.rpartition('.')[2]} import {written}"


def has_copy(program: Program, name: str) -> bool:
    """Returns True if a program has its own copy of the module that a dotted name begins with."""
    parts = name.split(".")
    return any(_start(program, ".".join(parts[:length])) is not None for length in range(len(parts), 2, -1))


def _start(program: Program, module: str) -> Optional[str]:
    """Returns the start of an import of the copy, "" or "."; None if it is missing, or if either is possible."""
    if not module.startswith(EXAMPLES):
        return None
    path = os.path.realpath(program.source.path)
    folder, file = os.path.split(path)
    package, last = module.split(".")[-2:]
    if os.path.basename(folder) != package or file == last + ".py" or \
            not os.path.isfile(os.path.join(folder, last + ".py")):
        return None
    if file == "__init__.py":
        return "."
    return "" if _has_started_file(folder) else None


def _has_started_file(folder: str) -> bool:
    """Returns True if a folder has an entry-point file: then Python finds modules in this folder."""
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as file:
                if _STARTED.search(file.read().decode("latin-1")):
                    return True
    return False
