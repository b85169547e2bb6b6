"""Builds graphs with ops that TensorFlow 2 does not have;
those that TensorFlow 1.15.5 built are recorded.

    PYTHONPATH=tests/helpers/programs python tests/helpers/cases/gone_op_cases.py --record

run with TensorFlow 1.15.5, writes the graphs and the values of their outputs to
`tests/recorded/gone_ops.json`.
"""

import base64
import glob
import os
import re
import sys
import zlib

import numpy as np
import tensorflow.compat.v1 as tf

import records


def _random(shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def crosses(op):
    """Crosses a sparse column of strings, one of numbers and a dense one,
    as strings and hashed both ways.
    """
    words, numbers = np.array([[0, 0], [0, 1], [2, 0]]), np.array([[0, 0], [1, 0], [2, 1]])
    options = dict(
        indices=[words, numbers],
        values=[np.array(["a", "b", ""]), np.array([7, -1, 2**40])],
        shapes=[np.array([3, 2]), np.array([3, 2])],
        dense=[np.array([[1], [2], [3]])],
    )
    found = list(
        op(
            "SparseFeatureCross",
            hashed_output=False,
            num_buckets=0,
            out_type=tf.string,
            internal_type=tf.int64,
            **options,
        )
    )
    hashed = dict(options, hashed_output=True, out_type=tf.int64, internal_type=tf.int64)
    for buckets in (0, 100):
        found += op("SparseFeatureCross", num_buckets=buckets, **hashed)
    return found + list(op("SparseFeatureCrossV2", num_buckets=100, hash_key=1234, **hashed))


def transforms(op):
    """Rotates, shifts and scales images of each dtype, with both interpolations."""
    images = np.random.RandomState(0).randint(0, 200, [2, 5, 6, 3])
    changes = np.array(
        [[0.9, 0.2, -0.6, -0.2, 1.1, 0.3, 0, 0], [0.5, 0, 1, 0, 2, -1, 0.01, 0.02]], np.float32
    )
    return [
        op(
            "ImageProjectiveTransform",
            images=images.astype(dtype),
            transforms=change,
            interpolation=kind,
        )
        for dtype in (np.uint8, np.int32, np.int64, np.float32, np.float64)
        for kind in ("NEAREST", "BILINEAR")
        for change in (changes, changes[:1])
    ]


def samples(op):
    """Samples in several dtypes in one graph, and the gradients."""
    found = []
    for dtype in (np.float32, np.float64, np.float16):
        data, warp = _random([2, 4, 5, 3]).astype(dtype), (_random([2, 6, 2], 1) * 3).astype(dtype)
        found.append(op("Resampler", data=data, warp=warp))
        if dtype != np.float16:
            found += op(
                "ResamplerGrad",
                data=data,
                warp=warp,
                grad_output=_random([2, 6, 3], 2).astype(dtype),
            )
    return found


def _tree(op, tokens):
    parents = np.random.RandomState(1).randint(0, 3, [6, 2, 3])
    return op(
        "GatherTree",
        step_ids=tokens,
        parent_ids=tf.constant(parents, tf.int32),
        max_sequence_lengths=[6, 4],
        end_token=4,
    )


def beams(op):
    """Follows beams of any length, and of lengths that are negative or too long."""
    random, found = np.random.RandomState(0), []
    for shape in ((1, 1, 1), (3, 0, 2), (100, 3, 5)):
        tokens, parents = random.randint(0, 40, shape), random.randint(0, shape[2], shape)
        found.append(
            op(
                "GatherTree",
                step_ids=tokens.astype(np.int32),
                parent_ids=parents.astype(np.int32),
                max_sequence_lengths=random.randint(-1, shape[0] + 3, shape[1]).astype(np.int32),
                end_token=4,
            )
        )
    return found


def _tokens():
    return tf.constant(np.random.RandomState(0).randint(0, 9, [6, 2, 3]), tf.int32)


def loops(op):
    """Follows beams and samples in a loop, and in both branches of a conditional."""

    def step(count, tokens, total):
        sampled = op(
            "Resampler",
            data=_random([1, 4, 4, 1]),
            warp=tf.fill([1, 2, 2], tf.cast(count, tf.float32) / 3),
        )
        return count + 1, _tree(op, tokens), total + tf.reduce_sum(sampled)

    count = tf.placeholder_with_default(3, [])
    found = tf.while_loop(lambda done, *_: done < count, step, [0, _tokens(), 0.0])
    return list(found[1:]) + [
        tf.cond(
            tf.equal(count, wanted), lambda: _tree(op, _tokens()), lambda: _tree(op, _tokens() + 1)
        )
        for wanted in (3, 4)
    ]


def datasets(op):
    """Follows beams in the function of a dataset, which a one-shot iterator keeps."""
    tokens = np.random.RandomState(0).randint(0, 9, [2, 6, 2, 3]).astype(np.int32)
    data = tf.data.Dataset.from_tensor_slices(tokens).map(lambda each: _tree(op, each))
    return [tf.data.make_one_shot_iterator(data).get_next()]


def unknown_shapes(op):
    """Samples and follows beams of tensors without a static shape."""

    def unknown(value):
        return tf.placeholder_with_default(value, None)

    tree = op(
        "GatherTree",
        step_ids=unknown(_tokens()),
        parent_ids=unknown(_tokens() % 3),
        max_sequence_lengths=unknown([6, 4]),
        end_token=unknown(4),
    )
    return [
        tree,
        op(
            "Resampler",
            data=unknown(_random([2, 4, 5, 3])),
            warp=unknown(_random([2, 6, 2], 1) * 3),
        ),
    ]


CASES = {
    case.__name__: case
    for case in (
        beams,
        crosses,
        datasets,
        loops,
        samples,
        transforms,
        unknown_shapes,
    )
}


def recorded():
    """Returns the recorded cases: for each the graph, and the names,
    values and static shapes of its outputs.
    """
    graphs = {}
    for case, (graph, names, values, shapes) in records.read("gone_ops").items():
        graph_def = tf.GraphDef.FromString(zlib.decompress(base64.b64decode(graph)))
        graphs[case] = graph_def, names, [_array(*value) for value in values], shapes
    return graphs


def _array(dtype, shape, values):
    return np.reshape(np.array(values, object if dtype == "object" else dtype), shape)


def _listed(value):
    value = np.asarray(value)
    flat = value.ravel().tolist()
    return [
        value.dtype.name,
        list(value.shape),
        [each.decode() if isinstance(each, bytes) else each for each in flat],
    ]


def op_function():
    """Returns the function that makes an op by its type:
    of TensorFlow 1.15's libraries, or of tf1grad.
    """
    if not tf.__version__.startswith("1."):
        from tf1grad.run.gone_ops import raw_ops

        return lambda op_type, **arguments: raw_ops.call(op_type, arguments)
    import tensorflow_core

    contrib = os.path.join(os.path.dirname(tensorflow_core.__file__), "contrib")
    libraries = [
        tf.load_op_library(path) for path in glob.glob(contrib + "/*/python/ops/_*.so")
    ] + [tf.raw_ops]

    def op(op_type, **arguments):
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", op_type).lower()
        function = next(
            found
            for found in (
                getattr(library, name, None) for library in libraries for name in (snake, op_type)
            )
            if found
        )
        return function(**arguments)

    return op


def _record():
    op = op_function()
    results = {}
    for name, case in sorted(CASES.items()):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            outputs = case(op)
            packed = base64.b64encode(
                zlib.compress(graph.as_graph_def().SerializeToString(), 9)
            ).decode()
            values = [_listed(each) for each in session.run(list(outputs))]
            shapes = [None if each.shape.dims is None else each.shape.as_list() for each in outputs]
            results[name] = [packed, [each.name for each in outputs], values, shapes]
    records.write("gone_ops", results)


if __name__ == "__main__" and sys.argv[1:] == ["--record"]:
    assert tf.__version__.startswith("1.15"), tf.__version__
    _record()
