"""Records the first training steps of a script, in the script's process, without changing its numbers.

Several threads may train at the same time. A step contains all losses since the step before. The lock makes the record
receive one step after another.
"""

from __future__ import annotations

import contextlib
import os
import threading
import zlib
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Set

import numpy as np

from tf1grad._compat import raw_session, tf
from tf1grad._types import Session
from tf1grad.old_programs.verify.extra_fetches import ExtraFetches, read_initialized
from tf1grad.old_programs.verify.recorded_steps import Arrays, Record
from tf1grad.old_programs.verify.session_observer import SessionObserver


class Recorder(SessionObserver):
    """Records the runs that train: those that apply gradients, and an external optimizer's evaluations.

    Losses and gradients are fetched in separate runs. If those would have side effects (queues, iterators, random
    ops), they are fetched in the script's own run. No op is added to the graph. With `perturb`, variables are perturbed
    by one ulp before the first step at which they are not all zero.
    """

    def __init__(self, path: str, steps: int, perturb: bool = False) -> None:
        super().__init__(path, steps, Record())
        self._perturb = perturb
        self._training_threads: Set[int] = set()
        self._losses: List[float] = []  # of the next step
        self._extra_fetches: Dict[Any, ExtraFetches] = {}  # of each kind of run

    def observe_run(
        self,
        session: tf.Session,
        run: Callable[..., Any],
        targets: List[tf.Operation],
        fetches: List[tf.Tensor],
        feeds: Dict[str, Any],
        metadata: Any,
    ) -> Any:
        """Runs what the script asked for, with the fetches that its losses and gradients need, and records a step."""
        names = [tensor.name for tensor in fetches]
        key = id(session.graph), self.watch.count(), tuple(targets), tuple(names), frozenset(feeds)
        if key not in self._extra_fetches:
            self._extra_fetches[key] = ExtraFetches(
                self.watch, session.graph, targets, fetches, feeds
            )
        extra = self._extra_fetches[key]
        if extra.restores:
            self.record.facts["restored"] = True
        if extra.trains:
            self.begin_step(session)
        self._note_races(extra)
        known = {**feeds, **_fetch(session, extra.variables, {})}
        before = {}
        with contextlib.suppress(
            tf.errors.OpError
        ):  # the script's own run may raise it, or not need these tensors
            before = dict(
                zip(
                    [tensor.name for tensor in extra.before],
                    run([], extra.before) if extra.before else (),
                )
            )
        within = [tensor for tensor in extra.within if tensor.name not in names]
        values = run(targets, [*fetches, *within], metadata)
        known.update(zip(names + [tensor.name for tensor in within], values))
        known.update(before)  # the script's own fetches may be from before or after its step
        given = [*feeds, *(tensor.name for tensor in extra.variables + extra.once)]
        known.update(_fetch(session, extra.recomputed, {name: known[name] for name in given}))
        with self.lock:
            self._losses += extra.losses(known)
        if extra.trains:
            self.end_step(
                extra.gradients(known),
                read_initialized(session, self.watch.variables(session.graph)),
            )
        return values[: len(fetches)]

    def _note_races(self, extra: ExtraFetches) -> None:
        """Records the fetches that race, since which step, and whether gradients are fetched while they write."""
        for name, race in extra.races.items():
            known = self.record.facts.setdefault("races", {})
            if name not in known or race.writes and not known[name]["writes"]:
                known[name] = {
                    **race._asdict(),
                    "step": len(self.record.steps) + 1,
                    "within": bool(extra.within),
                }

    def begin_step(self, session: Session, perturb: bool = True) -> None:
        """Records the values before the first step, and perturbs them if that is due and `perturb` is True."""
        session = raw_session(session)
        variables = self.watch.variables(session.graph)
        with self.paused(), self.lock:
            if not self.record.steps and not self._training_threads:
                self.record.add_initial(read_initialized(session, variables))
            if perturb and self.must_perturb:
                # A variable with copies on several devices has an initializer that only groups theirs.
                assignable = {
                    name: each
                    for name, each in variables.items()
                    if len(each.initializer.inputs) == 2
                }
                for name, value in self.perturbed(read_initialized(session, assignable)).items():
                    # The initializer exists in a finalized graph too.
                    initializer = variables[name].initializer
                    session.run(initializer, {initializer.inputs[1]: value})
            self._training_threads.add(threading.get_ident())
            self.record.facts.update(
                threads=len(self._training_threads), processes=len(self.training_processes())
            )

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
        changing = {
            name: value for name, value in values.items() if value.dtype.kind == "f" and value.any()
        }
        if changing:
            self.record.facts["moved"] = {
                "step": len(self.record.steps) + 1,
                "values": sum(int(np.count_nonzero(value)) for value in changing.values()),
            }
        return {name: perturbed(name, value) for name, value in changing.items()}

    def end_step(
        self, gradients: Arrays, values: Arrays, losses: Iterable[Any] = (), kind: str = "apply"
    ) -> None:
        """Records a step, and ends the process after the last one."""
        with self.lock:
            self.record.add_step([*self._losses, *losses], gradients, values, kind)
            self._losses.clear()
            self.end_after(len(self.record.steps))


def _fetch(
    session: tf.Session, tensors: Sequence[tf.Tensor], feeds: Mapping[str, Any]
) -> Dict[str, np.ndarray]:
    """Returns a dict from name to value of `tensors`; `feeds` are values by tensor name."""
    values = session.run(tensors, feeds) if tensors else []
    return {tensor.name: np.array(value) for tensor, value in zip(tensors, values)}


def perturbed(name: str, value: np.ndarray) -> np.ndarray:
    """Returns a copy of a value, each element one ulp up or down at random, in the same directions in every run."""
    up = np.random.RandomState(zlib.crc32(name.encode("utf-8"))).randint(
        2, size=value.shape, dtype=bool
    )
    neighbours = np.nextafter(
        value, np.where(up, value.dtype.type(np.inf), value.dtype.type(-np.inf))
    )
    changed: np.ndarray = np.where(np.isfinite(value) & (value != 0), neighbours, value)
    return changed
