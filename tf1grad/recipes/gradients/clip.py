"""Clips gradients, and handles gradients that are not finite;
for the place of a clip see `ClippingOptimizer`.
"""

from __future__ import annotations

import itertools
from typing import Any, Sequence

from tf1grad._arguments import known_scalar
from tf1grad._compat import tf
from tf1grad._types import Gradient, GradsAndVars, Nonfinite, Pairs, ScalarLike
from tf1grad.recipes.gradients.grads_and_vars import components, merged_pairs
from tf1grad.recipes.gradients.guard_registry import guard_scope, register_guard
from tf1grad.recipes.gradients.guarded_gradients import (
    GuardedGradients,
    count_dropped,
    find_guard,
    hand_on_guard,
)
from tf1grad.recipes.gradients.transforms import (
    as_dtype,
    norm_dtype,
    real_parts,
    replace_values,
    root,
    rows_if,
    scaled,
    squared_norms,
)
from tf1grad.recipes.sessions.graph_assertions import assert_in_run

NONFINITE = ("raise", "skip", "propagate")


def clip_by_value(grads_and_vars: GradsAndVars, low: ScalarLike, high: ScalarLike) -> Pairs:
    """Limits each element of each gradient to a range: `min(max(g, low), high)`.

    None stays None. IndexedSlices stay sparse, duplicate rows summed first; for them the range must
    include 0, because rows that are absent stay zero. A NaN stays NaN, and does not spread: see
    `drop_nonfinite`.

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.
        low: the least value, a float or a scalar tensor.
        high: the greatest value, a float or a scalar tensor.

    Returns:
        The list of the clipped pairs.

    Raises:
        TypeError, ValueError: `grads_and_vars` is not such a list; a gradient is complex, and
            cannot be ordered; a limit is not a scalar, is NaN, or `low > high`. The values of fed
            limits are not checked.
    """
    pairs = merged_pairs(grads_and_vars, "clip_by_value")
    known_low = known_scalar(low, "clip_by_value", "low")
    known_high = known_scalar(high, "clip_by_value", "high")
    _check_range(pairs, known_low, known_high)

    def limited(values: tf.Tensor) -> tf.Tensor:
        return tf.clip_by_value(values, as_dtype(low, values.dtype), as_dtype(high, values.dtype))

    clipped = [(replace_values(gradient, limited), variable) for gradient, variable in pairs]
    return hand_on_guard(grads_and_vars, clipped)


def clip_by_norm(
    grads_and_vars: GradsAndVars, clip_norm: ScalarLike, *, nonfinite: Nonfinite = "raise"
) -> Pairs:
    """Limits the norm of each gradient separately: `g * min(1, clip_norm / |g|)`.

    This changes the direction of the whole step; `clip_by_global_norm` does not. None stays None.
    IndexedSlices stay sparse, duplicate rows summed first. A gradient within the limit keeps every
    bit.

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.
        clip_norm: the greatest norm, a float above 0 or a scalar tensor, which may be 0 in a run.
        nonfinite: what to do when a norm is infinite or NaN; see `clip_by_global_norm`.

    Returns:
        The list of the clipped pairs; a `GuardedGradients` list when `nonfinite` is "skip".

    Raises:
        TypeError, ValueError: `grads_and_vars` is not such a list; `clip_norm` is not a scalar,
            0, negative or NaN; `nonfinite` is not one of the three.
    """
    pairs = merged_pairs(grads_and_vars, "clip_by_norm")
    norms = [root(squared) for squared in squared_norms(pairs)]
    return _clipped(grads_and_vars, pairs, norms, clip_norm, nonfinite, "clip_by_norm")


