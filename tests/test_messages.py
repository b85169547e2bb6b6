"""Tests the messages of common mistakes: they name the given value and what to write, before anything has run."""

import logging

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad


class Keras:
    """Has the attributes of a Keras optimizer."""

    def apply_gradients(self, grads_and_vars, name=None):
        raise AssertionError("it was called")

    def get_config(self):
        return {}


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None], name="x")
        self.w = tf.get_variable("w", initializer=1.0)
        self.v = tf.get_variable("v", initializer=[1.0, 2.0])
        self.loss = tf.reduce_mean(self.w * self.x) + tf.reduce_sum(self.v)
        self.optimizer = tf.train.GradientDescentOptimizer(0.5)
        self.pairs = self.optimizer.compute_gradients(self.loss)
        self.accumulator = tf1grad.GradientAccumulator(self.pairs, loss=self.loss)

    def step(self):
        return self.accumulator.step(self.optimizer)

    def zip_that_was_read(self):
        pairs = zip(*zip(*self.pairs))
        list(pairs)
        return pairs


SGD = tf.train.GradientDescentOptimizer
MISTAKES = {
    "one dict": (lambda m, s: m.step()(s, {m.x: [1.0]}), TypeError, r"a feed_dict for each micro-batch.*\[feed_dict\]"),
    "an array": (lambda m, s: m.step()(s, np.ones([3, 2])), TypeError, "each element of feed_dicts.*ndarray"),
    "a number": (lambda m, s: m.step()(s, 5), TypeError, "must be an iterable.*int 5"),
    "swapped": (lambda m, s: m.step()([{m.x: [1.0]}], s), TypeError, "session must be a tf.Session.*first; got list"),
    "swapped, external": (lambda m, s: tf1grad.ScipyOptimizerInterface(m.loss).minimize({m.x: [1.0]}, s), TypeError,
                          "ScipyOptimizerInterface: session must be.*got dict"),
    "another graph": (lambda m, s: m.step()(tf.Session(graph=tf.Graph()), [{}]), ValueError,
                      "AccumulatedStep: the session is of another graph"),
    "class, wrapped": (lambda m, s: tf1grad.AccumulatingOptimizer(SGD, 2), TypeError,
                       "AccumulatingOptimizer: optimizer.*the class GradientDescentOptimizer. Make an instance"),
    "class, clipping": (lambda m, s: tf1grad.ClippingOptimizer(SGD, 2.0), TypeError, "the class Gradient"),
    "class, applied": (lambda m, s: m.accumulator.apply(SGD), TypeError, "the class Gradient"),
    "class, step": (lambda m, s: m.accumulator.step(SGD), TypeError, "the class Gradient"),
    "class, guarded": (lambda m, s: tf1grad.drop_nonfinite(m.pairs).apply(SGD), TypeError, "the class Gradient"),
    "class, factory": (lambda m, s: tf1grad.gate_variables(m.pairs, {"w": True, "v": True}, lambda: SGD), TypeError,
                       "optimizer_factory.*the class Gradient"),
    "Keras": (lambda m, s: m.accumulator.apply(Keras()), TypeError, "Keras optimizers have another interface"),
    "Keras, step": (lambda m, s: m.accumulator.step(Keras()), TypeError, "Keras optimizers have another interface"),
    "used-up zip": (lambda m, s: tf1grad.clip_by_norm(m.zip_that_was_read(), 1.0), ValueError,
                    r"a zip that was read before: write list\(zip\("),
    "used-up zip, applied": (lambda m, s: tf1grad.AccumulatingOptimizer(m.optimizer, 2).apply_gradients(
        m.zip_that_was_read()), ValueError, "a zip that was read before"),
    "gradients alone": (lambda m, s: tf1grad.clip_by_global_norm([gradient for gradient, _ in m.pairs], 5.0), TypeError,
                        r"tf.clip_by_global_norm takes them, become pairs by list\(zip\(gradients, variables\)\)"),
    "misspelt": (lambda m, s: tf1grad.GradientAcumulator, AttributeError, "Did you mean GradientAccumulator"),
}


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_message(mistake, session):
    model = Model()
    session.run(tf.global_variables_initializer())
    make, error, message = MISTAKES[mistake]
    with pytest.raises(error, match=message):
        make(model, session)


def test_a_name_that_is_like_no_other_gets_no_guess():
    with pytest.raises(AttributeError, match="no attribute 'zzz'$"):
        tf1grad.zzz


@pytest.fixture
def warnings():
    """Returns the list of the warnings that TensorFlow logs."""
    lines, handler, logger = [], logging.Handler(), logging.getLogger("tensorflow")
    handler.emit = lambda record: lines.append(record.getMessage())
    level = tf.logging.get_verbosity()
    logger.addHandler(handler)
    tf.logging.set_verbosity(tf.logging.WARN)
    yield lines
    tf.logging.set_verbosity(level)
    logger.removeHandler(handler)


@pytest.mark.parametrize("fetched", [False, True])
@pytest.mark.parametrize("kind", ["accumulate", "players"])
def test_a_hook_that_no_run_asks_for_says_so(kind, fetched, graph, warnings):
    model = Model()
    if kind == "accumulate":
        hook = tf1grad.AccumulateHook(model.accumulator, model.optimizer, 2)
    else:
        step = tf.train.get_or_create_global_step()
        hook = tf1grad.PlayersHook(tf1grad.alternate({"one": (model.loss, "w")}, lambda: model.optimizer, step))
    other = tf.reduce_sum(model.x)
    with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
        for _ in range(3):
            session.run(model.loss if fetched else other, {model.x: [1.0]})
    said = [line for line in warnings if "nothing was trained" in line]
    assert len(said) == (not fetched)
    if said:
        assert "None of the 3 runs" in said[0] and model.loss.name in said[0]
