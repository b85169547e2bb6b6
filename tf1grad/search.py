"""One search of an external optimizer: evaluates at the points that are asked for, and remembers the best."""

import collections
import functools
import time

import numpy as np

from tf1grad._compat import is_variable, tf
from tf1grad.aligned import aligned_empty
from tf1grad.grads_and_vars import describe
from tf1grad.prepared import PreparedRun
from tf1grad.progress import Progress

Scalar = collections.namedtuple("Scalar", "value gradient")
Scalar.__doc__ = "A loss or a constraint: tensors of shape [] and [n]."


class Evaluator(object):
    """Tensors as functions of a vector, in one session.

    Args:
        flat: the `FlatVariables`.
        assigns: True where the tensors read the variables, False where they are built on `flat.vector`.
        prepared: a dict that keeps prepared runs from one evaluator to the next.
        session: what runs them.
        run_kwargs: a dict of further arguments of each `session.run`.
    """

    def __init__(self, flat, assigns, prepared, session, run_kwargs):
        self._flat = flat
        self._assigns = assigns
        self._prepared = prepared
        self._session = session
        self._run_kwargs = run_kwargs

    def read(self):
        """The variables as a new float64 vector."""
        return np.array(self._run((self._flat.packed,), {})[0], np.float64)

    def assign(self, vector):
        """Gives the variables the values of `vector`, whose memory they may share from then on."""
        self._run((self._flat.assign,), {self._flat.vector: vector})

    def move(self, vector):
        """Makes `vector` the point where `evaluate` is."""
        if self._assigns:
            self.assign(vector)

    def evaluate(self, tensors, vector, feed_dict, fetches=()):
        """The values of the tuple `tensors` at `vector`, which was moved to; then those of `fetches`, as copies."""
        if not self._assigns:
            feed_dict = {self._flat.vector: vector, **feed_dict}
        if not fetches:
            return self._run(tensors, feed_dict)
        values = self._session.run([*tensors, *fetches], feed_dict, **self._run_kwargs)
        return [value.copy() if isinstance(value, np.ndarray) else value for value in values]

    def _run(self, fetches, feed_dict):
        key = fetches, tuple(feed_dict)
        if key not in self._prepared:
            # Only tensors can be prepared: not the three parts behind a sparse placeholder, not a name.
            simple = all(isinstance(tensor, tf.Tensor) for tensor in feed_dict)
            self._prepared[key] = PreparedRun(fetches, feed_dict) if simple else None
        prepared = self._prepared[key]
        if prepared is None or self._run_kwargs:
            return self._session.run(list(fetches), feed_dict, **self._run_kwargs)
        return prepared(self._session, *feed_dict.values())


