"""Compares what the examples compute beside the library with NumPy, a formula or a known value."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from examples import example


def test_interval_is_wilsons():
    interval = example("clip_exploding_rnn").interval
    np.testing.assert_allclose(interval(5, 10), (0.2366, 0.7634), atol=1e-4)
    np.testing.assert_allclose(interval(0, 10), (0.0, 0.2775), atol=1e-4)
    np.testing.assert_allclose(interval(10, 10), (0.7225, 1.0), atol=1e-4)


def test_sequences_hold_their_classes():
    rnn = example("clip_exploding_rnn")
    inputs, labels = rnn.draw_sequences(np.random.RandomState(0), 200, 30)
    assert inputs.shape == (30, 200, rnn.SYMBOLS) and np.all(inputs.sum(-1) == 1)
    symbols = np.argmax(inputs, -1)
    for sequence, label in zip(symbols.T, labels):
        places, = np.nonzero(sequence < 2)
        assert 3 <= places[0] <= 6 and 12 <= places[1] <= 15 and len(places) == 2
        assert 2 * sequence[places[0]] + sequence[places[1]] == label


def test_the_target_moons_are_turned():
    pytest.importorskip("sklearn", reason="the moons are scikit-learn's")
    moons = example("adversarial_moons")
    (_, _), (target, labels) = moons.read_domains(35)
    (_, _), (straight, _) = moons.read_domains(0)
    angles = np.angle((target[:, 0] + 1j * target[:, 1]) / (straight[:, 0] + 1j * straight[:, 1]), deg=True)
    np.testing.assert_allclose(angles, 35)
    assert np.bincount(labels).tolist() == [75, 75]


@pytest.mark.parametrize("critic_first", [False, True])
def test_a_round_of_the_moons_is_a_step_of_each_player(critic_first):
    """Tests that the second player sees the first one's new variables, by the formulas of the two gradients."""
    moons = example("adversarial_moons")
    random = np.random.RandomState(1)
    source, target, labels = random.randn(1, 2), random.randn(1, 2), np.array([1])
    with tf.Graph().as_default(), tf.Session() as session:
        model = moons.Model(0, 6.0, critic_first)
        session.run(tf.global_variables_initializer())
        variables = tf.trainable_variables()
        session.run([variable.assign(random.randn(*variable.shape.as_list())) for variable in variables])
        names = [variable.op.name for variable in variables]
        expected = dict(zip(names, session.run(variables)))
        for train_op in model.train_ops:
            session.run(train_op, {model.source: source, model.labels: labels, model.target: target})
        end = dict(zip(names, session.run(variables)))
    players = [critic_step, reader_step] if critic_first else [reader_step, critic_step]
    for player in players:
        player(expected, np.concatenate([source, target]), labels, weight=6.0, rate=moons.RATE)
    for name in names:
        np.testing.assert_allclose(end[name], expected[name], atol=1e-5, err_msg=name)


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def hidden_of(values, points):
    return sigmoid(points.dot(values["reader/hidden/weights"]) + values["reader/hidden/bias"])


def told_wrong(values, hidden, weight):
    """Returns the gradient of the critic's loss by its two logits."""
    logits = hidden.dot(values["critic/weights"]) + values["critic/bias"]
    return weight * (sigmoid(logits) - [[1.0], [0.0]])


def critic_step(values, points, labels, weight, rate):
    hidden = hidden_of(values, points)
    error = told_wrong(values, hidden, weight)
    values["critic/weights"] = values["critic/weights"] - rate * hidden.T.dot(error)
    values["critic/bias"] = values["critic/bias"] - rate * error.sum(0)


def reader_step(values, points, labels, weight, rate):
    hidden = hidden_of(values, points)
    logits = hidden[:1].dot(values["reader/moon/weights"]) + values["reader/moon/bias"]
    error = np.exp(logits) / np.exp(logits).sum() - np.eye(2)[labels]
    by_hidden = -told_wrong(values, hidden, weight).dot(values["critic/weights"].T)
    by_hidden[:1] += error.dot(values["reader/moon/weights"].T)
    by_hidden *= hidden * (1 - hidden)
    for name, gradient in (("moon/weights", hidden[:1].T.dot(error)), ("moon/bias", error.sum(0)),
                           ("hidden/weights", points.T.dot(by_hidden)), ("hidden/bias", by_hidden.sum(0))):
        values["reader/" + name] = values["reader/" + name] - rate * gradient


@pytest.mark.parametrize("growing, wrong", [
    ((1.0, 100, 0.01, 0.98), None),
    ((1.0, 100, 0.01, 0.96), "the test accuracies are not the same"),
    ((1.0, 100, 0.09, 0.98), "a schedule was no use"),
    ((1.0, 160, 0.01, 0.98), "the growing batch took half of the updates or more")])
def test_verdict_on_a_growing_batch(growing, wrong):
    ends = {"neither": (1.0, 300, 0.05, 0.97), "falling rate": (1.0, 300, 0.01, 0.98), "growing batch": growing}
    assert example("growing_batch_digits").verdict({way: np.array([end]) for way, end in ends.items()}) == wrong
