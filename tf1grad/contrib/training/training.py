"""Clips, multiplies and summarizes gradients, and makes train ops: the functions of `tf.contrib.training`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence

from tf1grad._arguments import describe
from tf1grad._compat import is_variable, tf, variable_key
from tf1grad._types import GradsAndVars, Optimizer, Pairs, ScalarLike, Transform
from tf1grad.gradients.apply import once_computed
from tf1grad.gradients.clip import clip_by_norm
from tf1grad.gradients.grads_and_vars import check_grads_and_vars, merged
from tf1grad.gradients.guarded_gradients import apply_guarded
from tf1grad.gradients.summaries import finite_elements
from tf1grad.gradients.transforms import scaled, squared_norms

USE_GLOBAL_STEP = 0


def clip_gradient_norms(gradients_to_variables: GradsAndVars, max_norm: ScalarLike) -> Pairs:
    """Limits the norm of each gradient separately, and returns the clipped pairs.

    None stays None. IndexedSlices stay sparse, and unlike in the original their duplicate rows are summed first. A norm
    that is infinite or NaN raises InvalidArgumentError in the run.
    """
    return clip_by_norm(list(gradients_to_variables), max_norm)


def clip_gradient_norms_fn(max_norm: ScalarLike) -> Transform:
    """Returns `clip_gradient_norms` as a function of the pairs alone, for `transform_grads_fn`."""
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def multiply_gradients(grads_and_vars: Pairs, gradient_multipliers: Mapping[Any, Any]) -> Pairs:
    """Multiplies chosen gradients by a number each, and returns the new pairs; IndexedSlices stay sparse.

    `gradient_multipliers` is a dict from variables, or their names without ":0", to floats or scalar tensors. A key
    without a match is a warning in the log; with `tf1grad.multiply_gradients` it is an error. A ValueError says that an
    argument is no list or dict, or that a chosen gradient is None.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError(
            f"multiply_gradients: grads_and_vars must be a list; got {describe(grads_and_vars)}. Write "
            "list(pairs)."
        )
    if not isinstance(gradient_multipliers, dict) or not gradient_multipliers:
        raise ValueError(
            "multiply_gradients: gradient_multipliers must be a dict with at least one entry, from "
            f"variable or name to factor; got {describe(gradient_multipliers)}."
        )
    pairs = check_grads_and_vars(grads_and_vars, "multiply_gradients")
    factors = factors_by_variable(gradient_multipliers, pairs, lambda variable: variable.op.name)
    for gradient, variable in pairs:
        if gradient is None and variable_key(variable) in factors:
            raise ValueError(
                f"multiply_gradients: the gradient of {variable.name} is None, and None cannot be "
                "multiplied. Take it out of gradient_multipliers, or check that the loss reaches it."
            )
    return [
        (scaled(gradient, factors.get(variable_key(variable))), variable)
        for gradient, variable in pairs
    ]


def factors_by_variable(
    multipliers: Mapping[Any, Any], pairs: GradsAndVars, name: Callable[[tf.Variable], str]
) -> Dict[Any, Any]:
    """Returns the factors of a contrib dict by `variable_key`; a variable's entry precedes that of its `name`."""
    wanted = {
        variable_key(key) if is_variable(key) else key: factor
        for key, factor in multipliers.items()
    }
    factors: Dict[Any, Any] = {}
    for _, variable in pairs:
        for key in (variable_key(variable), name(variable)):
            if key in wanted:
                factors.setdefault(variable_key(variable), wanted.pop(key))
    for key in wanted:
        tf.logging.warning(
            "gradient_multipliers: %s matches none of the gradients and has no effect.",
            describe(key),
        )
    return factors


def add_gradients_summaries(grads_and_vars: GradsAndVars) -> List[tf.Tensor]:
    """Adds a histogram and the norm of each gradient: `<variable>_gradient` and `<variable>_gradient_norm`.

    None is logged and left out. Duplicate rows are summed. Returns the list of summaries.
    """
    return summarized(grads_and_vars, "_gradient")


