"""Implements the update rules of optimizers in NumPy, from their papers' equations.

`rows` are the touched rows of a sparse gradient: all but Adam update those alone, with their
gradients summed; Adam's moments decay in every row. All hyperparameters are sums of few powers of
two: TensorFlow holds them in float32 and would round other values, and float64 training could only
be compared roughly. Adam's beta powers are held so too: they are exact for three steps.
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


class Momentum(Rule):
    slots = (0.0,)

    def rule(self, value, gradient, velocity):
        velocity = DECAY * velocity + gradient
        return value - RATE * velocity, velocity


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


class RmsProp(Rule):
    """The mean of squares starts at 1, as in TensorFlow."""

    slots = (1.0, 0.0)

    def rule(self, value, gradient, square, velocity):
        square = DECAY * square + (1 - DECAY) * gradient**2
        velocity = velocity / 2 + RATE * gradient / np.sqrt(square + EPSILON)
        return value - velocity, square, velocity


class CenteredRmsProp(Rule):
    slots = (1.0, 0.0, 0.0)

    def rule(self, value, gradient, square, velocity, mean):
        square = DECAY * square + (1 - DECAY) * gradient**2
        mean = DECAY * mean + (1 - DECAY) * gradient
        velocity = velocity / 2 + RATE * gradient / np.sqrt(square - mean**2 + EPSILON)
        return value - velocity, square, velocity, mean


class Adadelta(Rule):
    slots = (0.0, 0.0)

    def rule(self, value, gradient, square, square_of_steps):
        square = DECAY * square + (1 - DECAY) * gradient**2
        step = gradient * np.sqrt(square_of_steps + EPSILON) / np.sqrt(square + EPSILON)
        square_of_steps = DECAY * square_of_steps + (1 - DECAY) * step**2
        return value - step, square, square_of_steps


class Ftrl(Rule):
    """Follow the regularized leader, without penalties."""

    slots = (START_SQUARE, 0.0)

    def rule(self, value, gradient, square, linear):
        new_square = square + gradient**2
        linear = linear + gradient - (np.sqrt(new_square) - np.sqrt(square)) / RATE * value
        return -linear * RATE / np.sqrt(new_square), new_square, linear


RULES = {
    "sgd": (Sgd, lambda: tf.train.GradientDescentOptimizer(RATE)),
    "momentum": (Momentum, lambda: tf.train.MomentumOptimizer(RATE, DECAY)),
    "nesterov": (Nesterov, lambda: tf.train.MomentumOptimizer(RATE, DECAY, use_nesterov=True)),
    "adam": (Adam, lambda: tf.train.AdamOptimizer(RATE, DECAY, SQUARE_DECAY, EPSILON)),
    "adagrad": (Adagrad, lambda: tf.train.AdagradOptimizer(RATE, START_SQUARE)),
    "rmsprop": (RmsProp, lambda: tf.train.RMSPropOptimizer(RATE, DECAY, 0.5, EPSILON)),
    "centered rmsprop": (
        CenteredRmsProp,
        lambda: tf.train.RMSPropOptimizer(RATE, DECAY, 0.5, EPSILON, centered=True),
    ),
    "adadelta": (Adadelta, lambda: tf.train.AdadeltaOptimizer(1.0, DECAY, EPSILON)),
    "ftrl": (Ftrl, lambda: tf.train.FtrlOptimizer(RATE, initial_accumulator_value=START_SQUARE)),
}
