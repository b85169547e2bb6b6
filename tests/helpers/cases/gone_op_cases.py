"""Builds graphs with ops that TensorFlow 2 does not have; those that TensorFlow 1.15.5 built are recorded.

    PYTHONPATH=tests/helpers/programs python tests/helpers/cases/gone_op_cases.py --record

run with TensorFlow 1.15.5, writes the graphs and the values of their outputs to `tests/recorded/gone_ops.json`.
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


def bits(op):
    """Packs comparisons of each dtype, and of bools with either threshold."""
    values = np.random.RandomState(0).randint(-4, 5, [2, 3, 16])
    found = [
        op("CompareAndBitpack", input=values.astype(dtype), threshold=np.array(1, dtype))
        for dtype in (np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64)
    ]
    return found + [
        op("CompareAndBitpack", input=values > 0, threshold=threshold)
        for threshold in (False, True)
    ]


def components(op):
    """Finds areas of bools, numbers and strings; whether two pixels have one area is what counts."""
    values = np.random.RandomState(1).randint(0, 3, [2, 9, 12])
    spiral = np.array(
        [[[1, 1, 1, 1, 1], [0, 0, 0, 0, 1], [1, 1, 1, 0, 1], [1, 0, 0, 0, 1], [1, 1, 1, 1, 1]]]
    )
    return [
        op("ImageConnectedComponents", image=image)
        for image in (
            values,
            values.astype(np.float32),
            values > 0,
            spiral,
            np.array(["", "a", "b"])[values],
            values[:0],
            np.random.RandomState(0).randint(0, 2, [2, 17, 23]),
            np.random.RandomState(0).randint(0, 4, [2, 1, 40]),
        )
    ]


def libsvm(op):
    """Decodes lines with no features, several spaces, and all dtypes."""
    lines = [["1 1:0.5 3:2", "2"], [" 0  2:-1.25   4:3e2 ", "-7 0:1"]]
    return [
        part
        for dtype in (tf.float32, tf.float64)
        for part in op(
            "DecodeLibsvm", input=lines, num_features=5, dtype=dtype, label_dtype=tf.int64
        )
    ] + list(
        op(
            "DecodeLibsvm",
            input=["3 1:7 2:-9"],
            num_features=3,
            dtype="int64",
            label_dtype=tf.int64,
        )
    )


def crosses(op):
    """Crosses a sparse column of strings, one of numbers and a dense one, as strings and hashed both ways."""
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


def hues(op):
    """Rotates hues and scales saturation and value."""
    images = np.random.RandomState(0).uniform(size=[2, 3, 4, 3]).astype(np.float32)
    return [op("AdjustHsvInYiq", images=images, delta_h=0.7, scale_s=1.4, scale_v=0.9)]


def zeros(op):
    """Sets a resource variable to zero."""
    variable = tf.get_variable("zero", [2, 3], use_resource=True)
    handle = op(
        "ZeroVarInitializer", var=variable.handle, dtype=tf.float32, shape=tf.TensorShape([2, 3])
    )
    with tf.control_dependencies([handle]):
        return [tf.raw_ops.ReadVariableOp(resource=variable.handle, dtype=tf.float32)]


def matches(op):
    """Matches all rows, the first ones, and few pairs."""
    distances = _random([5, 7])
    return [
        each
        for rows, top in ((-1.0, -1), (3.0, 0), (-1.0, 2), (0.0, -1))
        for each in op("BipartiteMatch", distance_mat=distances, num_valid_rows=rows, top_k=top)
    ] + list(op("BipartiteMatch", distance_mat=distances.T, num_valid_rows=-1.0, top_k=-1))


def masked_products(op):
    """Multiplies with both matrices transposed or not."""
    places = np.array([[0, 0], [2, 4], [2, 0], [1, 3], [1, 3]])
    return [
        op(
            "MaskedMatmul",
            a=_random([4, 3] if first else [3, 4]),
            b=_random([5, 4] if second else [4, 5], 1),
            mask_indices=places,
            transpose_a=first,
            transpose_b=second,
        )
        for first in (False, True)
        for second in (False, True)
    ]


def normal_equations(op):
    """Weights entries by rows and columns, or one by one, of a matrix and its transpose."""
    random = np.random.RandomState(0)
    places = np.array([[0, 1], [2, 0], [0, 3], [2, 2], [4, 1]])
    entries, values = random.uniform(size=5).astype(np.float32), _random([5], 3)
    none = np.zeros([0], np.float32)
    weights = [random.uniform(size=size).astype(np.float32) for size in (6, 5)]
    found = []
    for indices, transposed in ((places, False), (places[:, ::-1].copy(), True)):
        for factor, row, entry in ((none, none, entries), (weights[0], weights[1], none)):
            found += op(
                "WALSComputePartialLhsAndRhs",
                factors=_random([6, 3]),
                factor_weights=factor,
                unobserved_weights=0.5,
                input_weights=row,
                input_indices=indices,
                input_values=values,
                entry_weights=entry,
                input_block_size=5,
                input_is_transpose=transposed,
            )
    return found


def periods(op):
    """Rearranges in each dimension, also where sizes are no multiples, and its gradient."""
    values = [
        (_random([2, 4, 6]), [4, 8, None]),
        (_random([2, 2, 4]), [None, 4, 4]),
        (_random([3, 12]), [5, None]),
        (np.arange(24).reshape([2, 3, 4]), [2, 0, 12]),
        (np.arange(8, dtype=np.int32).reshape([2, 4]), [4, None]),
    ]
    found = [op("PeriodicResample", values=value, shape=shape) for value, shape in values]
    return found + [
        op(
            "PeriodicResampleOpGrad",
            grad=_random([4, 8, 1]),
            original_shape=tf.TensorShape([2, 4, 4]),
            desired_shape=tf.TensorShape([4, 8, None]),
        )
    ]


def probes(op):
    """Lists buckets: one for each table, some more, and nearly all."""
    found = []
    for points, tables, planes, count in ((3, 2, 4, 2), (5, 3, 4, 20), (2, 1, 6, 60), (4, 2, 5, 1)):
        for dtype in (np.float32, np.float64):
            products = _random([points, tables * planes]).astype(dtype)
            found += op(
                "HyperplaneLSHProbes",
                point_hyperplane_product=products,
                num_tables=tables,
                num_hyperplanes_per_table=planes,
                num_probes=count,
            )
    return found


def slices(op):
    """Reduces slices of each axis, with both forms of limits, empty ones and ones that end outside."""
    random = np.random.RandomState(0)
    pairs, limits = np.array([[0, 2], [1, 1], [2, 9], [3, 1], [0, 4]]), np.array([0, 1, 1, 3])
    found = []
    for kind in ("Sum", "Prod", "Max", "Min"):
        for dtype in (np.float32, np.uint8):
            values = random.randint(0, 5, [4, 4, 4]).astype(dtype)
            found += [
                op(
                    "ReduceSlice" + kind,
                    data=values,
                    indices=indices.astype(index),
                    axis=tf.placeholder_with_default(np.int64(axis), []),
                )
                for axis in (0, 1, 2)
                for indices, index in ((pairs, np.int32), (limits, np.int64))
            ]
        found.append(
            op(
                "ReduceSlice" + kind,
                data=values,
                indices=np.zeros([0], np.int32),
                axis=tf.placeholder_with_default(np.int64(0), []),
            )
        )
        found.append(
            op(
                "ReduceSlice" + kind,
                data=values,
                indices=_unknown(limits[:, None]),
                axis=tf.placeholder_with_default(np.int64(1), []),
            )
        )
    return found


def skip_grams(op):
    """Pairs tokens: fixed skips, drawn ones, a part of the sentence, and no token."""
    words = np.array(["the", "quick", "brown", "fox", "jumps", "over"])
    options = [
        (1, 1, 0, -1, False),
        (0, 2, 0, -1, True),
        (2, 5, 1, 4, False),
        (1, 3, 2, 99, True),
        (1, 2, 0, 0, False),
    ]
    return [
        part
        for tokens in (words, np.arange(9), np.arange(7, dtype=np.int32))
        for low, high, start, limit, own in options
        for part in op(
            "SkipGramGenerateCandidates",
            input_tensor=tokens,
            min_skips=low,
            max_skips=high,
            start=start,
            limit=limit,
            emit_self_as_target=own,
            seed=5,
            seed2=low + high,
        )
    ]


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
        op(
            "ReduceSliceSum",
            data=unknown(_random([4, 3])),
            indices=unknown([[0, 2], [1, 4]]),
            axis=unknown(np.int64(0)),
        ),
        op(
            "DecodeLibsvm",
            input=unknown(["1 2:3"]),
            num_features=4,
            dtype=tf.float32,
            label_dtype=tf.int64,
        )[2],
    ]


CASES = {
    case.__name__: case
    for case in (
        beams,
        bits,
        components,
        crosses,
        datasets,
        hues,
        libsvm,
        loops,
        masked_products,
        matches,
        normal_equations,
        periods,
        probes,
        samples,
        skip_grams,
        slices,
        transforms,
        unknown_shapes,
        zeros,
    )
}
# Values that the op rejects in a run, by a phrase of the message.
REJECTED = {
    "divisible by 8": lambda op: op(
        "CompareAndBitpack", input=_unknown(np.zeros([2, 7], np.float32)), threshold=0.0
    ),
    "No label found": lambda op: op(
        "DecodeLibsvm", input=["1 1:1", " "], num_features=2, dtype=tf.float32, label_dtype=tf.int64
    )[0],
    "Feature format incorrect": lambda op: op(
        "DecodeLibsvm", input=["1 1:1:2"], num_features=2, dtype=tf.float32, label_dtype=tf.int64
    )[2],
    "There should be at least": lambda op: op(
        "BipartiteMatch", distance_mat=_random([2, 2]), num_valid_rows=3.0, top_k=-1
    )[0],
    "Matrix shapes are incompatible": lambda op: op(
        "MaskedMatmul",
        a=_unknown(_random([2, 3])),
        b=_unknown(_random([4, 2])),
        mask_indices=[[0, 0]],
        transpose_a=False,
        transpose_b=False,
    ),
    "min_skips must be <= max_skips": lambda op: op(
        "SkipGramGenerateCandidates",
        input_tensor=["a", "b"],
        min_skips=3,
        max_skips=2,
        start=0,
        limit=-1,
        emit_self_as_target=False,
    )[0],
    "periodic_resample expects": lambda op: op(
        "PeriodicResample", values=_unknown(_random([4, 4])), shape=tf.TensorShape([2, None])
    ),
}


def _unknown(value):
    return tf.placeholder_with_default(value, [None] * value.ndim)


def recorded():
    """Returns the recorded cases: for each the graph, and the names, values and static shapes of its outputs."""
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
    """Returns the function that makes an op by its type: of TensorFlow 1.15's libraries, or of tf1grad."""
    if not tf.__version__.startswith("1."):
        from tf1grad.old_programs.gone_ops import raw_ops

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
    for phrase, case in REJECTED.items():
        with tf.Graph().as_default(), tf.Session() as session:
            try:
                session.run(case(op))
                raise AssertionError(f"{phrase}: the op accepts the values")
            except tf.errors.InvalidArgumentError as error:
                assert phrase in str(error), str(error)
    records.write("gone_ops", results)


if __name__ == "__main__" and sys.argv[1:] == ["--record"]:
    assert tf.__version__.startswith("1.15"), tf.__version__
    _record()
