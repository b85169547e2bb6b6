"""Decides what to fetch in addition to a script's own run, so that its losses and gradients are known."""

from __future__ import annotations

import contextlib
from typing import Any, Collection, Dict, Iterable, List, Mapping, Sequence, Set, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad._types import Session
from tf1grad.old_programs.verify import run_dependencies
from tf1grad.old_programs.verify.training_ops import Found, Watch, parts

# By the names of tensors.
Values = Mapping[str, Any]


class ExtraFetches:
    """The tensors to fetch in addition to one kind of run, and what that run does.

    `before` is fetched before the script's run, at the values that it will find, and `within` in the run itself. The
    losses `recomputed` are computed afterwards, from the values before the run of `variables` and from what the run
    yields only `once`.
    """

    def __init__(
        self,
        watch: Watch,
        graph: tf.Graph,
        targets: Sequence[tf.Operation],
        fetches: Sequence[tf.Tensor],
        fed: Collection[str],
    ) -> None:
        fetches = [tensor for tensor in fetches if tensor.name not in fed]
        ran = run_dependencies.executed([*targets, *(tensor.op for tensor in fetches)], fed)
        self.restores = any(op.type in run_dependencies.RESTORES for op in ran)
        self.trains = watch.trains(graph, ran)
        trainable = {variable.op for variable in watch.variables(graph).values()}
        named = {
            **{op.name: op for op in targets},
            **{tensor.name: tensor.op for tensor in fetches},
        }
        self.races = run_dependencies.races(ran, named, trainable) if self.trains else {}
        self._gradients: Dict[str, Tuple[Found, tf.Variable]] = {}
        for each in watch.applied(ran):
            self._gradients.update(
                (variable.name, (gradient, variable))
                for gradient, variable in each.pairs
                if _all_fetchable(graph, parts(gradient))
            )
        self._losses = [
            each.loss
            for each in watch.differentiated(ran)
            if _can_be_added(graph, each.loss, ran, fed)
        ]
        losses = {
            tensor.name: tensor
            for loss in self._losses
            for tensor in loss
            if tensor.name not in fed
        }
        wanted = {
            part.name: part
            for gradient, _ in self._gradients.values()
            for part in parts(gradient)
            if part.name not in fed
        }
        wanted.update(losses)
        self.before = list(wanted.values())
        self.within: List[tf.Tensor] = []
        self.variables: List[tf.Tensor] = []
        self.once: List[tf.Tensor] = []
        self.recomputed: List[tf.Tensor] = []
        if not run_dependencies.have_no_side_effects(
            run_dependencies.executed([tensor.op for tensor in self.before], fed)
        ):
            self.before, self.within = [], self.before
            self._prepare_recomputation(graph, ran, fed, losses)

    def _prepare_recomputation(
        self,
        graph: tf.Graph,
        ran: Set[tf.Operation],
        fed: Collection[str],
        losses: Mapping[str, tf.Tensor],
    ) -> None:
        """Recomputes losses if possible: in the run, they might read variables before or after the step writes them."""
        variables, once = run_dependencies.inputs_to_recompute(losses.values(), fed)
        kept = {tensor.name for tensor in variables + once}
        again = run_dependencies.executed(
            [tensor.op for tensor in losses.values()], kept.union(fed)
        )
        if (
            self.trains
            and run_dependencies.have_no_side_effects(again)
            and not run_dependencies.have_placeholders(again)
            and _all_fetchable(graph, variables + once)
            and all(tensor.op in ran for tensor in once)
        ):
            self.recomputed, self.variables, self.once = list(losses.values()), variables, once
            self.within = [tensor for tensor in self.within if tensor.name not in losses] + once

    def losses(self, known: Values) -> List[float]:
        """Returns the losses, one number each, from the values `known` by tensor name."""
        return [
            sum(float(np.sum(known[tensor.name])) for tensor in loss)
            for loss in self._losses
            if all(tensor.name in known for tensor in loss)
        ]

    def gradients(self, known: Values) -> Dict[str, np.ndarray]:
        """Returns the dense gradients by variable name, from the values `known` by tensor name."""
        return {
            name: _dense(gradient, variable, known)
            for name, (gradient, variable) in self._gradients.items()
            if all(part.name in known for part in parts(gradient))
        }


def read_initialized(
    session: Session, variables: Mapping[str, tf.Variable]
) -> Dict[str, np.ndarray]:
    """Returns a dict from name to value of those `variables`, a dict by name, that are initialized."""
    uninitialized = tf.errors.FailedPreconditionError, tf.errors.NotFoundError
    with contextlib.suppress(*uninitialized):
        values = session.run(list(variables.values()))
        return {name: np.array(value) for name, value in zip(variables, values)}
    found = {}
    for name, variable in variables.items():
        with contextlib.suppress(*uninitialized):
            found[name] = np.array(session.run(variable))
    return found


def _can_be_added(
    graph: tf.Graph, loss: Sequence[tf.Tensor], ran: Set[tf.Operation], fed: Collection[str]
) -> bool:
    """Says whether a run can also fetch `loss`, without side effects and without more feeds."""
    added = (
        run_dependencies.executed([tensor.op for tensor in loss if tensor.name not in fed], fed)
        - ran
    )
    return (
        _all_fetchable(graph, loss)
        and not run_dependencies.have_placeholders(added)
        and run_dependencies.have_no_side_effects(added)
    )


def _all_fetchable(graph: tf.Graph, tensors: Iterable[tf.Tensor]) -> bool:
    return all(graph.is_fetchable(tensor) for tensor in tensors)


def _dense(gradient: Found, variable: tf.Variable, known: Values) -> np.ndarray:
    if not isinstance(gradient, tf.IndexedSlices):
        dense: np.ndarray = np.asarray(known[gradient.name])
        return dense
    values = np.asarray(known[gradient.values.name])
    dense = np.zeros(variable.shape.as_list(), values.dtype)
    np.add.at(
        dense, np.asarray(known[gradient.indices.name]), values.reshape((-1,) + dense.shape[1:])
    )
    return dense