def clip_by_global_norm(
    grads_and_vars: GradsAndVars,
    clip_norm: ScalarLike,
    use_norm: ScalarLike | None = None,
    *,
    nonfinite: Nonfinite = "raise",
) -> tuple[Pairs, tf.Tensor]:
    """Limits the norm of all gradients together, and keeps their direction:
    `g_i * min(1, clip_norm / |(g_1, ..)|)`.

        clipped, norm = tf1grad.clip_by_global_norm(grads_and_vars, 5.0)
        train_op = optimizer.apply_gradients(clipped)

    None stays None. IndexedSlices stay sparse, duplicate rows summed first. Gradients within the
    limit keep every bit. Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent
    neural networks" (2013), algorithm 1.

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.
        clip_norm: the greatest norm, a float above 0 or a scalar tensor, which may be 0 in a run.
            Watch the norm to choose it.
        use_norm: the norm, a float or a scalar tensor, where it is known already; default
            `global_norm`.
        nonfinite: what to do when the norm is infinite or NaN. "raise": InvalidArgumentError names
            each variable's norm, and no gradient comes out. "skip": zeros come out in a
            `GuardedGradients` list, which counts such runs, and its `apply` changes nothing in
            them. "propagate": all gradients become NaN, as in `tf.clip_by_global_norm`.

    Returns:
        `(clipped, norm)`, as `tf.clip_by_global_norm` does. `clipped` is the list of the clipped
        pairs, a `GuardedGradients` list when `nonfinite` is "skip". `norm` is the norm before
        clipping, as `global_norm` returns it.

    Raises:
        TypeError, ValueError: `grads_and_vars` is not such a list; a norm is not a scalar or NaN;
            `clip_norm` is 0 or negative; `nonfinite` is not one of the three.
    """
    caller = "clip_by_global_norm"
    pairs = merged_pairs(grads_and_vars, caller)
    squares = squared_norms(pairs)
    if use_norm is None:
        norm = root(tf.add_n(squares), name="global_norm")
    else:
        known_scalar(use_norm, caller, "use_norm")
        norm = as_dtype(use_norm, norm_dtype(pairs))
    variable_norms = [root(square) for square in squares]
    clipped = _clipped(
        grads_and_vars, pairs, variable_norms, clip_norm, nonfinite, caller, global_norm=norm
    )
    return clipped, norm


def drop_nonfinite(grads_and_vars: GradsAndVars) -> GuardedGradients:
    """Skips runs in which a gradient holds an infinity or a NaN, and counts them.

    One bad element drops the whole set. On a micro-batch, before accumulation, the set leaves the
    window, with its weight and its loss:

        guarded = tf1grad.drop_nonfinite(grads_and_vars)
        accumulator = tf1grad.GradientAccumulator(guarded, loss=loss)

    On a step, after accumulation, the step is not applied: `train_op = guarded.apply(optimizer,
    global_step)`. None stays None. IndexedSlices stay sparse, duplicate rows summed first.

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.

    Returns:
        A `GuardedGradients` list: the same pairs, with zeros, or without rows, for every gradient
        in a run where any is not finite.

    Raises:
        TypeError, ValueError: `grads_and_vars` is not such a list.
    """
    pairs = merged_pairs(grads_and_vars, "drop_nonfinite")
    return _guarded(grads_and_vars, pairs, are_finite(pairs))


def are_finite(pairs: GradsAndVars) -> tf.Tensor:
    """Returns a bool scalar: whether no gradient holds an infinity or a NaN."""
    finite = [
        tf.reduce_all(tf.is_finite(part))
        for tensor in components([gradient for gradient, _ in pairs])
        if not tensor.dtype.is_integer
        for part in real_parts(tensor)
    ]
    return tf.reduce_all(tf.stack(finite))


