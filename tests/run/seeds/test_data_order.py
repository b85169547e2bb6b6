"""Tests the warning about datasets: their order under a seed differs from TensorFlow 1.15's.

The differing datasets were measured on 1.15.5 and 2.21: `tests/same_numbers` has the values.
"""

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.programs.process import messages
from tf1grad.run.seeds import data_order

pytestmark = pytest.mark.skipif(
    tf.__version__.startswith("1."), reason="TensorFlow 1.15 has its own order"
)


def without(name, dataset):
    """Switches an option of the dataset's optimization off."""
    options = tf.data.Options()
    setattr(options.experimental_optimization, name, False)
    return dataset.with_options(options)


DIFFERENT = {
    "repeat": lambda d: d.shuffle(8).repeat(),
    "shuffle_and_repeat": lambda d: d.apply(tf.data.experimental.shuffle_and_repeat(8, 2)),
}
EQUAL = {
    "no repeat": lambda d: d.shuffle(8),
    "batch between them": lambda d: d.shuffle(8).batch(2).repeat(),
    "not reshuffled": lambda d: d.shuffle(8, reshuffle_each_iteration=False).repeat(),
    "no fusion": lambda d: without("shuffle_and_repeat_fusion", d.shuffle(8).repeat()),
    "no optimizations": lambda d: without("apply_default_optimizations", d.shuffle(8).repeat()),
}


def told(make, seed, capsys):
    """Says how often it is told that the order of a dataset under this seed differs."""
    with tf.Graph().as_default():
        tf.set_random_seed(seed) if seed else None
        dataset = make(tf.data.Dataset.range(8))
        assert data_order.warn_of_other_order(lambda same: same)(dataset) is dataset
    return capsys.readouterr().err.count("tf1grad: Dataset.shuffle(...).repeat(...)")


@pytest.fixture(autouse=True)
def nothing_was_told(monkeypatch):
    """Clears the warnings that other tests have printed."""
    monkeypatch.setattr(messages, "said", set())


@pytest.mark.parametrize("make", DIFFERENT.values(), ids=DIFFERENT)
def test_a_differing_order_is_told_once_where_there_is_a_seed(make, capsys):
    assert [told(make, seed, capsys) for seed in (None, 1, 2)] == [0, 1, 0]


@pytest.mark.parametrize("make", EQUAL.values(), ids=EQUAL)
def test_an_equal_order_is_not_told(make, capsys):
    assert told(make, 1, capsys) == 0


def test_the_seed_of_the_dataset_counts_too(capsys):
    assert told(lambda d: d.shuffle(8, seed=3).repeat(), None, capsys) == 1
