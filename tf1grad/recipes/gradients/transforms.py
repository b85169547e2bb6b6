"""Transforms lists of (gradient, variable) pairs between
`compute_gradients` and `apply_gradients`.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping, Sequence

from tf1grad._arguments import describe, known_scalar
from tf1grad._compat import is_variable, tf, variable_key
from tf1grad._types import Gradient, GradsAndVars, Pairs, ScalarLike, Transform
from tf1grad.recipes.gradients.grads_and_vars import check_grads_and_vars, merged_pairs
from tf1grad.recipes.gradients.guarded_gradients import hand_on_guard
from tf1grad.recipes.gradients.selection import items_of, value_of_each


def drop_none(grads_and_vars: GradsAndVars) -> Pairs:
    """Leaves out the pairs whose gradient is None because the loss does not reach the variable.

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.

    Returns:
        The list of the other pairs, unchanged.

    Raises:
        TypeError, ValueError: `grads_and_vars` is not such a list, or every gradient is None.
    """
    pairs = check_grads_and_vars(grads_and_vars, "drop_none")
    return hand_on_guard(grads_and_vars, [pair for pair in pairs if pair[0] is not None])


def map_gradients(fn: Callable[[tf.Tensor], tf.Tensor], grads_and_vars: GradsAndVars) -> Pairs:
    """Replaces each gradient by `fn(gradient)`, as in the old `[(capper(g), v) for g,
    v in grads_and_vars]`.

    None stays None. IndexedSlices stay sparse: duplicate rows are summed, and `fn` gets the tensor
    of the touched rows, which is the dense result whenever fn works element by element and leaves
    zeros zero.

    Args:
        fn: a function of a gradient tensor, of its variable's shape and dtype (for IndexedSlices
            `[rows, ...]`), that returns a tensor of the same shape and dtype.
        grads_and_vars: a list of (gradient, variable) pairs.

    Returns:
        The list of the new pairs.

    Raises:
        TypeError, ValueError: `grads_and_vars` is not such a list, or `fn` is not a function or
            changes dtype or shape.
    """
    if not callable(fn):
        raise TypeError(
            f"map_gradients: fn must be a function of a gradient tensor; got {describe(fn)}. Write "
            "map_gradients(fn, grads_and_vars)."
        )
    return hand_on_guard(
        grads_and_vars,
        [
            (replace_values(gradient, functools.partial(_applied, fn, variable)), variable)
            for gradient, variable in merged_pairs(grads_and_vars, "map_gradients")
        ],
    )


def multiply_gradients(
    grads_and_vars: GradsAndVars,
    multipliers: Mapping[Any, ScalarLike] | Sequence[tuple[Any, ScalarLike]],
) -> Pairs:
    """Multiplies chosen gradients by a number each, which with plain SGD is a learning rate each.

    None stays None. IndexedSlices stay sparse. Zero does not freeze: Adam and Momentum still move,
    see `without`.

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.
        multipliers: a dict, or a list of (key, multiplier) pairs. A key is a variable, a name, a
            scope, a compiled pattern or a function, as in `trainable_in`; a multiplier is a float
            or a scalar tensor.

    Returns:
        The list of the new pairs.

    Raises:
        TypeError: `grads_and_vars` or `multipliers` is not such a list, or a multiplier is not a
            number.
        ValueError: a key matches no variable, two keys match the same one, or a multiplier is NaN
            or not a scalar.
    """
    pairs = check_grads_and_vars(grads_and_vars, "multiply_gradients")
    items = items_of(multipliers, "multiply_gradients", "multipliers")
    for key, multiplier in items:
        known_scalar(multiplier, "multiply_gradients", f"the multiplier of {describe(key)}")
    factors = value_of_each(items, [variable for _, variable in pairs], "multiply_gradients")
    return hand_on_guard(
        grads_and_vars,
        [
            (scaled(gradient, factors.get(variable_key(variable))), variable)
            for gradient, variable in pairs
        ],
    )


def _applied(
    fn: Callable[[tf.Tensor], tf.Tensor], variable: tf.Variable, values: tf.Tensor
) -> tf.Tensor:
    result = fn(values)
    if result is None:
        raise TypeError(
            f"map_gradients: fn returned None for the gradient of {variable.name}. It must return a "
            "tensor; to leave variables out, use tf1grad.without."
        )
    result = tf.convert_to_tensor(result)
    if result.dtype != values.dtype or not result.shape.is_compatible_with(values.shape):
        raise ValueError(
            f"map_gradients: fn must keep dtype and shape; it made {result.dtype.name} {result.shape} of "
            f"the gradient of {variable.name}, which is {values.dtype.name} {values.shape}."
        )
    return result


def replace_values(gradient: Gradient, fn: Callable[[tf.Tensor], tf.Tensor]) -> Gradient:
    """Replaces the tensor of `gradient` by `fn` of it;
    IndexedSlices keep their rows, None stays None.
    """
    if gradient is None:
        return None
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(fn(gradient.values), gradient.indices, gradient.dense_shape)
    return fn(tf.convert_to_tensor(gradient))


def scaled(gradient: Gradient, factor: ScalarLike | None) -> Gradient:
    """Returns `gradient * factor` in the gradient's dtype and on its device;
    None stays None; factor None is 1.

    The product is rounded to half precision, and the factor is not: float16 would make 1e-8 zero.
    """
    if factor is None:
        return gradient

    def scale(values: tf.Tensor) -> tf.Tensor:
        wide = wide_dtype(values.dtype)
        with tf.get_default_graph().colocate_with(values.op):
            return tf.cast(tf.cast(values, wide) * as_dtype(factor, wide), values.dtype)

    return replace_values(gradient, scale)


def rows_if(condition: tf.Tensor, slices: tf.IndexedSlices) -> tf.IndexedSlices:
    """Returns `slices` where the bool scalar is True, else no rows:
    momentum moves a row of zeros.
    """
    rows = tf.where(condition, tf.shape(slices.indices), [0])[0]
    return tf.IndexedSlices(slices.values[:rows], slices.indices[:rows], slices.dense_shape)


def wide_dtype(dtype: tf.DType) -> tf.DType:
    """Returns the dtype to compute in for results of `dtype`:
    float32 for half precision, else `dtype` itself.
    """
    return tf.float32 if dtype in (tf.float16, tf.bfloat16) else dtype


def cast(gradient: Gradient, dtype: tf.DType) -> Gradient:
    """Returns `gradient` in `dtype`; IndexedSlices keep their rows, None stays None."""
    if gradient is None or gradient.dtype == dtype:
        return gradient
    return replace_values(gradient, lambda values: tf.cast(values, dtype))


def as_dtype(value: ScalarLike, dtype: tf.DType) -> tf.Tensor:
    """Returns a number or tensor as a tensor of `dtype`;
    a Python number keeps its 53 bits in float64.
    """
    if isinstance(value, tf.Tensor) or is_variable(value):
        return tf.cast(value, dtype)
    return tf.convert_to_tensor(value, dtype)


def squared_norms(grads_and_vars: GradsAndVars) -> list[tf.Tensor]:
    """Returns sums of squares of the gradients of `merged_pairs`, all float32,
    or all float64 if any is; none for None.

    Half precision is squared in float32, where 300 squared does not overflow. Complex gradients
    count by modulus.
    """
    wide = norm_dtype(grads_and_vars)
    return [_squared_norm(gradient, wide) for gradient, _ in grads_and_vars if gradient is not None]


def norm_dtype(grads_and_vars: GradsAndVars) -> tf.DType:
    """Returns the dtype of norms of these gradients: float64 if any gradient is, else float32."""
    dtypes = [gradient.dtype for gradient, _ in grads_and_vars if gradient is not None]
    doubles = [dtype for dtype in dtypes if dtype.base_dtype.real_dtype == tf.float64]
    return tf.float64 if doubles else tf.float32


def _squared_norm(gradient: Gradient, wide: tf.DType) -> tf.Tensor:
    values = tf.convert_to_tensor(
        gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    )
    with tf.get_default_graph().colocate_with(values.op):
        values = tf.cast(values, wide_dtype(values.dtype))
        # One pass each, without a tensor of squares.
        return tf.cast(2 * tf.add_n([tf.nn.l2_loss(part) for part in real_parts(values)]), wide)


def real_parts(values: tf.Tensor) -> list[tf.Tensor]:
    """Returns a list of the tensor, or of the real and the imaginary part of a complex one."""
    return [tf.real(values), tf.imag(values)] if values.dtype.is_complex else [values]


def global_norm(grads_and_vars: GradsAndVars) -> tf.Tensor:
    """Returns the Euclidean norm of all gradients together: `sqrt(sum_i sum(g_i ** 2))`.

    Unlike `tf.global_norm` it sums duplicate rows of IndexedSlices before it squares them, and
    computes in float32 or wider over mixed dtypes. None counts as absent.

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.

    Returns:
        A scalar: float64 if any gradient is, else float32. Its derivative where all gradients are
        zero is 0.

    Raises:
        TypeError, ValueError: `grads_and_vars` is not such a list.
    """
    return root(
        tf.add_n(squared_norms(merged_pairs(grads_and_vars, "global_norm"))), name="global_norm"
    )


def root(squared: tf.Tensor, name: str | None = None) -> tf.Tensor:
    """Returns the square root of a sum of squares with derivative 0 at 0;
    that of `tf.sqrt` makes NaN there.
    """
    differentiable = tf.not_equal(squared, 0)
    positive = tf.where(differentiable, squared, tf.ones_like(squared))
    return tf.where(differentiable, tf.sqrt(positive), squared, name=name)


def chain(*transforms: Transform) -> Transform:
    """Returns one transform that does several in turn:
    `chain(a, b)(grads_and_vars)` is `b(a(grads_and_vars))`.

        transform = tf1grad.chain(
            tf1grad.drop_none,
            lambda pairs: tf1grad.clip_by_global_norm(pairs, 5.0)[0])

    Args:
        *transforms: functions of a list of (gradient, variable) pairs that return such a list.

    Returns:
        A function of a list of pairs. It raises TypeError or ValueError, naming the transform, when
        one of them returns anything but such a list.

    Raises:
        TypeError: a transform is not callable.
    """
    return chain_of("chain", *transforms)


def chain_of(caller: str, *transforms: Transform) -> Transform:
    """Does what `chain` does; errors name the caller."""
    for position, transform in enumerate(transforms):
        if not callable(transform):
            raise TypeError(
                f"{caller}: transform {position} must be a function of grads_and_vars; got "
                f"{describe(transform)}. Wrap arguments in a lambda: lambda pairs: "
                "tf1grad.clip_by_norm(pairs, 1.0)."
            )

    def chained(grads_and_vars: GradsAndVars) -> GradsAndVars:
        for transform in transforms:
            grads_and_vars = transform(grads_and_vars)
            name = getattr(transform, "__name__", describe(transform))
            check_grads_and_vars(grads_and_vars, f"{caller}, after {name}")
        return grads_and_vars

    return chained
