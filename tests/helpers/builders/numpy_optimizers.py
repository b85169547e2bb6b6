"""Implements the update rules of four optimizers in NumPy, from their papers' equations.

`rows` are the touched rows of a sparse gradient: Momentum and Adagrad update those alone, with their gradients summed;
Adam's moments decay in every row. All hyperparameters are sums of few powers of two: TensorFlow holds them in float32
and would round other values, and float64 training could only be compared roughly. Adam's beta powers are held so too:
they are exact for three steps.
"""

import numpy as np
import tensorflow.compat.v1 as tf

RATE, DECAY, SQUARE_DECAY = 1 / 8, 7 / 8, 127 / 128
EPSILON, START_SQUARE = 2.0**-20, 1 / 8


class Rule:
    """Slots by name of the variable, and the number of the step."""

    slots = ()

    def __init__(self):
        self.steps, self._state = 0, {}

    def begin_step(self):
        self.steps += 1

    def update(self, name, value, gradient, rows=None):
        """Returns the new value of a variable."""
        if name not in self._state:
            self._state[name] = [np.full_like(value, start) for start in self.slots]
        touched = Ellipsis if rows is None else rows
        value, state = np.array(value), self._state[name]
        result = self.rule(value[touched], gradient[touched], *[slot[touched] for slot in state])
        value[touched] = result[0]
        for slot, new in zip(state, result[1:]):
            slot[touched] = new
        return value


class Sgd(Rule):
    def rule(self, value, gradient):
        return (value - RATE * gradient,)


class Nesterov(Rule):
    slots = (0.0,)

    def rule(self, value, gradient, velocity):
        velocity = DECAY * velocity + gradient
        return value - RATE * (gradient + DECAY * velocity), velocity


class Adam(Rule):
    slots = (0.0, 0.0)

    def update(self, name, value, gradient, rows=None):
        return super().update(name, value, gradient)

    def rule(self, value, gradient, mean, square):
        mean = DECAY * mean + (1 - DECAY) * gradient
        square = SQUARE_DECAY * square + (1 - SQUARE_DECAY) * gradient**2
        rate = RATE * np.sqrt(1 - SQUARE_DECAY**self.steps) / (1 - DECAY**self.steps)
        return value - rate * mean / (np.sqrt(square) + EPSILON), mean, square


class Adagrad(Rule):
    slots = (START_SQUARE,)

    def rule(self, value, gradient, square):
        square = square + gradient**2
        return value - RATE * gradient / np.sqrt(square), square


RULES = {
    "sgd": (Sgd, lambda: tf.train.GradientDescentOptimizer(RATE)),
    "nesterov": (Nesterov, lambda: tf.train.MomentumOptimizer(RATE, DECAY, use_nesterov=True)),
    "adam": (Adam, lambda: tf.train.AdamOptimizer(RATE, DECAY, SQUARE_DECAY, EPSILON)),
    "adagrad": (Adagrad, lambda: tf.train.AdagradOptimizer(RATE, START_SQUARE)),
}
