"""Holds the numbers of one run of a script: initial values, and each step's losses, gradients and values."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional

import numpy as np

from tf1grad.old_programs._samples import Sample, sample

# By the names of variables.
Arrays = Mapping[str, np.ndarray]
Samples = Dict[str, Sample]


class Step(NamedTuple):
    """The numbers of one step."""

    kind: (
        str  # "apply" (values are those after it) or "evaluation" (values are the evaluated point)
    )
    losses: List[float]  # in the order in which the script took their gradients
    gradients: Samples
    values: Samples


class Record:
    """The record of one run of a script."""

    def __init__(self, facts: Optional[Mapping[str, Any]] = None) -> None:
        self.facts: Dict[str, Any] = dict(facts or {})
        self.initial: Samples = {}
        self.steps: List[Step] = []

    def add_initial(self, arrays: Arrays) -> None:
        """Stores the values of variables before the first step, a dict of arrays."""
        self.initial = _samples(arrays)

    def add_step(
        self, losses: Iterable[Any], gradients: Arrays, values: Arrays, kind: str = "apply"
    ) -> None:
        """Stores one step: `losses` are numbers, `gradients` and `values` dicts of arrays."""
        self.steps.append(
            Step(kind, [float(loss) for loss in losses], _samples(gradients), _samples(values))
        )


def _samples(arrays: Arrays) -> Samples:
    return {name: sample(value) for name, value in arrays.items()}
