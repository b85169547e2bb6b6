"""Records the runs of all sessions in a script's process: training steps, graphs or fetched numbers.

Several threads may train at the same time. A step contains all losses since the step before. What threads record, they
record under `lock`, one step after another.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import zlib
from typing import Any, ContextManager, Iterable, Mapping, Sequence

import numpy as np

from tf1grad._compat import raw_session, tf
from tf1grad._types import Session
from tf1grad.old_programs._samples import sample
from tf1grad.old_programs.process import patches
from tf1grad.old_programs.verify import observed_sessions
from tf1grad.old_programs.verify.extra_fetches import ExtraFetches, read_initialized
from tf1grad.old_programs.verify.graphs.graph_description import SeenGraphs
from tf1grad.old_programs.verify.observed_sessions import SessionRun
from tf1grad.old_programs.verify.record import Arrays, Record, Step
from tf1grad.old_programs.verify.step_tensors import fetch_step
from tf1grad.old_programs.verify.training_ops import Watch

FETCHES = 200  # how many fetched values are kept
KEPT = 8  # of the numbers of a fetched value


class Recorder:
    """Observes each `session.run`, and records what is asked for.

    Without `steps`, the numbers that the program fetches are recorded, and its runs stay as they are.

    With `steps`, those runs are recorded that train: they apply gradients, or are an external optimizer's evaluations.
    The process ends after the last of them. No op is added to the graph. With `perturb`, variables are perturbed by one
    ulp before the first step at which they are not all zero.

    With `graphs_only`, the graphs that sessions run are recorded, and the process ends where the last step is about to
    run. With `any_run`, each run counts as a step until the script differentiates. With `state`, a file for variables
    and feeds, the tensors of the last step are recorded as well.
    """

    def __init__(
        self,
        path: str = "",
        steps: int = 0,
        perturb: bool = False,
        graphs_only: bool = False,
        any_run: bool = False,
        state: str = "",
    ) -> None:
        self.record = Record()
        self.watch = Watch()
        self.lock = threading.Lock()
        self._path, self._steps, self._perturb = path, steps, perturb
        self._graphs_only, self._any_run, self._state = graphs_only, any_run, state
        self._process = os.getpid()
        self._thread = threading.local()
        self._saved = False
        self._begun = 0
        self._graphs = SeenGraphs(self.record)
        self._training_threads: set[int] = set()
        self._losses: list[float] = []  # of the next step
        self._extra_fetches: dict[Any, ExtraFetches] = {}  # of each kind of run

    def start(self, seed: int | None = None) -> None:
        """Starts to record. `seed` is for graphs with unseeded random ops."""
        if self._steps:
            self.watch.start()
            atexit.register(self.save)
        observed_sessions.observe(self._around_run)
        if seed is not None:
            observed_sessions.seed_graphs(seed, self.record.facts)

    @property
    def recording(self) -> bool:
        """Returns False in the recorder's own runs, after the last step, and in forked processes."""
        is_paused = getattr(self._thread, "paused", False)
        return not (is_paused or self._saved or os.getpid() != self._process)

    def paused(self) -> ContextManager[None]:
        """Returns a context in which the runs of this thread are not recorded."""
        return patches.temporarily(self._thread, "paused", True)

    def _around_run(self, run: SessionRun) -> list[Any]:
        if not self.recording:
            return run.execute([])
        with self.paused():
            if any(target.name.endswith("restore_all") for target in run.targets):
                self.record.facts["restored"] = True
            if not self._steps:
                values = run.execute([])
                self._record_fetches(run.fetches, values)
                return values
            if self._graphs_only:
                self._record_graph(run)
                return run.execute([])
            return self._record_run(run)

    def _record_fetches(self, fetches: list[tf.Tensor], values: Sequence[Any]) -> None:
        """Records the numbers that a run returns as a step, until there are `FETCHES` of them."""
        with self.lock:
            if sum(len(step.values) for step in self.record.steps) >= FETCHES:
                return
            numbers = {
                tensor.name: sample(value, KEPT)
                for tensor, value in zip(fetches, values)
                if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biuf"
            }
            if numbers:
                self.record.steps.append(Step("fetch", [], {}, numbers))

    def _record_graph(self, run: SessionRun) -> None:
        """Records the run's graph as it is now, and ends the process before the last step."""
        is_step = self._extra(run).trains or self._any_run and not self.watch.count()
        if not is_step:
            self._graphs.note_run(run.session.graph)
            return
        if self._state and self._begun + 1 == self._steps:
            self.record.tensors = fetch_step(run, self._state)
        self.begin_step(run.session)

    def _record_run(self, run: SessionRun) -> list[Any]:
        """Runs what the script asked for, with the fetches that its losses and gradients need, and records a step."""
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
            # After so many steps the system chooses the order of writes.
            self.record.facts.setdefault("unordered", [len(self.record.steps) + 1, reason])
        values, known = extra.execute(run)
        with self.lock:
            self._losses += extra.losses(known)
        if extra.trains:
            variables = self.watch.variables(run.session.graph)
            self.end_step(extra.gradients(known), read_initialized(run.session, variables))
        return values

    def _extra(self, run: SessionRun) -> ExtraFetches:
        """Returns what is to be fetched beside a run; each kind of run is decided once."""
        fetched = tuple(tensor.name for tensor in run.fetches)
        graph = id(run.session.graph)
        key = self.watch.count(), graph, tuple(run.targets), fetched, frozenset(run.feeds)
        if key not in self._extra_fetches:
            self._extra_fetches[key] = ExtraFetches(self.watch, run)
        return self._extra_fetches[key]

    def begin_step(self, session: Session) -> None:
        """Records the values before the first step, and perturbs them if that is due.

        With `graphs_only`, records the step's graph, and ends the process before the last step.
        """
        session = raw_session(session)
        if self._graphs_only:
            with self.lock:
                self._graphs.note_run(session.graph)
                self._begun += 1
                self._end_after(self._begun)
            return
        variables = self.watch.variables(session.graph)
        with self.paused(), self.lock:
            if not self._training_threads:
                self.record.add_initial(read_initialized(session, variables))
            if self._perturb and "moved" not in self.record.facts:
                self._perturb_values(session, variables)
            self._training_threads.add(threading.get_ident())
            if len(self._training_threads) > 1:
                reason = (
                    "several threads train, and the system chooses the order of their steps. To compare, let a "
                    "single thread train."
                )
                self.record.facts.setdefault("unordered", [len(self.record.steps), reason])

    def _perturb_values(self, session: Session, variables: Mapping[str, tf.Variable]) -> None:
        """Perturbs the variables by one ulp, if a value is not zero."""
        count = 0
        for name, value in read_initialized(session, variables).items():
            # It exists in a finalized graph too. That of copies on several devices only groups theirs.
            initializer = variables[name].initializer
            if len(initializer.inputs) == 2 and value.dtype.kind == "f" and value.any():
                count += int(np.count_nonzero(value))
                session.run(initializer, {initializer.inputs[1]: perturbed(name, value)})
        if count:
            self.record.facts["moved"] = {"step": len(self.record.steps) + 1, "values": count}

    def end_step(
        self, gradients: Arrays, values: Arrays, losses: Iterable[Any] = (), kind: str = "apply"
    ) -> None:
        """Records a step, and ends the process after the last one."""
        with self.lock:
            self.record.add_step([*self._losses, *losses], gradients, values, kind)
            self._losses.clear()
            self._end_after(len(self.record.steps))

    def _end_after(self, steps: int) -> None:
        """Ends the process if so many steps are all."""
        if steps == self._steps:
            self.record.facts["ended"] = "recorder"
            self.save()
            # Not SystemExit: a bare `except:` would catch it, and a MonitoredSession would write a last checkpoint.
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)

    def save(self) -> None:
        """Writes the record, once, and not in forked processes."""
        if not self._saved and os.getpid() == self._process:
            self._saved = True
            if self._graphs_only:
                self._graphs.describe()
            self.record.save(self._path)


def perturbed(name: str, value: np.ndarray) -> np.ndarray:
    """Returns a copy of a value, each element one ulp up or down at random, in the same directions in every run."""
    directions = np.random.RandomState(zlib.crc32(name.encode("utf-8")))
    towards = np.where(directions.randint(2, size=value.shape, dtype=bool), np.inf, -np.inf)
    neighbours = np.nextafter(value, towards.astype(value.dtype))
    has_ulp = np.isfinite(value) & (value != 0)
    return np.where(has_ulp, neighbours, value)
