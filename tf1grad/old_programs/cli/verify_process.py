"""Runs a script for `tf1grad verify` and `upgrade`, in a separate process. Users do not call it.

The command is `PYTHON -m tf1grad.old_programs.cli.verify_process OPTIONS`, with OPTIONS in JSON.
"""

from __future__ import annotations

import functools
import json
import platform
import sys
from typing import Any, Callable, List, Mapping

from tf1grad.old_programs import _compat
from tf1grad.old_programs.cli import run

OLDEST_TENSORFLOW = (1, 15)
_kept: List[bytes] = []


def main(options: Mapping[str, Any]) -> int:
    """Runs a script as `tf1grad run` does, and returns its exit code.

    `options` has the arguments of `run`, and a `seed`; None leaves the program its own. For a `kind` of record it has
    the files `record` and `refusal` (why TensorFlow cannot be used), and the options of its `recorder`. With
    `other_addresses` objects have other addresses, by which Python orders sets of them.
    """
    version = _compat.installed_version()
    if "kind" in options and version is not None and version < OLDEST_TENSORFLOW:
        with open(options["refusal"], "w") as file:
            found, oldest = (
                ".".join(map(str, numbers)) for numbers in (version, OLDEST_TENSORFLOW)
            )
            file.write(f"its TensorFlow is {found}; tf1grad needs {oldest} or newer.")
        return 1
    arguments = run.parsed(options["run"])
    arguments.seeds = options.get("seeds", arguments.seeds)
    if options.get("other_addresses"):
        _move_addresses()
    return run.main(
        arguments,
        functools.partial(_start_recorder, options) if "kind" in options else None,
        options["seed"],
    )


def _move_addresses() -> None:
    """Keeps objects of every small size, an uneven number of each, so that later objects have other addresses."""
    for size in range(8, 512, 8):
        number = size % 61  # a prime number: neighbouring sizes get unlike numbers
        _kept.extend(bytes(size) for _ in range(number))


def _start_recorder(options: Mapping[str, Any]) -> None:
    # Imported here because they import TensorFlow and NumPy.
    import numpy as np

    from tf1grad.old_programs.verify import external_evaluations
    from tf1grad.old_programs.verify.graphs.graph_recorder import GraphRecorder
    from tf1grad.old_programs.verify.recorder import Recorder
    from tf1grad.old_programs.verify.session_observer import SessionObserver

    recorders: Mapping[str, Callable[..., SessionObserver]] = {
        "Record": Recorder,
        "GraphRecord": GraphRecorder,
    }
    recorder = recorders[options["kind"]](
        options["record"], options["steps"], **options["recorder"]
    )
    recorder.record.facts.update(
        executable=sys.executable,
        python=platform.python_version(),
        numpy=np.__version__,
        tensorflow=_compat.release(),
    )
    recorder.start(options["seed"])
    external_evaluations.start(recorder)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
