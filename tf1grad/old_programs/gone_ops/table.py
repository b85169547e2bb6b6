"""Holds the one table of the ops that TensorFlow 2 drops or declares without kernels: who computes each.

A row names a function of `of_tensorflow`, which builds the op from ops that TensorFlow still has, or of `of_numpy`.
Graphs of files can hold the first. Their modules are imported when an op is made.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from tf1grad.old_programs.gone_ops.signatures import signatures


class Row(NamedTuple):
    """Describes the function of an op. Names of functions are paths below this package.

    Attributes:
        op: the type.
        build: takes the inputs and attributes by name, and returns the output or a tuple of outputs. One of
            `of_numpy` is as `numpy_ops` describes.
        ranks: the rank of each input that the op accepts, None for any; () for ops of NumPy, which check it themselves.
        gradient: takes the inputs and the gradients of the outputs in their order, and the attributes by name; returns
            the gradients of the inputs. "" where 1.15 had no gradient.
    """

    op: str
    build: str
    ranks: Tuple[Optional[int], ...] = ()
    gradient: str = ""

    @property
    def is_of_tensorflow(self) -> bool:
        """Says whether TensorFlow's ops compute the op, so that graphs can hold it."""
        return self.build.startswith("of_tensorflow.")


# A function of NumPy -> the ops that it computes.
_OF_NUMPY = {
    "numpy_ops.assign": "CreateFertileStatsVariable CreateTreeVariable FertileStatsDeserialize TreeDeserialize",
    "numpy_ops.handle":
        "BoostedTreesEnsembleResourceHandleOp BoostedTreesQuantileStreamResourceHandleOp "
        "DecisionTreeEnsembleResourceHandleOp DecisionTreeResourceHandleOp FertileStatsResourceHandleOp",
    "numpy_ops.is_initialized":
        "FertileStatsIsInitializedOp IsBoostedTreesEnsembleInitialized "
        "IsBoostedTreesQuantileStreamResourceInitialized TreeEnsembleIsInitializedOp TreeIsInitializedOp",
    "numpy_ops.read": "FertileStatsSerialize TreeSerialize",
    "boosted_trees.add_summaries": "BoostedTreesQuantileStreamResourceAddSummaries",
    "boosted_trees.best_gains": "BoostedTreesCalculateBestGainsPerFeature",
    "boosted_trees.bucket_boundaries": "BoostedTreesQuantileStreamResourceGetBucketBoundaries",
    "boosted_trees.bucketize": "BoostedTreesBucketize",
    "boosted_trees.center_bias": "BoostedTreesCenterBias",
    "boosted_trees.create_ensemble": "BoostedTreesCreateEnsemble CreateTreeEnsembleVariable",
    "boosted_trees.create_streams": "BoostedTreesCreateQuantileStreamResource",
    "boosted_trees.debug_outputs": "BoostedTreesExampleDebugOutputs",
    "boosted_trees.deserialize_ensemble": "BoostedTreesDeserializeEnsemble TreeEnsembleDeserialize",
    "boosted_trees.flush_streams": "BoostedTreesQuantileStreamResourceFlush",
    "boosted_trees.make_quantile_summaries": "BoostedTreesMakeQuantileSummaries",
    "boosted_trees.make_stats_summary": "BoostedTreesMakeStatsSummary",
    "boosted_trees.predict": "BoostedTreesPredict",
    "boosted_trees.serialize_ensemble": "BoostedTreesSerializeEnsemble TreeEnsembleSerialize TreeEnsembleStampToken",
    "boosted_trees.set_boundaries": "BoostedTreesQuantileStreamResourceDeserialize",
    "boosted_trees.states": "BoostedTreesGetEnsembleStates",
    "boosted_trees.training_predict": "BoostedTreesTrainingPredict",
    "boosted_trees.update_ensemble": "BoostedTreesUpdateEnsemble",
    "contrib_trees.predict": "GradientTreesPrediction GradientTreesPredictionVerbose",
    "tensor_forest.predict": "TreePredictionsV4",
}
ROWS: Tuple[Row, ...] = (
    Row("AdjustHsvInYiq", "of_tensorflow.images.adjust_hsv_in_yiq", (None, 0, 0, 0)),
    Row("BipartiteMatch", "of_tensorflow.images.bipartite_match", (2, None)),
    Row("CompareAndBitpack", "of_tensorflow.array_ops.compare_and_bitpack", (None, 0)),
    Row("DecodeLibsvm", "of_tensorflow.sequences.decode_libsvm", (None,)),
    Row("FusedConv2DBiasActivation", "of_tensorflow.images.fused_convolution", (4, 4, 1, None, 0, 0)),
    Row("GatherTree", "of_tensorflow.sequences.gather_tree", (3, 3, 1, 0)),
    Row("HyperplaneLSHProbes", "of_tensorflow.matrices.hyperplane_lsh_probes", (2, 0, 0, 0)),
    Row("ImageConnectedComponents", "of_tensorflow.images.connected_components", (3,)),
    Row("ImageProjectiveTransform", "of_tensorflow.images.projective_transform", (4, 2)),
    Row("MaskedMatmul", "of_tensorflow.matrices.masked_matmul", (2, 2, 2, 0, 0)),
    Row("ObtainNext", "of_tensorflow.variables.obtain_next", (1, 0)),
    Row("PeriodicResample", "of_tensorflow.array_ops.periodic_resample", (None,),
        "of_tensorflow.array_ops.periodic_resample_backward"),
    Row("PeriodicResampleOpGrad", "of_tensorflow.array_ops.periodic_resample_gradient", (None,)),
    Row("ReduceSliceMax", "of_tensorflow.array_ops.reduce_slice_max", (None, None, 0)),
    Row("ReduceSliceMin", "of_tensorflow.array_ops.reduce_slice_min", (None, None, 0)),
    Row("ReduceSliceProd", "of_tensorflow.array_ops.reduce_slice_prod", (None, None, 0)),
    Row("ReduceSliceSum", "of_tensorflow.array_ops.reduce_slice_sum", (None, None, 0)),
    Row("Resampler", "of_tensorflow.resampler.build", (4, None), "of_tensorflow.resampler.build_gradient"),
    Row("ResamplerGrad", "of_tensorflow.resampler.build_gradient", (4, None, None)),
    Row("SkipGramGenerateCandidates", "of_tensorflow.sequences.skip_gram_candidates", (None, 0, 0, 0, 0, 0)),
    Row("SparseFeatureCross", "of_tensorflow.sparse_feature_cross.build", ()),
    Row("SparseFeatureCrossV2", "of_tensorflow.sparse_feature_cross.build_v2", ()),
    Row("WALSComputePartialLhsAndRhs", "of_tensorflow.matrices.wals_normal_equations", (2, 1, 0, 1, 2, 1, 1, 0, 0)),
    Row("ZeroInitializer", "of_tensorflow.variables.zero_initializer", (None,)),
    Row("ZeroVarInitializer", "of_tensorflow.variables.zero_var_initializer", (0,)),
    *(Row(op, f"of_numpy.{name}") for name, ops in _OF_NUMPY.items() for op in ops.split()),
)
TABLE: Dict[str, Row] = {row.op: row for row in ROWS}


def is_of_tensorflow(op: str) -> bool:
    """Says whether the table has a row for an op, and a function of TensorFlow's ops in it."""
    return op in TABLE and TABLE[op].is_of_tensorflow


def provides_nodes(op: str) -> bool:
    """Says whether a function of a graph's library replaces nodes of this op; a function cannot take a reference."""
    return is_of_tensorflow(op) and not any(each.is_ref for each in signatures()[op].inputs)


def function(name: str) -> Callable[..., Any]:
    """Returns a function of the table."""
    module, _, attribute = name.rpartition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"{__package__}.{module}"), attribute)
    return found


def call_with_known(called: Callable[..., Any], *inputs: Any, **attributes: Any) -> Any:
    """Calls a function with the attributes that it names."""
    names = inspect.signature(called).parameters
    return called(*inputs, **{key: value for key, value in attributes.items() if key in names})
