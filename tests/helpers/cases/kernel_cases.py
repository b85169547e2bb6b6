"""Calls the custom ops of TensorFlow 1.15 that lost their kernels, in the same way on all versions.

    python tests/helpers/cases/kernel_cases.py --record

run with TensorFlow 1.15, writes what its kernels give to `tests/recorded/kernels.json`.
"""

import importlib
import json
import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
RECORDED = os.path.join(TESTS, "recorded", "kernels.json")


def beams(contrib):
    """Calls the op of beam search on random trees, some cut short, some with an end inside."""
    random = np.random.RandomState(0)
    outputs = []
    for steps, batch, width in ((1, 1, 1), (2, 2, 3), (7, 3, 4), (33, 2, 5)):
        tokens, parents = random.randint(0, 9, [steps, batch, width]), random.randint(0, width, [steps, batch, width])
        lengths = random.randint(0, steps + 2, batch)
        outputs.append(contrib("seq2seq.python.ops.beam_search_ops").gather_tree(
            tokens.astype(np.int32), parents.astype(np.int32), lengths.astype(np.int32), 4))
    return outputs


def images(contrib):
    """Changes hue, saturation and value, alone and together."""
    pixels = np.random.RandomState(1).uniform(size=[2, 4, 5, 3]).astype(np.float32)
    adjust = contrib("image.python.ops.distort_image_ops").adjust_hsv_in_yiq
    return [adjust(pixels, 0.7, 1.0, 1.0), adjust(pixels, 0.0, 1.4, 1.0), adjust(pixels[0], -2.0, 0.3, 1.2)]


def samples(contrib):
    """Samples inside, between, on and outside the pixels, and the gradients of a weighted sum of them."""
    random = np.random.RandomState(2)
    data = tf.constant(random.normal(size=[2, 4, 5, 3]).astype(np.float32))
    warp = random.uniform(-2.5, 6.5, size=[2, 6, 7, 2]).astype(np.float32)
    warp[0, 0, :4] = [[0, 0], [4, 3], [-1, 2], [2.5, -0.999]]
    warp = tf.constant(warp)
    output = contrib("resampler.python.ops.resampler_ops").resampler(data, warp)
    weights = random.normal(size=[2, 6, 7, 3]).astype(np.float32)
    return [output] + tf.gradients(tf.reduce_sum(output * weights), [data, warp])


def crosses(contrib):
    """Crosses of sparse and dense columns, hashed both ways, and as strings."""
    cross = contrib("layers.python.ops.sparse_feature_cross_op").sparse_feature_cross
    words = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0], [3, 1]], tf.constant(["a", "b", "c", "", "ab"]), [4, 2])
    numbers = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [2, 0], [3, 0], [3, 1], [3, 2]],
                              tf.constant([1, -7, 2 ** 62, 4, 5, 0, 9], tf.int64), [4, 3])
    dense = tf.constant([[3, 1], [4, 1], [5, 9], [2, 6]], tf.int64)
    outputs = []
    for columns in ([words, numbers], [dense, words, numbers], [dense], [words]):
        for options in (dict(), dict(hashed_output=True), dict(hashed_output=True, num_buckets=1000),
                        dict(hashed_output=True, num_buckets=97, hash_key=0xDECAFCAFFE)):
            found = cross(list(columns), **options)
            outputs += [found.indices, found.values, found.dense_shape]
    return outputs


def elements(contrib):
    """Takes the elements of a list in turn, more than there are."""
    counter = tf.get_variable("counter", initializer=tf.constant(-1, tf.int64), use_resource=False)
    found = []
    for _ in range(5):
        with tf.control_dependencies(found[-1:]):
            found.append(contrib("input_pipeline.python.ops.input_pipeline_ops").obtain_next(["a", "b", "c"], counter))
    with tf.control_dependencies(found):
        return found + [tf.identity(counter)]


CASES = {"beams": beams, "crosses": crosses, "elements": elements, "images": images, "samples": samples}


def values(case, contrib):
    """Returns the results of the case, as lists.

    Args:
        case: a name of `CASES`.
        contrib: a function of a path that gives the module of contrib.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        outputs = CASES[case](contrib)
        session.run(tf.global_variables_initializer())
        return [_listed(np.asarray(value, object if isinstance(value, bytes) else None))
                for value in session.run(outputs)]


def _listed(value):
    decoded = np.vectorize(tf.compat.as_str, otypes=[object])(value) if value.dtype == object and value.size else value
    return decoded.tolist()


def recorded(case):
    """Returns what TensorFlow 1.15.5 gives for the case."""
    with open(RECORDED) as file:
        return json.load(file)[case]


if __name__ == "__main__" and sys.argv[1:] == ["--record"]:
    assert tf.__version__.startswith("1.15"), tf.__version__
    results = {case: values(case, lambda path: importlib.import_module("tensorflow.contrib." + path))
               for case in sorted(CASES)}
    with open(RECORDED, "w") as file:
        lines = [f"{json.dumps(case)}: {json.dumps(results[case])}" for case in sorted(results)]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
