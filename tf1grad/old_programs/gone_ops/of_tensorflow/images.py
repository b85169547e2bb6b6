"""Builds ops of `tf.contrib.image`, and convolutions with a bias: colors, areas, boxes, transforms."""

from typing import List, Optional, Tuple

from tf1grad._compat import tf

_YIQ = [[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]]
_RGB = [[1.0, 0.95617069, 0.62143257], [1.0, -0.2726886, -0.64681324], [1.0, -1.103744, 1.70062309]]
_LARGEST = 3e38  # `argmin` does not find the largest float
_NONE = float("inf")
_TO_NHWC = {"NHWC": None, "NCHW": [0, 2, 3, 1]}
_TO_HWIO = {"HWIO": None, "OIHW": [2, 3, 1, 0]}


def adjust_hsv_in_yiq(
    images: tf.Tensor, delta_h: tf.Tensor, scale_s: tf.Tensor, scale_v: tf.Tensor
) -> tf.Tensor:
    """Rotates the hue and scales saturation and value.

        output = images (YIQ to RGB . T . RGB to YIQ)^T,
        T = scale_v [[1, 0, 0], [0, s cos h, -s sin h], [0, s sin h, s cos h]],  s = scale_s,  h = delta_h

    The images are [..., 3] float32, in RGB. A run with another number of channels fails.
    """
    shape = images.shape
    if shape.rank is not None and shape.rank < 3:
        raise ValueError(f"AdjustHsvInYiq: Shape must be at least rank 3 but is rank {shape.rank}.")
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
    message = tf.strings.join(
        ["input must have 3 channels but instead has ", tf.as_string(channels), " channels."]
    )
    with tf.control_dependencies([tf.Assert(tf.equal(channels, 3), [message])]):
        return tf.placeholder_with_default(
            images, images.shape[:-1].concatenate([None])
        )  # the run judges the channels


