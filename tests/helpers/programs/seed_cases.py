"""Builds the graphs of `recorded/seeds.json` under a rule and prints their seeds,
in a fresh interpreter.

Each case is some lines of old code after a common model, and a last random op; its seed tells how
many ops TF 1.15 counts. `python tests/helpers/programs/seed_cases.py --record` under TF 1.15 writes
down what it prints.
"""

import hashlib
import importlib.util
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
LEGACY_KERAS = importlib.util.find_spec("tf_keras") is not None
if LEGACY_KERAS:
    os.environ["TF_USE_LEGACY_KERAS"] = "1"  # before TensorFlow is imported: its layers and cells

import numpy as np
import tensorflow.compat.v1 as tf

import records
from tf1grad.run import seeds

CASES = records.read("seeds")  # name to code and, for each rule, what TF 1.15 gave


def model():
    """Returns the names that the code of a case may use."""
    x, labels = [tf.placeholder(tf.float32, [None, 4]) for _ in range(2)]
    known = tf.constant(np.ones([3, 4], np.float32))
    v = tf.get_variable("v", [4, 5], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [5], initializer=tf.zeros_initializer())
    return dict(
        tf=tf,
        np=np,
        x=x,
        l=labels,
        s=known,
        i=tf.placeholder(tf.int32, [None]),
        im=tf.placeholder(tf.float32, [None, 8, 8, 3]),
        v=v,
        b=b,
        loss=tf.reduce_sum(tf.square(tf.nn.bias_add(tf.matmul(x, v), b))),
    )


def derive(code):
    """Returns the seeds of a case's random ops,
    and a digest of the initial values of its variables.
    """
    if "tf.keras" in code and tf.__version__ >= "2.16" and not LEGACY_KERAS:
        return {"missing": "Keras 3 draws in its own way, and tf_keras is not installed"}
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(1)
        try:
            exec(code, model())
        except (ImportError, AttributeError, RecursionError) as error:
            # Layers without a Keras for them.
            return {"missing": f"{type(error).__name__}: {error}"}
        tf.random_normal([2])
        found = [
            operation.get_attr("seed2")
            for operation in graph.get_operations()
            if "seed2" in operation.node_def.attr
        ]
        session.run(tf.global_variables_initializer())
        digest = hashlib.sha1()
        for variable in tf.trainable_variables()[2:]:
            digest.update(session.run(variable).tobytes())
        return {"seeds": found, "values": digest.hexdigest()[:12]}


def main(rule, names):
    """Returns what the rule gives for each of the named cases."""
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    seeds.install(rule)
    return {name: derive(CASES[name]["code"]) for name in names}


def write(rule):
    found = main(rule, sorted(CASES))
    records.write(
        "seeds", {name: dict(CASES[name], **{rule: found[name]}) for name in sorted(CASES)}
    )


if __name__ == "__main__":
    if sys.argv[1] == "--record":
        write(sys.argv[2])
    else:
        print(json.dumps(main(sys.argv[1], sys.argv[2:])))
