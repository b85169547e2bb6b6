"""Provides the heads of `tf.contrib.estimator`: those inside `tf.estimator`, with the mean over the batch as loss."""

import functools
import inspect
from typing import Any, Callable, Optional

from tensorflow_estimator.python.estimator.canned import head as heads

from tf1grad._compat import tf

MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


def _averaging(head: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps `head` with the mean over the batch as default `loss_reduction`."""
    signature = inspect.signature(head)

    @functools.wraps(head)
    def averaging(*args: Any, **kwargs: Any) -> Any:
        arguments = signature.bind(*args, **kwargs).arguments
        arguments.setdefault("loss_reduction", MEAN)
        return head(**arguments)
    return averaging


binary_classification_head = _averaging(heads._binary_logistic_head_with_sigmoid_cross_entropy_loss)
multi_class_head = _averaging(heads._multi_class_head_with_softmax_cross_entropy_loss)
regression_head = _averaging(heads._regression_head)


def poisson_regression_head(weight_column: Any = None, label_dimension: int = 1, loss_reduction: str = MEAN,
                            compute_full_loss: bool = True, name: Optional[str] = None) -> Any:
    """Makes a head for counts: logits are logarithms of rates, the loss is `tf.nn.log_poisson_loss`.

    `compute_full_loss` adds Stirling's approximation of the constant term. From `tf.contrib.estimator` of TensorFlow
    1.15.
    """
    def loss_fn(labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        return tf.nn.log_poisson_loss(labels, logits, compute_full_loss)
    return heads._regression_head(weight_column, label_dimension, loss_reduction, loss_fn, tf.exp, name)


def logistic_regression_head(weight_column: Any = None, loss_reduction: str = MEAN, name: Optional[str] = None) -> Any:
    """Makes a head for labels in [0, 1], with the cross entropy of the logits' sigmoid as loss.

    From `tf.contrib.estimator` of TensorFlow 1.15.
    """
    def loss_fn(labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        labels = heads._assert_range(labels, n_classes=2, message="Labels must be in range [0, 1]")
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return heads._regression_head(weight_column, 1, loss_reduction, loss_fn, tf.sigmoid, name)
