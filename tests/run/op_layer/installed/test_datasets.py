"""Tests the datasets of 1.15's `tf.data` beside those of the installed TensorFlow."""

import types

import pytest

from script_folder import output_of
from tf1grad._compat import VERSION

of_tensorflow_2 = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has one tf.data")
of_the_period = pytest.mark.period(on_1_15=True)


@of_the_period
def test_a_scan_may_keep_a_list_as_its_state(tmp_path):
    """1.15.5 prints the same."""
    script = """
    start = tf.constant([0, 0], tf.int64)
    last_two = tf.data.experimental.scan(start, lambda state, x: ([x, state[0]], state))
    element = tf.data.Dataset.range(1, 4).apply(last_two).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        print([session.run(element).tolist() for _ in range(3)])
    """
    assert output_of(script, tmp_path) == "[[0, 0], [1, 0], [2, 1]]\n"


@of_the_period
def test_a_pipeline_within_a_function_computes_on_demand_too(tmp_path):
    """1.15.5 prints the same."""
    script = """
    import time

    tf.enable_eager_execution()
    calls = []
    def called(x):
        calls.append(int(x))
        return x

    @tf.function
    def total(limit):
        found = tf.constant(0, tf.int64)
        numbers = tf.data.Dataset.range(limit)
        for each in numbers.map(lambda x: tf.py_function(called, [x], tf.int64)):
            found += each
        return found

    print(int(total(4)), calls)

    @tf.function
    def first(iterator):
        return iterator.get_next()

    print(int(first(iter(tf.data.Dataset.range(3)))))

    @tf.function
    def of_iterator(iterator):
        found = tf.constant(0, tf.int64)
        for each in iterator:
            found += each
        return found

    print(int(of_iterator(iter(tf.data.Dataset.range(4)))))
    """
    assert output_of(script, tmp_path).splitlines() == ["6 [0, 1, 2, 3]", "0", "6"]


@of_tensorflow_2
def test_datasets_are_instances_of_the_installed_classes():
    import tensorflow as tf

    from tf1grad.run.op_layer.installed import datasets

    original = types.SimpleNamespace(
        DatasetV1=type("DatasetV1", (), {}), DatasetV2=type("DatasetV2", (), {})
    )
    datasets.recognize(original)
    assert isinstance(original.DatasetV1(), tf.compat.v1.data.Dataset)
    assert isinstance(original.DatasetV2(), tf.data.Dataset)
    assert original.DatasetV2._options_attr == tf.data.Options()


@of_tensorflow_2
def test_parallel_interleave_reads_as_many_datasets_as_there_are_processors(monkeypatch):
    from tf1grad.programs import _systems
    from tf1grad.programs.process import patches
    from tf1grad.run.op_layer.installed import datasets

    monkeypatch.setattr(_systems, "processors", lambda: 7)

    class Interleave:
        def __init__(self, source, function, cycle_length, block_length):
            self.given = source, function, cycle_length, block_length

    original = types.SimpleNamespace(ParallelInterleaveDataset=Interleave, AUTOTUNE=-1)
    before = len(patches.changes())
    datasets.interleave_by_processors(original)
    found = [Interleave("source", "function", length, 2).given[2:] for length in (-1, 3)]
    patches.undo(before)
    assert found == [(7, 2), (3, 2)]


@of_tensorflow_2
def test_iterators_are_left_alone_while_the_interpreter_exits():
    from tf1grad.programs.process import patches
    from tf1grad.run.op_layer.installed import datasets

    deleted = []

    class Deleter:
        def __del__(self):
            deleted.append(self)

    before = len(patches.changes())
    datasets.keep_iterators_at_exit(types.SimpleNamespace(IteratorResourceDeleter=Deleter))
    Deleter.__del__(1)
    Deleter.__del__(2, lambda: True)
    patches.undo(before)
    assert deleted == [1]


@of_tensorflow_2
@pytest.mark.parametrize("in_function", [True, False])
def test_a_pipeline_is_replaced_at_once_in_functions_and_else_before_a_run(
    monkeypatch, in_function
):
    import tensorflow.compat.v1 as tf

    from tf1grad.programs import _compat
    from tf1grad.programs.process import checks_before_runs
    from tf1grad.run.op_layer.installed import datasets

    made, waiting = [], []
    monkeypatch.setattr(_compat, "pass_input_through", lambda *given: made.append(given))
    monkeypatch.setattr(checks_before_runs, "check", lambda *given: waiting.append(given))
    operation = types.SimpleNamespace(graph=types.SimpleNamespace(building_function=in_function))
    with tf.Graph().as_default():
        datasets.replace_pipeline(operation, tf.identity)
        assert [len(made), len(waiting)] == ([1, 0] if in_function else [0, 1])
        for owner, insert in waiting:
            assert owner is operation
            insert()
    assert made == [(operation, 0, tf.identity)]
