"""Holds the case of boosted trees that TensorFlow 1.15.5 trained; see `recorded_cases.py`.

`python tests/helpers/programs/trained_trees.py` under 1.15 trains them, and records their files.
"""

import os
import tempfile

import numpy as np
import tensorflow as tf

import records
from recorded_cases import case

NUMBERS = np.random.RandomState(3).rand(60, 2).astype(np.float32)
WORDS = np.array(["a", "b", "c"] * 20)
CLASSES = (NUMBERS[:, 0] + NUMBERS[:, 1] * (WORDS == "a") > 0.7).astype(np.int32)
TARGETS = (NUMBERS.sum(1) + (WORDS == "b")).astype(np.float32)


def estimator(kind, folder):
    """Returns a classifier or a regressor with buckets, quantiles and words."""
    column = tf.feature_column
    columns = [column.bucketized_column(column.numeric_column("first"), [0.2, 0.4, 0.6, 0.8]),
               column.indicator_column(column.categorical_column_with_vocabulary_list("word", ["a", "b"])),
               column.numeric_column("second")]
    config = tf.estimator.RunConfig(folder, tf_random_seed=1)
    if kind == "classifier":
        return tf.estimator.BoostedTreesClassifier(columns, 1, n_trees=3, max_depth=3, config=config)
    return tf.estimator.BoostedTreesRegressor(columns, 1, n_trees=3, max_depth=2, center_bias=True, config=config)


def _input_fn(labels=None):
    def batches():
        features = {"first": NUMBERS[:, 0], "second": NUMBERS[:, 1], "word": WORDS}
        return tf.data.Dataset.from_tensors((features, labels) if labels is not None else features).repeat(
            30 if labels is not None else 1)
    return batches


@case("graph")
def trees_that_1_15_trained(folder):
    records.unpack(folder, records.read("trained_trees"))
    return [float(each[key][0]) for kind, key in (("classifier", "logits"), ("regressor", "predictions"))
            for each in estimator(kind, os.path.join(folder, kind)).predict(_input_fn())]


def record():
    """Trains both models, and records their files."""
    assert tf.__version__.startswith("1.15"), tf.__version__
    folder, files = tempfile.mkdtemp(), {}
    for kind, labels in (("classifier", CLASSES), ("regressor", TARGETS)):
        trained = estimator(kind, os.path.join(folder, kind))
        trained.train(_input_fn(labels[:, None]), max_steps=12)
        latest = os.path.basename(tf.train.latest_checkpoint(trained.model_dir))
        kept = [name for name in sorted(os.listdir(trained.model_dir))
                if name == "checkpoint" or name.startswith(latest) and not name.endswith(".meta")]
        files.update(records.packed(folder, [kind + "/" + name for name in kept]))
    records.write("trained_trees", files)


if __name__ == "__main__":
    record()
