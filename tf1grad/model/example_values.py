"""Makes random values for the inputs of a model, as its graph expects them."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from tf1grad._compat import tf
from tf1grad.programs._samples import difference, sample

LARGEST = 2**27  # elements of an input
IMAGES = ("DecodeJpeg", "DecodePng", "DecodeImage", "DecodeGif")  # each reads PNG
# Tried in turn: most placeholders without a shape are scalars, such as keep_prob.
RANKS = range(6)
# For unknown dimensions, tried in turn until the original accepts them.
SIZES = (3, 1, 2, 8, 16, 32, 64, 128, 256)


def unknown_ranks(graph_def: tf.GraphDef, tensors: Iterable[tf.Tensor]) -> dict[str, int]:
    """Returns the lowest rank that the ops of a graph accept,
    for each placeholder of unknown rank that has one.
    """
    found: dict[str, int] = {}
    dtypes = {each.name: each.dtype for each in tensors if each.shape.ndims is None}
    for name, rank in itertools.product(dtypes, RANKS):
        if name in found:
            continue
        ranks = {**found, name: rank}
        with tf.Graph().as_default(), contextlib.suppress(ValueError):  # the ops infer their shapes
            placeholders = {
                each: tf.placeholder(dtypes[each], [None] * ranks[each]) for each in ranks
            }
            tf.import_graph_def(graph_def, input_map=placeholders, name="ranks")
            found = ranks
    return found


def draw_values(
    tensors: Sequence[tf.Tensor], size: int, ranks: Mapping[str, int], lowest: int, batch: int
) -> dict[str, Any]:
    """Returns a random value for each input, by name;
    those of a `tf.sparse_placeholder` fit each other.

    Args:
        tensors: the placeholders.
        size: for unknown dimensions, except the first.
        ranks: those of inputs of unknown rank; two dimensions are the default.
        lowest: of integers, which are at most 1.
        batch: for the first dimension, if it is unknown.

    Raises:
        ValueError: a value would be too large.
    """
    random = np.random.RandomState(0)
    found = {
        each.name: _value(each, size, ranks.get(each.name, 2), lowest, batch, random)
        for each in tensors
    }
    for name in [name for name in found if name.endswith("/indices:0")]:
        values, shape = (name.replace("/indices:0", part) for part in ("/values:0", "/shape:0"))
        if values in found:
            rank = found[name].shape[1]
            found[name] = np.stack([np.arange(batch)] + [np.zeros(batch, np.int64)] * (rank - 1), 1)
            found.update({shape: np.full(rank, batch)} if shape in found else {})
    return found


def _value(
    tensor: tf.Tensor,
    size: int,
    rank: int,
    lowest: int,
    batch: int,
    random: np.random.RandomState,
) -> Any:
    dimensions = [None] * rank if tensor.shape.ndims is None else tensor.shape.as_list()
    shape = [
        (size if index else batch) if known is None else known
        for index, known in enumerate(dimensions)
    ]
    if np.prod(shape, dtype=float) > LARGEST:
        raise ValueError(f"its input {tensor.name} has the shape {shape}, too large for a check.")
    if tensor.dtype == tf.string:
        values: Any = np.empty(shape, object)
        for index in np.ndindex(*shape):
            values[index] = _string(tensor.consumers(), size, random)
        return values
    if tensor.dtype == tf.bool:
        return random.rand(*shape) < 0.5 if shape else np.bool_(False)
    dtype = tensor.dtype.as_numpy_dtype
    if tensor.dtype.is_integer or tensor.dtype.is_quantized:
        # 0 and 1 are in every vocabulary.
        return np.asarray(random.randint(lowest, 2, shape)).astype(dtype)
    if not shape:
        return np.asarray(1).astype(dtype)  # all is kept, where it is the share that dropout keeps
    return np.asarray(random.rand(*shape)).astype(dtype)


def _string(consumers: Sequence[tf.Operation], size: int, random: np.random.RandomState) -> bytes:
    """Returns a text that the nearest op behind it that asks for a format can read."""
    seen = set()
    waiting = list(consumers)
    while waiting:
        op = waiting.pop(0)
        if op in seen:
            continue
        seen.add(op)
        if op.type in ("ParseExample", "ParseExampleV2"):
            return _example(op, random)
        if op.type in IMAGES:
            pixels = random.randint(0, 256, [size, size, 3]).astype(np.uint8)
            with tf.Graph().as_default(), tf.Session() as session:
                return bytes(session.run(tf.image.encode_png(pixels)))
        for output in op.outputs:
            waiting += output.consumers()
    return b"ab"[random.randint(2) :]


def _example(parsing: tf.Operation, random: np.random.RandomState) -> bytes:
    """Returns a serialized `tf.train.Example` with a random value for each
    feature that the op reads.
    """
    sparse, dense = list(parsing.get_attr("sparse_types")), list(parsing.get_attr("Tdense"))
    # Version 2 has the keys in two vectors.
    count = 2 if parsing.type == "ParseExampleV2" else len(sparse) + len(dense)
    keys = [
        key
        for tensor in parsing.inputs[2 : 2 + count]
        if tensor.op.type == "Const"
        for key in np.ravel(tf.make_ndarray(tensor.op.get_attr("value")))
    ]
    sizes = [1] * len(sparse)
    sizes += [
        tf.TensorShape(shape).num_elements() or 1 for shape in parsing.get_attr("dense_shapes")
    ]
    example = tf.train.Example()
    for key, dtype, size in zip(keys, map(tf.as_dtype, sparse + dense), sizes):
        feature = example.features.feature[key.decode("utf-8")]
        if dtype == tf.string:
            feature.bytes_list.value.extend([b"ab"[random.randint(2) :]] * size)
        elif dtype == tf.int64:
            feature.int64_list.value.extend(random.randint(0, 2, size).tolist())
        else:
            feature.float_list.value.extend(random.rand(size).tolist())
    return bytes(example.SerializeToString())


def largest_difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, float]:
    """Returns the largest difference of each output, relative to its largest magnitude;
    infinity for another form.
    """
    return {
        name: _difference(np.asarray(value), np.asarray(second[name]))
        for name, value in first.items()
    }


def _difference(first: np.ndarray, second: np.ndarray) -> float:
    if first.dtype.kind == second.dtype.kind == "c":
        return max(_difference(first.real, second.real), _difference(first.imag, second.imag))
    if first.dtype.kind == second.dtype.kind == "f":
        return difference(sample(first, first.size), sample(second, second.size))
    is_same = first.dtype.kind == second.dtype.kind and np.array_equal(first, second)
    return 0.0 if is_same else float("inf")
