"""Decides what to fetch in addition to a script's own run,
so that its losses and gradients are known.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from tf1grad._compat import tf
from tf1grad._types import Session
from tf1grad.verify import run_dependencies
from tf1grad.verify.observed_sessions import SessionRun
from tf1grad.verify.training_ops import Found, Watch, parts

# By the names of tensors.
Values = Mapping[str, Any]


class ExtraFetches:
    """The tensors to fetch in addition to one kind of run, and what that run does.

    Losses and gradients are fetched before the script's run, at the values that it will find. If
    that would have side effects (queues, iterators, random ops), they are fetched in the run
    itself. A loss might then read variables after the step has written them, so it is computed
    again afterwards if possible: from the variables' values before the run, and from what the run
    alone yields, such as random draws.
    """

    def __init__(self, watch: Watch, run: SessionRun) -> None:
        self._graph, self._fed = run.session.graph, set(run.feeds)
        self._ran = run.ops()
        self.trains = watch.trains(self._graph, self._ran)
        self.racing: list[str] = []
        if self.trains:
            trained = {variable.op for variable in watch.variables(self._graph).values()}
            self.racing = run_dependencies.racing_variables(self._ran, trained)
        self._gradients: dict[str, tuple[Found, tf.Variable]] = {
            variable.name: (gradient, variable)
            for application in watch.applied(self._ran)
            for gradient, variable in application.pairs
            if self._are_fetchable(parts(gradient))
        }
        self._losses = [
            each.loss for each in watch.differentiated(self._ran) if self._can_be_added(each.loss)
        ]
        self._before: list[tf.Tensor] = []
        self._within: list[tf.Tensor] = []
        self._variables: list[tf.Tensor] = []
        self._draws: list[tf.Tensor] = []
        self._recomputed: list[tf.Tensor] = []
        self._decide()

    def _decide(self) -> None:
        """Decides when losses and gradients are fetched."""
        losses = self._not_fed(tensor for loss in self._losses for tensor in loss)
        gradients = self._not_fed(
            part for gradient, _ in self._gradients.values() for part in parts(gradient)
        )
        if run_dependencies.have_no_side_effects(self._needed(gradients + losses)):
            self._before = gradients + losses
            return
        self._within = gradients + losses
        variables, draws = run_dependencies.inputs_to_recompute(losses, self._fed)
        given = [tensor.name for tensor in variables + draws]
        if (
            self.trains
            and run_dependencies.can_be_repeated(self._needed(losses, given))
            and self._are_fetchable(variables + draws)
            and self._ran.issuperset(tensor.op for tensor in draws)
        ):
            self._variables, self._draws = variables, draws
            self._within, self._recomputed = gradients + draws, losses

    def _not_fed(self, tensors: Iterable[tf.Tensor]) -> list[tf.Tensor]:
        return [tensor for tensor in tensors if tensor.name not in self._fed]

    def _needed(
        self, tensors: Iterable[tf.Tensor], more_fed: Iterable[str] = ()
    ) -> set[tf.Operation]:
        """Returns the ops that a run of `tensors` executes."""
        ops = [tensor.op for tensor in self._not_fed(tensors)]
        return run_dependencies.executed(ops, self._fed.union(more_fed))

    def _are_fetchable(self, tensors: Iterable[tf.Tensor]) -> bool:
        return all(self._graph.is_fetchable(tensor) for tensor in tensors)

    def _can_be_added(self, loss: Sequence[tf.Tensor]) -> bool:
        """Says whether a run can also fetch `loss`, without side effects and without more feeds."""
        added = self._needed(loss) - self._ran
        return self._are_fetchable(loss) and run_dependencies.can_be_repeated(added)

    def execute(self, run: SessionRun) -> tuple[list[Any], dict[str, Any]]:
        """Runs what the script asked for; returns its values, and all that is known,
        by names of tensors.
        """
        session = run.session
        known = {**run.feeds, **fetch(session, self._variables)}
        before: dict[str, Any] = {}
        # The script's own run may raise the same error, or not need these tensors.
        with contextlib.suppress(tf.errors.OpError):
            before = fetch(session, self._before, run.feeds)
        values = run.execute(self._within)
        known.update(_by_name([*run.fetches, *self._within], values))
        # The script's own fetches may be from before or after its step: what was fetched before it
        # counts.
        known.update(before)
        given = [*run.feeds, *(tensor.name for tensor in self._variables + self._draws)]
        known.update(fetch(session, self._recomputed, {name: known[name] for name in given}))
        return values[: len(run.fetches)], known

    def losses(self, known: Values) -> list[float]:
        """Returns the losses, one number each, from the values `known` by tensor name."""
        return [
            sum(float(np.sum(known[tensor.name])) for tensor in loss)
            for loss in self._losses
            if _are_known(loss, known)
        ]

    def gradients(self, known: Values) -> dict[str, np.ndarray]:
        """Returns the dense gradients by variable name, from the values `known` by tensor name."""
        return {
            name: _dense(gradient, variable, known)
            for name, (gradient, variable) in self._gradients.items()
            if _are_known(parts(gradient), known)
        }


def _are_known(tensors: Iterable[tf.Tensor], known: Values) -> bool:
    return all(tensor.name in known for tensor in tensors)


def read_initialized(
    session: Session, variables: Mapping[str, tf.Variable]
) -> dict[str, np.ndarray]:
    """Returns a dict from name to value of those `variables`, a dict by name,
    that are initialized.
    """
    uninitialized = tf.errors.FailedPreconditionError, tf.errors.NotFoundError
    with contextlib.suppress(*uninitialized):
        values = session.run(list(variables.values()))
        return {name: np.array(value) for name, value in zip(variables, values)}
    found = {}
    for name, variable in variables.items():
        with contextlib.suppress(*uninitialized):
            found[name] = np.array(session.run(variable))
    return found


def fetch(
    session: Session, tensors: Sequence[tf.Tensor], feeds: Values | None = None
) -> dict[str, Any]:
    """Returns the values of tensors by their names."""
    return _by_name(tensors, session.run(tensors, feeds)) if tensors else {}


def _by_name(tensors: Sequence[tf.Tensor], values: Sequence[Any]) -> dict[str, Any]:
    """Returns copies of values, since a fetched value may share the memory of a variable,
    by the names of tensors.
    """
    return {tensor.name: np.array(value) for tensor, value in zip(tensors, values)}


def _dense(gradient: Found, variable: tf.Variable, known: Values) -> np.ndarray:
    if not isinstance(gradient, tf.IndexedSlices):
        return np.asarray(known[gradient.name])
    values = np.asarray(known[gradient.values.name])
    dense = np.zeros(variable.shape.as_list(), values.dtype)
    rows = values.reshape((-1,) + dense.shape[1:])
    np.add.at(dense, np.asarray(known[gradient.indices.name]), rows)
    return dense
