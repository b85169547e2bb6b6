"""What to fetch beside a script's own run, so that its losses and gradients are known."""

from __future__ import annotations

from typing import Any, Collection, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad._types import Session
from tf1grad.old_programs.verify import graph_runs
from tf1grad.old_programs.verify.training_ops import Found, Watch

# By the names of tensors.
Values = Mapping[str, Any]


class Replay(NamedTuple):
    """Losses that can be computed again: from variables' values, and from what a run gives once."""

    losses: List[tf.Tensor]
    reads: List[tf.Tensor]
    draws: List[tf.Tensor]


class Planner:
    """Makes the `Plan` of each kind of run once.

    Args:
        watch: the `Watch`.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._plans: Dict[Any, Plan] = {}

    def plan(self, graph: tf.Graph, targets: Sequence[tf.Operation], fetches: Sequence[tf.Tensor],
             fed: Collection[str]) -> Plan:
        """The `Plan` of a run of the ops `targets` and the tensors `fetches`, where tensors of the names `fed` are."""
        key = (id(graph), self._watch.count(), tuple(op.name for op in targets),
               tuple(tensor.name for tensor in fetches), frozenset(fed))
        if key not in self._plans:
            self._plans[key] = Plan(self._watch, graph, targets, fetches, fed)
        return self._plans[key]


class Plan:
    """What one kind of run does, and what to fetch beside it."""

    def __init__(self, watch: Watch, graph: tf.Graph, targets: Sequence[tf.Operation], fetches: Sequence[tf.Tensor],
                 fed: Collection[str]) -> None:
        fetches = [tensor for tensor in fetches if tensor.name not in fed]
        ops = list(targets) + [tensor.op for tensor in fetches]
        ran = graph_runs.executed(ops, fed)
        self.restores = graph_runs.restores(ran)
        applied = [application for application in watch.applications(graph) if application.op in ran]
        differentiated = [each for each in watch.differentiations(graph)
                          if any(part.op in ran for gradient in each.gradients for part in _parts(gradient))]
        trainable = {variable.op for variable in watch.variables(graph).values()}
        self.trains = bool(applied or differentiated and trainable & graph_runs.written(ran))
        named = _named(targets, fetches)
        racing = graph_runs.racing_reads(ran) if self.trains else {}
        self.races = graph_runs.races(racing, named)
        self.racing_writes = graph_runs.racing_writes(racing, named, trainable)
        self._gradients: Dict[str, Tuple[Found, tf.Variable]] = {}
        for each in applied if self.trains else ():
            self._gradients.update((variable.name, (gradient, variable)) for gradient, variable in each.pairs
                                   if _fetchable(graph, gradient))
        self._losses = [each.loss for each in differentiated if _can_be_added(graph, each.loss, ran, fed)]
        wanted = [tensor for loss in self._losses for tensor in loss]
        wanted += [part for gradient, _ in self._gradients.values() for part in _parts(gradient)]
        self._wanted = list({tensor.name: tensor for tensor in wanted}.values())
        self._wanted = [tensor for tensor in self._wanted if tensor.name not in fed]
        needed = graph_runs.executed([tensor.op for tensor in self._wanted], fed)
        # Before the script's own run, at the values that it will find; as part of it; or later, from values kept.
        self.before: List[tf.Tensor] = []
        self.within: List[tf.Tensor] = []
        self.replay: Optional[Replay] = None
        if graph_runs.leave_no_trace(needed):
            self.before = self._wanted
        else:
            self.within = self._wanted
            self._prepare_replay(graph, ran, fed)

    def _prepare_replay(self, graph: tf.Graph, ran: Set[tf.Operation], fed: Collection[str]) -> None:
        """A loss beside a run that writes its variables may read them before or after: computes it again instead."""
        losses = [tensor for loss in self._losses for tensor in loss if tensor.name not in fed]
        reads, draws = graph_runs.sources(losses, fed)
        kept = {tensor.name for tensor in reads + draws}
        again = graph_runs.executed([tensor.op for tensor in losses], kept.union(fed))
        if self.trains and losses and graph_runs.leave_no_trace(again) and not graph_runs.need_feeds(again) \
                and _all_fetchable(graph, reads + draws) and all(tensor.op in ran for tensor in draws):
            self.replay = Replay(losses, reads, draws)
            names = {tensor.name for tensor in losses}
            self.within = [tensor for tensor in self._wanted if tensor.name not in names] + draws

    def losses(self, known: Values) -> List[float]:
        """The losses, one number each, from the values `known` by tensor name."""
        return [sum(float(np.sum(known[tensor.name])) for tensor in loss) for loss in self._losses
                if all(tensor.name in known for tensor in loss)]

    def gradients(self, known: Values) -> Dict[str, np.ndarray]:
        """The dense gradients by variable name, from the values `known` by tensor name."""
        return {name: _dense(gradient, variable, known) for name, (gradient, variable) in self._gradients.items()
                if all(part.name in known for part in _parts(gradient))}


def read(session: Session, variable: tf.Variable) -> np.ndarray:
    """The value of a variable, in memory of its own."""
    value: np.ndarray = np.array(session.run(variable))
    return value


def read_all(session: Session, variables: Mapping[str, tf.Variable]) -> Dict[str, np.ndarray]:
    """A dict from name to value of those of `variables`, a dict, that have one."""
    try:
        values = session.run(list(variables.values()))
        return {name: np.array(value) for name, value in zip(variables, values)}
    except (tf.errors.FailedPreconditionError, tf.errors.NotFoundError):
        return {name: value for name, value in ((name, _read_or_none(session, variable))
                                                for name, variable in variables.items()) if value is not None}


def _read_or_none(session: Session, variable: tf.Variable) -> Optional[np.ndarray]:
    try:
        return read(session, variable)
    except (tf.errors.FailedPreconditionError, tf.errors.NotFoundError):  # not initialized: it does not train yet
        return None


def _named(targets: Iterable[tf.Operation], fetches: Iterable[tf.Tensor]) -> Dict[str, tf.Operation]:
    """A dict from name to op of what a run gives."""
    return dict([(op.name, op) for op in targets] + [(tensor.name, tensor.op) for tensor in fetches])


def _parts(gradient: Found) -> List[tf.Tensor]:
    return [gradient.values, gradient.indices] if isinstance(gradient, tf.IndexedSlices) else [gradient]


def _fetchable(graph: tf.Graph, gradient: Found) -> bool:
    return all(graph.is_fetchable(part) for part in _parts(gradient))


def _can_be_added(graph: tf.Graph, loss: Sequence[tf.Tensor], ran: Set[tf.Operation], fed: Collection[str]) -> bool:
    """True when fetching `loss` beside a run executes nothing that waits for a value or leaves a trace."""
    added = graph_runs.executed([tensor.op for tensor in loss if tensor.name not in fed], fed) - ran
    return _all_fetchable(graph, loss) and not graph_runs.need_feeds(added) and graph_runs.leave_no_trace(added)


def _all_fetchable(graph: tf.Graph, tensors: Iterable[tf.Tensor]) -> bool:
    return all(graph.is_fetchable(tensor) for tensor in tensors)


def _dense(gradient: Found, variable: tf.Variable, known: Values) -> np.ndarray:
    if not isinstance(gradient, tf.IndexedSlices):
        dense: np.ndarray = np.asarray(known[gradient.name])
        return dense
    values = np.asarray(known[gradient.values.name])
    dense = np.zeros(variable.shape.as_list(), values.dtype)
    np.add.at(dense, np.asarray(known[gradient.indices.name]), values.reshape((-1,) + dense.shape[1:]))
    return dense
