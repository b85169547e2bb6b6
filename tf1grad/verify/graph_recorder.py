"""Records the graphs that the sessions of a script run. Nothing trains."""

from __future__ import annotations

from typing import Any, Iterable

from tf1grad._compat import raw_session
from tf1grad._types import Session
from tf1grad.verify.graphs.graph_description import SeenGraphs
from tf1grad.verify.observed_sessions import SessionRun
from tf1grad.verify.record import Arrays
from tf1grad.verify.recorder import TrainingRecorder
from tf1grad.verify.step_tensors import fetch_step


class GraphRecorder(TrainingRecorder):
    """Records graphs, and ends the process where the last of `steps` is about to run.

    With `any_run`, each run counts as a step until the script differentiates. With `state`, a file
    for variables and feeds, the tensors of the last step are recorded as well.
    """

    def __init__(self, path: str, steps: int, any_run: bool = False, state: str = "") -> None:
        super().__init__(path, steps)
        self._any_run, self._state = any_run, state
        self._begun = self._evaluations = 0
        self._graphs = SeenGraphs(self.record)

    def observe(self, run: SessionRun) -> list[Any]:
        """Records the run's graph as it is now, and ends the process before the last step."""
        trains = self.watch.trains(run.session.graph, run.ops())
        if not trains and (self.watch.count() or not self._any_run):
            self._graphs.note_run(run.session.graph)
            return run.execute([])
        if self._state and self._begun + 1 == self._steps:
            self.record.tensors = fetch_step(run, self._state)
        self.begin_step(run.session)
        return run.execute([])

    def begin_step(self, session: Session) -> None:
        """Records the step's graph, and ends the process before the last step."""
        with self.lock:
            self._graphs.note_run(raw_session(session).graph)
            self._begun += 1
            self.end_after(self._begun)

    def end_step(
        self, gradients: Arrays, values: Arrays, losses: Iterable[float] = (), kind: str = "apply"
    ) -> None:
        """Counts an external optimizer's evaluation, and ends the process after the last one."""
        with self.lock:
            self._evaluations += 1
            self.end_after(self._evaluations)

    def complete(self) -> None:
        self._graphs.describe()
