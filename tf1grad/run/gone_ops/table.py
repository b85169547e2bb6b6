"""Holds the one table of provided ops, which TensorFlow 2 drops or declares without kernels: who computes each.

A row of `OF_TENSORFLOW` names a function that builds the op from ops that TensorFlow still has; graphs of files can
hold it. One of `OF_NUMPY` names a function as `numpy_ops` describes. Their modules are imported when an op is made.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any, Callable, NamedTuple


class Row(NamedTuple):
    """Describes an op of TensorFlow's ops. Names of functions are paths below `of_tensorflow`.

    Attributes:
        build: takes the inputs and attributes by name, and returns the output or a tuple of outputs.
        gradient: takes the inputs and the gradients of the outputs in their order, and the attributes by name; returns
            the gradients of the inputs. "" where 1.15 had no gradient.
    """

    build: str
    gradient: str = ""


OF_TENSORFLOW: dict[str, Row] = {
    "GatherTree": Row("sequences.gather_tree"),
    "ImageProjectiveTransform": Row("images.projective_transform"),
    "Resampler": Row("resampler.build", "resampler.build_gradient"),
    "ResamplerGrad": Row("resampler.build_gradient"),
    "SparseFeatureCross": Row("sparse_feature_cross.build"),
    "SparseFeatureCrossV2": Row("sparse_feature_cross.build"),
}
# A function of `of_numpy` -> the ops that it computes.
_OF_NUMPY = {
    "numpy_ops.assign": "CreateFertileStatsVariable CreateTreeVariable FertileStatsDeserialize TreeDeserialize",
    "numpy_ops.handle": "BoostedTreesEnsembleResourceHandleOp BoostedTreesQuantileStreamResourceHandleOp "
    "DecisionTreeResourceHandleOp FertileStatsResourceHandleOp",
    "numpy_ops.is_initialized": "FertileStatsIsInitializedOp IsBoostedTreesEnsembleInitialized "
    "IsBoostedTreesQuantileStreamResourceInitialized TreeIsInitializedOp",
    "numpy_ops.read": "FertileStatsSerialize TreeSerialize",
    "boosted_trees.add_summaries": "BoostedTreesQuantileStreamResourceAddSummaries",
    "boosted_trees.best_gains": "BoostedTreesCalculateBestGainsPerFeature",
    "boosted_trees.bucket_boundaries": "BoostedTreesQuantileStreamResourceGetBucketBoundaries",
    "boosted_trees.bucketize": "BoostedTreesBucketize",
    "boosted_trees.center_bias": "BoostedTreesCenterBias",
    "boosted_trees.create_ensemble": "BoostedTreesCreateEnsemble",
    "boosted_trees.create_streams": "BoostedTreesCreateQuantileStreamResource",
    "boosted_trees.deserialize_ensemble": "BoostedTreesDeserializeEnsemble",
    "boosted_trees.flush_streams": "BoostedTreesQuantileStreamResourceFlush",
    "boosted_trees.make_quantile_summaries": "BoostedTreesMakeQuantileSummaries",
    "boosted_trees.make_stats_summary": "BoostedTreesMakeStatsSummary",
    "boosted_trees.predict": "BoostedTreesPredict",
    "boosted_trees.serialize_ensemble": "BoostedTreesSerializeEnsemble",
    "boosted_trees.set_boundaries": "BoostedTreesQuantileStreamResourceDeserialize",
    "boosted_trees.states": "BoostedTreesGetEnsembleStates",
    "boosted_trees.training_predict": "BoostedTreesTrainingPredict",
    "boosted_trees.update_ensemble": "BoostedTreesUpdateEnsemble",
    "tensor_forest.predict": "TreePredictionsV4",
}
OF_NUMPY = {op: name for name, ops in _OF_NUMPY.items() for op in ops.split()}


def function(path: str) -> Callable[..., Any]:
    """Returns the function at a path below this package."""
    module, _, name = path.rpartition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    return found


def built(name: str, *tensors: Any, **arguments: Any) -> list[Any]:
    """Returns what a function of `of_tensorflow` builds, as a list."""
    return listed(call_with_known(function("of_tensorflow." + name), *tensors, **arguments))


def call_with_known(called: Callable[..., Any], *inputs: Any, **attributes: Any) -> Any:
    """Calls a function with the attributes that it names."""
    names = inspect.signature(called).parameters
    return called(*inputs, **{key: value for key, value in attributes.items() if key in names})


def listed(value: Any) -> list[Any]:
    """Returns one output, or several, as a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]
