"""Makes the gradient of a large batch from the gradients of its parts,
by textbook accumulation in explicit ops.
"""

from __future__ import annotations

import copy
from typing import Sequence

from tf1grad._arguments import describe
from tf1grad._compat import require_graph, tf, without_dependencies
from tf1grad._types import GradsAndVars, Optimizer, Reduction, ScalarLike
from tf1grad.recipes.accumulation.step import AccumulatedStep
from tf1grad.recipes.accumulation.window import Window
from tf1grad.recipes.gradients.apply import apply_gradients
from tf1grad.recipes.gradients.grads_and_vars import merged


class GradientAccumulator:
    """Sums gradients over runs, so that micro-batches that fit on the device make one step
    of a batch that does not.

        mean gradient = sum_i(weight_i * gradient_i) / sum_i(weight_i)

    which is the gradient of the mean loss over all samples when each loss is a mean over its
    samples and `weight` is their number (or all micro-batches are equally large). A loss that is
    not a mean over samples (a chi-square of histograms, batch normalisation, a contrastive loss)
    has another gradient on the whole batch, which accumulation cannot give.

        pairs = optimizer.compute_gradients(loss)
        accumulator = tf1grad.GradientAccumulator(pairs, loss=loss)
        apply = accumulator.apply(optimizer)
        session.run(accumulator.reset)
        for batch in batches:
            session.run(accumulator.accumulate, feed_dict={x: batch})
        session.run(apply)

    TensorFlow runs the fetches of one `session.run` in any order: `after` orders them. Of the ops,
    `accumulate` alone obeys the control dependencies around the constructor, such as the UPDATE_OPS
    of batch normalisation.

    Several threads may run these ops in one session: each micro-batch counts once, and each read
    sees the window as it was between two micro-batches. If a thread accumulates between the runs of
    `apply` and `reset`, its micro-batch is dropped: let it wait, or use an `AccumulatingOptimizer`.

    Programs that build the same accumulator on one server (`tf.train.Server`) have a window each,
    also where they share the variables. They share a persistent window, with its lock, as
    TensorFlow's variables: by container and name. Then `step` is for one of them alone.

    A sum of n float32 gradients is off by at most n roundings of 6e-8, relative to the sum of their
    moduli. For a thousand micro-batches 1.5e-5 was measured where all are equal, and 1.4e-6 where
    they differ.

    Args:
        grads_and_vars: (gradient, variable) pairs, as `optimizer.compute_gradients` returns them. A
            None gradient stays None. `tf.IndexedSlices` are kept as rows: cost and memory follow
            the rows that were touched. float16 and bfloat16 are summed in float32 and cast back. A
            micro-batch that `drop_nonfinite` drops gets the weight 0, and its loss is left out;
            `count` includes it.
        loss: scalar tensor, the micro-batch's loss, or None. Its mean, with the same weights, is
            `average_loss`.
        weight: scalar tensor, the weight of the micro-batch in the mean, such as its number of
            samples; default 1. A micro-batch of weight 0 adds nothing, also where its loss or
            gradient is not finite. If all of a window have the weight 0, it cannot be applied,
            whatever the reduction.
        reduction: "mean", or "sum" for sum_i(weight_i * gradient_i).
        dense: True turns `tf.IndexedSlices` into dense tensors as they come.
        persistent: True makes the open window a part of the model, in
            `tf.GraphKeys.GLOBAL_VARIABLES`: initialised, saved, restored and shared with the other
            variables. By default checkpoints leave it out, so that older ones restore.
        name: the name scope of the state.
        use_locking: False where one thread runs all ops: the lock costs some 50 microseconds a run.

    Attributes:
        accumulate: the op that takes the current micro-batch into the window.
        reset: the op that empties the window. Initialising the variables or the tables does so too;
            a `Saver` that restores in the middle of a window does not.
        grads_and_vars: the reduced gradients of the window so far, sparse where they came sparse,
            with each row once. Reading them while the window has no weight raises
            `InvalidArgumentError`. To apply them transformed, give `apply` a
            `ClippingOptimizer(optimizer, transform=...)`: a plain `optimizer.apply_gradients` may
            have changed some state (the moments of a sparse Adam) before it meets that error.
        average_loss: scalar of the loss's dtype, the weighted mean of the losses; NaN while the
            window has no weight.
        count: int64 scalar, the micro-batches in the window.
        total_weight: float64 scalar, the sum of their weights.
        loss: the micro-batch's loss as a tensor, or None.
        window: the `Window` with the sums, for code that builds further ops on them.

    Raises:
        TypeError, ValueError: a wrong pair (swapped, of another dtype or shape, of whole numbers),
            a `loss` or `weight` that is not a scalar, a constant `weight` that is negative or not
            finite, an unknown `reduction`.
        RuntimeError: eager execution is on.

    Source: the session recipe with one accumulator variable a gradient and ops to zero, add and
        apply.
    """

    def __init__(
        self,
        grads_and_vars: GradsAndVars,
        loss: tf.Tensor | None = None,
        weight: ScalarLike | None = None,
        reduction: Reduction = "mean",
        dense: bool = False,
        persistent: bool = False,
        name: str = "accumulator",
        use_locking: bool = True,
    ) -> None:
        require_graph("GradientAccumulator")
        self.window = Window(
            grads_and_vars,
            "GradientAccumulator",
            loss,
            weight,
            reduction,
            dense,
            persistent,
            name,
            use_locking,
        )
        self.loss = self.window.loss
        self._build([])

    def _build(self, after: Sequence[tf.Operation]) -> None:
        window = self.window
        with tf.name_scope(window.name), tf.control_dependencies(after), window.after_micro_batch():
            self.accumulate = window.build_locked(window.accumulate).op
        with tf.name_scope(window.name), without_dependencies(), tf.control_dependencies(after):
            totals = window.totals()
            self.count = tf.cast(totals[0], tf.int64, name="count")
            self.total_weight = tf.identity(totals[1], name="total_weight")
            self._average_loss = window.average_loss(totals)
            self.reset = window.build_locked(window.reset).op
            self._reduced = window.reduce(*window.build_locked(window.read))
            self.grads_and_vars = [
                (merged(gradient), variable) for gradient, variable in self._reduced
            ]

    @property
    def average_loss(self) -> tf.Tensor:
        """Returns the weighted mean of the losses in the window."""
        if self.loss is None:
            raise ValueError(
                "GradientAccumulator: average_loss needs a loss: build it with "
                "GradientAccumulator(grads_and_vars, loss=loss)."
            )
        return self._average_loss

    def apply(
        self,
        optimizer: Optimizer,
        global_step: tf.Variable | None = None,
        name: str | None = None,
    ) -> tf.Operation:
        """Returns the op that applies the reduced gradients with `optimizer` and
        does not change the window.

        On a window that is empty, or has only weights of 0, the op raises `InvalidArgumentError`
        and changes nothing.

        Args:
            optimizer: a `tf.train.Optimizer`, or anything with its `apply_gradients`.
            global_step: the variable that counts applied steps; raised by one also by optimizers
                that forget to.
            name: the name of the op.

        Run the op after the window's last `accumulate`, or build it so:
        `after(accumulate).apply(...)`.
        """
        with self.window.outside_micro_batch():
            return apply_gradients(optimizer, self._reduced, global_step, name)

    def after(self, *control_inputs: tf.Operation | tf.Tensor) -> GradientAccumulator:
        """Returns a copy on the same state whose ops run after `control_inputs`
        where both are in one run.

            last = accumulator.after(accumulator.accumulate)
            apply, loss = last.apply(optimizer), last.average_loss
            reset = accumulator.after(apply, loss).reset
            # The order is: accumulate, apply, read, reset.
            session.run([apply, loss, reset], feed_dict={x: batch})

        Args:
            *control_inputs: ops or tensors.

        Source: the recipes run such lists unordered; on resource variables up to 96 % of the runs
            are then wrong.
        """
        require_graph("GradientAccumulator.after")
        for value in control_inputs:
            if not isinstance(value, (tf.Operation, tf.Tensor)):
                raise TypeError(
                    f"GradientAccumulator.after takes ops and tensors; got {describe(value)}."
                )
        view = copy.copy(self)
        view._build(control_inputs)
        return view

    def step(self, optimizer: Optimizer, global_step: tf.Variable | None = None) -> AccumulatedStep:
        """Makes one step a function of its micro-batches:
        it accumulates each as it comes, and applies at the end.

            step = accumulator.step(optimizer, global_step)
            for batches in epoch:
                loss = step(session, ({x: batch} for batch in batches))

        It is the fastest form: each run is prepared once, and none takes the lock.

        Args:
            optimizer: a `tf.train.Optimizer`, or anything with its `apply_gradients`.
            global_step: the variable that counts applied steps.
        """
        require_graph("GradientAccumulator.step")
        return AccumulatedStep(self.window, optimizer, global_step)
