"""Runs the old script for `tf1grad upgrade --by-running`, in a separate process. Users do not call it.

The command is `PYTHON -m tf1grad.old_programs.cli.noted_run OPTIONS`, with OPTIONS in JSON.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Mapping

from tf1grad.old_programs.cli import run
from tf1grad.old_programs.cli.upgraded_run import RULE


def main(options: Mapping[str, Any]) -> int:
    """Runs a script as `tf1grad run --record` does; a `seed` of None leaves the program its own seeds."""
    arguments = run.parsed(["--record", options["notes"], *options["command"]])
    seed = options["seed"]
    if seed is None:
        return run.main(arguments)
    arguments.seeds = RULE
    return run.main(arguments, seed=seed, when_prepared=lambda: run.seed_generators(seed))


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
