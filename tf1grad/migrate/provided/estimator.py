"""Provides the heads of `tf.contrib.estimator`: those inside `tf.estimator`, with the mean over the batch as loss."""

import functools
from typing import Any, Optional

from tensorflow_estimator.python.estimator.canned import head as heads

from tf1grad._compat import tf

MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE

binary_classification_head = functools.partial(
    heads._binary_logistic_head_with_sigmoid_cross_entropy_loss, loss_reduction=MEAN
)
multi_class_head = functools.partial(
    heads._multi_class_head_with_softmax_cross_entropy_loss, loss_reduction=MEAN
)
regression_head = functools.partial(heads._regression_head, loss_reduction=MEAN)


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = MEAN,
    compute_full_loss: bool = True,
    name: Optional[str] = None,
) -> Any:
    """Makes a head for counts: logits are logarithms of rates, the loss is `tf.nn.log_poisson_loss`.

    `compute_full_loss` adds Stirling's approximation of the constant term. From `tf.contrib.estimator` of TensorFlow
    1.15.
    """

    def loss_fn(labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        return tf.nn.log_poisson_loss(labels, logits, compute_full_loss)

    return heads._regression_head(
        weight_column, label_dimension, loss_reduction, loss_fn, tf.exp, name
    )


def logistic_regression_head(
    weight_column: Any = None, loss_reduction: str = MEAN, name: Optional[str] = None
) -> Any:
    """Makes a head for labels in [0, 1], with the cross entropy of the logits' sigmoid as loss.

    From `tf.contrib.estimator` of TensorFlow 1.15.
    """

    def loss_fn(labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        labels = heads._assert_range(labels, n_classes=2, message="Labels must be in range [0, 1]")
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    return heads._regression_head(weight_column, 1, loss_reduction, loss_fn, tf.sigmoid, name)
