"""Holds cases of `tf.data`: functions, variables, iterators, strategies and `fit`;
see `recorded_cases.py`.
"""

import os
import time

import numpy as np
import tensorflow as tf

from recorded_cases import case


@case("graph")
def elements_from_variables():
    variables = [
        tf.get_variable(name, initializer=[1.0, 2.0], use_resource=name == "resource")
        for name in ("ref", "resource")
    ]
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for dataset in map(tf.data.Dataset.from_tensor_slices, variables):
            iterator, rows = dataset.make_initializable_iterator(), []
            element = iterator.get_next()
            session.run(iterator.initializer)
            try:
                while True:
                    rows.append(session.run(element))
            except tf.errors.OutOfRangeError:
                found.append(rows)
    return found


@case("graph", "eager")
def strategies_distribute_datasets():
    x = np.arange(24, dtype=np.float32).reshape(8, 3) / 24
    y = x.sum(1, keepdims=True)

    def dataset():
        options = tf.data.Options()
        options.experimental_distribute.auto_shard = False
        return (
            tf.data.Dataset.from_tensor_slices((x, y))
            .repeat()
            .batch(4, drop_remainder=True)
            .with_options(options)
        )

    def train_keras(strategy):
        with strategy.scope():
            model = tf.keras.Sequential(
                [tf.keras.layers.Dense(1, input_shape=(3,), kernel_initializer="zeros")]
            )
            model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        histories = [
            model.fit(dataset(), steps_per_epoch=4, epochs=2, verbose=0),
            model.fit(x, y, batch_size=4, shuffle=False, epochs=1, verbose=0),
        ]
        losses = [loss for history in histories for loss in history.history["loss"]]
        return losses + model.predict(x, batch_size=4)[0].tolist()

    strategies = [
        lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
        lambda: tf.distribute.MirroredStrategy(["/cpu:0"]),
    ]
    return [train_keras(make()) for make in strategies]


@case("graph")
def pipelines_with_state():
    found, calls = {}, []
    count = tf.get_variable("count", initializer=0, use_resource=True)
    scale = tf.get_variable("scale", initializer=1.0, use_resource=True)
    numbers = tf.data.Dataset.range(1, 9)

    def counted(number):
        with tf.control_dependencies([count.assign_add(1)]):
            return tf.identity(number)

    def generated():
        for number in range(9):
            yield number * factor[0]

    def drawn(number):
        calls.append(int(number))
        return np.int64(np.random.randint(1000))

    def initializable(dataset):
        iterator = dataset.make_initializable_iterator()
        session.run(iterator.initializer)
        return iterator

    def one_shot(dataset):
        return dataset.make_one_shot_iterator()

    def from_structure(dataset):
        iterator = tf.data.Iterator.from_structure(dataset.output_types, dataset.output_shapes)
        session.run(iterator.make_initializer(dataset))
        return iterator

    session = tf.Session()
    session.run(tf.global_variables_initializer())
    for get in initializable, from_structure:
        element = get(numbers.map(counted)).get_next()
        rows = found[get.__name__] = []
        for _ in range(3):
            rows.append([session.run(element), session.run(count)])
    element = initializable(
        numbers.map(lambda number: tf.cast(number, tf.float32) * scale).batch(1)
    ).get_next()
    found["read"] = []
    for _ in range(2):
        found["read"].append(session.run(element)[0])
        time.sleep(0.5)  # one batch is read ahead, as on 1.15: it is there by then
        session.run(scale.assign_add(1.0))
    factor = [1]
    element = one_shot(tf.data.Dataset.from_generator(generated, tf.int64, [])).get_next()
    found["generated"] = []
    for _ in range(3):
        found["generated"].append(session.run(element))
        factor[0] *= 10
    element = one_shot(
        numbers.flat_map(
            lambda number: tf.data.Dataset.from_tensors(tf.py_func(drawn, [number], tf.int64))
        )
    ).get_next()
    found["drawn"] = []
    for _ in range(3):
        found["drawn"] += [session.run(element), np.random.randint(1000)]
    found["calls"] = calls
    tf.set_random_seed(1)
    found["seeded"] = session.run(tf.random_uniform([2]))
    return found


