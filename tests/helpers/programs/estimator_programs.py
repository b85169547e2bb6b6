"""Trains, evaluates and exports with estimators of `tf.estimator` and
`tf.contrib.estimator`, for `tf1grad run`.

Prints the findings for the cases and the kinds of trees that its arguments name. A finding has what
the evaluation gave, and the training graph.

`python tests/helpers/programs/estimator_programs.py --record` under TensorFlow 1.15 records all of
them instead.
"""

import glob
import json
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

import records
import whole_graphs

ROWS = 40
RANDOM = np.random.RandomState(3)
NUMBERS = RANDOM.rand(ROWS, 3).astype(np.float32)
WORDS = np.array(["a", "b", "c", "d"] * (ROWS // 4))
CLASSES = (NUMBERS[:, 0] + (WORDS == "a") > 0.7).astype(np.int32)
TARGETS = (NUMBERS.sum(1) + (WORDS == "b")).astype(np.float32)
AMOUNT, WORD = "amount", "word"


def batches(labels):
    """Returns an input function; some estimators want labels of rank 2."""

    def input_fn():
        features = {AMOUNT: NUMBERS, WORD: WORDS}
        return tf.data.Dataset.from_tensor_slices((features, labels)).batch(10)

    return input_fn


def columns():
    """Returns columns of numbers, buckets, a crossing and words."""
    column = tf.feature_column
    amount = column.numeric_column(AMOUNT, [3])
    word = column.categorical_column_with_vocabulary_list(WORD, ["a", "b", "c"], num_oov_buckets=1)
    crossed = column.crossed_column(
        [WORD, column.bucketized_column(column.numeric_column(AMOUNT, [3]), [0.5])], 11
    )
    return [amount, column.embedding_column(word, 2), column.indicator_column(word)], [
        word,
        crossed,
    ]


def config():
    return tf.estimator.RunConfig(tempfile.mkdtemp(), tf_random_seed=1, save_checkpoints_steps=2)


def deep():
    return tf.estimator.DNNClassifier([4], columns()[0], config=config(), dropout=0.2), CLASSES


def linear():
    return tf.estimator.LinearRegressor(columns()[0][:1] + columns()[1], config=config()), TARGETS


def combined():
    deep, wide = columns()
    return tf.estimator.DNNLinearCombinedClassifier(
        None,
        wide,
        dnn_feature_columns=deep,
        dnn_hidden_units=[4, 3],
        batch_norm=True,
        config=config(),
    ), CLASSES


def deep_with_heads():
    contrib = tf.contrib.estimator
    head = contrib.multi_head(
        [contrib.regression_head(name="target"), contrib.binary_classification_head(name="kind")]
    )
    labels = {"target": TARGETS[:, None], "kind": CLASSES[:, None]}
    optimizer = contrib.clip_gradients_by_norm(tf.train.AdamOptimizer(0.1), 1.0)
    return tf.estimator.DNNEstimator(
        head, [4], columns()[0], optimizer=optimizer, config=config()
    ), labels


def keras():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(
                4, activation="relu", input_shape=(3,), kernel_initializer="ones", name="first"
            ),
            tf.keras.layers.Dense(1, kernel_initializer="ones"),
        ]
    )
    model.compile(tf.keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
    return tf.keras.estimator.model_to_estimator(model, config=config()), TARGETS[:, None]


CASES = {
    case.__name__: case
    for case in (
        deep,
        linear,
        combined,
        deep_with_heads,
        keras,
    )
}


class Graph(tf.compat.v1.train.SessionRunHook):
    """Keeps the ops of the graph that is trained."""

    def after_create_session(self, session, coord):
        self.described = whole_graphs.described(session.graph)


def finding(name):
    """Returns the training graph and the values of a case."""
    estimator, labels = CASES[name]()
    input_fn, graph = batches(labels), Graph()
    if name == "keras":

        def input_fn():
            return tf.data.Dataset.from_tensor_slices(({"first_input": NUMBERS}, labels)).batch(10)

    estimator.train(input_fn, hooks=[graph])
    values = evaluated(estimator, input_fn)
    return dict(graph.described, values=values)


def stopped_and_exported():
    """Returns the step at which an early stopping hook ends,
    the models that were exported, and a prediction.
    """
    estimator, labels = linear()
    input_fn = batches(labels)
    hook = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, "loss", max_steps_without_decrease=1, run_every_secs=None, run_every_steps=2
    )
    spec = tf.feature_column.make_parse_example_spec(columns()[0][:1] + columns()[1])
    exporter = tf.estimator.BestExporter(
        serving_input_receiver_fn=tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
    )
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(lambda: input_fn().repeat(), 8, [hook]),
        tf.estimator.EvalSpec(input_fn, exporters=exporter, throttle_secs=0),
    )
    exported = sorted(glob.glob(os.path.join(estimator.model_dir, "export", "best_exporter", "*")))
    example = tf.train.Example()
    example.features.feature[AMOUNT].float_list.value.extend([0.25, 0.5, 0.75])
    example.features.feature[WORD].bytes_list.value.append(b"c")
    with tf.Session(graph=tf.Graph()) as session:
        signatures = tf.saved_model.load(session, ["serve"], exported[-1]).signature_def
        signature = signatures["predict"]
        (predicted,) = session.run(
            list(tensor.name for tensor in signature.outputs.values()),
            {tensor.name: [example.SerializeToString()] for tensor in signature.inputs.values()},
        )
    return {
        "exported": len(exported),
        "step": int(estimator.get_variable_value("global_step")),
        "signatures": sorted(signatures),
        "predicted": predicted.tolist(),
    }


