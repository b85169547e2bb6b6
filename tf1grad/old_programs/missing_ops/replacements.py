"""Lists the functions that replace ops: each builds its op from ops that TensorFlow still has."""

import functools
import importlib
import inspect
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from tf1grad.old_programs.missing_ops.signatures import signatures


class Replacement(NamedTuple):
    """Describes the functions of an op, by their names below `kernels`.

    Attributes:
        build: takes the inputs and attributes by name, and returns the output or a tuple of outputs.
        ranks: the rank of each input that the op accepts, None for any.
        gradient: takes the arguments of `build` and `gradients`, a list of the gradients of the outputs; returns a
            list of the gradients of the inputs, None for zero. "" where 1.15 had no gradient.
    """

    build: str
    ranks: Tuple[Optional[int], ...]
    gradient: str = ""


REPLACEMENTS: Dict[str, Replacement] = {
    "AdjustHsvInYiq": Replacement("adjust_hsv_in_yiq.build", (None, 0, 0, 0)),
    "BipartiteMatch": Replacement("bipartite_match.build", (2, None)),
    "CompareAndBitpack": Replacement("compare_and_bitpack.build", (None, 0)),
    "DecodeLibsvm": Replacement("decode_libsvm.build", (None,)),
    "FusedConv2DBiasActivation": Replacement("fused_convolution.build", (4, 4, 1, None, 0, 0)),
    "GatherTree": Replacement("gather_tree.build", (3, 3, 1, 0)),
    "HyperplaneLSHProbes": Replacement("hyperplane_lsh_probes.build", (2, 0, 0, 0)),
    "ImageConnectedComponents": Replacement("image_connected_components.build", (3,)),
    "ImageProjectiveTransform": Replacement("image_projective_transform.build", (4, 2)),
    "MaskedMatmul": Replacement("masked_matmul.build", (2, 2, 2, 0, 0)),
    "ObtainNext": Replacement("obtain_next.build", (1, 0)),
    "PeriodicResample": Replacement("periodic_resample.build", (None,),
                                    gradient="periodic_resample.gradients_of_inputs"),
    "PeriodicResampleOpGrad": Replacement("periodic_resample.build_gradient", (None,)),
    "ReduceSliceMax": Replacement("reduce_slice.build_max", (None, None, 0)),
    "ReduceSliceMin": Replacement("reduce_slice.build_min", (None, None, 0)),
    "ReduceSliceProd": Replacement("reduce_slice.build_prod", (None, None, 0)),
    "ReduceSliceSum": Replacement("reduce_slice.build_sum", (None, None, 0)),
    "Resampler": Replacement("resampler.build", (4, None), gradient="resampler.gradients_of_inputs"),
    "ResamplerGrad": Replacement("resampler.build_gradient", (4, None, None)),
    "SkipGramGenerateCandidates": Replacement("skip_gram_candidates.build", (None, 0, 0, 0, 0, 0)),
    "SparseFeatureCross": Replacement("sparse_feature_cross.build", ()),
    "SparseFeatureCrossV2": Replacement("sparse_feature_cross.build_v2", ()),
    "WALSComputePartialLhsAndRhs": Replacement("wals_normal_equations.build", (2, 1, 0, 1, 2, 1, 1, 0, 0)),
    "ZeroInitializer": Replacement("zero_initializer.build", (None,)),
    "ZeroVarInitializer": Replacement("zero_initializer.build_resource", (0,)),
}


def provides_nodes(op: str) -> bool:
    """Says whether a function of a graph's library replaces nodes of this op; a function cannot take a reference."""
    return op in REPLACEMENTS and not any(each.is_ref for each in signatures()[op].inputs)


def function(name: str) -> Callable[..., Any]:
    """Returns a function of the table; the returned one takes all attributes, and hands on those that it needs."""
    module, _, attribute = name.partition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"{__package__}.kernels.{module}"), attribute)
    parameters = inspect.signature(found).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return found
    names = {parameter.name for parameter in parameters}

    @functools.wraps(found)
    def called(*inputs: Any, **arguments: Any) -> Any:
        return found(*inputs, **{key: value for key, value in arguments.items() if key in names})
    return called
