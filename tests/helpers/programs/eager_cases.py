"""Holds cases of 1.15's eager mode, `tf.contrib.eager`, `tf.function` and AutoGraph;
see `recorded_cases.py`.
"""

import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import autograph
from tensorflow.python.framework import ops

from recorded_cases import case

tfe = tf.contrib.eager


def cubes(values):
    """Returns the sum of cubes."""
    return tf.reduce_sum(values * values * values)


def branching(number):
    """Returns the square of a tensor above 1; AutoGraph converts this function."""
    if number > 1:
        number = number * number
    return number


@case("eager")
def name_scopes(x):
    with ops.name_scope("outer"), ops.name_scope(None, "inner", [x]) as scope:
        return [scope, tf.Variable(1.0, name="v").name]


@case("eager")
def gradients_of_functions(x):
    weight = tfe.Variable(2.0)
    ((implicit, _),) = tfe.implicit_gradients(lambda: weight * weight * 3.0)()
    value, (gradient,) = tfe.value_and_gradients_function(cubes)(x)
    again, ((other, _),) = tfe.implicit_value_and_gradients(lambda: weight * weight)()
    return [implicit, tfe.gradients_function(cubes)(x)[0], value, gradient, again, other]


@case("eager")
def gradients_of_tapes(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            value, squares = cubes(x), x * x
            clipped = tf.concat([x, squares], 0) * tf.clip_by_value(tf.concat([x, x], 0), 1.5, 2.5)
        gradient = tape.gradient(value, x)
    return [outer.gradient(gradient, x), tape.gradient(clipped, x), tape.jacobian(squares, x)]


@case("eager")
def optimizer():
    weight, step = tf.Variable(3.0), tf.train.get_or_create_global_step()
    momentum = tf.train.MomentumOptimizer(0.1, 0.9)
    for _ in range(3):
        momentum.minimize(lambda: weight * weight, global_step=step)
    return [weight, step]


@case("eager")
def values_of_tensors(x):
    return [
        float(x[1]),
        int(tf.size(x)),
        float(tf.constant([[3.5]])),
        int(tf.constant([4])),
        x + np.ones(3, np.float32),
        bool(tf.reduce_all(x > 0)),
    ]


@case("eager")
def random_numbers():
    tf.set_random_seed(7)
    return [tf.random_normal([2]), tf.random_uniform([2])]


@case("eager")
def functions(x):
    signed = tf.function(
        lambda value: value * 2.0, input_signature=[tf.TensorSpec([None], tf.float32)]
    )
    relaxed = tf.function(lambda value: value + 1.0, experimental_relax_shapes=True)
    older = tfe.defun(lambda first, second: tf.matmul(first, second) + 1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.function(cubes)(x)
    return [
        signed(x),
        signed(tf.ones([5])),
        len(signed.get_concrete_function().inputs),
        relaxed(x),
        older(tf.ones([2, 2]), tf.ones([2, 2])),
        tape.gradient(value, x),
    ]


@case("eager")
def function_with_variables():
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = None

        @tf.function
        def add(self, number):
            if self.count is None:
                self.count = tf.Variable(0)
            return self.count.assign_add(number)

    counter = Counter()
    return [counter.add(2), counter.add(3)]


@case("eager")
def defined_functions(x):
    made = []

    @tfe.defun
    def scaled(values):
        made.append(tfe.Variable(2.0))
        return values * made[-1]

    with tf.GradientTape() as tape:
        value = tf.reduce_sum(scaled(x))
    with tf.Graph().as_default(), tf.Session() as session:
        one = tf.constant(1.0)
        lines = tfe.defun(
            lambda value: value * tf.get_variable("slope", initializer=3.0, use_resource=True)
        )(one)
        session.run(tf.global_variables_initializer())
        product = session.run(lines)
    return [tape.gradient(value, made[0]), scaled(x[:2]), product, len(made)]


@case("eager")
def loops_of_autograph():
    @tf.function
    def even(number):
        total = tf.constant(0)
        while number > 0:
            if tf.equal(number % 2, 0):
                total += number
            if number == 4:  # false: a tensor equals only itself in 1.15
                total += 100
            number -= 1
        return total

    return even(tf.constant(7))


@case("eager")
def conversions_of_autograph():
    return [
        tf.autograph.to_graph(branching)(tf.constant(4)),
        autograph.to_graph(branching)(tf.constant(3)),
        "def " in tf.autograph.to_code(branching),
    ]


@case("eager")
def datasets():
    data = tf.data.Dataset.range(5).map(lambda value: value * 2).batch(2)
    return [
        list(tfe.Iterator(data)),
        list(data),
        tf.data.Dataset.range(3).make_one_shot_iterator().get_next(),
    ]


@case("eager")
def loops_over_datasets():
    numbers = tf.data.Dataset.range(5)
    names = tf.data.Dataset.from_tensor_slices(
        {"x": [1.0, 2.0, 3.0], "y": [1.0, 10.0, 100.0]}
    ).batch(2)

    @tf.function
    def total(values):
        found = tf.constant(0, tf.int64)
        for value in values:
            found += value
        return found

    @tf.function
    def products(values):
        found = tf.constant(0.0)
        for value in values:
            found += tf.reduce_sum(value["x"] * value["y"])
        return found

    iterator = iter(numbers)
    return [total(numbers), products(names), next(iterator), total(iterator)]


@case("eager")
def summaries(folder):
    tf.train.get_or_create_global_step()
    writer = tf.contrib.summary.create_file_writer(os.path.join(folder, "events"), flush_millis=10)
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar("loss", 3.0)
    tf.contrib.summary.flush(writer)
    (file,) = os.listdir(os.path.join(folder, "events"))
    events = tf.train.summary_iterator(os.path.join(folder, "events", file))
    return [[value.tag, value.simple_value] for event in events for value in event.summary.value]