def _clipped(
    source: GradsAndVars,
    pairs: Pairs,
    variable_norms: Sequence[tf.Tensor],
    clip_norm: ScalarLike,
    nonfinite: Nonfinite,
    caller: str,
    global_norm: tf.Tensor | None = None,
) -> Pairs:
    """Scales `pairs`, made of the list `source`:
    all by the factor of `global_norm`, or each by that of its own norm.

    No factor is computed before all norms have passed the checks.
    """
    is_known = check_arguments(clip_norm, nonfinite, caller)
    norms = variable_norms if global_norm is None else [global_norm]
    checks = []
    if not is_known:
        message = "clip_norm must be at least 0; got"
        name = "clip_norm_is_negative"
        checks.append(assert_in_run(clip_norm >= 0, caller, message, [clip_norm], name))
    finite = tf.reduce_all(tf.is_finite(tf.stack(norms)))
    if nonfinite == "raise":
        names = [variable.name for gradient, variable in pairs if gradient is not None]
        checks.append(
            assert_in_run(
                finite,
                caller,
                "a norm is not finite. Find the cause, or set the argument "
                "nonfinite to skip or propagate. Norms:",
                itertools.chain(*zip(names, variable_norms)),
                "norm_is_not_finite",
            )
        )
    with tf.control_dependencies(checks):
        limit = tf.identity(as_dtype(clip_norm, norms[0].dtype))
    # In a cycle, because the factor of a global norm is for all gradients.
    factors = itertools.cycle([_factor(norm, limit, nonfinite) for norm in norms])
    clipped = []
    for gradient, variable in pairs:
        if gradient is not None:
            gradient = scaled(gradient, next(factors))
        clipped.append((gradient, variable))
    if nonfinite == "skip":
        return _guarded(source, clipped, finite)
    return hand_on_guard(source, clipped)


def _factor(norm: tf.Tensor, limit: tf.Tensor, nonfinite: Nonfinite) -> tf.Tensor:
    # Exactly 1 within the limit (multiplying by TensorFlow's limit * (1 / limit) may change the
    # last bit). A norm within the limit may be 0, where dividing by it would make the derivative
    # NaN.
    one, clips = tf.ones_like(norm), norm > limit
    factor = tf.where(clips, limit / tf.where(clips, norm, one), one)
    if nonfinite == "propagate":
        return tf.where(tf.is_finite(norm), factor, one * float("nan"))
    return factor


def check_arguments(clip_norm: ScalarLike, nonfinite: Nonfinite, caller: str) -> bool:
    """Raises for arguments that are known to be wrong;
    returns whether the value of the threshold is known.
    """
    if nonfinite not in NONFINITE:
        raise ValueError(f"{caller}: nonfinite must be one of {NONFINITE}; got {nonfinite!r}.")
    known = known_scalar(clip_norm, caller, "clip_norm")
    if known is not None and known <= 0:
        raise ValueError(
            f"{caller}: clip_norm must be above 0; got {known!s}. To leave gradients as they are, do "
            "not clip, or pass float('inf')."
        )
    return known is not None


def _check_range(pairs: GradsAndVars, low: Any, high: Any) -> None:
    if low is not None and high is not None and low > high:
        raise ValueError(
            f"clip_by_value: low must not exceed high; got low={low!s}, high={high!s}. The order is "
            "clip_by_value(grads_and_vars, low, high)."
        )
    has_zero = (low is None or low <= 0) and (high is None or high >= 0)
    for gradient, variable in pairs:
        if gradient is not None and gradient.dtype.is_complex:
            raise TypeError(
                f"clip_by_value: the gradient of {variable.name} is {gradient.dtype.base_dtype.name}, and "
                "complex numbers have no order. Limit its norm with clip_by_norm."
            )
        if isinstance(gradient, tf.IndexedSlices) and not has_zero:
            raise ValueError(
                f"clip_by_value: the range [{low!s}, {high!s}] excludes 0, but the gradient of "
                f"{variable.name} is sparse, and its absent rows are zeros. Take a range that includes 0, "
                "or pass tf.convert_to_tensor(gradient)."
            )


def _guarded(source: GradsAndVars, pairs: GradsAndVars, finite: tf.Tensor) -> GuardedGradients:
    guard = find_guard(source, pairs)
    with guard_scope():
        finite, dropped = count_dropped([finite] if guard is None else [guard.finite, finite])

        def kept(gradient: Gradient) -> Gradient:
            if gradient is None:
                return None
            if isinstance(gradient, tf.IndexedSlices):
                return rows_if(finite, gradient)
            return tf.where(finite, gradient, tf.zeros_like(gradient))

        kept_pairs = [(kept(gradient), variable) for gradient, variable in pairs]
    guarded = GuardedGradients(kept_pairs, finite, dropped)
    register_guard(guarded)
    return guarded
