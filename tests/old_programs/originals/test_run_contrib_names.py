"""Tests names of tf.contrib that mean something else today: under `run` they are what TensorFlow 1.15.5 had."""

import json
import os

import pytest
import tensorflow.compat.v1 as tf

from paths import ROOT
from script_folder import output_of

pytestmark = pytest.mark.period(on_1_15=True)

PROGRAM = r'''
import glob
import os
import tempfile

from tensorflow.contrib.framework import nest
from tensorflow.contrib.summary import summary as inner_summary

framework, layers, learn = tf.contrib.framework, tf.contrib.layers, tf.contrib.learn
slim, summary = tf.contrib.slim, tf.contrib.summary
folder = tempfile.mkdtemp()
X = np.random.RandomState(0).randn(60, 3).astype(np.float32)


def nest_names(session):
    made = nest.pack_sequence_as([1, (2, [3])], [4, 5, 6])
    nest.assert_same_structure(made, [0, (0, [0])])
    nest.assert_shallow_structure([0, 0], made)
    return [[nest.is_sequence(value) for value in ([1], (1,), {"a": 1}, 1, "ab", np.zeros(2))], made,
            nest.flatten(made), nest.map_structure(lambda x: -x, made), nest.flatten_up_to([0, 0], made),
            nest.map_structure_up_to([0, 0], len, [[1, 2], (3,)]), nest.flatten_dict_items({(0, 1): (2, 3)})[1]]


def summary_names(session):
    step = tf.train.get_or_create_global_step()
    writer = summary.create_file_writer(os.path.join(folder, "logs"), flush_millis=1000)
    with writer.as_default(), summary.record_summaries_every_n_global_steps(2, step):
        summary.scalar("loss", 0.5 * tf.cast(step, tf.float32), family="train")
        summary.histogram("weights", [1.0, 2.0])
        with summary.always_record_summaries():
            summary.scalar("always", tf.constant(7.0), step=step + 10)
        with summary.never_record_summaries():
            summary.scalar("never", 1.0)
        session.run(tf.global_variables_initializer())
        summary.initialize(session=session, graph=tf.get_default_graph())
        for _ in range(3):
            session.run(summary.all_summary_ops())
            session.run(step.assign_add(1))
        session.run(summary.flush())
    path, = glob.glob(os.path.join(folder, "logs", "*"))
    events = list(tf.train.summary_iterator(path))
    return [sorted((event.step, value.tag, value.simple_value) for event in events for value in event.summary.value),
            sum(bool(event.graph_def) for event in events), inner_summary.scalar is summary.scalar]


def bucket_by_sequence_length(session):
    number = tf.train.input_producer(list(range(9)), shuffle=False, num_epochs=1).dequeue()
    lengths, (rows,) = tf.contrib.training.bucket_by_sequence_length(
        input_length=number, tensors=[tf.fill([number], number)], batch_size=2, bucket_boundaries=[3, 5],
        dynamic_pad=True, num_threads=1, allow_smaller_final_batch=True)
    session.run(tf.local_variables_initializer())
    coordinator, found = tf.train.Coordinator(), []
    threads = tf.train.start_queue_runners(session, coordinator)
    with coordinator.stop_on_exception():
        while True:
            found.append(session.run(rows).tolist())
    coordinator.join(threads)
    return [lengths.dtype.name, sorted(found)]


def zero_initializer(session):
    variable = tf.Variable(tf.ones([2, 3]))
    return [session.run(framework.zero_initializer(variable)).tolist(), session.run(variable).tolist()]


def py_func(session):
    made = framework.py_func(func=lambda a, b=0: {"sum": a + b}, args=(tf.constant(2),), kwargs={"b": tf.constant(3)},
                             output_types={"sum": tf.int32}, output_shapes={"sum": tf.TensorShape([])})
    return [sorted(made), made["sum"].shape.as_list(), int(session.run(made["sum"]))]


def feature_columns(session):
    words = layers.sparse_column_with_hash_bucket("words", 10)
    real = layers.real_valued_column("x", 2)
    bucketized = layers.bucketized_column(layers.real_valued_column("y"), [0.0, 1.0])
    crossed = layers.crossed_column([words, bucketized], 100)
    embedded = layers.embedding_column(words, 2, initializer=tf.ones_initializer())
    features = {"x": tf.constant([[1.0, 2.0], [3.0, 4.0]]), "y": tf.constant([[-1.0], [0.5]]),
                "words": tf.SparseTensor([[0, 0], [1, 0]], ["a", "b"], [2, 1])}
    inputs = layers.input_from_feature_columns(features, [real, bucketized, embedded])
    logits, _, _ = layers.weighted_sum_from_feature_columns(features, [words, crossed, bucketized], 1)
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    return [[type(column).__name__ for column in (words, real, bucketized, crossed, embedded)],
            session.run(inputs).tolist(), session.run(logits).tolist(),
            [variable.op.name for variable in tf.global_variables()]]


def strategies(session):
    strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=0)
    with strategy.scope():
        variable = tf.get_variable("v", initializer=1.0)
    session.run(tf.global_variables_initializer())
    return [strategy.num_replicas_in_sync, float(session.run(variable)),
            tf.contrib.distribute.OneDeviceStrategy(device="/cpu:0").num_replicas_in_sync]


def checkpoint_keywords(session):
    tf.get_variable("v", initializer=3.0)
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, os.path.join(folder, "model"))
    restored = tf.get_variable("other", initializer=0.0)
    framework.init_from_checkpoint(checkpoint_dir=path, assignment_map={"v": restored})
    session.run(tf.global_variables_initializer())
    return [float(framework.load_variable(checkpoint_dir=path, name="v")),
            framework.list_variables(checkpoint_dir=path),
            framework.load_checkpoint(filepattern=path).has_tensor("v"), float(session.run(restored))]


def local_variable(session):
    variables = [slim.local_variable(tf.zeros([2]), name="local"),
                 framework.local_variable(initial_value=[1], validate_shape=False, name="other")]
    session.run(tf.local_variables_initializer())
    return [[variable.op.name for variable in tf.local_variables()], tf.global_variables(),
            [value.tolist() for value in session.run(variables)]]


def learn_regressor(session):
    column = layers.real_valued_column("x", 3)
    job = learn.LinearRegressor([column], config=learn.RunConfig(tf_random_seed=1, model_dir=folder + "/linear"))
    job.fit(input_fn=lambda: ({"x": tf.constant(X)}, tf.constant(X[:, :1])), steps=20)
    feed = learn.io.numpy_input_fn({"x": X}, X[:, :1], batch_size=60, num_epochs=1, shuffle=False)
    return round(float(job.evaluate(input_fn=feed)["loss"]), 5)


def learn_experiment(session):
    def model_fn(features, labels, mode, params):
        logits = layers.fully_connected(features["x"], 2, activation_fn=None)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train = layers.optimize_loss(loss, tf.train.get_global_step(), params["rate"], "SGD")
        return learn.ModelFnOps(mode, predictions=tf.argmax(logits, 1), loss=loss, train_op=train)

    def input_fn():
        return {"x": tf.constant(X)}, tf.constant((X[:, 0] > 0).astype(np.int32))
    config = learn.RunConfig(tf_random_seed=1, model_dir=folder + "/own")
    job = learn.Estimator(model_fn, params={"rate": 0.5}, config=config)
    result, _ = learn.Experiment(job, input_fn, input_fn, train_steps=10, eval_steps=1).train_and_evaluate()
    return round(float(result["loss"]), 5)


tf.logging.set_verbosity(tf.logging.ERROR)
for each in (nest_names, summary_names, bucket_by_sequence_length, zero_initializer, py_func, feature_columns,
             strategies, checkpoint_keywords, local_variable, learn_regressor, learn_experiment):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            result = each(session)
        except Exception as error:
            result = repr(error)
        print(json.dumps([each.__name__, result]))
'''

