"""Makes random values for the inputs of a model, as its graph expects them."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.models.model_files import ModelError

LARGEST = 2 ** 27  # elements of an input
BATCH = 2
SIZES = (3, 1, 2, 8, 16, 32, 64, 128)  # for unknown dimensions, tried in turn until the original accepts them


def of_tensor(tensor: tf.Tensor, size: int, random: np.random.RandomState, batch: int = BATCH) -> Any:
    """Returns a random value for an input.

    Args:
        tensor: the placeholder.
        size: for unknown dimensions after the first.
        random: the generator.
        batch: for an unknown first dimension.

    Raises:
        ModelError: the value would be too large.
    """
    shape = [batch if not index else size for index in range(2)] if tensor.shape.ndims is None else [
        (size if index else batch) if known is None else known for index, known in enumerate(tensor.shape.as_list())]
    if np.prod(shape, dtype=float) > LARGEST:
        raise ModelError(f"its input {tensor.name} has the shape {shape}, too large for a check. Convert it with "
                         "--no-check.")
    if tensor.dtype == tf.string:
        return _strings(tensor, shape, random)
    if tensor.dtype == tf.bool:
        return random.rand(*shape) < 0.5 if shape else np.bool_(False)
    dtype = tensor.dtype.as_numpy_dtype
    if tensor.dtype.is_integer or tensor.dtype.is_quantized:
        return np.asarray(random.randint(0, 2, shape)).astype(dtype)  # 0 and 1 are in every vocabulary
    return np.asarray(random.rand(*shape)).astype(dtype)


def _strings(tensor: tf.Tensor, shape: Sequence[int], random: np.random.RandomState) -> Any:
    values: Any = np.empty(shape, object)
    parsing = next((op for op in tensor.consumers() if op.type in ("ParseExample", "ParseExampleV2")), None)
    for index in np.ndindex(*shape):
        values[index] = _example(parsing, random) if parsing is not None else b"ab"[random.randint(2):]
    return values


def _example(parsing: tf.Operation, random: np.random.RandomState) -> bytes:
    """Returns a serialized `tf.train.Example` with a random value for each feature that the op reads."""
    sparse, dense = list(parsing.get_attr("sparse_types")), list(parsing.get_attr("Tdense"))
    count = 2 if parsing.type == "ParseExampleV2" else len(sparse) + len(dense)  # V2 has the keys in two vectors
    keys = [key for tensor in parsing.inputs[2:2 + count] for key in np.ravel(_constant(tensor))]
    dtypes = sparse + dense
    sizes: List[Optional[int]] = [1] * len(sparse) + [
        tf.TensorShape(shape).num_elements() for shape in parsing.get_attr("dense_shapes")]
    example = tf.train.Example()
    for key, dtype, size in zip(keys, dtypes, sizes):
        _fill(example.features.feature[key.decode("utf-8")], tf.as_dtype(dtype), size or 1, random)
    return bytes(example.SerializeToString())


def _constant(tensor: tf.Tensor) -> Any:
    return tf.make_ndarray(tensor.op.get_attr("value")) if tensor.op.type == "Const" else np.empty(0, object)


def _fill(feature: Any, dtype: tf.DType, size: int, random: np.random.RandomState) -> None:
    if dtype == tf.string:
        feature.bytes_list.value.extend([b"ab"[random.randint(2):]] * size)
    elif dtype == tf.int64:
        feature.int64_list.value.extend(random.randint(0, 2, size).tolist())
    else:
        feature.float_list.value.extend(random.rand(size).tolist())


def largest_difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> Dict[str, float]:
    """Returns the largest difference of each output, relative to its largest magnitude; infinity for another form."""
    return {name: _difference(np.asarray(value), np.asarray(second[name])) for name, value in first.items()}


def _difference(first: Any, second: Any) -> float:
    if first.shape != second.shape or first.dtype.kind != second.dtype.kind:
        return float("inf")
    if not first.size:
        return 0.
    if first.dtype.kind not in "fc":
        return 0. if (first == second).all() else float("inf")
    first, second = first.astype(np.complex128), second.astype(np.complex128)
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    if same.all():
        return 0.
    with np.errstate(all="ignore"):
        difference = np.abs(first - second)[~same].max() / max(np.abs(first[np.isfinite(first)]).max(initial=0), 1e-30)
    return float(difference) if np.isfinite(difference) else float("inf")
