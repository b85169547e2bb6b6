"""Keeps the convolution gradients that oneDNN computes slowly on Eigen's kernels,
which TensorFlow 1.15 had.

oneDNN is faster nearly everywhere, but some gradients of two-dimensional convolutions take it up to
60 times as long as Eigen (`tests/benchmarks/kernels.py`). TensorFlow 2 has both. Its oneDNN pass,
when a session first runs a graph, leaves these ops alone if their padding is EXPLICIT. They get the
same padding in this form before a session runs them.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import checks_before_runs, patches

_IMAGE, _FILTER, _POOL = "Conv2DBackpropInput", "Conv2DBackpropFilter", "MaxPool3DGrad"

# The constants of the rules were measured with `tests/benchmarks/kernels.py`.
_CHANNELS = 8  # oneDNN computes the gradients of 16 channels at once; with fewer than half of them it wastes most.
_FILTERS_PER_CHANNEL = 8  # Eigen writes each number of the image's gradient once per tap: only many filters repay that.
_FEWEST_FILTERS = 16


class Convolution(NamedTuple):
    """Describes a convolution by its static sizes; None is an unknown size."""

    image: Sequence[int | None]  # batch, height, width, channels
    kernel: Sequence[int | None]  # height, width, channels, filters
    strides: Sequence[int]  # height, width
    dtype: tf.DType

    @property
    def _skips_pixels(self) -> bool:
        return any(
            size is not None and size < stride for size, stride in zip(self.kernel, self.strides)
        )

    def image_gradient_is_slow(self) -> bool:
        """Says whether oneDNN computes the gradient of the image more slowly than Eigen."""
        channels, filters = self.kernel[2:]
        if channels is None or filters is None or self.dtype == tf.float16:
            return False
        if list(self.kernel[:2]) == list(self.strides) == [1, 1]:
            return False
        return (
            self._skips_pixels
            or channels < _CHANNELS
            and filters >= max(_FEWEST_FILTERS, _FILTERS_PER_CHANNEL * channels)
        )

    def filter_gradient_is_slow(self) -> bool:
        """Says whether oneDNN computes the gradient of the filters more slowly than Eigen,
        as always in float16.
        """
        is_column = self.image[2] == 1 and self.kernel[1] == 1
        return self._skips_pixels or is_column or self.dtype == tf.float16

    def paddings(self, padding: str) -> list[int] | None:
        """Returns the explicit form of a padding, in the order of an image's sizes;
        None if a size is unknown.
        """
        if padding == "VALID":
            return [0] * 8
        both = []
        for size, kernel, stride in zip(self.image[1:3], self.kernel, self.strides):
            if size is None or kernel is None:
                return None
            total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
            both += [total // 2, total - total // 2]
        return [0, 0, *both, 0, 0]


def install() -> None:
    """Gives, from now on, gradients of convolutions that oneDNN computes slowly a
    padding that only Eigen takes.
    """
    if not _compat.onednn_is_on():
        return
    _compat.call_with_new_ops({_IMAGE: _keep_if_slow, _FILTER: _keep_if_slow, _POOL: _keep_ties})
    patches.note(
        "padding of Conv2DBackpropInput and Conv2DBackpropFilter",
        "EXPLICIT where Eigen is faster than oneDNN (left out by --kernels onednn or eigen)",
    )


def _keep_if_slow(operation: tf.Operation) -> None:
    """Gives a gradient its padding in another form:
    in a function now, else when a session is about to run it.
    """

    def change_padding() -> None:
        convolution = _convolution(operation)
        is_image = operation.type == _IMAGE
        slow = (
            convolution.image_gradient_is_slow()
            if is_image
            else convolution.filter_gradient_is_slow()
        )
        paddings = convolution.paddings(operation.get_attr("padding").decode()) if slow else None
        if paddings is not None:
            _compat.set_explicit_paddings(operation, paddings)

    if not _can_run_on_eigen(operation):
        return
    if operation.graph.building_function:
        change_padding()
    else:
        checks_before_runs.check(operation, change_padding)


def _keep_ties(operation: tf.Operation) -> None:
    """Keeps a gradient of `max_pool3d` on Eigen,
    which gives all of it to each of several equal maxima, as in 1.15.

    oneDNN gives it to the first. It takes the op only if the op has the pool's output directly.
    """

    def shape_kept(given: tf.Tensor) -> tf.Tensor:
        return tf.ensure_shape(given, [None] * 5)  # an op that Grappler keeps

    checks_before_runs.check(
        operation, lambda: _compat.pass_input_through(operation, 1, shape_kept)
    )


def _can_run_on_eigen(operation: tf.Operation) -> bool:
    """Says whether the op runs on a CPU, and Eigen has what it asks for;
    float64 runs there anyway.
    """
    return (
        operation.get_attr("T") in (tf.float32, tf.float16)
        and operation.get_attr("data_format") == b"NHWC"
        and operation.get_attr("padding") != b"EXPLICIT"
        and set(operation.get_attr("dilations")) == {1}
        and ("CPU" in operation.device or not tf.config.experimental.list_physical_devices("GPU"))
    )


def _convolution(operation: tf.Operation) -> Convolution:
    image, kernel = operation.outputs[0], operation.inputs[1]
    if operation.type == _FILTER:
        image, kernel = operation.inputs[0], operation.outputs[0]
    image, kernel = (tensor.shape.with_rank(4).as_list() for tensor in (image, kernel))
    return Convolution(image, kernel, operation.get_attr("strides")[1:3], operation.get_attr("T"))
