"""Prepares the gradients, weight and loss of one micro-batch for a window."""

from __future__ import annotations

from tf1grad._arguments import scalar
from tf1grad._compat import is_variable, tf, without_dependencies
from tf1grad._types import Gradient, Reduction, ScalarLike
from tf1grad.recipes.gradients.transforms import cast, replace_values, rows_if, wide_dtype
from tf1grad.recipes.sessions.graph_assertions import assert_in_run

REDUCTIONS = ("mean", "sum")


def check_reduction(reduction: Reduction, caller: str) -> None:
    """Raises ValueError unless `reduction` is "mean" or "sum"."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{caller}: reduction must be one of {REDUCTIONS}; got {reduction!r}.")


def check_weight(weight: ScalarLike, caller: str) -> tf.Tensor:
    """Returns the weight as a float64 scalar; a negative or not finite one raises an
    error now, or in the run.
    """
    weight = scalar(weight, caller, "weight")
    known = tf.get_static_value(weight)
    message = "weight must be finite and not negative, as a number of samples is; got"
    if known is not None and not 0 <= known < float("inf"):
        raise ValueError(f"{caller}: {message} {known}.")
    # The name is in TensorFlow's message where a run tells another shape.
    weight = tf.reshape(tf.cast(weight, tf.float64), [], name="weight_must_be_a_scalar")
    valid = tf.logical_and(weight >= 0, weight < float("inf"))
    with tf.control_dependencies([assert_in_run(valid, caller, message, [weight], "wrong_weight")]):
        return tf.identity(weight)


def check_count(value: int | tf.Tensor, caller: str, argument: str, one_means: str) -> tf.Tensor:
    """Returns `value` as an int64 scalar; one below 1 raises an error now, or in the run."""
    number = scalar(value, caller, argument)
    if not number.dtype.is_integer:
        raise TypeError(f"{caller}: {argument} must be an integer scalar; got {value!r}.")
    number, known = tf.cast(number, tf.int64), tf.get_static_value(number)
    message = f"{argument} must be at least 1 (1 is {one_means}); got"
    if known is not None and known < 1:
        raise ValueError(f"{caller}: {message} {known}.")
    if known is not None:
        return number
    checked = assert_in_run(number >= 1, caller, message, [number], f"{argument}_below_1")
    with tf.control_dependencies([checked]):
        return tf.identity(number)


def prepare_gradient(
    gradient: Gradient,
    variable: tf.Variable,
    weight: tf.Tensor | None = None,
    dense: bool = False,
) -> Gradient:
    """Returns the gradient times the float64 scalar, in a dtype wide enough for sums,
    and dense if `dense` is True.
    """
    if gradient is None:
        return None
    if is_variable(gradient):
        gradient = gradient.read_value()
    gradient = cast(gradient, wide_dtype(gradient.dtype.base_dtype))
    if dense and isinstance(gradient, tf.IndexedSlices):
        gradient = tf.unsorted_segment_sum(gradient.values, gradient.indices, tf.shape(variable)[0])
    if isinstance(gradient, tf.IndexedSlices):
        with without_dependencies():  # known without another run's feeds
            shape = tf.shape(variable, out_type=gradient.indices.dtype)
        gradient = tf.IndexedSlices(gradient.values, gradient.indices, shape)
    if isinstance(gradient, tf.Tensor) and not gradient.shape.is_fully_defined():
        # TF 1.15 loses it in gradients through tf.cond.
        gradient = tf.ensure_shape(gradient, variable.shape)
    return gradient if weight is None else _weigh(gradient, weight)


def _weigh(gradient: Gradient, weight: tf.Tensor) -> Gradient:
    """Returns the gradient times the weight; zeros, or no rows, for a weight of 0,
    also where it is not finite.
    """

    def weigh(values: tf.Tensor) -> tf.Tensor:
        with tf.get_default_graph().colocate_with(values.op):
            return tf.math.multiply_no_nan(values, tf.cast(weight, values.dtype))

    if isinstance(gradient, tf.IndexedSlices):
        gradient = rows_if(weight > 0, gradient)
    return replace_values(gradient, weigh)


def increment(loss: tf.Tensor | None, weight: tf.Tensor | None) -> tf.Tensor:
    """Returns `[count, weight, weighted loss]` of one micro-batch, float64."""
    one = tf.constant(1, tf.float64)
    weight = one if weight is None else weight
    loss = tf.zeros([], tf.float64) if loss is None else tf.reshape(tf.cast(loss, tf.float64), [])
    return tf.stack([one, weight, tf.math.multiply_no_nan(loss, weight)])
