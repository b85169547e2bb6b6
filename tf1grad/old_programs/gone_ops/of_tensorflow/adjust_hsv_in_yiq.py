"""Builds AdjustHsvInYiq, which changes hue, saturation and value of an image in the YIQ color space."""

from typing import Any, Optional

from tf1grad._compat import tf

_YIQ = [[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]]
_RGB = [[1.0, 0.95617069, 0.62143257], [1.0, -0.2726886, -0.64681324], [1.0, -1.103744, 1.70062309]]


def build(images: Any, delta_h: Any, scale_s: Any, scale_v: Any, name: Optional[str] = None) -> tf.Tensor:
    """Rotates the hue and scales saturation and value.

        output = images (YIQ to RGB . T . RGB to YIQ)^T,
        T = scale_v [[1, 0, 0], [0, s cos h, -s sin h], [0, s sin h, s cos h]],  s = scale_s,  h = delta_h

    The images are [..., 3] float32, in RGB. A run with another number of channels fails.
    """
    with tf.name_scope(name, "AdjustHsvInYiq", [images, delta_h, scale_s, scale_v]):
        images = tf.convert_to_tensor(images, tf.float32)
        shape = images.shape.with_rank_at_least(3)
        images = _with_three_channels(images)
        along, across = scale_v * scale_s * tf.cos(delta_h), scale_v * scale_s * tf.sin(delta_h)
        zero = tf.zeros_like(along)
        change = tf.stack([[scale_v + zero, zero, zero], [zero, along, -across], [zero, across, along]])
        whole = tf.matmul(tf.matmul(tf.constant(_RGB), change), tf.constant(_YIQ))
        pixels = tf.matmul(tf.reshape(images, [-1, 3]), whole, transpose_b=True)
        output = tf.reshape(pixels, tf.shape(images))
        output.set_shape(shape)
        return output


def _with_three_channels(images: tf.Tensor) -> tf.Tensor:
    channels = tf.shape(images)[-1]
    message = tf.strings.join(["input must have 3 channels but instead has ", tf.as_string(channels), " channels."])
    with tf.control_dependencies([tf.Assert(tf.equal(channels, 3), [message])]):
        return tf.placeholder_with_default(images, images.shape[:-1].concatenate([None]))  # the run judges the channels