def bipartite_match(
    distance_mat: tf.Tensor, num_valid_rows: tf.Tensor, top_k: int
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Pairs the row and column of the smallest distance, then those of the smallest that is left, and so on.

    Among equal distances the first in the matrix is taken; TensorFlow 1.15 took the one that its heap held first. The
    distances are [rows, columns] float32. A negative `num_valid_rows` means all, a `top_k` that is not positive no
    limit. Returns the column of each row and the row of each column, -1 for none. Too few rows end the run with an
    InvalidArgumentError.
    """
    rows, columns = tf.unstack(tf.shape(distance_mat))
    given = tf.reshape(num_valid_rows, [])
    valid = tf.where_v2(given >= 0, tf.cast(given + 0.1, tf.int32), rows)
    check = tf.Assert(
        rows >= valid,
        ["There should be at least ", valid, " rows in distance_mat, but only got ", rows],
    )
    with tf.control_dependencies([check]):
        used = distance_mat[:valid]
    left = tf.where_v2(used < _LARGEST, used, _LARGEST)
    count = tf.minimum(valid, columns)
    if top_k > 0:
        count = tf.minimum(count, top_k)

    def match(
        step: tf.Tensor, left: tf.Tensor, of_rows: tf.Tensor
    ) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        best = tf.argmin(tf.reshape(left, [-1]), output_type=tf.int32)
        row, column = best // columns, best % columns
        is_taken = tf.equal(tf.expand_dims(tf.range(valid), 1), row) | tf.equal(
            tf.range(columns), column
        )
        return (
            step + 1,
            tf.where_v2(is_taken, _NONE, left),
            tf.where_v2(tf.equal(tf.range(rows), row), column, of_rows),
        )

    _, _, of_rows = tf.while_loop(
        lambda step, *_: step < count,
        match,
        [0, left, tf.fill([rows], -1)],
        [tf.TensorShape([]), tf.TensorShape([None, None]), tf.TensorShape([None])],
        back_prop=False,
    )
    of_columns = tf.maximum(tf.math.unsorted_segment_max(tf.range(rows), of_rows, columns), -1)
    of_rows.set_shape(distance_mat.shape[:1])
    of_columns.set_shape(distance_mat.shape[1:])
    return of_rows, of_columns


def connected_components(image: tf.Tensor) -> tf.Tensor:
    """Numbers areas of equal pixels that touch horizontally or vertically; zero, False and "" belong to no area.

    For [batch, height, width] returns 0 outside of the areas, else 1 and the number of the area's first pixel. The op
    of 1.15 had another pixel's number for some; `tf.contrib.image.connected_components` numbers the areas again.
    """
    is_inside = tf.not_equal(image, tf.zeros([], image.dtype) if image.dtype != tf.string else "")
    beside = (
        tf.pad(tf.equal(image[:, :, 1:], image[:, :, :-1]), [[0, 0], [0, 0], [1, 0]]) & is_inside
    )
    under = tf.pad(tf.equal(image[:, 1:], image[:, :-1]), [[0, 0], [1, 0], [0, 0]]) & is_inside
    starts = tf.reshape(is_inside & tf.logical_not(beside), [-1])
    runs = tf.cumsum(tf.cast(starts, tf.int32)) - 1  # of pixels that are equal, side by side
    # Runs that touch have one contact: that of the first pixel.
    is_later = beside & tf.pad(under[:, :, :-1], [[0, 0], [0, 0], [1, 0]])
    contacts = tf.where_v2(tf.reshape(under & tf.logical_not(is_later), [-1]))
    lower = tf.gather_nd(runs, contacts)
    upper = tf.gather_nd(runs, contacts - tf.shape(image, out_type=tf.int64)[2])
    firsts = tf.where_v2(starts)[:, 0]
    areas = tf.gather(firsts + 1, _lowest_connected(lower, upper, tf.size(firsts)))
    numbers = tf.where_v2(is_inside, tf.reshape(runs, tf.shape(image)) + 1, 0)
    components = tf.gather(tf.concat([[0], areas], axis=0), numbers)
    components.set_shape(image.shape)
    return components


def _lowest_connected(one: tf.Tensor, other: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    """Returns the lowest of the numbers below `count` that each is connected with, by pairs of `one` and `other`."""

    def join(
        lowest: tf.Tensor, first: tf.Tensor, second: tf.Tensor
    ) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        joined = tf.math.unsorted_segment_min(
            tf.minimum(first, second), tf.maximum(first, second), count
        )
        lowest = tf.minimum(lowest, joined)
        lowest = tf.gather(lowest, lowest)
        lowest = tf.gather(lowest, lowest)
        return lowest, tf.gather(lowest, one), tf.gather(lowest, other)

    return tf.while_loop(
        lambda _, first, second: tf.reduce_any(tf.not_equal(first, second)),
        join,
        [tf.range(count), one, other],
        [tf.TensorShape([None])] * 3,
        back_prop=False,
    )[0]


def projective_transform(images: tf.Tensor, transforms: tf.Tensor, interpolation: str) -> tf.Tensor:
    """Transforms images to images of the same size; the `transforms` are [batch, 8] or [1, 8] float32."""
    return tf.raw_ops.ImageProjectiveTransformV2(
        images=images,
        transforms=transforms,
        output_shape=tf.shape(images)[1:3],
        interpolation=interpolation,
    )


def fused_convolution(
    conv_input: tf.Tensor,
    filter: tf.Tensor,
    bias: tf.Tensor,
    side_input: tf.Tensor,
    conv_input_scale: tf.Tensor,
    side_input_scale: tf.Tensor,
    strides: List[int],
    padding: str,
    data_format: str,
    filter_format: str,
    activation_mode: str,
    dilations: List[int],
) -> tf.Tensor:
    """Returns activation(conv_input_scale conv(conv_input, filter) + side_input_scale side_input + bias).

    TensorFlow 1.15 had kernels for GPUs only; this function runs on all devices. An empty `side_input` stands for none.
    The formats are "NHWC" or "NCHW", and "HWIO" or "OIHW"; those of 8-bit integers are a ValueError.
    """
    if data_format not in _TO_NHWC or filter_format not in _TO_HWIO:
        raise ValueError(
            f"FusedConv2DBiasActivation with data_format={data_format!r} and filter_format="
            f"{filter_format!r} convolves 8-bit integers, which only GPUs did. Build the layer with "
            "floating-point numbers."
        )
    order = _TO_NHWC[data_format]
    channels = tf.nn.conv2d(
        _transposed(conv_input, order),
        _transposed(filter, _TO_HWIO[filter_format]),
        [strides[place] for place in order or range(4)],
        padding,
        dilations=[dilations[place] for place in order or range(4)],
    )
    summed = channels * tf.cast(conv_input_scale, channels.dtype) + tf.cast(bias, channels.dtype)
    if side_input.shape.num_elements() != 0:
        summed = tf.cond(
            tf.size(side_input) > 0,
            lambda: (
                summed + _transposed(side_input, order) * tf.cast(side_input_scale, channels.dtype)
            ),
            lambda: tf.identity(summed),
        )
    summed.set_shape(channels.shape)
    output = tf.nn.relu(summed) if activation_mode == "Relu" else summed
    return tf.transpose(output, [0, 3, 1, 2]) if order else output


def _transposed(value: tf.Tensor, order: Optional[List[int]]) -> tf.Tensor:
    return tf.transpose(value, order) if order else value
