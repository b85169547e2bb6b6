"""Records the training steps of a script: losses, gradients, and all variables."""

from __future__ import annotations

import threading
from typing import Any, Hashable, Iterable

from tf1grad._compat import raw_session
from tf1grad._types import Session
from tf1grad.verify.extra_fetches import ExtraFetches, read_initialized
from tf1grad.verify.observed_sessions import SessionRun
from tf1grad.verify.perturbation import perturb
from tf1grad.verify.record import Arrays
from tf1grad.verify.recorder import TrainingRecorder
from tf1grad.verify.training_ops import kinds, recorded_variables


class StepRecorder(TrainingRecorder):
    """Records the runs that train: they apply gradients,
    or are an external optimizer's evaluations.

    The process ends after the last of `steps`. No op is added to the graph. With `directions`, a
    number from 1 on, the variables that train are perturbed by one ulp before the first step at
    which they are not all zero. A step contains all losses since the step before.
    """

    def __init__(self, path: str, steps: int, directions: int = 0) -> None:
        super().__init__(path, steps)
        self._directions = directions
        self._training_threads: set[int] = set()
        self._losses: list[float] = []  # of the next step
        self._extra_fetches: dict[Hashable, ExtraFetches] = {}  # of each kind of run

    def observe(self, run: SessionRun) -> list[Any]:
        """Runs what the script asked for, with the fetches that its losses and gradients
        need, and records a step.
        """
        extra = self._extra(run)
        if extra.trains:
            self.begin_step(run.session)
        if extra.racing:
            names = ", ".join(extra.racing)
            reason = (
                f"a run reads and writes {names}, in an order that the system chooses. To compare, fetch only one op "
                "that writes in a run, and apply gradients that are all computed before: "
                "apply_gradients(zip(tf.tuple(gradients), variables))."
            )
            self._note_unordered(len(self.record.steps) + 1, reason)
        values, known = extra.execute(run)
        with self.lock:
            self._losses += extra.losses(known)
        if extra.trains:
            self.end_step(extra.gradients(known), self._read(run.session))
        return values

    def _note_unordered(self, steps: int, reason: str) -> None:
        """Notes that after so many steps the system chooses the order of writes."""
        if self.record.facts.unordered is None:
            self.record.facts.unordered = (steps, reason)

    def _extra(self, run: SessionRun) -> ExtraFetches:
        """Returns what is to be fetched beside a run; each kind of run is decided once."""
        key = self.watch.count(), run.kind()
        if key not in self._extra_fetches:
            self._extra_fetches[key] = ExtraFetches(self.watch, run)
        return self._extra_fetches[key]

    def _read(self, session: Session) -> Arrays:
        """Returns the values of all variables, and notes what these are."""
        trained = self.watch.variables(session.graph)
        variables = {**trained, **recorded_variables(session.graph)}
        self.record.kinds.update(kinds(session.graph, variables, trained, self.watch.of_optimizers))
        return read_initialized(session, variables)

    def begin_step(self, session: Session) -> None:
        """Records the values before the first step, and perturbs them if that is due."""
        session = raw_session(session)
        with self.paused(), self.lock:
            if not self.record.steps:  # an earlier run may have failed, without values
                self.record.add_initial(self._read(session))
            if self._directions and self.record.facts.moved is None:
                variables = self.watch.variables(session.graph)
                count = perturb(session, variables, self._directions)
                if count:
                    self.record.facts.moved = (len(self.record.steps) + 1, count)
            self._training_threads.add(threading.get_ident())
            if len(self._training_threads) > 1:
                reason = (
                    "several threads train, and the system chooses the order of their steps. To compare, let a "
                    "single thread train."
                )
                self._note_unordered(len(self.record.steps), reason)

    def end_step(
        self, gradients: Arrays, values: Arrays, losses: Iterable[float] = (), kind: str = "apply"
    ) -> None:
        """Records a step, and ends the process after the last one."""
        with self.lock:
            self.record.add_step([*self._losses, *losses], gradients, values, kind)
            self._losses.clear()
            self.end_after(len(self.record.steps))