# What TensorFlow 1.15.5 prints.
EXPECTED = {
    "nest_names": [[True, True, True, False, False, False], [4, [5, [6]]], [4, 5, 6], [-4, [-5, [-6]]], [4, [5, [6]]],
                   [2, 1], 3],
    "summary_names": [[[0, "train/train/loss", 0.0], [0, "weights", 0.0], [2, "train/train/loss", 1.0],
                       [2, "weights", 0.0], [10, "always", 7.0], [11, "always", 7.0], [12, "always", 7.0]], 1, True],
    "bucket_by_sequence_length": ["int32", [
        [[0], [1]], [[2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]], [[5] * 5 + [0], [6] * 6], [[7] * 7 + [0], [8] * 8]]],
    "zero_initializer": [[[0.0] * 3] * 2, [[0.0] * 3] * 2],
    "py_func": [["sum"], [], 5],
    "feature_columns": [
        ["_SparseColumnHashed", "_RealValuedColumn", "_BucketizedColumn", "_CrossedColumn", "_EmbeddingColumn"],
        [[1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0], [0.0, 1.0, 0.0, 1.0, 1.0, 3.0, 4.0]], [[0.0], [0.0]],
        ["input_from_feature_columns/words_embedding/weights",
         "weighted_sum_from_feature_columns/y_bucketized/weights",
         "weighted_sum_from_feature_columns/words_X_y_bucketized/weights",
         "weighted_sum_from_feature_columns/words/weights", "weighted_sum_from_feature_columns/bias_weight"]],
    "strategies": [1, 1.0, 1],
    "checkpoint_keywords": [3.0, [["v", []]], True, 3.0],
    "local_variable": [["local", "other"], [], [[0.0, 0.0], [1]]],
    "learn_regressor": 0.00848,
    "learn_experiment": 0.25938,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Returns what the program prints, by name."""
    lines = output_of(PROGRAM, tmp_path_factory.mktemp("names")).splitlines()
    return dict(json.loads(line) for line in lines if line.startswith("["))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_contrib_name_behaves_as_in_1_15(name, found):
    expected = EXPECTED[name]
    assert found[name] == (pytest.approx(expected, abs=2e-5) if isinstance(expected, float) else expected)


EVERY_NAME = """
for line in open(sys.argv[1]):
    module, _, names = line.partition(":")
    for name in names.split():
        if not hasattr(getattr(tf.contrib, module), name):
            print(module, name)
"""
# A class for workers with GPUs, which TensorFlow 2 dropped, and wrappers of an op that it does not have.
NOT_SERVED = {"distribute MultiWorkerAllReduce", "quantization CompareAndBitpack", "quantization compare_and_bitpack",
              "quantization compare_and_bitpack_eager_fallback"}


@pytest.mark.skipif(tf.__version__.startswith("1."), reason="this is TensorFlow 1, which recorded the names")
def test_every_public_name_is_served(tmp_path):
    names = os.path.join(ROOT, "docs", "generate", "contrib_names.txt")
    assert set(output_of(EVERY_NAME, tmp_path, names).splitlines()) <= NOT_SERVED
