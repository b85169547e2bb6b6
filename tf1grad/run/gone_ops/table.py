"""Holds the one table of provided ops, which TensorFlow 2 drops or declares without
kernels: who computes each.

A row of `OF_TENSORFLOW` names a function that builds the op from ops that TensorFlow still has;
graphs of files can hold it. One of `OF_NUMPY` names a function as `numpy_ops` describes. Their
modules are imported when an op is made.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any, Callable, NamedTuple


class ProvidedOp(NamedTuple):
    """Describes an op of TensorFlow's ops. Names of functions are paths below `of_tensorflow`.

    Attributes:
        build: takes the inputs and attributes by name, and returns the output or a tuple of
            outputs.
        gradient: takes the inputs and the gradients of the outputs in their order, and the
            attributes by name; returns the gradients of the inputs. "" where 1.15 had no gradient.
    """

    build: str
    gradient: str = ""


OF_TENSORFLOW: dict[str, ProvidedOp] = {
    "GatherTree": ProvidedOp("sequences.gather_tree"),
    "ImageProjectiveTransform": ProvidedOp("images.projective_transform"),
    "Resampler": ProvidedOp("resampler.build", "resampler.build_gradient"),
    "ResamplerGrad": ProvidedOp("resampler.build_gradient"),
    "SparseFeatureCross": ProvidedOp("sparse_feature_cross.build"),
    "SparseFeatureCrossV2": ProvidedOp("sparse_feature_cross.build"),
}
# An op -> the function of `of_numpy` that computes it.
OF_NUMPY = {
    "CreateFertileStatsVariable": "numpy_ops.assign",
    "CreateTreeVariable": "numpy_ops.assign",
    "FertileStatsDeserialize": "numpy_ops.assign",
    "TreeDeserialize": "numpy_ops.assign",
    "BoostedTreesEnsembleResourceHandleOp": "numpy_ops.handle",
    "BoostedTreesQuantileStreamResourceHandleOp": "numpy_ops.handle",
    "DecisionTreeResourceHandleOp": "numpy_ops.handle",
    "FertileStatsResourceHandleOp": "numpy_ops.handle",
    "FertileStatsIsInitializedOp": "numpy_ops.is_initialized",
    "IsBoostedTreesEnsembleInitialized": "numpy_ops.is_initialized",
    "IsBoostedTreesQuantileStreamResourceInitialized": "numpy_ops.is_initialized",
    "TreeIsInitializedOp": "numpy_ops.is_initialized",
    "FertileStatsSerialize": "numpy_ops.read",
    "TreeSerialize": "numpy_ops.read",
    "BoostedTreesQuantileStreamResourceAddSummaries": "boosted_trees.add_summaries",
    "BoostedTreesCalculateBestGainsPerFeature": "boosted_trees.best_gains",
    "BoostedTreesQuantileStreamResourceGetBucketBoundaries": "boosted_trees.bucket_boundaries",
    "BoostedTreesBucketize": "boosted_trees.bucketize",
    "BoostedTreesCenterBias": "boosted_trees.center_bias",
    "BoostedTreesCreateEnsemble": "boosted_trees.create_ensemble",
    "BoostedTreesCreateQuantileStreamResource": "boosted_trees.create_streams",
    "BoostedTreesDeserializeEnsemble": "boosted_trees.deserialize_ensemble",
    "BoostedTreesQuantileStreamResourceFlush": "boosted_trees.flush_streams",
    "BoostedTreesMakeQuantileSummaries": "boosted_trees.make_quantile_summaries",
    "BoostedTreesMakeStatsSummary": "boosted_trees.make_stats_summary",
    "BoostedTreesPredict": "boosted_trees.predict",
    "BoostedTreesSerializeEnsemble": "boosted_trees.serialize_ensemble",
    "BoostedTreesQuantileStreamResourceDeserialize": "boosted_trees.set_boundaries",
    "BoostedTreesGetEnsembleStates": "boosted_trees.states",
    "BoostedTreesTrainingPredict": "boosted_trees.training_predict",
    "BoostedTreesUpdateEnsemble": "boosted_trees.update_ensemble",
    "TreePredictionsV4": "tensor_forest.predict",
}


def import_function(path: str) -> Callable[..., Any]:
    """Returns the function at a path below this package."""
    module, _, name = path.rpartition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    return found


def build_outputs(name: str, *tensors: object, **arguments: object) -> list[Any]:
    """Returns what a function of `of_tensorflow` builds, as a list."""
    return listed(call_with_known(import_function("of_tensorflow." + name), *tensors, **arguments))


def call_with_known(called: Callable[..., Any], *inputs: object, **attributes: object) -> Any:
    """Calls a function with the attributes that it names."""
    names = inspect.signature(called).parameters
    return called(*inputs, **{key: value for key, value in attributes.items() if key in names})


def listed(value: object) -> list[Any]:
    """Returns one output, or several, as a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]
