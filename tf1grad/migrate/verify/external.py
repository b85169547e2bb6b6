"""Observes optimizers outside TensorFlow: each evaluation of loss and gradient is a step."""

import functools
import sys

import numpy as np

from tf1grad import external_optimizer
from tf1grad._compat import tf
from tf1grad.migrate.verify import _compat

CONTRIB = "tensorflow.contrib.opt.python.training.external_optimizer"  # TF 1.15 imports it when a script asks for contrib


def start(recorder):
    """Observes our own interface, and that of TF 1.15, now or once it is imported."""
    def wrap(module):
        _wrap(_compat.external_interface(module), recorder)

    wrap(external_optimizer)
    if CONTRIB in sys.modules:
        wrap(sys.modules[CONTRIB])
    else:
        sys.meta_path.insert(0, _Finder(wrap))


def _wrap(interface, recorder):
    original = interface.minimize

    @functools.wraps(original)
    def minimize(optimizer, session=None, *args, **kwargs):
        search = optimizer._minimize

        def observed_search(**arguments):
            recorder.begin_step(session or tf.get_default_session(), movable=False)
            observed = _Observed(recorder, _variables(optimizer), arguments["loss_grad_func"])
            return search(**dict(arguments, loss_grad_func=observed,
                                 initial_val=observed.moved(arguments["initial_val"])))

        optimizer._minimize = observed_search
        try:
            return original(optimizer, session, *args, **kwargs)
        finally:
            vars(optimizer).pop("_minimize", None)

    interface.minimize = minimize


def _variables(optimizer):
    ours = isinstance(optimizer, external_optimizer.ExternalOptimizerInterface)
    return optimizer._flat.variables if ours else optimizer._vars


class _Observed(object):
    """The function of a vector that returns loss and gradient, which notes them."""

    def __init__(self, recorder, variables, evaluate):
        self._recorder = recorder
        self._variables = variables
        self._evaluate = evaluate

    def __call__(self, vector):
        point = self._cut(vector)
        with self._recorder.unobserved():
            loss, gradient = self._evaluate(vector)
        if self._recorder.observing:
            self._recorder.end_step(self._cut(gradient), point, [np.sum(loss)], "evaluation")
        return [loss, gradient]

    def moved(self, vector):
        """The vector to start from, with the one value moved that is to be moved."""
        parts = [self._recorder.moved(name, value).reshape(-1) for name, value in self._cut(vector).items()]
        return np.concatenate(parts).astype(np.asarray(vector).dtype)

    def _cut(self, vector):
        parts, start = {}, 0
        for variable in self._variables:
            shape = variable.shape.as_list()
            size = int(np.prod(shape, dtype=np.int64))
            parts[variable.name] = np.array(vector[start:start + size], variable.dtype.as_numpy_dtype).reshape(shape)
            start += size
        return parts


class _Finder(object):
    """Calls a function with the module CONTRIB right after its import."""

    def __init__(self, imported):
        self._imported = imported
        self._searching = False

    def find_spec(self, name, path=None, target=None):
        """The module's own spec, with a loader that reports."""
        if self._searching or name != CONTRIB:
            return None
        self._searching = True
        try:
            spec = next(filter(None, (finder.find_spec(name, path, target) for finder in sys.meta_path)), None)
        finally:
            self._searching = False
        if spec is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                self._imported(module)

            spec.loader.exec_module = exec_module
        return spec
