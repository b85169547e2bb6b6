"""Accumulates gradients for code that only calls `minimize`:
one run a micro-batch, an update every few runs.
"""

from __future__ import annotations

from typing import Any, Callable, ContextManager

from tf1grad._arguments import scalar
from tf1grad._compat import require_graph, tf, without_dependencies
from tf1grad._types import GradsAndVars, Optimizer, Pairs, Reduction, ScalarLike
from tf1grad.recipes.accumulation.apply_when_full import Accumulation, check_batches
from tf1grad.recipes.accumulation.window import Window
from tf1grad.recipes.gradients.synchronized import check_not_synchronized
from tf1grad.recipes.gradients.train_op import as_train_op
from tf1grad.recipes.optimizers.wrapped import WrappedOptimizer


class AccumulatingOptimizer(WrappedOptimizer):
    """A `tf.train.Optimizer` whose train op accumulates,
    and applies on every `batches_per_step`-th run.

        adam = tf.train.AdamOptimizer(1e-3)
        optimizer = tf1grad.AccumulatingOptimizer(adam, batches_per_step=8)
        train_op = optimizer.minimize(loss, global_step=global_step)

    Between updates nothing of the model moves: no variable, slot, beta power or `global_step`. The
    mean divides by the true weight of the window. See `GradientAccumulator` for when it equals the
    gradient of one large batch.

    On a cluster (`tf.train.replica_device_setter`) the window is on the worker, and is pushed once.
    Around `SyncReplicasOptimizer`, never inside, the means of all workers are averaged; that
    optimizer divides a sparse row by how many workers sent it, so pass `dense=True` for the mean
    over all. Each replica of a `MirroredStrategy` has a window, and all are applied together. A
    `MixedPrecisionLossScaleOptimizer` must wrap it.

    Several threads may run the train op in one session: each micro-batch counts once, and each step
    is applied once. Their gradients are computed in parallel; later ops run under a lock. (Replicas
    have no lock.) Initialising the variables empties the window, and so does a `MonitoredSession`
    that begins or recovers. Where a `Saver` restores in the middle of one, run `reset()` after it.

    Args:
        optimizer: the inner `tf.train.Optimizer`, or anything with its `compute_gradients` and
            `apply_gradients`.
        batches_per_step: micro-batches a step: an int of at least 1, an integer scalar tensor, or a
            function from the number of updates so far (an int64 scalar, read from `global_step`
            where it is given) to either. A run in which a tensor is below 1 raises
            InvalidArgumentError, and changes nothing.
        weight: scalar tensor, the weight of the micro-batch in the mean, such as its number of
            samples; default 1. While a full window has only weights of 0, its runs raise
            InvalidArgumentError. The next micro-batch that has a weight closes it.
        reduction: "mean", or "sum" for the weighted sum.
        dense: True turns `tf.IndexedSlices` into dense tensors. By default they stay sparse, each
            row once.
        persistent: True saves and restores the open window with the global variables. On a server,
            programs share it as they share those.
        use_locking: False where one thread runs the train op, for small models: the lock costs some
            50 microseconds a run.

    Raises:
        TypeError: `optimizer` is not an optimizer, or `batches_per_step` is not an integer.
        ValueError: `batches_per_step` is below 1 or not a scalar.
        RuntimeError: eager execution is on.

    Source: the wrapper form of the accumulation recipe.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        batches_per_step: int | tf.Tensor | Callable[[tf.Tensor], Any],
        weight: ScalarLike | None = None,
        reduction: Reduction = "mean",
        dense: bool = False,
        persistent: bool = False,
        use_locking: bool = True,
    ) -> None:
        super().__init__(optimizer)
        self.accumulates = True
        self._batches_per_step = batches_per_step
        self._options: dict[str, Any] = dict(
            weight=weight,
            reduction=reduction,
            dense=dense,
            persistent=persistent,
            use_locking=use_locking,
        )
        self._accumulations: list[Accumulation] = []
        if not callable(batches_per_step):
            check_batches(batches_per_step, "AccumulatingOptimizer")

    def compute_gradients(self, loss: tf.Tensor, *args: Any, **kwargs: Any) -> Pairs:
        """Calls `compute_gradients` of the inner optimizer, for a loss whose mean over
        micro-batches has a meaning.

        TensorFlow minimizes the sum of a loss that is not a scalar. The mean of such sums is not
        the sum of the batch.

        Raises:
            ValueError: `loss` is not a scalar, and the reduction is "mean".
        """
        if self._options["reduction"] == "mean" and isinstance(loss, tf.Tensor):
            scalar(loss, "AccumulatingOptimizer", "loss")
        return super().compute_gradients(loss, *args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: tf.Variable | None = None,
        name: str | None = None,
    ) -> tf.Operation:
        """Returns the op that accumulates the current micro-batch,
        and applies the window when it is full.

        Args:
            grads_and_vars: (gradient, variable) pairs of one micro-batch. None stays None,
                `IndexedSlices` sparse.
            global_step: the variable that counts updates; raised once an update.
            name: the name of the op.
        """
        grads_and_vars = (
            grads_and_vars if isinstance(grads_and_vars, list) else list(grads_and_vars)
        )
        check_not_synchronized(grads_and_vars, "AccumulatingOptimizer")
        window = Window(grads_and_vars, "AccumulatingOptimizer", **self._options)
        accumulation = Accumulation(
            window, self.optimizer, global_step, self._batches_per_step, "AccumulatingOptimizer"
        )
        self._accumulations.append(accumulation)
        self._step_applied, _ = accumulation.run()
        return as_train_op(tf.group(self._step_applied, name=name))

    def reset(self, name: str | None = None) -> tf.Operation:
        """Returns the op that empties the window without applying it;
        needed after values are restored in one.

        Raises:
            ValueError: `minimize` and `apply_gradients` were not called yet.
        """
        self._check_built("reset")
        windows = [accumulation.window for accumulation in self._accumulations]
        with self._outside_micro_batches():
            return tf.group(*[window.build_locked(window.reset) for window in windows], name=name)

    def flush(self, name: str | None = None) -> tf.Operation:
        """Returns the op that applies a short last window, at the end of an epoch,
        if it has any weight.

        It drops a window of weight 0, and does nothing on an empty one.

        Raises:
            ValueError: `minimize` and `apply_gradients` were not called yet, or the optimizer is in
                a `tf.distribute` strategy or around a `SyncReplicasOptimizer`.
        """
        self._check_built("flush")
        if tf.distribute.get_strategy().num_replicas_in_sync > 1:
            raise ValueError(
                "AccumulatingOptimizer.flush: not available under a tf.distribute strategy. Give a "
                "placeholder for batches_per_step, and feed 1 with the last micro-batch."
            )
        with self._outside_micro_batches():
            return tf.group(
                *[accumulation.flush() for accumulation in self._accumulations], name=name
            )

    def _outside_micro_batches(self) -> ContextManager[Any]:
        around = [accumulation.window.around for accumulation in self._accumulations]
        return without_dependencies(frozenset().union(*around))

    def _check_built(self, method: str) -> None:
        require_graph(f"AccumulatingOptimizer.{method}")
        if not self._accumulations:
            raise ValueError(
                f"AccumulatingOptimizer.{method}: call minimize or apply_gradients first; there is no "
                f"window to {method} yet."
            )
