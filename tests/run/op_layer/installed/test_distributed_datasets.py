"""Tests that strategies distribute datasets of 1.15's `tf.data`."""

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period(on_1_15=True)

SCRIPT = """
strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
graph = tf.get_default_graph()

def dataset(context=None):
    return tf.data.Dataset.range(5).map(lambda x: 2 * x).batch(2)

def rows(iterator):
    found, element = [], strategy.experimental_local_results(iterator.get_next())[0]
    with tf.Session() as session:
        is_of_strategy = hasattr(iterator, "initialize")
        session.run(iterator.initialize() if is_of_strategy else iterator.initializer)
        while True:
            try:
                found.append(np.asarray(session.run(element)).tolist())
            except tf.errors.OutOfRangeError:
                return found
"""
ROWS = "[[0, 2], [4, 6], [8]]"


def test_each_method_gives_the_elements(tmp_path):
    """1.15.5 prints the same."""
    script = """
print(rows(strategy.make_dataset_iterator(dataset())))
print(rows(strategy.make_input_fn_iterator(dataset)))
print(rows(strategy.experimental_distribute_dataset(dataset()).make_initializable_iterator()))
default = tf.distribute.get_strategy()
given = dataset()
print(default.experimental_distribute_dataset(given) is given)
with tf.Session() as session:
    made = strategy.experimental_make_numpy_dataset(np.arange(4.0), session)
    print(isinstance(made, tf.data.Dataset))
"""
    assert output_of(SCRIPT + script, tmp_path).splitlines() == [ROWS] * 3 + ["True"] * 2


def test_an_input_function_gives_the_ops_of_1_15(tmp_path):
    """1.15.5 prints the same: what tf1grad adds is in a scope of its own."""
    script = """
before = len(graph.get_operations())
strategy.make_input_fn_iterator(dataset)
added = graph.get_operations()[before:]
print(*[op.type for op in added if not op.name.startswith("tf1grad_checks/")])
tf.set_random_seed(1)
tf.random_uniform([])
print([op.get_attr("seed2") for op in graph.get_operations() if op.type == "RandomUniform"])
"""
    types, seed = output_of(SCRIPT + script, tmp_path).splitlines()
    assert (
        types.split()
        == (
            "Const Const Const RangeDataset MapDataset Const Const BatchDatasetV2 Const OptimizeDataset"
            " ModelDataset Const MultiDeviceIterator Const MultiDeviceIteratorInit"
            " MultiDeviceIteratorToStringHandle GeneratorDataset GeneratorDataset Const PrefetchDataset"
            " IteratorV2 MakeIterator IteratorToStringHandle NoOp"
        ).split()
    )
    assert seed == "[27]"


@pytest.mark.period
def test_options_are_those_of_the_dataset(tmp_path):
    script = """
from tf1grad.run.op_layer.installed import distributed_datasets

def installed(**values):
    options = tf.data.Options()
    for name, value in values.items():
        holder = options
        *path, last = name.split("__")
        for part in path:
            holder = getattr(holder, part)
        setattr(holder, last, value)
    made = distributed_datasets._installed(dataset().with_options(options)).options()
    threading = made.threading
    return [made.deterministic, made.experimental_distribute.auto_shard_policy.name,
            threading.max_intra_op_parallelism, threading.private_threadpool_size]

print(installed())
print(installed(experimental_deterministic=False))
print(installed(experimental_distribute__auto_shard=False))
print(installed(experimental_threading__private_threadpool_size=2))
print(installed(experimental_threading__max_intra_op_parallelism=3))
print(distributed_datasets._installed("no dataset"))
"""
    assert output_of(SCRIPT + script, tmp_path).splitlines() == [
        "[None, 'AUTO', None, None]",
        "[False, 'AUTO', None, None]",
        "[None, 'OFF', None, None]",
        "[None, 'AUTO', None, 2]",
        "[None, 'AUTO', 3, None]",
        "no dataset",
    ]


def test_no_warning_tells_about_options_that_the_program_does_not_set(tmp_path):
    """1.15.5 prints the same."""
    script = """
import warnings

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    strategy.make_dataset_iterator(dataset())
    strategy.make_input_fn_iterator(dataset)
    strategy.experimental_distribute_dataset(dataset())
print([str(each.message) for each in told if each.category is UserWarning])
"""
    assert output_of(SCRIPT + script, tmp_path) == "[]\n"
