"""Gives functions of the installed TensorFlow the signatures that they had in TensorFlow 1.15.

TensorFlow 2 annotates functions, and adds arguments before `name`, which old code also passes by position.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Callable, Set, Tuple

# Module -> its functions with arguments that TensorFlow 1.15 did not have -> these arguments; some came after 2.15.
ADDED = {
    "gen_array_ops": {
        "dequantize": "narrow_range axis dtype",
        "gather_nd scatter_nd scatter_nd_non_aliasing_add tensor_scatter_add tensor_scatter_sub tensor_scatter_update":
            "bad_indices_policy",
        "quantize_and_dequantize_v2 quantize_and_dequantize_v3": "axis",
        "quantize_v2": "narrow_range axis ensure_minimum_range"},
    "gen_ctc_ops": {"ctc_greedy_decoder": "blank_index"},
    "gen_io_ops": {"merge_v2_checkpoints": "allow_missing_files"},
    "gen_linalg_ops": {"tridiagonal_solve": "perturb_singular"},
    "gen_list_ops": {"tensor_list_set_item": "resize_if_index_out_of_bounds"},
    "gen_lookup_ops": {"initialize_table_from_text_file initialize_table_from_text_file_v2": "offset"},
    "gen_math_ops": {
        "batch_mat_mul batch_mat_mul_v2": "grad_x grad_y",
        "mat_mul": "grad_a grad_b",
        "sparse_segment_mean sparse_segment_mean_with_num_segments sparse_segment_sqrt_n sparse_segment_sum "
        "sparse_segment_sqrt_n_with_num_segments sparse_segment_sum_with_num_segments": "sparse_gradient"},
    "gen_nn_ops": {
        "depthwise_conv2d_native depthwise_conv2d_native_backprop_filter depthwise_conv2d_native_backprop_input "
        "max_pool max_pool_grad": "explicit_paddings",
        "fused_batch_norm_v2 fused_batch_norm_v3": "exponential_avg_factor",
        "top_kv2": "index_type"},
    "gen_resource_variable_ops": {
        "assign_variable_op": "validate_shape",
        "var_handle_op": "debug_name allowed_devices"},
    "gen_spectral_ops": {"irfft irfft2d irfft3d": "Treal", "rfft rfft2d rfft3d": "Tcomplex"},
    "gen_state_ops": {"resource_scatter_nd_add resource_scatter_nd_sub resource_scatter_nd_update scatter_nd_add "
                      "scatter_nd_sub scatter_nd_update": "bad_indices_policy"},
    "script_ops": {"numpy_function": "stateful"},
}
_ADDED = {(f"tensorflow.python.ops.{module}", name): set(added.split())
          for module, rows in ADDED.items() for names, added in rows.items() for name in names.split()}


def of(value: Any) -> Any:
    """Returns `value` with its former signature if it is a function of the installed TensorFlow, or unchanged."""
    if not isinstance(value, types.FunctionType) or not value.__module__.startswith(("tensorflow.", "tf1grad.")):
        return value
    remove_annotations(value)
    added = _ADDED.get((value.__module__, value.__name__))
    if added:
        added = added.intersection(inspect.signature(value).parameters)
    return _without(value, frozenset(added)) if added else value


def remove_annotations(function: Any) -> None:
    """Removes the annotations, which 1.15's functions did not have, from a function and those that it wraps."""
    while function is not None:
        getattr(function, "__annotations__", {}).clear()
        if "__signature__" in vars(function):
            function.__signature__ = _plain(function.__signature__, set())
        function = getattr(function, "__wrapped__", None)


def _plain(signature: inspect.Signature, left_out: Set[str]) -> inspect.Signature:
    kept = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
            if each.name not in left_out]
    return inspect.Signature(kept)


@functools.lru_cache(maxsize=None)
def _without(function: Callable[..., Any], added: Set[str]) -> Callable[..., Any]:
    """Returns a function without the `added` parameters, which keyword arguments may still set."""
    signature = inspect.signature(function)
    first = next(index for index, name in enumerate(signature.parameters) if name in added)
    former = _plain(signature, added)
    later: Tuple[str, ...] = tuple(former.parameters)[first:]

    def before(*arguments: Any, **options: Any) -> Any:
        if len(arguments) > first + len(later):
            former.bind(*arguments, **options)  # raises TypeError
        return function(*arguments[:first], **dict(zip(later, arguments[first:])), **options)

    functools.update_wrapper(before, function, updated=())
    vars(before).update({name: each for name, each in vars(function).items() if name != "_tf_decorator"})
    vars(before).pop("__wrapped__", None)
    setattr(before, "__signature__", former)
    return before
