"""Starts pip and uv so that they end with this process, however it ends,
and tells where they wait long.

Several threads may call `run` at the same time.
"""

from __future__ import annotations

import errno
import subprocess
from typing import IO, Any, Mapping, Sequence

from tf1grad.programs import _systems
from tf1grad.programs.process import messages

SECONDS = 30  # after which a helper that still runs is told
MOST_SECONDS = 3600  # after which it is ended
WAITING = "waiting for {} for {} seconds now"
NO_END = "it did not end in {} seconds"


def run(
    command: Sequence[str],
    address: str,
    *,
    stdout: IO[Any] | int | None = subprocess.PIPE,
    env: Mapping[str, str],
    cwd: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a helper, which reads no input, and returns its exit code and what it wrote.

    `address` is the one that messages name. A helper that does not end in an hour is a
    `TimeoutError`.
    """
    with _systems.supervised(command, stdout=stdout, env=env, cwd=cwd) as process:
        output, errors = _wait(process, address)
    return subprocess.CompletedProcess([*command], process.returncode, _text(output), _text(errors))


def _wait(process: subprocess.Popen[bytes], address: str) -> tuple[bytes | None, bytes | None]:
    try:
        return process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        messages.say(WAITING.format(address, SECONDS))
    try:
        return process.communicate(timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        raise TimeoutError(errno.ETIMEDOUT, NO_END.format(MOST_SECONDS), address) from None


def _text(output: bytes | None) -> str:
    return (output or b"").decode("utf-8", errors="replace")
