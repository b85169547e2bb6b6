"""Holds the times of one process's steps, and reads and writes them as a file of JSON."""

from __future__ import annotations

import contextlib
import json
from typing import Any, Dict, List, Mapping, Optional, Tuple


class StepTimes:
    """When the steps of one process ended: wall and CPU seconds since its start, of runs that `trained`, and of all."""

    def __init__(self, facts: Optional[Mapping[str, Any]] = None) -> None:
        self.facts: Dict[str, Any] = dict(facts or {})
        self.trained: List[Tuple[float, float]] = []
        self.ran: List[Tuple[float, float]] = []
        self.losses: List[float] = []

    @property
    def steps(self) -> List[Tuple[float, float]]:
        """Returns the times of the steps."""
        return self.trained or self.ran

    def save(self, path: str) -> None:
        """Writes the record to the file `path`, with the process's memory."""
        self.facts["memory"] = _largest_memory()
        with open(path, "w") as file:
            json.dump(vars(self), file)

    @classmethod
    def load(cls, path: str) -> StepTimes:
        """Returns the record that `save` wrote to `path`."""
        record = cls()
        with open(path) as file:
            vars(record).update(json.load(file))
        return record


def _largest_memory() -> Optional[int]:
    """Returns the largest resident memory in bytes, or None. On Linux, `ru_maxrss` begins with the parent's."""
    with contextlib.suppress(OSError), open("/proc/self/status") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    with contextlib.suppress(ImportError):
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return None
