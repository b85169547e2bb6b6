"""Finds the fetches of a run that read what the same run writes, in no defined order: a data race.

TensorFlow may choose another order each time. A run that is compared reads these fetches in an
order that is known, and that TensorFlow may choose as well.
"""

from __future__ import annotations

from typing import NamedTuple

from tf1grad._compat import tf
from tf1grad.recipes.sessions.writes import source, writes
from tf1grad.verify.observed_sessions import SessionRun
from tf1grad.verify.run_dependencies import (
    consumers_of,
    executed,
    have_no_side_effects,
    later,
    readers_of,
    without_order,
)


class UnorderedFetches(NamedTuple):
    """The names of such fetches, by where an order is known that TensorFlow may choose."""

    before: set[str]  # all reads before the run
    after: set[str]  # all reads after it
    # They draw numbers, take from queues or iterators, and cannot be read apart from the run.
    neither: set[str]

    def all(self) -> set[str]:
        """Returns the names of all of them."""
        return self.before | self.after | self.neither


def unordered_fetches(run: SessionRun) -> UnorderedFetches:
    """Returns the fetches of a run that read what it writes, in no defined order."""
    ran = run.ops()
    consumers = consumers_of(ran)
    fetches = [tensor for tensor in run.fetches if tensor.name not in run.feeds]
    needed = executed([tensor.op for tensor in fetches], run.feeds)
    unordered: set[tf.Operation] = set()
    ordered: set[tf.Operation] = set()
    for write in writes(ran):
        readers = needed.intersection(readers_of(write.variable, consumers))
        # A fetched ref variable is read by nobody else.
        readers.update(tensor.op for tensor in fetches if _memory(tensor) is write.variable)
        racing = without_order(write, readers, consumers)
        unordered |= racing
        ordered |= readers - racing
    found = UnorderedFetches(set(), set(), set())
    affected = later(unordered, consumers)
    for tensor in fetches:
        if tensor.op in affected:
            ops = executed([tensor.op], run.feeds)
            if not have_no_side_effects(ops):
                names = found.neither
            else:
                # A read that decides what is written comes before the run.
                names = found.after if ops.isdisjoint(ordered) else found.before
            names.add(tensor.name)
    return found


def _memory(tensor: tf.Tensor) -> tf.Operation | None:
    """Returns the ref variable whose memory a tensor is, or None."""
    holder = source(tensor)
    return holder if holder.type in ("Variable", "VariableV2") else None
