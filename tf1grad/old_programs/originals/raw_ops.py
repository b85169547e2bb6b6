"""Makes the ops that contrib's generated wrappers call: the installed op, one built from other ops, or an error."""

from typing import Any, Dict

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import function_nodes

_KERNELS = "tf1grad.old_programs.originals.kernels."
# Op type -> the function that builds it from ops that TensorFlow still has.
KERNELS = {
    "AdjustHsvInYiq": "adjust_hsv_in_yiq.build",
    **{f"BoostedTrees{op}": f"boosted_trees.{function}" for op, function in {
        "Bucketize": "bucketize", "CalculateBestGainsPerFeature": "best_gains", "CenterBias": "center_bias",
        "CreateEnsemble": "create_ensemble", "CreateQuantileStreamResource": "create_streams",
        "DeserializeEnsemble": "deserialize_ensemble", "EnsembleResourceHandleOp": "handle",
        "ExampleDebugOutputs": "debug_outputs", "GetEnsembleStates": "states",
        "MakeQuantileSummaries": "make_quantile_summaries", "MakeStatsSummary": "make_stats_summary",
        "Predict": "predict", "QuantileStreamResourceAddSummaries": "add_summaries",
        "QuantileStreamResourceDeserialize": "set_boundaries", "QuantileStreamResourceFlush": "flush_streams",
        "QuantileStreamResourceGetBucketBoundaries": "bucket_boundaries", "QuantileStreamResourceHandleOp": "handle",
        "SerializeEnsemble": "serialize_ensemble", "TrainingPredict": "training_predict",
        "UpdateEnsemble": "update_ensemble"}.items()},
    "GatherTree": "gather_tree.build",
    "IsBoostedTreesEnsembleInitialized": "boosted_trees.is_initialized",
    "IsBoostedTreesQuantileStreamResourceInitialized": "boosted_trees.is_initialized",
    "Resampler": "resampler.build",
    "SparseFeatureCross": "sparse_feature_cross.build",
    "SparseFeatureCrossV2": "sparse_feature_cross.build_v2",
    "ZeroInitializer": "zero_initializer.build",
    "ZeroVarInitializer": "zero_initializer.build_resource",
}


class KernelGone(NotImplementedError):
    """An op was called that only TensorFlow 1 has a kernel for."""


def call(op_type: str, arguments: Dict[str, Any]) -> Any:
    """Makes an op of TensorFlow 1.15.

    Args:
        op_type: the type of the op, such as "GatherTree".
        arguments: a dict of its inputs, attributes and `name`. None means the default of an attribute.

    Returns:
        The value of the op's function in `tf.raw_ops`.

    Raises:
        KernelGone: neither this TensorFlow nor `KERNELS` has the op.
    """
    if op_type in KERNELS:
        build = _compat.resolve(_KERNELS + KERNELS[op_type])
        if function_nodes.can_be_node(op_type):
            return function_nodes.call(op_type, build, arguments)
        return build(**arguments)
    function = getattr(tf.raw_ops, op_type, None)
    if function is None:
        raise KernelGone(f"the op {op_type} was called (name={arguments.get('name')!r}). Its kernel was part of "
                         f"TensorFlow 1: TensorFlow {_compat.release()} does not have it, and tf1grad does not "
                         "replace it.")
    return function(**{key: value for key, value in arguments.items() if value is not None})
