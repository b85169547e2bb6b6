"""Builds the projective transforms of `tf.contrib.image`."""

from tf1grad._compat import tf


def projective_transform(images: tf.Tensor, transforms: tf.Tensor, interpolation: str) -> tf.Tensor:
    """Transforms images to images of the same size;
    the `transforms` are [batch, 8] or [1, 8] float32.
    """
    return tf.raw_ops.ImageProjectiveTransformV2(
        images=images,
        transforms=transforms,
        output_shape=tf.shape(images)[1:3],
        interpolation=interpolation,
    )