def summarized(grads_and_vars: GradsAndVars, suffix: str) -> List[tf.Tensor]:
    """Makes a histogram and the norm of each gradient, named by its variable and `suffix`."""
    summaries = []
    for gradient, variable in check_grads_and_vars(grads_and_vars, "add_gradients_summaries"):
        if gradient is None:
            tf.logging.info("%s has no gradient", variable.op.name)
            continue
        gradient = merged(gradient)
        (squared,) = squared_norms([(gradient, variable)])
        summaries.append(tf.summary.histogram(variable.op.name + suffix, finite_elements(gradient)))
        summaries.append(tf.summary.scalar(variable.op.name + suffix + "_norm", tf.sqrt(squared)))
    return summaries


def create_train_op(
    total_loss: tf.Tensor,
    optimizer: Optimizer,
    global_step: Any = USE_GLOBAL_STEP,
    update_ops: Optional[Iterable[Any]] = None,
    variables_to_train: Optional[Iterable[tf.Variable]] = None,
    transform_grads_fn: Optional[Callable[[Pairs], GradsAndVars]] = None,
    summarize_gradients: bool = False,
    gate_gradients: int = tf.train.Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> tf.Tensor:
    """Returns a tensor that runs the update ops, takes a training step and gives the loss.

    Args:
        total_loss: the loss, a tensor.
        optimizer: a `tf.train.Optimizer`.
        global_step: the variable that counts steps; by default the graph's, created if needed; None for none.
        update_ops: the ops that run before the loss; by default those in `tf.GraphKeys.UPDATE_OPS`.
        variables_to_train: a list of trainable variables; by default all.
        transform_grads_fn: a function of (gradient, variable) pairs that returns such pairs.
        summarize_gradients: True adds `add_gradients_summaries`.
        gate_gradients, aggregation_method, colocate_gradients_with_ops: as in `compute_gradients`.
        check_numerics: True makes a loss that is not finite an InvalidArgumentError; unlike in the original,
            nothing is applied then.

    Returns:
        The loss tensor; running it takes the step. It is in the collection `tf.GraphKeys.TRAIN_OP`.

    Raises:
        ValueError: there is nothing to train, or a variable of `variables_to_train` is not trainable.

    Source: `tf.contrib.training.create_train_op` of TensorFlow 1.15.
    """
    variables = _to_train(variables_to_train)
    if global_step is USE_GLOBAL_STEP:
        global_step = tf.train.get_or_create_global_step()
    collected = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    updates = collected if update_ops is None else list(update_ops)
    if not set(collected).issubset(updates):
        tf.logging.warning(
            "create_train_op: update_ops does not contain all of tf.GraphKeys.UPDATE_OPS; the others do "
            "not run."
        )
    total_loss = after_updates(updates, total_loss)
    grads_and_vars = optimizer.compute_gradients(
        total_loss,
        variables,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        grads_and_vars = transform_grads_fn(grads_and_vars)
    if summarize_gradients:
        with tf.name_scope("summarize_grads"):
            add_gradients_summaries(grads_and_vars)
    if check_numerics:
        total_loss = tf.debugging.check_numerics(total_loss, "LossTensor is inf or nan")
    with once_computed(grads_and_vars), tf.control_dependencies([total_loss]):
        applied = apply_guarded(optimizer, grads_and_vars, global_step)
    with tf.name_scope("train_op"), tf.control_dependencies([applied]):
        train_op = tf.identity(total_loss)
    tf.add_to_collection(tf.GraphKeys.TRAIN_OP, train_op)
    return train_op


def after_updates(updates: Sequence[Any], loss: tf.Tensor) -> tf.Tensor:
    """Returns the loss, computed after the update ops."""
    if not updates:
        return loss
    with tf.control_dependencies(updates):
        return tf.identity(loss)


def _to_train(variables: Optional[Iterable[tf.Variable]]) -> List[tf.Variable]:
    trainable = tf.trainable_variables()
    variables = trainable if variables is None else list(variables)
    if not variables:
        raise ValueError(
            "create_train_op: there is no variable to train. Build the model first, or check "
            "variables_to_train."
        )
    known = {variable_key(variable) for variable in trainable}
    for variable in variables:
        if variable_key(variable) not in known:
            raise ValueError(
                f"create_train_op: {variable.name} is in variables_to_train, but not trainable. Make it "
                "with trainable=True, or take it out."
            )
    return variables
