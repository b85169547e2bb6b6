"""Tests which pipelines of `tf.data` compute an element only when a step asks for it."""

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period(on_1_15=True)

# Prints how many elements have been computed, after a run has taken one.
SCRIPT = """
import time

count = tf.get_variable("count", initializer=0, use_resource=True)
calls = []

def counted(x):
    with tf.control_dependencies([count.assign_add(1)]):
        return tf.identity(x)

def called(x):
    calls.append(int(x))
    return x

def generated():
    for each in range(4):
        calls.append(each)
        yield each

numbers = tf.data.Dataset.range(4)
pipelines = {
    "assigned": numbers.map(counted),
    "nested": numbers.interleave(lambda x: tf.data.Dataset.from_tensors(x).map(counted), 2),
    "py_func": numbers.map(lambda x: tf.py_func(called, [x], tf.int64)),
    "generator": tf.data.Dataset.from_generator(generated, tf.int64),
}
iterators = {name: each.make_initializable_iterator() for name, each in pipelines.items()}
elements = {name: each.get_next() for name, each in iterators.items()}
shared = tf.data.Iterator.from_structure(tf.int64, [])
starts = {name: each.initializer for name, each in iterators.items()}
starts["shared"], elements["shared"] = shared.make_initializer(pipelines["assigned"]), shared.get_next()
with tf.Session() as session:
    session.run(count.initializer)
    for name, start in sorted(starts.items()):
        del calls[:]
        session.run(count.assign(0))
        session.run(start)
        session.run(elements[name])
        time.sleep(0.2)
        print(name, session.run(count), calls)
"""


def test_a_function_that_acts_on_state_is_not_called_ahead(tmp_path):
    """1.15.5 prints the same."""
    assert output_of(SCRIPT, tmp_path).splitlines() == [
        "assigned 1 []",
        "generator 0 [0]",
        "nested 1 []",
        "py_func 0 [0]",
        "shared 1 []",
    ]


def test_eager_iterators_do_not_read_ahead_either(tmp_path):
    script = """
import time

tf.enable_eager_execution()
calls = []
def called(x):
    calls.append(int(x))
    return x
iterator = iter(tf.data.Dataset.range(4).map(lambda x: tf.py_function(called, [x], tf.int64)))
print(int(next(iterator)))
time.sleep(0.2)
print(calls)
"""
    assert output_of(script, tmp_path).splitlines() == ["0", "[0]"]


@pytest.mark.period
def test_other_pipelines_keep_the_automatic_prefetch(tmp_path):
    """Tells by the ops that are added when a session runs."""
    script = """
count = tf.get_variable("count", initializer=0, use_resource=True)
table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, -1)
constant = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(np.arange(3), np.arange(3)), -1)

def assigned(x):
    with tf.control_dependencies([count.assign_add(1)]):
        return tf.identity(x)

def loop(x):
    return tf.while_loop(lambda i: i < 3, lambda i: i + 1, [x])

def random(x):
    return tf.random_uniform([], seed=1) + tf.cast(tf.add_n([x, x]), tf.float32)

def asserted(x):
    with tf.control_dependencies([tf.Assert(x >= 0, [x])]):
        return tf.identity(x)

def array(x):
    return tf.TensorArray(tf.int64, 1).write(0, x).stack()

def flat(x):
    return tf.data.Dataset.from_tensors(x)

numbers = tf.data.Dataset.range(4)
iterators = [
    dataset.make_initializable_iterator()
    for dataset in (
        numbers.map(loop), numbers.map(random), numbers.map(asserted), numbers.map(array),
        numbers.flat_map(flat), numbers.map(constant.lookup),
        numbers.map(assigned), numbers.map(table.lookup), numbers.map_with_legacy_function(assigned),
    )
]
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    session.run([each.initializer for each in iterators])
def pipeline(iterator):
    return iterator.initializer.inputs[0].op.inputs[0].op.type
print([pipeline(each) == "OptionsDataset" for each in iterators])
"""
    assert output_of(script, tmp_path) == str([False] * 6 + [True] * 3) + "\n"
