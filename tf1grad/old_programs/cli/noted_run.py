"""Runs a script for `tf1grad upgrade --by-running`, in a separate process. Users do not call it.

The command is `PYTHON -m tf1grad.old_programs.cli.noted_run OPTIONS`, with OPTIONS in JSON. Both runs, that of the old
program under `tf1grad run` and that of the upgraded one under plain Python, use the same seeds.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from typing import Any, List, Mapping

import numpy as np

from tf1grad.old_programs.cli import run
from tf1grad.old_programs.emulation import script, tracebacks, user_modules
from tf1grad.old_programs.process import finder, patches

SEED, RULE = 1, "count"


def main(options: Mapping[str, Any]) -> int:
    """Runs a script, writes the notes of its run, and returns its exit code.

    Args:
        options: a dict: `notes`, the file to write; `command`, the script and its arguments; `upgraded`, True to run it
            as `python` does.
    """
    random.seed(SEED)
    np.random.seed(SEED)
    if options["upgraded"]:
        _run_upgraded(options["notes"], options["command"])
        return 0
    parser = argparse.ArgumentParser(prog="tf1grad run", allow_abbrev=False)
    run.add_arguments(parser)
    arguments = parser.parse_args(["--seeds", RULE, "--record", options["notes"], *options["command"]])
    return run.main(arguments, seed=SEED)


def _run_upgraded(notes: str, command: List[str]) -> None:
    begin = run.take_notes(notes, SEED)
    prepared: List[Any] = []

    def prepare(module: Any) -> None:
        importing = sys.modules.get("tf1grad._compat")
        if prepared or importing is not None and "VERSION" not in vars(importing):
            return  # tf1grad itself imports TensorFlow, and this is called again when it is done
        prepared.append(module)
        from tf1grad.migrate import seeds  # it imports TensorFlow
        seeds.install(RULE)
        patches.patch(seeds, "install", lambda *arguments, **options: None, owner=__name__,
                      reason="the rule for op seeds is that of the recorded run")
        begin()
    finder.call_after(["tensorflow", "tf1grad._compat"], prepare, reason="the first fetched values are noted")
    is_module = command[0] == "-m"
    program = script.named(command[is_module], is_module)
    with tracebacks.own_frames_hidden():
        script.run(program, command[is_module + 1:], lambda source, file, mark=None:
                   user_modules.compile_plainly(source, file))


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
