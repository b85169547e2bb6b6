"""The script's process: `PYTHON -m tf1grad.old_programs.verify.child OPTIONS`, OPTIONS in JSON. Not for users."""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
from typing import Any, Mapping

import numpy as np

from tf1grad.old_programs import _compat
from tf1grad.old_programs.cli import run

OLDEST_TENSORFLOW = (1, 15)


def main(options: Mapping[str, Any]) -> int:
    """Runs a script as `tf1grad run` does, records it, and returns its exit code.

    Args:
        options: a dict: `record`, the file to write; `refusal`, the file that says why TensorFlow cannot be used;
            `steps`, `move`, `seed`: as in `Recorder`; `run`: the arguments of the command `run`.
    """
    version = _compat.installed_version()
    if version is not None and version < OLDEST_TENSORFLOW:
        with open(options["refusal"], "w") as file:
            there, oldest = (".".join(map(str, numbers)) for numbers in (version, OLDEST_TENSORFLOW))
            file.write(f"TensorFlow there is {there}; tf1grad needs {oldest} or newer.")
        return 1
    parser = argparse.ArgumentParser(prog="tf1grad run", allow_abbrev=False)
    run.add_arguments(parser)
    arguments = parser.parse_args(options["run"])
    random.seed(options["seed"])
    np.random.seed(options["seed"])
    return run.main(arguments, when_loaded=lambda: _observe(options))


def _observe(options: Mapping[str, Any]) -> None:
    # Here because it imports TensorFlow.
    from tf1grad.old_programs.verify import external_evaluations
    from tf1grad.old_programs.verify.recorder import Recorder
    facts = {"executable": sys.executable, "python": platform.python_version(), "numpy": np.__version__,
             "tensorflow": _compat.release()}
    recorder = Recorder(options["record"], options["steps"], options["move"], facts)
    recorder.start(options["seed"])
    external_evaluations.start(recorder)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
