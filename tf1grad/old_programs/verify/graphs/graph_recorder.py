"""Records the graphs that the sessions of a script run, up to a training step, which does not run."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, Callable, Dict, List, Mapping, Tuple

from tf1grad._compat import raw_session, tf
from tf1grad._types import Session
from tf1grad.old_programs.verify import run_dependencies
from tf1grad.old_programs.verify.graphs.graph_description import Describer
from tf1grad.old_programs.verify.graphs.graph_record import GraphRecord
from tf1grad.old_programs.verify.session_observer import SessionObserver
from tf1grad.old_programs.verify.step_tensors import fetch_step


class GraphRecorder(SessionObserver):
    """Records each graph as its last run found it, and ends the process where a training step is about to run.

    A script that ends before, or dies, leaves what its sessions ran until then. If no session ran, or it died, graphs
    that it has built are recorded too. With `any_run`, each run counts as a step until the script differentiates. With
    `state`, a file for variables and feeds, the tensors of the last step are recorded as well.
    """

    def __init__(self, path: str, steps: int, any_run: bool = False, state: str = "") -> None:
        super().__init__(path, steps, GraphRecord())
        self._any_run, self._state = any_run, state
        self._begun = 0
        self._trains: Dict[Any, bool] = {}
        # By the id of a graph: the graph, its runs, and its ops at the last one, which contain all earlier ones.
        self._seen: Dict[int, Tuple[tf.Graph, int, int]] = {}

    def observe_run(
        self,
        session: tf.Session,
        run: Callable[..., Any],
        targets: List[tf.Operation],
        fetches: List[tf.Tensor],
        feeds: Dict[str, Any],
        metadata: Any,
    ) -> Any:
        """Notes the run's graph, and runs what the script asked for unless it is the last step."""
        ops = [*targets, *(tensor.op for tensor in fetches if tensor.name not in feeds)]
        if self._run_trains(session.graph, ops, feeds) or self._any_run and not self.watch.count():
            if self._state and self._begun + 1 == self._steps:
                self.record.tensors = fetch_step(session, targets, fetches, feeds, self._state)
            self.begin_step(session)
        else:
            self._note_run(session.graph)
        return run(targets, fetches, metadata)

    def _run_trains(
        self, graph: tf.Graph, ops: List[tf.Operation], feeds: Mapping[str, Any]
    ) -> bool:
        """Says whether a run of `ops` trains; each kind of run is decided once."""
        key = self.watch.count(), tuple(ops), frozenset(feeds)
        if key not in self._trains:
            self._trains[key] = self.watch.trains(graph, run_dependencies.executed(ops, feeds))
        return self._trains[key]

    def _note_run(self, graph: tf.Graph) -> None:
        with self.lock:
            _, runs, _ = self._seen.get(id(graph), (graph, 0, 0))
            self._seen[id(graph)] = graph, runs + 1, len(graph.get_operations())

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
        describer = Describer(self.record)
        for each in self._seen.values():
            describer.add(*each)
        if not self._seen or getattr(sys, "last_value", None) is not None:
            others = [
                graph
                for graph in gc.get_objects()
                if issubclass(type(graph), tf.Graph)
                and not graph.building_function
                and id(graph) not in self._seen
            ]
            sizes = {graph: len(graph.get_operations()) for graph in others}
            for graph in sorted(filter(sizes.get, others), key=lambda graph: -sizes[graph]):
                describer.add(graph, 0, sizes[graph])
        super().save()
