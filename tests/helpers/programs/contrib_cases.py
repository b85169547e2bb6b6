"""Holds cases of names of `tf.contrib` that mean something else today; see `recorded_cases.py`."""

import glob
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib.framework import nest
from tensorflow.contrib.summary import summary as inner_summary

from recorded_cases import case

framework, layers, learn = tf.contrib.framework, tf.contrib.layers, tf.contrib.learn
slim, summary = tf.contrib.slim, tf.contrib.summary
X = np.random.RandomState(0).randn(60, 3).astype(np.float32)


@case("graph")
def nest_names():
    made = nest.pack_sequence_as([1, (2, [3])], [4, 5, 6])
    nest.assert_same_structure(made, [0, (0, [0])])
    return [
        [nest.is_sequence(value) for value in ([1], (1,), {"a": 1}, 1, "ab", np.zeros(2))],
        made,
        nest.flatten(made),
        nest.map_structure(lambda x: -x, made),
    ]


@case("graph")
def summary_names(folder, session):
    step = tf.train.get_or_create_global_step()
    writer = summary.create_file_writer(os.path.join(folder, "logs"), flush_millis=1000)
    with writer.as_default(), summary.record_summaries_every_n_global_steps(2, step):
        summary.scalar("loss", 0.5 * tf.cast(step, tf.float32), family="train")
        with summary.always_record_summaries():
            summary.scalar("always", tf.constant(7.0), step=step + 10)
        session.run(tf.global_variables_initializer())
        summary.initialize(session=session, graph=tf.get_default_graph())
        for _ in range(3):
            session.run(summary.all_summary_ops())
            session.run(step.assign_add(1))
        session.run(summary.flush())
    (path,) = glob.glob(os.path.join(folder, "logs", "*"))
    events = list(tf.train.summary_iterator(path))
    return [
        sorted(
            (event.step, value.tag, value.simple_value)
            for event in events
            for value in event.summary.value
        ),
        sum(bool(event.graph_def) for event in events),
        inner_summary.scalar is summary.scalar,
    ]


@case("graph")
def bucket_by_sequence_length(session):
    number = tf.train.input_producer(list(range(9)), shuffle=False, num_epochs=1).dequeue()
    lengths, (rows,) = tf.contrib.training.bucket_by_sequence_length(
        input_length=number,
        tensors=[tf.fill([number], number)],
        batch_size=2,
        bucket_boundaries=[3, 5],
        dynamic_pad=True,
        num_threads=1,
        allow_smaller_final_batch=True,
    )
    session.run(tf.local_variables_initializer())
    coordinator, found = tf.train.Coordinator(), []
    threads = tf.train.start_queue_runners(session, coordinator)
    with coordinator.stop_on_exception():
        while True:
            found.append(session.run(rows).tolist())
    coordinator.join(threads)
    return [lengths.dtype.name, sorted(found)]


@case("graph")
def py_func(session):
    made = framework.py_func(
        func=lambda a, b=0: {"sum": a + b},
        args=(tf.constant(2),),
        kwargs={"b": tf.constant(3)},
        output_types={"sum": tf.int32},
        output_shapes={"sum": tf.TensorShape([])},
    )
    return [sorted(made), made["sum"].shape.as_list(), session.run(made["sum"])]


@case("graph")
def feature_columns(session):
    words = layers.sparse_column_with_hash_bucket("words", 10)
    real = layers.real_valued_column("x", 2)
    bucketized = layers.bucketized_column(layers.real_valued_column("y"), [0.0, 1.0])
    crossed = layers.crossed_column([words, bucketized], 100)
    embedded = layers.embedding_column(words, 2, initializer=tf.ones_initializer())
    features = {
        "x": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "y": tf.constant([[-1.0], [0.5]]),
        "words": tf.SparseTensor([[0, 0], [1, 0]], ["a", "b"], [2, 1]),
    }
    inputs = layers.input_from_feature_columns(features, [real, bucketized, embedded])
    logits, _, _ = layers.weighted_sum_from_feature_columns(
        features, [words, crossed, bucketized], 1
    )
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    return [
        [type(column).__name__ for column in (words, real, bucketized, crossed, embedded)],
        session.run(inputs),
        session.run(logits),
        [variable.op.name for variable in tf.global_variables()],
    ]


@case("graph")
def strategies():
    strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=0)
    with strategy.scope():
        return strategy.num_replicas_in_sync, tf.get_variable("v", []).name


@case("graph")
def checkpoint_keywords(folder, session):
    tf.get_variable("v", initializer=3.0)
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, os.path.join(folder, "model"))
    restored = tf.get_variable("other", initializer=0.0)
    framework.init_from_checkpoint(checkpoint_dir=path, assignment_map={"v": restored})
    session.run(tf.global_variables_initializer())
    return [
        framework.load_variable(checkpoint_dir=path, name="v"),
        framework.list_variables(checkpoint_dir=path),
        framework.load_checkpoint(filepattern=path).has_tensor("v"),
        session.run(restored),
    ]


@case("graph")
def local_variable(session):
    variables = [
        slim.local_variable(tf.zeros([2]), name="local"),
        framework.local_variable(initial_value=[1], validate_shape=False, name="other"),
    ]
    session.run(tf.local_variables_initializer())
    return [
        [variable.op.name for variable in tf.local_variables()],
        tf.global_variables(),
        session.run(variables),
    ]


@case("graph")
def learn_regressor(folder):
    column = layers.real_valued_column("x", 3)
    job = learn.LinearRegressor(
        [column], config=learn.RunConfig(tf_random_seed=1, model_dir=folder + "/linear")
    )
    job.fit(input_fn=lambda: ({"x": tf.constant(X)}, tf.constant(X[:, :1])), steps=20)
    feed = learn.io.numpy_input_fn({"x": X}, X[:, :1], batch_size=60, num_epochs=1, shuffle=False)
    return job.evaluate(input_fn=feed)["loss"]


@case("graph")
def learn_experiment(folder):
    def model_fn(features, labels, mode, params):
        logits = layers.fully_connected(features["x"], 2, activation_fn=None)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train = layers.optimize_loss(loss, tf.train.get_global_step(), params["rate"], "SGD")
        return learn.ModelFnOps(mode, predictions=tf.argmax(logits, 1), loss=loss, train_op=train)

    def input_fn():
        return {"x": tf.constant(X)}, tf.constant((X[:, 0] > 0).astype(np.int32))

    config = learn.RunConfig(tf_random_seed=1, model_dir=folder + "/own")
    job = learn.Estimator(model_fn, params={"rate": 0.5}, config=config)
    result, _ = learn.Experiment(
        job, input_fn, input_fn, train_steps=10, eval_steps=1
    ).train_and_evaluate()
    return result["loss"]
