"""Holds the base class of optimizers that wrap another one and answer as the inner one would."""

from __future__ import annotations

from typing import Any, Sequence

from tf1grad._arguments import check_optimizer, describe
from tf1grad._compat import require_graph, scales_the_loss, tf
from tf1grad._types import GradsAndVars, Optimizer, OptimizerBase, Pairs


class WrappedOptimizer(OptimizerBase):
    """A `tf.train.Optimizer` around another: subclasses override `apply_gradients`
    and call `self.optimizer`.

    Args:
        optimizer: a `tf.train.Optimizer`, or anything with its `compute_gradients` and
            `apply_gradients`.

    Attributes:
        optimizer: the inner optimizer.
        accumulates: whether a run of the train op is a micro-batch, and a dropped one counts with
            the weight 0.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        caller = type(self).__name__
        require_graph(caller)
        check_optimizer(optimizer, caller, methods=("compute_gradients", "apply_gradients"))
        if scales_the_loss(optimizer):  # it would see an overflow only once a window, or never
            raise ValueError(
                f"{caller} around {type(optimizer).__name__} hides overflows from the loss scale. Put the "
                f"loss scale outside: MixedPrecisionLossScaleOptimizer({caller}(optimizer, ...), "
                "loss_scale) unscales the gradients of each micro-batch, and leaves out those that "
                "overflowed."
            )
        tf.train.Optimizer.__init__(self, use_locking=False, name=caller)
        self.optimizer = optimizer
        self.accumulates = bool(getattr(optimizer, "accumulates", False))
        self._step_applied: tf.Tensor | None = None

    @property
    def step_applied(self) -> tf.Tensor:
        """Returns a bool scalar: whether a run of the last train op,
        which fetching this is too, applied a step.

        Use it for all that belongs to a step, such as a moving average of the variables:

            train_op = tf.cond(optimizer.step_applied, lambda: average.apply(variables), tf.no_op)
        """
        if self._step_applied is None:
            raise ValueError(
                f"{type(self).__name__}.step_applied: call minimize or apply_gradients first; no train op "
                "was built yet."
            )
        return self._step_applied

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Pairs:
        """Calls `compute_gradients` of the inner optimizer."""
        return self.optimizer.compute_gradients(*args, **kwargs)

    def minimize(
        self,
        loss: tf.Tensor,
        global_step: tf.Variable | None = None,
        var_list: Sequence[tf.Variable] | None = None,
        *,
        name: str | None = None,
        **kwargs: object,
    ) -> tf.Operation:
        """Returns the op that computes the gradients of `loss` and applies them.

        Args:
            loss: the scalar to be minimized.
            global_step: the variable that counts applied steps.
            var_list: the variables to update; default: the trainable ones.
            name: the name of the op.
            **kwargs: other arguments of the inner optimizer's `compute_gradients`.
        """
        for variable in tf.nest.flatten(var_list):
            if isinstance(variable, str):
                raise TypeError(
                    f"{type(self).__name__}.minimize: var_list must hold variables; got {describe(variable)}. Write "
                    f"tf1grad.trainable_in({variable!r})."
                )
        pairs = self.compute_gradients(loss, var_list=var_list, **kwargs)
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: tf.Variable | None = None,
        name: str | None = None,
    ) -> tf.Operation:
        """Returns the op that applies pairs; subclasses override it."""
        raise NotImplementedError

    def get_name(self) -> str:
        """Calls `get_name` of the inner optimizer."""
        return str(self.optimizer.get_name())

    def get_slot(self, var: tf.Variable, name: str) -> tf.Variable | None:
        """Calls `get_slot` of the inner optimizer."""
        return self.optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """Calls `get_slot_names` of the inner optimizer."""
        return self.optimizer.get_slot_names()

    def variables(self) -> list[tf.Variable]:
        """Returns the `variables` of the inner optimizer:
        its slots, without the wrapper's state.
        """
        return self.optimizer.variables()
