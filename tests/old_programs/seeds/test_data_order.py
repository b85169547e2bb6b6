"""Tests the warning about datasets: their order under a seed differs from TensorFlow 1.15's.

The differing datasets were measured on 1.15.5 and 2.21: `tests/same_numbers` has the values.
"""

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.old_programs.process import messages
from tf1grad.old_programs.seeds import data_order

pytestmark = pytest.mark.skipif(
    tf.__version__.startswith("1."), reason="TensorFlow 1.15 has its own order"
)


def unfused(name, value):
    """Returns a function of a dataset that sets an option of its optimization."""
    options = tf.data.Options()
    setattr(options.experimental_optimization, name, value)
    return lambda dataset: dataset.with_options(options)


DIFFERENT = {
    "repeat": lambda d: d.shuffle(8).repeat(),
    "repeat, map and batch": lambda d: d.shuffle(8).repeat(2).map(lambda x: x + 1).batch(2),
    "zip": lambda d: tf.data.Dataset.zip((d, d.shuffle(8).repeat())),
    "shuffle_and_repeat": lambda d: d.apply(tf.data.experimental.shuffle_and_repeat(8, 2)),
}
EQUAL = {
    "no repeat": lambda d: d.shuffle(8),
    "repeat before shuffle": lambda d: d.repeat().shuffle(8),
    "batch between them": lambda d: d.shuffle(8).batch(2).repeat(),
    "not reshuffled": lambda d: d.shuffle(8, reshuffle_each_iteration=False).repeat(),
    "no optimizations": lambda d: unfused("apply_default_optimizations", False)(
        d.shuffle(8).repeat()
    ),
    "no fusion": lambda d: unfused("shuffle_and_repeat_fusion", False)(d.shuffle(8).repeat()),
}


def told(make, seed):
    """Returns what the graph reports of a dataset under this seed."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(seed) if seed else None
        dataset = make(tf.data.Dataset.range(8))
        assert data_order.watched(lambda same: same)(dataset) is dataset
        return data_order.reordering_function(graph)


@pytest.fixture(autouse=True)
def nothing_was_told(monkeypatch):
    """Clears the warnings that other tests have printed."""
    monkeypatch.setattr(messages, "said", set())


@pytest.mark.parametrize("make", DIFFERENT.values(), ids=DIFFERENT)
def test_differing_order_is_reported_once(make, capsys):
    assert told(make, 1) == told(make, 2) == "Dataset.shuffle_and_repeat"
    errors = capsys.readouterr().err
    assert errors.count("tf1grad: Dataset.shuffle(...).repeat(...)") == 1
    assert "shuffle_and_repeat_fusion = False" in errors


@pytest.mark.parametrize("make", EQUAL.values(), ids=EQUAL)
def test_equal_order_is_not_reported(make, capsys):
    assert told(make, 1) is None and capsys.readouterr().err == ""


@pytest.mark.parametrize("make", DIFFERENT.values(), ids=DIFFERENT)
def test_order_is_not_reported_without_a_seed(make, capsys):
    assert told(make, None) is None and capsys.readouterr().err == ""


def test_seed_of_the_dataset_counts_too(capsys):
    assert told(lambda d: d.shuffle(8, seed=3).repeat(), None)
