"""Holds the rules for functions of TF 2.x that make another number of ops, measured on TF 1.15.5, 2.15 and 2.21.

A rule is `name: (before, after)`, see `op_counts.wrap`. Functions and methods are named `module:name`, gradients (in
`gradient_rules`) by the type of the op. A rule covers only the ops of the function itself: functions that it calls have
their own rules.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from tf1grad._compat import is_resource_variable, is_variable, tf
from tf1grad.old_programs._compat import in_control_flow
from tf1grad.old_programs.seeds import op_counts
from tf1grad.old_programs.seeds.op_counts import Call, Rule

UNKNOWN: Rule = (0, lambda call: None)


def _constants(*values: Any) -> int:
    """Counts the constants that ops with the inputs `values` make: one for each value that is not in the graph."""
    return sum(
        not isinstance(value, (tf.Tensor, tf.Variable)) and not is_variable(value)
        for value in values
    )


def _is_zero(value: Any) -> bool:
    return isinstance(value, int) and value == 0


def _is_one(value: Any) -> bool:
    return value is None or isinstance(value, int) and value == 1


def _uniform(call: Call) -> Tuple[bool, bool]:
    """Says whether the bounds start at 0, and whether they are 0 and 1: TF 2.x then leaves out scale and offset."""
    known = not tf.as_dtype(call.arguments["dtype"]).is_integer and _is_zero(
        call.arguments["minval"]
    )
    return known, known and _is_one(call.arguments["maxval"])


def _before_uniform(call: Call) -> int:
    return 2 if _uniform(call)[1] else 0  # the constants of the bounds


def _after_uniform(call: Call) -> int:
    from_zero, to_one = _uniform(call)
    return 3 if to_one else 2 if from_zero else 0


def _dropped(call: Call) -> Tuple[bool, bool]:
    rate = call.arguments["rate"]
    return rate is None or isinstance(rate, tf.Tensor), not isinstance(
        rate, tf.Tensor
    ) and rate == 0


def _before_dropout(call: Call) -> int:
    tensor, none = _dropped(call)
    return 0 if none else -3 if tensor else -1


def _after_dropout(call: Call) -> int:
    tensor, none = _dropped(call)
    if not none and call.result.op.type == "SelectV2":
        for operation in (call.result.op, call.result.op.inputs[1].op):
            call.first(("dropout", operation.name))
    return 0 if none else 5 if tensor else 4


def _all_axes(call: Call) -> int:
    """Counts a reduction over all axes: TF 1.15 knows only the rank of tensors, and computes any other rank."""
    x = call.arguments["x"]
    if call.arguments["axis"] is not None:
        return 0
    if isinstance(x, tf.Tensor):
        return call.total(1) if x.shape.rank == 0 else 0
    return call.total(4 + (not is_variable(x) or is_resource_variable(x)))


def _split(call: Call) -> int:
    value, splits, axis = (call.arguments[name] for name in ("value", "num_or_size_splits", "axis"))
    return call.total(2 + _constants(value, axis)) if np.ndim(splits) == 0 else 0


def _filled(call: Call) -> int:
    """Counts the ops of `np.prod(shape) < 1000` for a list `shape` with tensors."""
    shape = call.arguments["shape"]
    are_tensors = (
        [isinstance(size, tf.Tensor) for size in shape] if isinstance(shape, (list, tuple)) else []
    )
    if not any(are_tensors):
        return 0
    # Each size is multiplied with the product so far: a number and a tensor make a constant and a product.
    operands = [
        any(are_tensors[:place]) + is_tensor for place, is_tensor in enumerate(are_tensors) if place
    ]
    return 2 + sum((0, 2, 1)[tensors] for tensors in operands)


def _taken(names: Sequence[str], ops: int) -> Rule:
    """Returns the rule of a call that counts as `ops` and the constants of the arguments `names`."""
    return 0, lambda call: call.total(ops + _constants(*[call.arguments[name] for name in names]))


def _swish(call: Call) -> int:
    call.first("swish")
    return call.total(4 + _constants(call.arguments["features"]))


def _tensordot(call: Call) -> int:
    """Counts a tensordot: TF 1.15 always transposes and reshapes both arguments, and reshapes the product."""
    made = call.made_types()
    return 2 * max(0, 2 - made.count("Transpose")) + 2 * max(0, 3 - made.count("Reshape"))


def _batch_norm(call: Call) -> int:
    mean = call.arguments["mean"]
    if call.arguments["is_training"] is not True or mean is None:
        return 0  # TF 1.15 does not take a mean in training, and makes two empty constants
    return (
        0 if in_control_flow(call.graph) or is_resource_variable(mean) else 2
    )  # two switches, or two reads


def _conv_transpose(call: Call) -> int:
    """Counts a transposed convolution: TF 1.15 computes even a known height and width in the graph."""
    layer, shape = call.arguments["self"], call.arguments["inputs"].shape.as_list()
    length = 10 if layer.output_padding is not None else {"same": 2}.get(layer.padding, 4)
    sizes = shape[2:] if layer.data_format == "channels_first" else shape[1:-1]
    return sum(4 + length - 1 for size in sizes if size is not None)


def _flatten(call: Call) -> int:
    shape = call.arguments["inputs"].shape
    return (
        call.total(8)
        if shape.rank is not None and shape.rank > 1 and shape.as_list()[0] is None
        else 0
    )


def _convolution(call: Call) -> int:
    return (
        1 if all(rate == 1 for rate in call.arguments["self"].dilation_rate) else 0
    )  # a constant, the rate


def _kept(call: Call) -> Optional[int]:
    """Counts a dropout of nothing: an identity, which TF 1.15 makes only outside of training."""
    rate, training = call.arguments["self"].rate, call.arguments["training"]
    if isinstance(rate, tf.Tensor) or rate != 0 or training is False:
        return 0
    return call.total(0) if training is True else None


def _looked_up(call: Call) -> int:
    """Counts a lookup: TF 1.15 makes one more identity for the rows of a resource variable."""
    params = call.arguments["params"]
    params = params if isinstance(params, (list, tuple)) else [params]
    return 1 if len(params) == 1 and is_resource_variable(params[0]) else 0


def _one_hot(call: Call) -> int:
    """Counts a one_hot: TF 1.15 makes constants of the values twice, once to infer their type."""
    values = (call.arguments["on_value"], call.arguments["off_value"])
    return sum(value is not None and not isinstance(value, tf.Tensor) for value in values)


def _sparse_rows(call: Call) -> int:
    """Counts a lookup without weights: TF 1.15 casts the row numbers, and always looks each id up once."""
    if not call.arguments["ignore_weights"]:
        return 0
    return 1 if "Unique" in call.made_types() else call.total(6)


def _l2(call: Call) -> int:
    call.first(op_counts.UNLIKE_GRADIENT)
    return call.total(8 if is_resource_variable(call.arguments["x"]) else 7)


def _regularizer(call: Call) -> int:
    return call.total(
        0
    )  # TF 1.15 made the loss with the variable; TF 2.x makes it once to inspect it


FUNCTIONS: Dict[str, Rule] = {
    "tensorflow.python.ops.random_ops:random_uniform": (_before_uniform, _after_uniform),
    "tensorflow.python.ops.random_ops:random_gamma": (-2, 0),
    "tensorflow.python.ops.nn_ops:dropout_v2": (_before_dropout, _after_dropout),
    "tensorflow.python.ops.math_ops:_ReductionDims": (0, _all_axes),
    "tensorflow.python.ops.math_ops:linspace_nd": _taken(["start", "stop", "num"], 1),
    "tensorflow.python.ops.math_ops:tensordot": (0, _tensordot),
    "tensorflow.python.ops.array_ops:split": (0, _split),
    "tensorflow.python.ops.array_ops:zeros": (0, _filled),
    "tensorflow.python.ops.array_ops:ones": (0, _filled),
    "tensorflow.python.ops.array_ops:matrix_diag": _taken(["diagonal"], 1),
    "tensorflow.python.ops.array_ops:matrix_diag_part": _taken(["input"], 1),
    "tensorflow.python.ops.array_ops:matrix_set_diag": _taken(["input", "diagonal"], 1),
    "tensorflow.python.ops.clip_ops:clip_by_global_norm": (0, 1),
    "tensorflow.python.ops.image_ops_impl:per_image_standardization": (0, 1),
    "tensorflow.python.ops.tensor_array_ops:_GraphTensorArray.stack": (
        0,
        lambda call: call.total(5),
    ),
    "tensorflow.python.ops.confusion_matrix:confusion_matrix_v1": (0, 3),
    "tensorflow._api.v2.compat.v1.nn:swish": (0, _swish),
    "tensorflow.python.ops.nn_impl:fused_batch_norm": (0, _batch_norm),
    "tensorflow.python.ops.variable_scope:_LazyEvalTensor.__init__": (0, _regularizer),
    "tensorflow.python.ops.variable_scope:_LazyEvalTensor._as_tensor": (0, _regularizer),
    "tensorflow.python.keras.optimizer_v2.legacy_learning_rate_decay:polynomial_decay": (
        0,
        lambda call: 0 if call.arguments["cycle"] else 1,
    ),
    "tensorflow.python.keras.layers.convolutional:Conv.call": (
        0,
        _convolution,
    ),  # this Keras is tf_slim's
    "tensorflow.python.keras.layers.convolutional:Conv2DTranspose.call": (0, _conv_transpose),
    "tensorflow.python.keras.layers.core:Flatten.call": (0, _flatten),
    "tensorflow.python.data.ops.dataset_ops:DatasetV1._make_initializable_iterator": (0, 3),
    "tensorflow.python.ops.embedding_ops:_embedding_lookup_and_transform": (0, _looked_up),
    "tensorflow.python.ops.embedding_ops:embedding_lookup_sparse_impl": (0, _sparse_rows),
    "tensorflow.python.ops.array_ops:one_hot": (0, _one_hot),
    "tensorflow.python.training.sync_replicas_optimizer:SyncReplicasOptimizer.apply_gradients": (
        0,
        1,
    ),
    "tensorflow.python.data.ops.readers:ParallelInterleaveDataset.__init__": (
        0,
        1,
    ),  # sloppy, an attribute now
    # TF 2.x checks whether a checkpoint is on S3, where shards are written separately.
    "tensorflow.python.training.saver:BaseSaverBuilder._AddShardedSaveOpsForV2": (0, -3),
    "tf1grad.external.interface:ExternalOptimizerInterface.__init__": UNKNOWN,
    "KERAS.src.layers.convolutional.base_conv:Conv.convolution_op": (0, _convolution),
    "KERAS.src.layers.convolutional.conv2d_transpose:Conv2DTranspose.call": (0, _conv_transpose),
    "KERAS.src.layers.regularization.dropout:Dropout.call": (0, _kept),
    "KERAS.src.layers.reshaping.flatten:Flatten.call": (0, _flatten),
    "KERAS.src.regularizers:L1.__call__": UNKNOWN,
    "KERAS.src.regularizers:L2.__call__": (0, _l2),
    "KERAS.src.regularizers:L1L2.__call__": UNKNOWN,
}
# Rules that also apply under 1.15's op layer: for functions of tf1grad.
BELOW_THE_OP_LAYER: Dict[str, Rule] = {
    # tf1grad builds the op of a ref variable from several ops; TF 1.15 had one.
    "tf1grad.old_programs.gone_ops.of_tensorflow.variables:zero_initializer": _taken([], 1),
}
# The same for gradients, of loops under `tf.enable_control_flow_v2()`.
GRADIENTS_BELOW_THE_OP_LAYER = {"StatelessWhile": UNKNOWN, "While": UNKNOWN}
