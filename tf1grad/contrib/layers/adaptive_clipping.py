"""Clips by a limit that follows the norms seen so far: `tf.contrib.layers.adaptive_clipping_fn`."""

from __future__ import annotations

from typing import Optional

from tf1grad._compat import operation, tf
from tf1grad._types import GradsAndVars, Pairs, ScalarLike, Transform
from tf1grad.gradients.grads_and_vars import merged_pairs
from tf1grad.gradients.transforms import as_dtype, global_norm, scaled


def adaptive_clipping_fn(
    std_factor: ScalarLike = 2.0,
    decay: ScalarLike = 0.95,
    static_max_norm: Optional[ScalarLike] = None,
    global_step: Optional[tf.Variable] = None,
    report_summary: bool = False,
    epsilon: ScalarLike = 1e-8,
    name: Optional[str] = None,
) -> Transform:
    """Returns a function that scales gradients down if their global norm is far above that of earlier steps.

        limit = exp(mean + std_factor * std)
        g * exp(mean) / norm  where norm >= limit,  else g

    Mean and standard deviation are those of log(norm), as moving averages that include this step.

    Args:
        std_factor: how many standard deviations of log(norm) above its mean the limit is.
        decay: the decay of both moving averages, which begin at 0.
        static_max_norm: a fixed greatest norm as well, or None.
        global_step: a variable that counts steps; with it the averages follow faster in the first ones, with a decay
            of at most n / (n + 1) in step n. Or None.
        report_summary: True adds the limit as the summary "global_norm/adaptive_max_gradient_norm".
        epsilon: added to the norm before its logarithm; the least variance.
        name: the variable scope of the averages `mean` and `sq_mean`, by default "AdaptiveMaxNorm".

    Returns:
        A function of a list of (gradient, variable) pairs that returns such a list, for `clip_gradients` of
        `optimize_loss`. None stays None. IndexedSlices stay sparse, and unlike in the original their duplicate rows are
        summed first. A norm that is infinite or NaN raises InvalidArgumentError in the run and does not change the
        averages, which it spoiled for good in the original.

    Source: `tf.contrib.layers.adaptive_clipping_fn` of TensorFlow 1.15; Chorowski et al., "End-to-end continuous speech
    recognition using attention-based recurrent NN" (2014), section 3.2.1.
    """

    def clip(grads_and_vars: GradsAndVars) -> Pairs:
        pairs = merged_pairs(grads_and_vars, "adaptive_clipping_fn")
        norm = tf.debugging.check_numerics(
            global_norm(pairs), "adaptive_clipping_fn: the global norm is not finite"
        )
        with tf.variable_scope(name, "AdaptiveMaxNorm", [norm]):
            rate = as_dtype(decay, norm.dtype)
            if global_step is not None:
                steps = tf.cast(global_step, norm.dtype)
                rate = tf.minimum(rate, steps / (steps + 1))
            least = as_dtype(epsilon, norm.dtype)
            logarithm = tf.log(norm + least)
            mean = _moving_average("mean", logarithm, rate)
            variance = _moving_average("sq_mean", tf.square(logarithm), rate) - tf.square(mean)
            limit = tf.exp(
                mean + as_dtype(std_factor, norm.dtype) * tf.sqrt(tf.maximum(least, variance))
            )
        if report_summary:
            tf.summary.scalar("global_norm/adaptive_max_gradient_norm", limit)
        factor = tf.where(norm < limit, tf.ones_like(norm), tf.exp(mean) / norm)
        if static_max_norm is not None:
            factor = tf.minimum(as_dtype(static_max_norm, norm.dtype) / norm, factor)
        return [
            (gradient if gradient is None else scaled(gradient, factor), variable)
            for gradient, variable in pairs
        ]

    return clip


def _moving_average(name: str, value: tf.Tensor, decay: tf.Tensor) -> tf.Tensor:
    average = tf.get_variable(name, [], value.dtype, tf.zeros_initializer(), trainable=False)
    updated = decay * average.read_value() + (1 - decay) * value
    with tf.control_dependencies([operation(average.assign(updated))]):
        return tf.identity(updated)
