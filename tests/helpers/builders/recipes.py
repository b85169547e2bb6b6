"""Transcribes the session recipes that the library replaces: the reference for its results.

They are written as users write them, in plain TensorFlow, and import nothing of tf1grad. A comment that begins with
"Corrected" marks where the common form is wrong on some version or kind of variable, and says how.
"""

import numpy as np
import tensorflow.compat.v1 as tf


class TextbookAccumulation:
    """One accumulator variable a gradient, and ops to zero, add and apply."""

    def __init__(self, optimizer, loss, batches_per_step, global_step=None):
        # Corrected: pairs without a gradient are left out; None / batches_per_step is a TypeError.
        pairs = [(gradient, variable) for gradient, variable in optimizer.compute_gradients(loss)
                 if gradient is not None]
        # Corrected: `initialized_value()` raises for resource variables from TF 2.13 on, and is not needed for zeros.
        # Corrected: out of GLOBAL_VARIABLES, where a plain Saver would ask older checkpoints for them.
        sums = [tf.Variable(tf.zeros(variable.shape, variable.dtype.base_dtype), trainable=False,
                            collections=[tf.GraphKeys.LOCAL_VARIABLES]) for _, variable in pairs]
        self.average_loss = tf.Variable(tf.zeros([], loss.dtype), trainable=False,
                                        collections=[tf.GraphKeys.LOCAL_VARIABLES])
        # Corrected: an IndexedSlices cannot be divided on TF 1.15. Made dense, as assign_add would make it.
        shares = [tf.convert_to_tensor(gradient) / batches_per_step for gradient, _ in pairs]
        # Corrected: every gradient before the first write, or ref variables may be read half updated.
        with tf.control_dependencies(shares + [loss]):
            self.evaluate_batch = tf.group(*[total.assign_add(share) for total, share in zip(sums, shares)])
            self.update_loss = self.average_loss.assign_add(loss / batches_per_step)
        self.reset_gradients = tf.group(*[total.assign(tf.zeros_like(total)) for total in sums])
        self.reset_loss = self.average_loss.assign(tf.zeros_like(self.average_loss))
        self.apply_gradients = optimizer.apply_gradients(
            [(total, variable) for total, (_, variable) in zip(sums, pairs)], global_step=global_step)

    def step(self, session, feed_dicts):
        """One large step, a `session.run` each: nothing in one run depends on the order inside it."""
        session.run([self.reset_gradients, self.reset_loss])
        for feed_dict in feed_dicts:
            session.run([self.evaluate_batch, self.update_loss], feed_dict)
        session.run(self.apply_gradients)
        return session.run(self.average_loss)


class FetchAverageFeed:
    """Gradients are fetched, averaged in NumPy and fed back while the apply op runs."""

    def __init__(self, optimizer, loss, global_step=None):
        self._loss = loss
        # Corrected: the old answers unpack `_, gradient_tensors = zip(*pairs)` and so average the variables.
        self._gradients, variables = zip(*optimizer.compute_gradients(loss))
        # Corrected: fed by placeholders. A feed onto the gradient tensor is ignored where the graph was rewritten.
        self._means = [gradient if gradient is None else tf.placeholder(variable.dtype.base_dtype, variable.shape)
                       for gradient, variable in zip(self._gradients, variables)]
        self._apply = optimizer.apply_gradients(list(zip(self._means, variables)), global_step=global_step)

    def step(self, session, feed_dicts):
        """One large step."""
        present = [tf.convert_to_tensor(gradient) for gradient in self._gradients if gradient is not None]
        fetched = [session.run(present + [self._loss], feed_dict) for feed_dict in feed_dicts]
        means = [np.mean(values, axis=0) for values in zip(*fetched)]
        placeholders = [mean for mean in self._means if mean is not None]
        session.run(self._apply, dict(zip(placeholders, means)))
        return means[-1]


class StackedPlaceholders:
    """A placeholder for all micro-batches' gradients of a variable; the mean is taken in the graph."""

    def __init__(self, optimizer, loss, global_step=None):
        self._loss = loss
        pairs = [(gradient, variable) for gradient, variable in optimizer.compute_gradients(loss)
                 if gradient is not None]
        self._gradients = [tf.convert_to_tensor(gradient) for gradient, _ in pairs]
        # Corrected: shaped like the variable. On TF 1.15 a gradient through a cond has lost its shape.
        self._stacks = [tf.placeholder(variable.dtype.base_dtype, [None] + variable.shape.as_list())
                        for _, variable in pairs]
        means = [tf.reduce_mean(stack, axis=0) for stack in self._stacks]
        self._apply = optimizer.apply_gradients([(mean, variable) for mean, (_, variable) in zip(means, pairs)],
                                                global_step=global_step)

    def step(self, session, feed_dicts):
        """One large step."""
        fetched = [session.run(self._gradients + [self._loss], feed_dict) for feed_dict in feed_dicts]
        stacks = [np.stack(values) for values in zip(*fetched)]
        session.run(self._apply, dict(zip(self._stacks, stacks)))
        return np.mean(stacks[-1])
