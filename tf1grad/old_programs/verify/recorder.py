"""Records a script's first training steps in the script's own process, and changes no number of them.

Threads may train at the same time: a step has the losses of its own thread, and of those that do not train, and the
record takes one step after another.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NoReturn, Optional, Sequence, Set

import numpy as np

from tf1grad._compat import raw_session, tf
from tf1grad._types import Session
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import patches
from tf1grad.old_programs.process.replaced_functions import replace_functions
from tf1grad.old_programs.verify import noise
from tf1grad.old_programs.verify.fetch_plan import Plan, Planner, read_all
from tf1grad.old_programs.verify.run_record import Arrays, Record
from tf1grad.old_programs.verify.training_ops import Watch


class Recorder:
    """Sees the runs that train: those that apply gradients, and an external optimizer's evaluations.

    What is recorded is fetched by runs of its own where that leaves no trace, and otherwise (queues, iterators, random
    ops) in the script's own run. No op is added to the graph.

    Args:
        path: the file for the `Record`.
        steps: how many steps to record; then the process ends.
        move: whether the variables move by one ulp, before the first step at which they are not all zero.
        facts: what else the record is to know.
    """

    def __init__(self, path: str, steps: int, move: bool = False, facts: Optional[Mapping[str, Any]] = None) -> None:
        self.record = Record(facts)
        self._path, self._steps, self._move = path, steps, move
        self._process = os.getpid()
        self._here = threading.local()
        self._lock = threading.Lock()
        self._trainers: Set[int] = set()
        self._losses: Dict[int, List[float]] = {}  # by thread: what its next step is to have
        self._watch = Watch()
        self._planner = Planner(self._watch)
        self._saved = False

    def start(self, seed: Optional[int] = None) -> None:
        """Observes from now on. `seed` is for graphs whose random ops have none."""
        self._watch.start()
        self._wrap_session()
        if seed is not None:
            replace_functions({_compat.module_name("framework.random_seed") + ":get_seed":
                               lambda original: self._seeding(original, seed)},
                              "graphs without a seed get that of verify")
        atexit.register(self.save)

    def _seeding(self, original: Callable[..., Any], seed: int) -> Callable[..., Any]:
        def get_seed(op_seed: Any) -> Any:
            graph = tf.get_default_graph()
            if op_seed is None and graph.seed is None and not tf.executing_eagerly():
                self.record.facts["seeded"] = graph.seed = seed
            return original(op_seed)
        return get_seed

    def save(self) -> None:
        """Writes the record, once, and only in the process that began it."""
        if not self._saved and os.getpid() == self._process:
            self._saved = True
            # Never half a file under the name that is waited for.
            self.record.save(self._path + ".part")
            os.replace(self._path + ".part", self._path)

    def _wrap_session(self) -> None:
        session_class = _compat.session_class()
        original = session_class._do_run

        def do_run(session: tf.Session, handle: Any, targets: List[tf.Operation], fetches: List[tf.Tensor],
                   feed_dict: Any, options: Any, metadata: Any) -> Any:
            def run(targets: Sequence[tf.Operation], fetches: Sequence[tf.Tensor], metadata: Any = None) -> Any:
                return original(session, handle, targets, fetches, feed_dict, options, metadata)

            if handle is not None or not self.observing:
                return run(targets, fetches, metadata)
            with self.unobserved():
                return self._run(session, run, targets, fetches, feed_dict, metadata)

        for name, function in (("_do_run", do_run), ("make_callable", _make_callable),
                               ("_make_callable_from_options", _make_callable_from_options)):
            patches.patch(session_class, name, function, reason="verify records the runs that train", owner=__name__)

    @property
    def observing(self) -> bool:
        """False in the recorder's own runs, after the last step, and in processes that were forked."""
        return not (getattr(self._here, "busy", False) or self._saved or os.getpid() != self._process)

    @contextlib.contextmanager
    def unobserved(self) -> Iterator[None]:
        """A context whose runs, in this thread, are not looked at."""
        before = getattr(self._here, "busy", False)
        self._here.busy = True
        try:
            yield
        finally:
            self._here.busy = before

    def _run(self, session: tf.Session, run: Callable[..., Any], targets: List[tf.Operation],
             fetches: List[tf.Tensor], feed_dict: Any, metadata: Any) -> Any:
        feeds = _compat.fed_values(feed_dict)
        plan = self._planner.plan(session.graph, targets, fetches, feeds)
        if plan.restores:
            self.record.facts["restored"] = True
        if plan.trains:
            self.begin_step(session)
        if plan.races:
            self.record.facts["races"] = sorted(dict(self.record.facts.get("races", ()), **plan.races).items())
        if plan.racing_writes:
            self._note_racing_writes(plan)
        known = dict(feeds)
        reads = plan.replay.reads if plan.replay else []
        known.update(_fetch(session, reads, {}))
        before = self._before(run, plan.before)
        names = [tensor.name for tensor in fetches]
        within = [tensor for tensor in plan.within if tensor.name not in names]
        values = run(targets, list(fetches) + within, metadata)
        known.update(zip(names + [tensor.name for tensor in within], values))
        known.update(before)  # what the script fetches beside its step may be from before or after it
        if plan.replay:
            given = list(feeds) + [tensor.name for tensor in reads + plan.replay.draws]
            known.update(_fetch(session, plan.replay.losses, {name: known[name] for name in given}))
        with self._lock:
            self._losses.setdefault(threading.get_ident(), []).extend(plan.losses(known))
        if plan.trains:
            self.end_step(plan.gradients(known), read_all(session, self._watch.variables(session.graph)))
        return values[:len(fetches)]

    def _note_racing_writes(self, plan: Plan) -> None:
        """Notes the step that is about to be made: what it writes is chance, and so are gradients fetched within."""
        fact = self.record.facts.setdefault("racing writes", {
            "fetches": [], "step": len(self.record.steps) + 1, "within": False})
        fact["fetches"] = sorted({*fact["fetches"], *plan.racing_writes})
        fact["within"] = fact["within"] or bool(plan.within)

    def _take_losses(self) -> List[float]:
        here = threading.get_ident()
        takes = [thread for thread in self._losses if thread == here or thread not in self._trainers]
        return [loss for thread in takes for loss in self._losses.pop(thread)]

    @staticmethod
    def _before(run: Callable[..., Any], tensors: Sequence[tf.Tensor]) -> Dict[str, Any]:
        try:
            return dict(zip([tensor.name for tensor in tensors], run([], tensors) if tensors else ()))
        except tf.errors.OpError:  # the script's own run may be another way to the same error, or not need it
            return {}

    def begin_step(self, session: Session, movable: bool = True) -> None:
        """Notes the values before the first step, and moves them where they are to be moved."""
        session = raw_session(session)
        variables = self._watch.variables(session.graph)
        with self.unobserved(), self._lock:
            step = len(self.record.steps) + 1
            if step == 1 and not self._trainers:
                self.record.add_initial(read_all(session, variables))
            if movable and self.moving:
                assigned = {name: variable for name, variable in variables.items() if _is_assigned(variable)}
                for name, moved in self.moved(read_all(session, assigned)).items():
                    # The initializer exists in a finalized graph too.
                    initializer = variables[name].initializer
                    session.run(initializer, {initializer.inputs[1]: moved})
            self._trainers.add(threading.get_ident())
            self.record.facts["threads"] = len(self._trainers)

    @property
    def moving(self) -> bool:
        """True as long as nothing has moved that is to be moved."""
        return self._move and "moved" not in self.record.facts

    def moved(self, values: Arrays) -> Dict[str, np.ndarray]:
        """Of the values of variables those that one ulp changes, moved by it."""
        movable = {name: value for name, value in values.items() if value.dtype.kind == "f" and value.any()}
        if movable:
            self.record.facts["moved"] = {"step": len(self.record.steps) + 1,
                                          "values": sum(int(np.count_nonzero(value)) for value in movable.values())}
        return {name: noise.moved(name, value) for name, value in movable.items()}

    def end_step(self, gradients: Arrays, values: Arrays, losses: Iterable[Any] = (), kind: str = "apply") -> None:
        """Notes a step, and ends the process when it was the last one."""
        with self._lock:
            self.record.add_step(self._take_losses() + list(losses), gradients, values, kind)
            self._tell_progress()
            if len(self.record.steps) == self._steps:
                self.record.facts["ended"] = "recorder"
                self.save()
                _leave()

    def _tell_progress(self) -> None:
        with open(self._path + ".steps", "a") as file:
            file.write(".")


