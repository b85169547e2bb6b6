"""Provides the gradient functions of `tf.contrib.slim.learning`."""

from __future__ import annotations

from typing import Any, Iterable, List, Mapping, Optional

from tf1grad._compat import tf
from tf1grad._types import GradsAndVars, Optimizer, Pairs
from tf1grad.contrib import with_original
from tf1grad.contrib.training import training
from tf1grad.contrib.training.training import clip_gradient_norms, multiply_gradients, summarized

__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "create_train_op",
    "multiply_gradients",
]


def add_gradients_summaries(grads_and_vars: GradsAndVars) -> List[tf.Tensor]:
    """Adds a histogram and the norm of each gradient: `<variable>/gradient` and `<variable>/gradient_norm`."""
    return summarized(grads_and_vars, "/gradient")


def create_train_op(
    total_loss: tf.Tensor,
    optimizer: Optimizer,
    global_step: Any = training.USE_GLOBAL_STEP,
    update_ops: Optional[Iterable[Any]] = None,
    variables_to_train: Optional[Iterable[tf.Variable]] = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = tf.train.Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Optional[Mapping[Any, Any]] = None,
    check_numerics: bool = True,
) -> tf.Tensor:
    """Calls `tf1grad.contrib.training.create_train_op` with multipliers and a clip of each gradient's norm.

    `clip_gradient_norm` is the greatest norm of each single gradient, after the multipliers; 0 for none.
    `gradient_multipliers` are those of `multiply_gradients`.
    """

    def transform(grads_and_vars: Pairs) -> Pairs:
        if gradient_multipliers:
            grads_and_vars = multiply_gradients(grads_and_vars, gradient_multipliers)
        if clip_gradient_norm > 0:
            grads_and_vars = clip_gradient_norms(grads_and_vars, clip_gradient_norm)
        return grads_and_vars

    return training.create_train_op(
        total_loss,
        optimizer,
        global_step,
        update_ops,
        variables_to_train,
        transform,
        summarize_gradients,
        gate_gradients,
        aggregation_method,
        colocate_gradients_with_ops,
        check_numerics,
    )


__getattr__ = with_original("slim.python.slim.learning", __name__)
