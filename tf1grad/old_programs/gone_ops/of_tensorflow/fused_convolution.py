"""Builds FusedConv2DBiasActivation, a convolution with a bias, a second summand and an activation."""

from typing import List, Optional

from tf1grad._compat import tf

_TO_NHWC = {"NHWC": None, "NCHW": [0, 2, 3, 1]}
_TO_HWIO = {"HWIO": None, "OIHW": [2, 3, 1, 0]}


def build(conv_input: tf.Tensor, filter: tf.Tensor, bias: tf.Tensor, side_input: tf.Tensor, conv_input_scale: tf.Tensor,
          side_input_scale: tf.Tensor, strides: List[int], padding: str, data_format: str, filter_format: str,
          activation_mode: str, dilations: List[int]) -> tf.Tensor:
    """Returns activation(conv_input_scale conv(conv_input, filter) + side_input_scale side_input + bias).

    TensorFlow 1.15 had kernels for GPUs only; this function runs on all devices. An empty `side_input` stands for none.
    The formats are "NHWC" or "NCHW", and "HWIO" or "OIHW"; those of 8-bit integers are a ValueError.
    """
    if data_format not in _TO_NHWC or filter_format not in _TO_HWIO:
        raise ValueError(f"FusedConv2DBiasActivation with data_format={data_format!r} and filter_format="
                         f"{filter_format!r} convolves 8-bit integers, which only GPUs did. Build the layer with "
                         "floating-point numbers.")
    order = _TO_NHWC[data_format]
    channels = tf.nn.conv2d(
        _transposed(conv_input, order), _transposed(filter, _TO_HWIO[filter_format]),
        [strides[place] for place in order or range(4)], padding,
        dilations=[dilations[place] for place in order or range(4)])
    summed = channels * tf.cast(conv_input_scale, channels.dtype) + tf.cast(bias, channels.dtype)
    if side_input.shape.num_elements() != 0:
        summed = tf.cond(tf.size(side_input) > 0, lambda: summed + _transposed(side_input, order) * tf.cast(
            side_input_scale, channels.dtype), lambda: tf.identity(summed))
    summed.set_shape(channels.shape)
    output = tf.nn.relu(summed) if activation_mode == "Relu" else summed
    return tf.transpose(output, [0, 3, 1, 2]) if order else output


def _transposed(value: tf.Tensor, order: Optional[List[int]]) -> tf.Tensor:
    return tf.transpose(value, order) if order else value

