"""Records the graphs that the sessions of a script run, up to a training step, which does not run."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional

from tf1grad._compat import raw_session, tf
from tf1grad._types import Session
from tf1grad.old_programs.process import raised_errors
from tf1grad.old_programs.process.ownership import is_file_of_user_code
from tf1grad.old_programs.verify import graph_runs
from tf1grad.old_programs.verify.graphs.graph_description import Describer
from tf1grad.old_programs.verify.graphs.graph_record import GraphRecord
from tf1grad.old_programs.verify.session_observer import SessionObserver, run_key
from tf1grad.old_programs.verify.step_tensors import fetch_step


class _Seen:
    """Counts the runs of a graph, and its ops at the last one. A graph only grows, so they contain all earlier ones."""

    def __init__(self, graph: tf.Graph) -> None:
        self.graph, self.runs, self.ops, self.version = graph, 0, 0, None

    def note_run(self) -> None:
        self.runs += 1
        if self.version != self.graph.version:
            self.version = self.graph.version
            self.ops = len(self.graph.get_operations())


class GraphRecorder(SessionObserver):
    """Records each graph as its last run found it, and ends the process where a training step is about to run.

    A script that ends before, or dies, leaves what its sessions ran until then. If no session ran, or it died, graphs
    that it has built are recorded too. With `any_run`, each run counts as a step until the script differentiates. With
    `state`, a file for variables and feeds, the tensors of the last step are recorded as well.
    """

    def __init__(self, path: str, steps: int, any_run: bool = False, facts: Optional[Mapping[str, Any]] = None,
                 state: str = "", reads_state: bool = False) -> None:
        super().__init__(path, steps)
        self.record = GraphRecord(facts)
        self._any_run = any_run
        self._state, self._reads_state = state, reads_state
        self._begun = 0
        self._seen: Dict[int, _Seen] = {}  # by the ids of graphs, which live as long
        self._trains: Dict[Any, bool] = {}  # of each kind of run

    def observe_run(self, session: tf.Session, run: Callable[..., Any], targets: List[tf.Operation],
                    fetches: List[tf.Tensor], feeds: Dict[str, Any], metadata: Any) -> Any:
        """Notes the run's graph, and runs what the script asked for unless it is the last step."""
        graph = session.graph
        key = run_key(self.watch, graph, targets, fetches, feeds)
        if key not in self._trains:
            ran = graph_runs.executed([*targets, *(tensor.op for tensor in fetches if tensor.name not in feeds)], feeds)
            self._trains[key] = self.watch.trains(graph, ran)
        if self._trains[key] or self._any_run and not self.watch.count():
            if self._state and self._begun + 1 == self._steps:
                self.record.tensors = fetch_step(session, targets, fetches, feeds, self._state, self._reads_state)
            self.begin_step(session)
        else:
            self._note_run(graph)
        return run(targets, fetches, metadata)

    def _note_run(self, graph: tf.Graph) -> None:
        with self.lock:
            self._seen.setdefault(id(graph), _Seen(graph)).note_run()

    def begin_step(self, session: Session, perturb: bool = True) -> None:
        """Notes a step's graph, and ends the process if it is the last step."""
        self._note_run(raw_session(session).graph)
        with self.lock:
            self._begun += 1
            self.end_after(self._begun)

    def save(self) -> None:
        """Describes the graphs and writes the record, once."""
        if self._saved or os.getpid() != self._process:
            return
        error = getattr(sys, "last_value", None)
        if error is not None and self.record.facts.get("ended") != "recorder":
            self.record.facts["error"] = _describe_error(error)
        seen = list(self._seen.values())
        if not seen or error is not None:
            seen += _graphs_that_did_not_run([each.graph for each in seen])
        describer = Describer(self.record)
        for each in seen:
            describer.add(each.graph, each.runs, each.ops)
        super().save()


def _graphs_that_did_not_run(ran: List[tf.Graph]) -> List[_Seen]:
    """Returns the other graphs of this process that have ops, the largest first; not those of functions."""
    found = []
    for graph in gc.get_objects():
        if issubclass(type(graph), tf.Graph) and not graph.building_function and graph not in ran:
            seen = _Seen(graph)
            seen.ops = len(graph.get_operations())
            found.append(seen)
    return sorted((seen for seen in found if seen.ops), key=lambda seen: -seen.ops)


def _describe_error(error: BaseException) -> Dict[str, Any]:
    """Returns the error's message, with the innermost line of user code that it passed."""
    places = [place for place in raised_errors.places(error.__traceback__) if is_file_of_user_code(place[0])]
    message = f"{type(error).__name__}: {error}".strip()
    return {"message": message if len(message) < 2000 else message[:2000] + "...",
            "place": places[-1] if places else None}
