"""Takes a training step with noise, multipliers and a clip: `tf.contrib.layers.optimize_loss`."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

from tf1grad._arguments import describe, is_optimizer, scalar
from tf1grad._compat import tf, variable_key
from tf1grad._types import GradsAndVars, Optimizer, Pairs, ScalarLike
from tf1grad.contrib.training.training import after_updates, factors_by_variable
from tf1grad.gradients.apply import once_computed
from tf1grad.gradients.clip import check_threshold, clip_by_global_norm
from tf1grad.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.gradients.guarded_gradients import apply_guarded
from tf1grad.gradients.summaries import finite_elements
from tf1grad.gradients.transforms import drop_none, global_norm, scaled

# A function from pairs to pairs.
Clip = Callable[[Pairs], GradsAndVars]
# A function of learning rate and global step that gives the rate to use.
Decay = Callable[[Any, Any], Any]

OPTIMIZER_CLS_NAMES = {
    "Adagrad": tf.train.AdagradOptimizer,
    "Adam": tf.train.AdamOptimizer,
    "Ftrl": tf.train.FtrlOptimizer,
    "Momentum": lambda learning_rate: tf.train.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": tf.train.RMSPropOptimizer,
    "SGD": tf.train.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]
_DEFAULT_SUMMARIES = ["loss", "learning_rate", "global_gradient_norm"]


def optimize_loss(
    loss: Any,
    global_step: Optional[tf.Variable],
    learning_rate: Union[float, tf.Tensor, None],
    optimizer: Any,
    gradient_noise_scale: Optional[ScalarLike] = None,
    gradient_multipliers: Optional[Mapping[Any, Any]] = None,
    clip_gradients: Union[float, Clip, None] = None,
    learning_rate_decay_fn: Optional[Decay] = None,
    update_ops: Optional[Iterable[Any]] = None,
    variables: Optional[Sequence[tf.Variable]] = None,
    name: Optional[str] = None,
    summaries: Optional[Sequence[str]] = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> tf.Tensor:
    """Returns a tensor that takes a training step with noise, multipliers and a clip, and gives the loss.

    The order is: update ops, gradients, noise, multipliers, clip, apply. All gradients are computed before any variable
    is written. None stays None; IndexedSlices stay sparse, except with noise, which changes every row.

    Args:
        loss: a scalar tensor.
        global_step: the variable that counts steps; None for the graph's, if it has one.
        learning_rate: a float, kept in the variable `learning_rate`; a scalar tensor; or None where the optimizer has
            one.
        optimizer: a name of `OPTIMIZER_CLS_NAMES`, an optimizer, a class of them, or a function that makes one of the
            learning rate (of nothing, if that is None).
        gradient_noise_scale: truncated normal noise times this is added to each gradient.
        gradient_multipliers: a dict from variables or their names (with ":0") to factors. A key without a match is a
            warning in the log.
        clip_gradients: a float, the greatest *global* norm; or a function of (gradient, variable) pairs. A norm that is
            infinite or NaN raises InvalidArgumentError in the run, and nothing is applied.
        learning_rate_decay_fn: a function of learning rate and global step that returns the rate to use.
        update_ops: the ops that run before the loss; by default those in `tf.GraphKeys.UPDATE_OPS`.
        variables: a list of variables; by default all trainable ones.
        name: the variable scope of rate and slots, by default "OptimizeLoss".
        summaries: a list of names of `OPTIMIZER_SUMMARIES`; by default loss, learning rate and global gradient norm.
        colocate_gradients_with_ops: as in `compute_gradients`.
        increment_global_step: False does not change `global_step`.

    Returns:
        The loss tensor; running it takes the step.

    Raises:
        ValueError: an argument is of a wrong kind or value, as in the original.

    Source: `tf.contrib.layers.optimize_loss` of TensorFlow 1.15.
    """
    loss = scalar(loss, "optimize_loss", "loss")
    if global_step is None:
        global_step = tf.train.get_global_step()
    else:
        tf.train.assert_global_step(global_step)
    summaries = _DEFAULT_SUMMARIES if summaries is None else summaries
    unknown = [summary for summary in summaries if summary not in OPTIMIZER_SUMMARIES]
    if unknown:
        raise ValueError(
            f"optimize_loss: summaries should be among {', '.join(OPTIMIZER_SUMMARIES)}; got "
            f"{unknown[0]!r}."
        )
    _check_rate(learning_rate, learning_rate_decay_fn, global_step)
    maker = _maker(optimizer, learning_rate)
    _check_clip(clip_gradients)
    with tf.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        updates = (
            tf.get_collection(tf.GraphKeys.UPDATE_OPS) if update_ops is None else list(update_ops)
        )
        loss = after_updates(updates, loss)
        rate = _rate(learning_rate, learning_rate_decay_fn, global_step, summaries)
        optimizer = _made(maker, rate)
        pairs = optimizer.compute_gradients(
            loss,
            tf.trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        pairs = check_grads_and_vars(pairs, "optimize_loss")
        if gradient_noise_scale is not None:
            pairs = [
                (_with_noise(gradient, gradient_noise_scale), variable)
                for gradient, variable in pairs
            ]
        if gradient_multipliers is not None:
            factors = factors_by_variable(
                gradient_multipliers, pairs, lambda variable: variable.name
            )
            pairs = [
                (scaled(gradient, factors.get(variable_key(variable))), variable)
                for gradient, variable in pairs
            ]
        clipped = _clipped(pairs, clip_gradients)
        _summarize(summaries, loss, pairs, clipped, clip_gradients is not None)
        with once_computed(clipped):
            applied = apply_guarded(
                optimizer, clipped, global_step if increment_global_step else None, "train"
            )
        with tf.control_dependencies([applied]):
            return tf.identity(loss)


def _check_rate(rate: Any, decay: Optional[Decay], global_step: Optional[tf.Variable]) -> None:
    if isinstance(rate, float):
        if not rate >= 0:
            raise ValueError(f"optimize_loss: learning_rate must be at least 0; got {rate}.")
    elif rate is not None and (not isinstance(rate, tf.Tensor) or rate.shape.ndims != 0):
        raise ValueError(
            "optimize_loss: learning_rate must be a float, a scalar tensor or None; got "
            f"{describe(rate)}."
        )
    if rate is not None and decay is not None and global_step is None:
        raise ValueError(
            "optimize_loss: global_step is required for learning_rate_decay_fn, and the graph has none. "
            "Pass tf.train.get_or_create_global_step()."
        )


def _rate(
    rate: Any, decay: Optional[Decay], global_step: Optional[tf.Variable], summaries: Sequence[str]
) -> Any:
    if isinstance(rate, float):
        rate = tf.get_variable(
            "learning_rate", [], trainable=False, initializer=tf.constant_initializer(rate)
        )
    if rate is None or decay is None:
        return rate
    rate = decay(rate, global_step)
    if "learning_rate" in summaries:
        tf.summary.scalar("learning_rate", rate)
    return rate


def _maker(optimizer: Any, rate: Any) -> Any:
    """Returns the optimizer, or what makes it."""
    maker = OPTIMIZER_CLS_NAMES.get(optimizer) if isinstance(optimizer, str) else optimizer
    if maker is None:
        raise ValueError(
            f"optimize_loss: optimizer should be one of {', '.join(sorted(OPTIMIZER_CLS_NAMES))}; got "
            f"{optimizer!r}."
        )
    if not is_optimizer(maker) and not callable(maker):
        raise ValueError(
            "optimize_loss: optimizer must be a name, an optimizer, a class of them, or a function that "
            f"makes one; got {describe(optimizer)}."
        )
    if rate is None and isinstance(optimizer, (str, type)):
        raise ValueError(
            f"optimize_loss: learning_rate is None, but {describe(optimizer)} needs one. Pass a float, or "
            "an optimizer that has one."
        )
    return maker


def _made(maker: Any, rate: Any) -> Optimizer:
    if is_optimizer(maker):
        return maker
    made = maker() if rate is None else maker(rate)
    if not is_optimizer(made):
        raise ValueError(
            "optimize_loss: the optimizer function must return a tf.train.Optimizer; it returned "
            f"{describe(made)}."
        )
    return made


def _with_noise(gradient: Any, scale: ScalarLike) -> Any:
    if gradient is None:
        return None
    sparse = isinstance(gradient, tf.IndexedSlices) and gradient.dense_shape is not None
    # It is drawn before slices are made dense, as in the original: the op count determines its seed.
    shape = gradient.dense_shape if sparse else tf.shape(tf.convert_to_tensor(gradient))
    noise = tf.truncated_normal(shape, dtype=gradient.dtype) * tf.cast(scale, gradient.dtype)
    return tf.convert_to_tensor(gradient) + noise


def _check_clip(clip: Any) -> None:
    if isinstance(clip, float):
        check_threshold(clip, "optimize_loss, clip_gradients")
    elif clip is not None and not callable(clip):
        raise ValueError(
            "optimize_loss: clip_gradients must be a float, the greatest global norm, or a function of "
            f"(gradient, variable) pairs; got {describe(clip)}."
        )


def _clipped(pairs: Pairs, clip: Union[float, Clip, None]) -> GradsAndVars:
    if clip is None:
        return pairs
    if isinstance(clip, float):
        return clip_by_global_norm(pairs, clip)[0]
    clipped = clip(pairs)
    check_grads_and_vars(clipped, "optimize_loss, clip_gradients")
    return clipped


def _summarize(
    summaries: Sequence[str],
    loss: tf.Tensor,
    pairs: GradsAndVars,
    clipped: GradsAndVars,
    clips: bool,
) -> None:
    norms = "global_gradient_norm" in summaries or "gradient_norm" in summaries
    if norms:
        tf.summary.scalar("global_norm/gradient_norm", global_norm(pairs))
    if "loss" in summaries:
        tf.summary.scalar("loss", loss)
    for gradient, variable in drop_none(clipped):
        name = variable.name.replace(":", "_")
        if "gradients" in summaries:
            tf.summary.histogram(f"gradients/{name}", finite_elements(gradient))
        if "gradient_norm" in summaries:
            tf.summary.scalar(f"gradient_norm/{name}", global_norm([(gradient, variable)]))
    if norms and clips:
        tf.summary.scalar("global_norm/clipped_gradient_norm", global_norm(clipped))