class Search(object):
    """A context that leaves the variables at the end that `finish` was given, or else at the best point so far.

    The best point is the one of the lowest loss; under constraints, which such a point may violate, the one that the
    last iteration ended with.

    Args:
        evaluator: the `Evaluator`.
        flat: its `FlatVariables`.
        feed_dict: feeds of every evaluation, or None.
        feed_dicts: micro-batches, or None: see `ExternalOptimizerInterface.minimize`.
        constrained: True if there are constraints.

    Attributes:
        end: where the search ended, float64 `[n]`.
    """

    def __init__(self, evaluator, flat, feed_dict, feed_dicts=None, constrained=False):
        self._evaluator = evaluator
        self._size = flat.size
        self._feed_dict = _owned(feed_dict, flat.variables)
        self._parts = _parts(self._feed_dict, feed_dicts)
        self._constrained = constrained
        self._vector, self._best = (aligned_empty([flat.size], flat.dtype.as_numpy_dtype) for _ in range(2))
        self._best_loss = np.inf
        self._evaluations = 0
        self.end = None

    def start(self):
        """The variables' values, float64 `[n]`, where the search begins."""
        vector = self._evaluator.read()
        self._best[:] = vector
        return vector

    def loss_and_gradient(self, loss, fetches=(), loss_callback=None, progress=None):
        """The `Scalar` `loss` as a function of a vector that returns (loss, gradient): a float, float64 `[n]`."""
        began = time.time()

        def function(vector):
            value, gradient, fetched = self._sum(loss, vector, fetches)
            if value < self._best_loss and not self._constrained:
                self._best_loss = value
                self._vector, self._best = self._best, self._vector
            self._evaluations += 1
            if loss_callback:
                loss_callback(*fetched)
            if progress:
                speed = self._evaluations / max(time.time() - began, 1e-9)
                progress(Progress(self._evaluations, value, float(np.linalg.norm(gradient)), speed))
            return value, gradient

        return function

    def tensor(self, tensor):
        """`tensor` as a function of a vector that returns a new float64 array `[1, ...]`."""
        def function(vector):
            self._move(vector)
            value, = self._evaluator.evaluate((tensor,), self._vector, self._feed_dict)
            return np.array(value, np.float64)[np.newaxis]

        return function

    def step(self, step_callback):
        """`step_callback`, with its own signature; a `StopIteration` from it carries the point as its value."""
        def step(*args, **kwargs):
            point = args[0] if args else kwargs["intermediate_result"].x
            if self._constrained:
                self._best[:] = point
            try:
                return step_callback(*args, **kwargs) if step_callback else None
            except StopIteration:
                raise StopIteration(np.array(point)) from None

        return functools.wraps(step_callback)(step) if step_callback else step

    def finish(self, vector):
        """Takes `vector` as the end of the search."""
        end = np.array(vector, np.float64).ravel()
        if end.size != self._size:
            raise ValueError("_minimize must return a vector of %d elements; got the shape %s."
                             % (self._size, np.shape(vector)))
        self._leave(end)
        self.end = end

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            self._leave(self._best)

    def _leave(self, vector):
        # Memory that is written no more, since a variable may keep it.
        self._evaluator.assign(vector.astype(self._vector.dtype))

    def _move(self, vector):
        np.copyto(self._vector, np.reshape(vector, [self._size]), casting="same_kind")
        self._evaluator.move(self._vector)

    def _sum(self, loss, vector, fetches):
        self._move(vector)
        value, gradient, fetched = 0.0, None, ()
        for feed_dict in self._parts():
            part, part_gradient, *fetched = self._evaluator.evaluate(loss, self._vector, feed_dict, fetches)
            value += float(part)
            if gradient is None:
                gradient = np.array(part_gradient, np.float64)
            else:
                gradient += part_gradient
        if gradient is None:
            raise ValueError("feed_dicts gave no micro-batch. Pass a list, or a function that returns a new iterator "
                             "each time it is called.")
        return value, gradient, fetched


def _owned(feed_dict, variables):
    """`feed_dict` with its arrays copied to where TensorFlow reads them in place, evaluation after evaluation."""
    owned = {}
    for key, value in _checked(feed_dict, variables, "feed_dict").items():
        if isinstance(key, tf.Tensor) and isinstance(value, (np.ndarray, list, tuple)) and key.dtype != tf.string:
            array = np.asarray(value)
            value = aligned_empty(array.shape, key.dtype.as_numpy_dtype)
            value[...] = array
        owned[key] = value
    return owned


def _parts(common, feed_dicts):
    if feed_dicts is None:
        return lambda: (common,)
    if not callable(feed_dicts) and not isinstance(feed_dicts, (list, tuple)):
        raise TypeError("feed_dicts must be a list of dicts, or a function that returns a new iterator of them: the "
                        "micro-batches are read again at each evaluation; got %s." % describe(feed_dicts))

    def parts():
        for feed_dict in feed_dicts() if callable(feed_dicts) else feed_dicts:
            yield {**common, **_checked(feed_dict, (), "an element of feed_dicts")}

    return parts


def _checked(feed_dict, variables, what):
    feed_dict = {} if feed_dict is None else feed_dict
    if not isinstance(feed_dict, dict):
        raise TypeError("%s must be a dict of what to feed; got %s." % (what, describe(feed_dict)))
    names = [variable.name for variable in variables]
    for key in feed_dict:
        if (is_variable(key) or isinstance(key, tf.Tensor)) and key.name in names:
            raise ValueError("%s feeds %s, which is being optimized. To start elsewhere, assign it; to keep it fixed, "
                             "leave it out of var_list." % (what, key.name))
    return feed_dict