def _is_assigned(variable: tf.Variable) -> bool:
    """False for the variable of several devices, whose initializer is a group of those of its copies."""
    return len(variable.initializer.inputs) == 2


def _fetch(session: tf.Session, tensors: Sequence[tf.Tensor], feeds: Mapping[str, Any]) -> Dict[str, np.ndarray]:
    """A dict from name to value of tensors, where `feeds` are given by name."""
    values = session.run(tensors, feeds) if tensors else []
    return {tensor.name: np.array(value) for tensor, value in zip(tensors, values)}


def _leave() -> NoReturn:
    # Not by SystemExit: a bare `except:` would catch it, and a MonitoredSession would write a last checkpoint.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _make_callable(session: tf.Session, fetches: Any, feed_list: Optional[Sequence[Any]] = None,
                   accept_options: bool = False) -> Callable[..., Any]:
    def call(*values: Any, **options: Any) -> Any:
        return session.run(fetches, dict(zip(feed_list or (), values)), **options)
    return call


def _make_callable_from_options(session: tf.Session, options: Any) -> Callable[..., Any]:
    def call(*values: Any, **kwargs: Any) -> Any:
        fetched = session.run([list(options.fetch), list(options.target)], dict(zip(options.feed, values)), **kwargs)
        return fetched[0]
    return call