# The options of each kind.
TREES = {
    "plain": {"l1_regularization": 0.01, "l2_regularization": 0.1, "min_node_weight": 0.02},
    "centered": {"center_bias": True, "tree_complexity": 0.02, "pruning_mode": "pre"},
    "quantiles": {},
    "in memory": None,
}


def boosted_trees(kind):
    """Returns the evaluation of trees; of a classifier also the first logit."""
    column = tf.feature_column
    buckets = column.bucketized_column(column.numeric_column("first"), [0.2, 0.4, 0.6, 0.8])
    word = column.indicator_column(
        column.categorical_column_with_vocabulary_list(WORD, ["a", "b", "c"])
    )
    columns = [column.numeric_column("second")] * (kind == "quantiles") + [buckets, word]
    labels = (TARGETS if kind == "in memory" else CLASSES)[:, None]

    def input_fn():
        features = {"first": NUMBERS[:, 0], "second": NUMBERS[:, 1], WORD: WORDS}
        return tf.data.Dataset.from_tensors((features, labels)).repeat(30)

    if kind == "in memory":
        regressor = tf.contrib.estimator.boosted_trees_regressor_train_in_memory(
            lambda: ({"first": NUMBERS[:, 0], WORD: WORDS}, labels),
            columns,
            n_trees=3,
            config=config(),
        )
        return evaluated(regressor, lambda: input_fn().take(1))
    estimator = tf.estimator.BoostedTreesClassifier(
        columns, 1, n_trees=4, max_depth=3, config=config(), **TREES[kind]
    )
    estimator.train(input_fn, max_steps=14)
    found = evaluated(estimator, lambda: input_fn().take(1))
    found["logit"] = float(next(estimator.predict(input_fn))["logits"][0])
    return found


def evaluated(estimator, input_fn):
    return {key: float(value) for key, value in estimator.evaluate(input_fn).items()}


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.ERROR)
    wanted = [*CASES, *TREES] if "--record" in sys.argv else sys.argv[1:]
    found = {name: finding(name) for name in CASES if name in wanted}
    found.update(
        stopped_and_exported=stopped_and_exported(),
        boosted_trees={kind: boosted_trees(kind) for kind in TREES if kind in wanted},
    )
    if "--record" in sys.argv:
        found.update({name: whole_graphs.recorded(found[name]) for name in CASES})
        records.write("estimators", dict(sorted(found.items())))
    else:
        print(json.dumps(found))
