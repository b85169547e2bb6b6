"""Makes ops whose static shapes are known exactly as far as in TensorFlow 1.15.

TensorFlow 2 evaluates a single dimension of a shape that is only partly known, `tf.shape(x)[1]`.
TensorFlow 1.15 did not, and programs as well as 1.15's own Python branch on that. The evaluation
recognizes the usual attributes of the ops only. So these functions set an attribute that does not
change the value: the end of a slice that has one element, the axis of a vector counted from its
end. A fully known shape is still evaluated.

Of a shape that was cast, TensorFlow 2 evaluates any part, and 1.15 evaluated none. A slice of it,
as in the gradient of `tf.gather`, has an ellipsis at its end here, which every slice has. The
opposite holds for transposed convolutions: TensorFlow 2 takes the batch size from the input only.
"""

from __future__ import annotations

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.run.originals import name_map

_gen_array_ops = _compat.resolve("tensorflow.python.ops.gen_array_ops")
_strided_slice, _unpack = _gen_array_ops.strided_slice, _gen_array_ops.unpack
_conv2d_backprop_input = _compat.resolve("tensorflow.python.ops.gen_nn_ops.conv2d_backprop_input")


@name_map.stands_in_for("python.ops.gen_array_ops.strided_slice")
def strided_slice(
    input: object, begin: object, end: object, strides: object, **options: object
) -> tf.Tensor:
    """Makes a `StridedSlice`, as the generated function does; the masks are given by their names.

    One dimension of a shape has `end_mask`, several of a shape that was cast have `ellipsis_mask`.
    """
    masks = {name for name, value in options.items() if name.endswith("_mask") and value}
    if masks == {"shrink_axis_mask"} and options["shrink_axis_mask"] == 1 and _is_shape(input):
        options["end_mask"] = 1
    elif masks <= {"begin_mask", "end_mask"} and _is_cast_shape(input):
        options["ellipsis_mask"] = 2
    return _strided_slice(input, begin, end, strides, **options)


@name_map.stands_in_for("python.ops.gen_array_ops.unpack")
def unpack(value: object, num: int, axis: int = 0, name: str | None = None) -> list[tf.Tensor]:
    """Makes an `Unpack`, with the arguments of the generated function;
    the dimensions of a shape are along axis -1.
    """
    return _unpack(value, num=num, axis=-1 if axis == 0 and _is_shape(value) else axis, name=name)


@name_map.stands_in_for("python.ops.gen_nn_ops.conv2d_backprop_input")
def conv2d_backprop_input(*arguments: object, **options: object) -> tf.Tensor:
    """Makes a `Conv2DBackpropInput` as the generated function does;
    its static shape is the given one.
    """
    result = _conv2d_backprop_input(*arguments, **options)
    if not tf.executing_eagerly() and result.shape.rank and result.shape.as_list()[0] is None:
        sizes = _constants(result.op.inputs[0])
        if sizes:
            result.set_shape(sizes)
    return result


def _is_shape(value: object) -> bool:
    operation = getattr(value, "op", None)  # an eager tensor raises AttributeError
    return operation is not None and operation.type == "Shape"


def _is_cast_shape(value: object) -> bool:
    operation = getattr(value, "op", None)
    return operation is not None and operation.type == "Cast" and _is_shape(operation.inputs[0])


def _constants(sizes: tf.Tensor) -> list[int | None]:
    """Returns the elements of a vector, with None for those that are not constants;
    [] if their number is unknown.

    The constants can be fed afterwards too, unlike those that `constant_value` returns.
    """
    operation = sizes.op
    if operation.type == "Pack":
        return [next(iter(_constants(each)), None) for each in operation.inputs]
    if operation.type == "ConcatV2":
        parts = [_constants(each) for each in operation.inputs[:-1]]
        return sum(parts, []) if all(parts) else []
    if operation.type != "Const":
        return []
    values = tf.make_ndarray(operation.get_attr("value")).ravel()
    return [int(value) if value >= 0 else None for value in values]
