"""Records the first training steps of a script, in the script's process, without changing its numbers.

Several threads may train at the same time. A step contains the losses of the thread that makes it, and of threads that
only evaluate. The lock makes the record receive one step after another.
"""

from __future__ import annotations

import os
import threading
import zlib
from typing import Any, Callable, Collection, Dict, Iterable, List, Mapping, Optional, Sequence, Set

import numpy as np

from tf1grad._compat import raw_session, tf
from tf1grad._types import Session
from tf1grad.old_programs.verify.extra_fetches import ExtraFetches, read_initialized
from tf1grad.old_programs.verify.session_observer import SessionObserver, run_key
from tf1grad.old_programs.verify.step_numbers import Arrays, Record


class Recorder(SessionObserver):
    """Records the runs that train: those that apply gradients, and an external optimizer's evaluations.

    Losses and gradients are fetched in separate runs. If those would have side effects (queues, iterators, random
    ops), they are fetched in the script's own run. No op is added to the graph. With `perturb`, variables are perturbed
    by one ulp before the first step at which they are not all zero.
    """

    def __init__(self, path: str, steps: int, perturb: bool = False, facts: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(path, steps)
        self.record = Record(facts)
        self._perturb = perturb
        self._training_threads: Set[int] = set()
        self._losses: Dict[int, List[float]] = {}  # of each thread's next step
        self._extra_fetches: Dict[Any, ExtraFetches] = {}  # of each kind of run

    def observe_run(self, session: tf.Session, run: Callable[..., Any], targets: List[tf.Operation],
                    fetches: List[tf.Tensor], feeds: Dict[str, Any], metadata: Any) -> Any:
        """Runs what the script asked for, with the fetches that its losses and gradients need, and records a step."""
        extra = self._extra_fetches_of(session.graph, targets, fetches, feeds)
        if extra.restores:
            self.record.facts["restored"] = True
        if extra.trains:
            self.begin_step(session)
        self._note_races(extra)
        known = dict(feeds)
        variables = extra.recomputation.variables if extra.recomputation else []
        known.update(_fetch(session, variables, {}))
        before = self._fetch_before(run, extra.before)
        names = [tensor.name for tensor in fetches]
        within = [tensor for tensor in extra.within if tensor.name not in names]
        values = run(targets, list(fetches) + within, metadata)
        known.update(zip(names + [tensor.name for tensor in within], values))
        known.update(before)  # the script's own fetches may be from before or after its step
        if extra.recomputation:
            given = list(feeds) + [tensor.name for tensor in variables + extra.recomputation.once]
            known.update(_fetch(session, extra.recomputation.losses, {name: known[name] for name in given}))
        with self.lock:
            self._losses.setdefault(threading.get_ident(), []).extend(extra.losses(known))
        if extra.trains:
            self.end_step(extra.gradients(known), read_initialized(session, self.watch.variables(session.graph)))
        return values[:len(fetches)]

    def _extra_fetches_of(self, graph: tf.Graph, targets: Sequence[tf.Operation], fetches: Sequence[tf.Tensor],
                          fed: Collection[str]) -> ExtraFetches:
        key = run_key(self.watch, graph, targets, fetches, fed)
        if key not in self._extra_fetches:
            self._extra_fetches[key] = ExtraFetches(self.watch, graph, targets, fetches, fed)
        return self._extra_fetches[key]

    def _note_races(self, extra: ExtraFetches) -> None:
        """Records the fetches that race, and whether gradients are fetched while one of them writes."""
        facts = self.record.facts
        if extra.races:
            read = {name: race.variables for name, race in extra.races.items()}
            facts["races"] = sorted(dict(facts.get("races", ()), **read).items())
        writing = [name for name, race in extra.races.items() if race.writes]
        if writing:
            fact = facts.setdefault("racing writes", {
                "fetches": [], "alone": [], "step": len(self.record.steps) + 1, "within": False})
            fact["fetches"] = sorted({*fact["fetches"], *writing})
            fact["alone"] = sorted({*fact["alone"], *(name for name in writing if extra.races[name].alone)})
            fact["within"] = fact["within"] or bool(extra.within)

    def _take_losses(self) -> List[float]:
        here = threading.get_ident()
        threads = [thread for thread in self._losses if thread == here or thread not in self._training_threads]
        return [loss for thread in threads for loss in self._losses.pop(thread)]

    @staticmethod
    def _fetch_before(run: Callable[..., Any], tensors: Sequence[tf.Tensor]) -> Dict[str, Any]:
        try:
            return dict(zip([tensor.name for tensor in tensors], run([], tensors) if tensors else ()))
        except tf.errors.OpError:  # the script's own run may raise the same error, or not need these tensors
            return {}

    def begin_step(self, session: Session, perturb: bool = True) -> None:
        """Records the values before the first step, and perturbs them if that is due and `perturb` is True."""
        session = raw_session(session)
        variables = self.watch.variables(session.graph)
        with self.paused(), self.lock:
            step = len(self.record.steps) + 1
            if step == 1 and not self._training_threads:
                self.record.add_initial(read_initialized(session, variables))
            if perturb and self.must_perturb:
                assignable = {name: variable for name, variable in variables.items() if _is_assignable(variable)}
                for name, value in self.perturbed(read_initialized(session, assignable)).items():
                    # The initializer exists in a finalized graph too.
                    initializer = variables[name].initializer
                    session.run(initializer, {initializer.inputs[1]: value})
            self._training_threads.add(threading.get_ident())
            self.record.facts.update(threads=len(self._training_threads), processes=len(self.training_processes()))

    def training_processes(self) -> Set[str]:
        """Returns the ids of all processes of the script that have trained, with this one, which is noted."""
        with open(self._path + ".processes", "a+", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
            file.seek(0)
            return set(file.read().split())

    @property
    def must_perturb(self) -> bool:
        """Returns True until values have been perturbed, if the recorder is to perturb them."""
        return self._perturb and "moved" not in self.record.facts

    def perturbed(self, values: Arrays) -> Dict[str, np.ndarray]:
        """Returns the perturbed values of variables, without those that a perturbation does not change."""
        changing = {name: value for name, value in values.items() if value.dtype.kind == "f" and value.any()}
        if changing:
            self.record.facts["moved"] = {"step": len(self.record.steps) + 1,
                                          "values": sum(int(np.count_nonzero(value)) for value in changing.values())}
        return {name: perturbed(name, value) for name, value in changing.items()}

    def end_step(self, gradients: Arrays, values: Arrays, losses: Iterable[Any] = (), kind: str = "apply") -> None:
        """Records a step, and ends the process after the last one."""
        with self.lock:
            self.record.add_step(self._take_losses() + list(losses), gradients, values, kind)
            self.end_after(len(self.record.steps))


def _is_assignable(variable: tf.Variable) -> bool:
    """Returns False for a variable with copies on several devices: its initializer only groups theirs."""
    return len(variable.initializer.inputs) == 2


def _fetch(session: tf.Session, tensors: Sequence[tf.Tensor], feeds: Mapping[str, Any]) -> Dict[str, np.ndarray]:
    """Returns a dict from name to value of `tensors`; `feeds` are values by tensor name."""
    values = session.run(tensors, feeds) if tensors else []
    return {tensor.name: np.array(value) for tensor, value in zip(tensors, values)}


def perturbed(name: str, value: np.ndarray) -> np.ndarray:
    """Returns a copy of a value, each element one ulp up or down at random, in the same directions in every run."""
    up = np.random.RandomState(zlib.crc32(name.encode("utf-8"))).randint(2, size=value.shape, dtype=bool)
    neighbours = np.nextafter(value, np.where(up, value.dtype.type(np.inf), value.dtype.type(-np.inf)))
    changed: np.ndarray = np.where(np.isfinite(value) & (value != 0), neighbours, value)
    return changed
