"""Decides what to fetch in addition to a script's own run, so that its losses and gradients are known."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Collection, Dict, Iterable, List, Mapping, Sequence, Set, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad._types import Session
from tf1grad.old_programs.verify import run_dependencies
from tf1grad.old_programs.verify.training_ops import Found, Watch, parts

# By the names of tensors.
Values = Mapping[str, Any]
# Runs targets and fetches, with the script's feeds, options and metadata.
Run = Callable[[Sequence[tf.Operation], Sequence[tf.Tensor]], Any]


class ExtraFetches:
    """The tensors to fetch in addition to one kind of run, and what that run does.

    Losses and gradients are fetched before the script's run, at the values that it will find. If that would have side
    effects (queues, iterators, random ops), they are fetched in the run itself. A loss might then read variables after
    the step has written them, so it is computed again afterwards if possible: from the variables' values before the
    run, and from what the run alone yields, such as random draws.
    """

    def __init__(
        self,
        watch: Watch,
        graph: tf.Graph,
        targets: Sequence[tf.Operation],
        fetches: Sequence[tf.Tensor],
        fed: Collection[str],
    ) -> None:
        fetched_ops = [tensor.op for tensor in fetches if tensor.name not in fed]
        self._graph, self._fed = graph, fed
        self._ran = run_dependencies.executed([*targets, *fetched_ops], fed)
        self.trains = watch.trains(graph, self._ran)
        self.racing: List[str] = []
        if self.trains:
            trained = {variable.op for variable in watch.variables(graph).values()}
            self.racing = run_dependencies.racing_variables(self._ran, trained)
        self._gradients: Dict[str, Tuple[Found, tf.Variable]] = {}
        for application in watch.applied(self._ran):
            for gradient, variable in application.pairs:
                if _all_fetchable(graph, parts(gradient)):
                    self._gradients[variable.name] = gradient, variable
        self._losses = [
            each.loss for each in watch.differentiated(self._ran) if self._can_be_added(each.loss)
        ]
        of_losses = self._not_fed(tensor for loss in self._losses for tensor in loss)
        of_gradients = self._not_fed(
            part for gradient, _ in self._gradients.values() for part in parts(gradient)
        )
        wanted = {**of_gradients, **of_losses}
        self._before: List[tf.Tensor] = []
        self._within: List[tf.Tensor] = []
        self._variables: List[tf.Tensor] = []
        self._draws: List[tf.Tensor] = []
        self._recomputed: List[tf.Tensor] = []
        if run_dependencies.have_no_side_effects(self._needed(wanted.values())):
            self._before = list(wanted.values())
            return
        self._within = list(wanted.values())
        losses = list(of_losses.values())
        variables, draws = run_dependencies.inputs_to_recompute(losses, fed)
        if self.trains and self._can_recompute(losses, variables, draws):
            self._recomputed, self._variables, self._draws = losses, variables, draws
            of_gradients_only = [tensor for name, tensor in wanted.items() if name not in of_losses]
            self._within = of_gradients_only + draws

    def _not_fed(self, tensors: Iterable[tf.Tensor]) -> Dict[str, tf.Tensor]:
        """Returns a dict from name to tensor of those that the script does not feed."""
        return {tensor.name: tensor for tensor in tensors if tensor.name not in self._fed}

    def _needed(
        self, tensors: Iterable[tf.Tensor], more_fed: Iterable[str] = ()
    ) -> Set[tf.Operation]:
        """Returns the ops that a run of `tensors` executes."""
        ops = [tensor.op for tensor in tensors if tensor.name not in self._fed]
        return run_dependencies.executed(ops, {*self._fed, *more_fed})

    def _can_be_added(self, loss: Sequence[tf.Tensor]) -> bool:
        """Says whether a run can also fetch `loss`, without side effects and without more feeds."""
        return _all_fetchable(self._graph, loss) and run_dependencies.can_be_repeated(
            self._needed(loss) - self._ran
        )

    def _can_recompute(
        self,
        losses: Sequence[tf.Tensor],
        variables: Sequence[tf.Tensor],
        draws: Sequence[tf.Tensor],
    ) -> bool:
        """Says whether `losses` can be computed from the other tensors at any time."""
        given = [*variables, *draws]
        return (
            run_dependencies.can_be_repeated(self._needed(losses, [each.name for each in given]))
            and _all_fetchable(self._graph, given)
            and all(tensor.op in self._ran for tensor in draws)
        )

    def run(
        self,
        session: Session,
        run: Run,
        targets: Sequence[tf.Operation],
        fetches: Sequence[tf.Tensor],
        feeds: Values,
    ) -> Tuple[List[Any], Dict[str, Any]]:
        """Runs what the script asked for; returns its values, and all that is known, by names of tensors."""
        known = dict(feeds)
        if self._variables:
            known.update(_by_name(self._variables, session.run(self._variables)))
        before: Dict[str, Any] = {}
        if self._before:
            # The script's own run may raise the same error, or not need these tensors.
            with contextlib.suppress(tf.errors.OpError):
                before = _by_name(self._before, session.run(self._before, dict(feeds)))
        names = {tensor.name for tensor in fetches}
        within = [tensor for tensor in self._within if tensor.name not in names]
        values = run(targets, [*fetches, *within])
        known.update(_by_name([*fetches, *within], values))
        # The script's own fetches may be from before or after its step: what was fetched before it counts.
        known.update(before)
        if self._recomputed:
            given = [*feeds, *(tensor.name for tensor in self._variables + self._draws)]
            losses = session.run(self._recomputed, {name: known[name] for name in given})
            known.update(_by_name(self._recomputed, losses))
        return values[: len(fetches)], known

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


def _by_name(tensors: Sequence[tf.Tensor], values: Sequence[Any]) -> Dict[str, Any]:
    """Returns copies of values, since a fetched value may share the memory of a variable, by the names of tensors."""
    return {tensor.name: np.array(value) for tensor, value in zip(tensors, values)}


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
