"""Makes records of runs whose sessions fetched invented numbers."""

import numpy as np

from tf1grad.programs._samples import sample
from tf1grad.verify.record import Facts, Fetched, Record


def record_of(*runs, **facts):
    """Returns the record of runs: each a list of pairs of a name and a value,
    or the name of an error.
    """
    found = Record(Facts(number_runs=len(runs), session_runs=len(runs), **facts))
    for number, run in enumerate(runs, 1):
        if isinstance(run, str):
            found.runs.append(Fetched([], [], run, number=number))
        else:
            values = [sample(np.array(value)) for _, value in run]
            found.runs.append(Fetched([name for name, _ in run], values, number=number))
    return found
