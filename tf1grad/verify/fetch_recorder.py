"""Records the numbers that the sessions of a script return."""

from __future__ import annotations

import contextlib
from typing import Any, Collection, Hashable

from tf1grad._compat import tf
from tf1grad.programs._samples import is_numeric
from tf1grad.recipes.sessions.writes import writes
from tf1grad.verify.extra_fetches import fetch, read_initialized
from tf1grad.verify.observed_sessions import SessionRun
from tf1grad.verify.perturbation import perturb
from tf1grad.verify.record import Fetched
from tf1grad.verify.recorder import RESTORING, Recorder
from tf1grad.verify.unordered_fetches import UnorderedFetches, unordered_fetches

RUNS = 20_000  # the most that are recorded


class FetchRecorder(Recorder):
    """Records each run that returns numbers or raises an error of TensorFlow,
    as long as there is room.

    With `directions`, a number from 1 on, the trainable variables are perturbed by one ulp before
    the first run that writes them when all are initialized.

    A fetch that reads what its run writes, in no defined order, is read before the run or after it,
    in an order that TensorFlow may choose. The script gets that value. So its numbers, and what it
    does with them, repeat.
    """

    def __init__(self, path: str, directions: int = 0) -> None:
        super().__init__(path)
        self._directions = directions
        self._unordered: dict[Hashable, UnorderedFetches] = {}  # of each kind of run

    def observe(self, run: SessionRun) -> list[Any]:
        """Executes a run, and records what it returns."""
        if self._directions and self.record.facts.moved is None:
            self._perturb_before_training(run)
        unordered = self._unordered_fetches(run)
        known = _read(run, unordered.before)
        try:
            values = run.execute([])
        except Exception as error:
            self._add(run, [], error=type(error).__name__)
            raise
        known.update(_read(run, unordered.after))
        names = [tensor.name for tensor in run.fetches]
        values = [known.get(name, value) for name, value in zip(names, values)]
        self._add(run, values, unordered=unordered.all() - set(known))
        return values

    def _unordered_fetches(self, run: SessionRun) -> UnorderedFetches:
        kind = run.kind()
        if kind not in self._unordered:
            self._unordered[kind] = unordered_fetches(run)
        return self._unordered[kind]

    def _add(
        self,
        run: SessionRun,
        values: list[Any],
        unordered: Collection[str] = (),
        error: str = "",
    ) -> None:
        facts = self.record.facts
        with self.lock:
            facts.session_runs += 1
            numbers = [
                (tensor.name, value)
                for tensor, value in zip(run.fetches, values)
                if is_numeric(value)
            ]
            if not numbers and not error:
                return
            facts.number_runs += 1
            if len(self.record.runs) < RUNS and self.record.has_room:
                names = [name for name, _ in numbers]
                samples = [self.record.sampled(value) for _, value in numbers]
                racing = [place for place, name in enumerate(names) if name in unordered]
                fetched = Fetched(names, samples, error, racing, facts.session_runs)
                self.record.runs.append(fetched)

    def _perturb_before_training(self, run: SessionRun) -> None:
        variables = {
            variable.name: variable
            for variable in run.session.graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
        }
        ran = run.ops()
        trainable = {variable.op for variable in variables.values()}
        if trainable.isdisjoint(write.variable for write in writes(ran)):
            return
        if any(op.type in RESTORING for op in ran):
            return
        if len(read_initialized(run.session, variables)) == len(variables):
            count = perturb(run.session, variables, self._directions)
            if count:
                self.record.facts.moved = (self.record.facts.number_runs + 1, count)


def _read(run: SessionRun, names: Collection[str]) -> dict[str, Any]:
    """Returns the fetches with these names apart from their run;
    none of them where one cannot be read.
    """
    tensors = [tensor for tensor in run.fetches if tensor.name in names]
    if not tensors:
        return {}
    with contextlib.suppress(tf.errors.OpError):  # such as of a variable that is not initialized
        return fetch(run.session, tensors, run.feeds)
    return {}
