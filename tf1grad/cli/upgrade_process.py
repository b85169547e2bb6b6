"""Runs an upgraded program for `tf1grad upgrade --by-running`, and records what it fetches.
Users do not call it.

The command is `PYTHON -m tf1grad.cli.upgrade_process OPTIONS PROGRAM`, with OPTIONS in JSON.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Mapping

from tf1grad.cli import run
from tf1grad.programs.process import finder
from tf1grad.run import python2
from tf1grad.run.script import script, tracebacks, user_modules
from tf1grad.run.start import options as options_of_run
from tf1grad.verify import recorders

if TYPE_CHECKING:
    from types import ModuleType

RULE = "count"  # for op seeds: the same on every version


def main(options: Mapping[str, Any], command: list[str]) -> None:
    """Runs a program without the changes of `tf1grad run`, with the `recorder` of the options.

    Random numbers get the `seed`, if that is not None.
    """
    seed = options["seed"]
    if seed is not None:
        # For `import tf1grad.v1`.
        options_of_run.defaults = options_of_run.defaults._replace(seeds=RULE)
        run.seed_generators(seed)
    prepared: list[Any] = []

    def prepare(module: ModuleType) -> None:
        importing = sys.modules.get("tf1grad._compat")
        if prepared or importing is not None and "VERSION" not in vars(importing):
            return  # tf1grad itself imports TensorFlow, and this is called again when it is done
        prepared.append(module)
        if seed is not None:
            from tf1grad.run import seeds  # it imports TensorFlow

            seeds.install(RULE)
        recorders.start(options["recorder"], seed)

    finder.call_after(
        ["tensorflow", "tf1grad._compat"], prepare, reason="what sessions return is recorded"
    )
    is_module = command[0] == "-m"
    words = command[is_module:]
    with tracebacks.own_frames_hidden():
        script.run(
            script.find_program(words[0], is_module),
            words[1:],
            python2.Compiler(user_modules.compile_plainly, 3),
            serves_exports=False,
        )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
