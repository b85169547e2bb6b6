"""Takes notes in the process of an upgraded program, for `tf1grad upgrade --by-running`. Users do not call it.

Python runs the program as it is. A `sitecustomize.py`, which Python imports when it starts, calls `begin`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import Any, List, Optional

from tf1grad.old_programs.era import numpy_refusals
from tf1grad.old_programs.period import layer
from tf1grad.old_programs.process import finder, ownership, patches

RULE = "count"  # for op seeds: the same on every version
HOOK = "import {module}\n{module}.begin({notes!r}, {seed!r}, {parent}, {path!r}, {types})\n"


def write_hook(folder: str, notes: str, seed: Optional[int], types: bool = False) -> str:
    """Writes `sitecustomize.py` to a folder, and returns the PYTHONPATH with which a child process begins notes."""
    path = os.environ.get("PYTHONPATH")
    with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as file:
        file.write(HOOK.format(module=__name__, notes=notes, seed=seed, parent=os.getpid(), path=path,
                               types=types))
    return os.pathsep.join(filter(None, [folder, path]))


def begin(notes: str, seed: Optional[int], parent: int, path: Optional[str],
          types: bool) -> None:
    """Begins the notes of this process, unless it is a child of the program. `path` is the user's PYTHONPATH.

    With `types`, the layer's NumPy notes where NumPy 2 changes the type of a result.
    """
    _leave(path)
    if os.getppid() != parent:
        return
    if types:
        layer.lay_warning_numpy()
        ownership.remember(ownership.Files())
        numpy_refusals.note_warnings()
    from tf1grad.old_programs.cli import run
    if seed is not None:
        run.seed_generators(seed)
    start = run.take_notes(notes, seed)
    prepared: List[Any] = []

    def prepare(module: Any) -> None:
        importing = sys.modules.get("tf1grad._compat")
        if prepared or importing is not None and "VERSION" not in vars(importing):
            return  # tf1grad itself imports TensorFlow, and this is called again when it is done
        prepared.append(module)
        if seed is not None:
            _install_rule()
        start()
    finder.call_after(["tensorflow", "tf1grad._compat"], prepare, reason="the first fetched values are noted")


def _leave(path: Optional[str]) -> None:
    """Removes the hook from this process, and imports the user's own `sitecustomize`."""
    folder = os.path.dirname(str(sys.modules["sitecustomize"].__file__))
    sys.path[:] = [each for each in sys.path if each != folder]
    os.environ.pop("PYTHONPATH", None)
    if path is not None:
        os.environ["PYTHONPATH"] = path
    del sys.modules["sitecustomize"]
    with contextlib.suppress(ImportError):
        importlib.import_module("sitecustomize")


def _install_rule() -> None:
    from tf1grad.migrate import seeds  # it imports TensorFlow
    seeds.install(RULE)
    patches.patch(seeds, "install", lambda *arguments, **options: None,
                  reason="the rule for op seeds is that of the recorded run")


def main(command: List[str]) -> None:
    """Runs a notebook, which `python` cannot, without the changes of `tf1grad run`."""
    from tf1grad.old_programs.emulation import script, tracebacks, user_modules
    with tracebacks.own_frames_hidden():
        script.run(script.named(command[0], False), command[1:], lambda source, file, mark=None:
                   user_modules.compile_plainly(source, file))


if __name__ == "__main__":
    main(sys.argv[1:])
