"""Measures the specimens, for `tf1grad run`.

tf1grad run tests/same_numbers/measure.py    prints what differs from the record as JSON
python tests/same_numbers/measure.py --record    adds what TensorFlow 1.15 gives to
                                                 `recorded/same_numbers.json`
"""

import hashlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, ROOT, os.path.join(ROOT, "tests", "helpers", "programs")]

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

import records  # noqa: E402
import specimens  # noqa: E402

# Of a specimen: is the batch's size unknown, are variables resource variables, has the graph a
# seed, is it run.
VARIANTS = {
    "s": (False, False, True, True),
    "u": (True, False, True, False),
    "sr": (False, True, True, False),
    "ur": (True, True, True, True),
    "s0": (False, False, False, False),
}
SLACK = 2e-5  # of the sum of the values' magnitudes: float32, in another order
_random_types = {}


def measure(code, variant):
    """Returns what TensorFlow makes of a specimen: a list, see `_measure`;
    a string where it raises.
    """
    unknown, resource, seeded, runs = VARIANTS[variant]
    (tf.enable_resource_variables if resource else tf.disable_resource_variables)()
    np.random.seed(1)
    with tf.Graph().as_default() as graph:
        if seeded:
            tf.set_random_seed(1)
        try:
            return _measure(graph, code, unknown, seeded, runs)
        except Exception as error:  # whatever it is, it is what the specimen gives
            first = str(error).strip().split("\n")[0]
            return f"{type(error).__name__}: {first[:160]}"


def _measure(graph, code, unknown, seeded, runs):
    """Returns the ops that are counted, of them those of gradients, the variables, the values;
    and if it is random.
    """
    model = specimens.Model(tf, code, unknown)
    counted = _count(graph, seeded)
    result = _flat(model.run(code))
    forward = _count(graph, seeded)
    slopes = _gradients(model, result)
    backward = _count(graph, seeded)
    own = len(set(model.names) & set(specimens.VARIABLES))
    names = [variable.op.name for variable in tf.global_variables()[own:]]
    values = _run(model, result + slopes) if runs else None
    is_random = any(map(_is_random, graph.get_operations()))
    return [
        forward - counted,
        backward - forward,
        _digest(names) if names else "",
        values,
        is_random,
    ]


def _is_random(operation):
    if operation.type not in _random_types:
        _random_types[operation.type] = any(
            attribute.name == "seed2" for attribute in operation.op_def.attr
        )
    return _random_types[operation.type]


def _count(graph, seeded):
    """Returns the number of ops that a random op would count now."""
    if seeded:
        return tf.get_seed(None)[1]
    tf.set_random_seed(1)
    number = tf.get_seed(None)[1]
    graph.seed = None
    return number


def _flat(value):
    if isinstance(value, (list, tuple)) and not isinstance(
        value, (tf.SparseTensor, tf.IndexedSlices)
    ):
        return [part for item in value for part in _flat(item)]
    if isinstance(value, (tf.SparseTensor, tf.IndexedSlices)):
        return [value.values]
    # Of any kind, none of which is all others.
    is_variable = hasattr(value, "initializer") and hasattr(value, "op")
    return [value] if isinstance(value, (tf.Tensor, tf.Operation)) or is_variable else []


def _gradients(model, result):
    """Returns the gradients of the sum of all floats, by the fed values and by the variables."""
    floats = [
        value for value in result if not isinstance(value, tf.Operation) and value.dtype.is_floating
    ]
    sources = model.floats + tf.trainable_variables()
    try:
        found = tf.gradients(floats, sources) if floats and sources else []
    except LookupError:  # there is none
        found = []
    return _flat([slope for slope in found if slope is not None])


def _run(model, fetches):
    """Returns two sums of all values, or a digest where one is not a number."""
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Session(config=config) as session:
        session.run(
            [
                tf.global_variables_initializer(),
                tf.local_variables_initializer(),
                tf.tables_initializer(),
            ]
        )
        found = [
            np.asarray(value)
            for value in session.run(fetches, model.feed_dict)
            if value is not None
        ]
        found += [session.run(variable) for variable in tf.global_variables()]
    if any(value.dtype.kind not in "fiub" for value in found):
        return _digest(
            value.tobytes() if value.dtype.kind in "fiub" else repr(value.tolist())
            for value in found
        )
    flat = np.concatenate([np.ravel(value).astype(np.float64) for value in found] or [np.zeros(0)])
    weights = np.cos(np.arange(flat.size))
    return [
        float(f"{number:.6g}") for number in (flat.sum(), flat.dot(weights), np.abs(flat).sum())
    ]


def _digest(parts):
    digest = hashlib.sha1()
    for part in parts:
        digest.update((part if isinstance(part, bytes) else part.encode("utf-8")) + b"\n")
    return digest.hexdigest()[:6]


def variants(code):
    """Returns what this TensorFlow gives for a specimen,
    in each variant that makes a difference for it.
    """
    found = {name: measure(code, name) for name in "su"}
    if isinstance(found["s"], list):
        *_, names, _, is_random = found["s"]
        words = code.replace("(", " ").replace("[", " ")
        if names or any(f" {name}" in words for name in specimens.VARIABLES):
            found.update({name: measure(code, name) for name in ("sr", "ur")})
        if is_random:
            found["s0"] = measure(code, "s0")
    return {name: value[:4] if isinstance(value, list) else value for name, value in found.items()}


def record():
    """Measures what the record does not have, on TensorFlow 1.15;
    the record has nothing that is not measured.
    """
    assert tf.VERSION.startswith("1.15.") and not hasattr(tf, "_path"), tf.VERSION
    known = records.read("same_numbers")
    codes = [code for _, code in specimens.read()]
    records.write("same_numbers", {code: known.get(code) or variants(code) for code in codes})


def main():
    """Returns [code, variant, what TensorFlow 1.15 gives,
    what this one gives] for each that is not the same.
    """
    known, rows = records.read("same_numbers"), []
    for _, code in specimens.read():
        for variant, expected in sorted(known[code].items()):
            found = measure(code, variant)
            if found[:3] != expected[:3] or not _close(expected[3], found[3]):
                rows.append([code, variant, expected, found])
    return rows


def _close(expected, found):
    if not (isinstance(expected, list) and isinstance(found, list)):
        return expected == found
    return all(
        abs(one - other) <= SLACK * max(1.0, expected[2]) or one != one and other != other
        for one, other in zip(expected, found)
    )


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.ERROR)
    if sys.argv[1:] == ["--record"]:
        record()
    else:
        print(json.dumps(main()))
