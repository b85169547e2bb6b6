"""Runs a script for `tf1grad verify` and `upgrade`, in a separate process. Users do not call it.

The command is `PYTHON -m tf1grad.cli.verify_process OPTIONS`, with OPTIONS in JSON.
"""

from __future__ import annotations

import functools
import json
import sys
from typing import Any, Mapping

from tf1grad.cli import run
from tf1grad.verify import recorders

_kept: list[bytes] = []


def main(options: Mapping[str, Any]) -> int:
    """Runs a script as `tf1grad run` does, and returns its exit code.

    `options` has the arguments of `run`, a `seed`, where None leaves the program its own, and the
    options of the `recorder`. With `other_addresses` objects have other addresses, by which Python
    orders sets of them.
    """
    arguments = run.parse_arguments(options["run"])
    arguments.seeds = options.get("seeds", arguments.seeds)
    if options.get("other_addresses"):
        _move_addresses()
    start = functools.partial(recorders.start, options["recorder"], options["seed"])
    return run.main(arguments, start, options["seed"])


def _move_addresses() -> None:
    """Keeps objects of every small size, an uneven number of each,
    so that later objects have other addresses.
    """
    for size in range(8, 512, 8):
        number = size % 61  # a prime number: neighbouring sizes get unlike numbers
        _kept.extend(bytes(size) for _ in range(number))


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
