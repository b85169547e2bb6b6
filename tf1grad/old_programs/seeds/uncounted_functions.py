"""Marks graphs as uncertain where layers, optimizers or gradients make another number of ops than in TF 1.15.

They are watched for the life of the process, for upgraded programs. After one of them made ops, the count of its graph
is uncertain, and the next random op without its own seed warns. Those that were measured and are equal are listed.
"""

from __future__ import annotations

from typing import Dict, Optional

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.seeds.op_counts import Call, Rule

# Classes of layers and optimizers that make as many ops as in TF 1.15, after correction by the rules of `op_rules`.
CLASSES = frozenset(
    """
    Activation AdadeltaOptimizer AdagradOptimizer AdamOptimizer Add BasicLSTMCell BasicRNNCell BatchNormalization
    Conv2D Dense Dropout DropoutWrapper Embedding Flatten GRUCell GradientDescentOptimizer LSTMCell MaxPooling2D Model
    MomentumOptimizer MultiRNNCell ProximalGradientDescentOptimizer RMSPropOptimizer RNNCell Reshape ResidualWrapper
    Sequential SyncReplicasOptimizer
""".split()
)
# Types of ops whose gradients do.
GRADIENTS = frozenset(
    """
    Abs AddN AddV2 AvgPool AvgPool3D BatchMatMulV2 BatchToSpaceND BiasAdd Cast Ceil CheckNumerics ConcatV2 Conv2D
    Conv2DBackpropInput Conv3DBackpropInputV2 Cos CropAndResize Cumprod Cumsum DepthwiseConv2dNative DivNoNan Elu
    Exp ExpandDims Floor FusedBatchNormV3 GatherNd GatherV2 Identity L2Loss LRN LeakyRelu Lgamma Log Log1p
    LogSoftmax MatMul MaxPool MaxPool3D Maximum Mean Merge Minimum MirrorPad Mul Neg Pack Pad ParallelDynamicStitch
    Pow Print ReadVariableOp RealDiv Relu Relu6 Reshape ResizeBilinear ResizeNearestNeighbor ResourceGather
    ReverseSequence ReverseV2 Round Rsqrt Select SelectV2 Selu Sigmoid Sin Slice Softmax
    SoftmaxCrossEntropyWithLogits Softplus Softsign SpaceToBatchND SparseSoftmaxCrossEntropyWithLogits Split SplitV
    Sqrt Square SquaredDifference Squeeze StridedSlice Sub Sum Switch Tanh Tile TopKV2 Transpose Unpack
""".split()
)


def _built(call: Call) -> Optional[int]:
    return None if call.made_ops() else 0


def _unless_measured(call: Call) -> Optional[int]:
    """Makes the count uncertain for a method unless its class was measured or is user code."""
    kind = type(call.arguments["self"])
    is_users = kind.__module__.split(".")[0] not in (
        "keras",
        "tensorflow",
        "tf1grad",
        "tf_keras",
        "tf_slim",
    )
    return 0 if is_users or kind.__name__ in CLASSES or not call.made_ops() else None


def _by_tensors(call: Call) -> Optional[int]:
    """Makes the count uncertain for a slice with a tensor as bound: TF 1.15 makes other constants of it."""
    key = call.arguments["slice_spec"]
    parts = key if isinstance(key, (list, tuple)) else [key]
    bounds = [
        bound
        for part in parts
        if isinstance(part, slice)
        for bound in (part.start, part.stop, part.step)
    ]
    return None if any(isinstance(bound, tf.Tensor) for bound in bounds) else 0


FUNCTIONS: Dict[str, Rule] = {
    "KERAS.src.engine.base_layer:Layer.__call__": (0, _unless_measured),
    "KERAS.src.engine.base_layer_v1:Layer.__call__": (0, _unless_measured),
    # Keras 3, which is `tf.keras` where tf_keras is not installed; the ops of its backend were not measured.
    "keras.src.layers.layer:Layer.__call__": (0, _built),
    "keras.src.backend.tensorflow.core:cast": (0, _built),
    "keras.src.backend.tensorflow.core:convert_to_tensor": (0, _built),
    "tensorflow.python.framework.tensor:Tensor.__getitem__": (0, _by_tensors),
    "tensorflow.python.training.optimizer:Optimizer.apply_gradients": (0, _unless_measured),
}


def gradients() -> Dict[str, Rule]:
    """Returns the rules for gradients that were not measured, or that have another number of ops."""
    unknown = _compat.registered_gradients() - GRADIENTS
    return {op_type: (0, _built) for op_type in unknown}
