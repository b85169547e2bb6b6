"""Builds ImageProjectiveTransform, whose second version TensorFlow still has."""

from tf1grad._compat import tf


def build(images: tf.Tensor, transforms: tf.Tensor, interpolation: str) -> tf.Tensor:
    """Transforms images to images of the same size; the `transforms` are [batch, 8] or [1, 8] float32."""
    return tf.raw_ops.ImageProjectiveTransformV2(images=images, transforms=transforms,
                                                 output_shape=tf.shape(images)[1:3], interpolation=interpolation)