@case("graph")
def interleave_takes_the_number_of_processors(session):
    def elements(**options):
        dataset = tf.data.Dataset.from_tensor_slices(tf.range(4, 10)).interleave(
            lambda number: tf.data.Dataset.from_tensors(number).repeat(3), block_length=2, **options
        )
        element = dataset.make_one_shot_iterator().get_next()
        return [session.run(element) for _ in range(18)]

    given = elements(cycle_length=len(os.sched_getaffinity(0)), num_parallel_calls=1)
    automatic = elements(num_parallel_calls=1)
    tuned = elements(num_parallel_calls=tf.data.experimental.AUTOTUNE)
    return given == automatic == tuned


def _seeds():
    return [
        operation.get_attr("seed2")
        for operation in tf.get_default_graph().get_operations()
        if "seed2" in operation.node_def.attr
    ]


@case("graph")
def random_numbers_in_replicas(session):
    def replica(name, inputs):
        with tf.variable_scope(name):
            weights = tf.get_variable("weights", [2])
            kept = tf.nn.dropout(tf.layers.dense(tf.ones([1, 2]), 3), 0.5)
        return tf.reduce_sum(weights * inputs) + tf.reduce_sum(kept)

    tf.set_random_seed(3)
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])

    def dataset(context):
        return tf.data.Dataset.range(8).map(lambda x: tf.cast(x, tf.float32)).shuffle(8, seed=3)

    with strategy.scope():
        iterator = strategy.make_input_fn_iterator(dataset)
        losses = [
            strategy.experimental_run(lambda inputs: replica("fed", inputs), iterator),
            strategy.experimental_run_v2(lambda: replica("constant", 1.0)),
        ]
        seeds = _seeds()
        other = strategy.make_dataset_iterator(dataset(None).batch(2))
        losses.append(strategy.experimental_run(lambda inputs: inputs * 2.0, other))
    session.run([iterator.initialize(), other.initialize()])
    session.run(tf.global_variables_initializer())
    return seeds, [session.run(losses) for _ in range(3)]


@case("graph")
def random_numbers_of_a_distributed_estimator(folder):
    def input_fn():
        data = tf.data.Dataset.range(12).shuffle(12, seed=1).batch(4)
        return data.map(lambda x: (tf.cast(x, tf.float32)[:, None], tf.cast(x, tf.float32)))

    def model_fn(features, labels, mode):
        hidden = tf.layers.dropout(tf.layers.dense(features, 5, tf.nn.relu), 0.5, training=True)
        loss = tf.losses.mean_squared_error(labels, tf.layers.dense(hidden, 1)[:, 0])
        step = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        seeds.extend(_seeds())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    seeds = []
    config = tf.estimator.RunConfig(
        folder, tf_random_seed=7, train_distribute=tf.distribute.MirroredStrategy(["/cpu:0"])
    )
    estimator = tf.estimator.Estimator(model_fn, config=config)
    estimator.train(input_fn, max_steps=3)
    values = {name: estimator.get_variable_value(name) for name in estimator.get_variable_names()}
    return seeds, {name: values[name] for name in sorted(values) if name.endswith("kernel")}


@case("graph")
def steps_of_two_replicas(folder):
    """Trains on the mean of two replicas, or on their sum where the loss is a sum."""

    def input_fn():
        rows = np.array([[[1, 2]], [[10, 20]], [[3, 4]], [[5, 6]]], np.float32)
        return tf.data.Dataset.from_tensor_slices(rows / 10).repeat()

    def trained(name, loss_of, optimizer):
        def model_fn(features, mode):
            w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.5))
            loss = loss_of(tf.matmul(features, w))
            step = optimizer().minimize(loss, tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

        config = tf.estimator.RunConfig(
            os.path.join(folder, name),
            train_distribute=tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
            session_config=tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True),
        )
        estimator = tf.estimator.Estimator(model_fn, config=config)
        estimator.train(input_fn, steps=3)
        return estimator.get_variable_value("w")

    def squares(reduction):
        return lambda y: tf.losses.mean_squared_error(tf.ones_like(y), y, reduction=reduction)

    return [
        trained("descent", tf.reduce_sum, lambda: tf.train.GradientDescentOptimizer(0.1)),
        trained("adam", squares("weighted_mean"), lambda: tf.train.AdamOptimizer(0.1)),
    ]
