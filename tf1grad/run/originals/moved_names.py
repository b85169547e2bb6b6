"""Finds names that TensorFlow 2 moved from one private module to another,
and gives them to the installed modules.

Libraries that import the installed private modules under their names of TensorFlow 1, such as
tf_slim, find them there.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from typing import Any

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.names.dotted_names import join
from tf1grad.programs.process import patches
from tf1grad.run.originals import name_map


def complete_private_modules() -> None:
    """Restores the old names of the private modules that are loaded."""
    for name in list(sys.modules):
        if name.startswith(_compat.PRIVATE):
            private_module(name)
    config: Any = importlib.import_module("tensorflow.core.protobuf.config_pb2")
    config.RPCOptions = type(config.ConfigProto().rpc_options)  # another file defines it now


def complete_variables() -> None:
    """Restores `initialized_value` of resource variables, which only raises since TensorFlow 2.16.

    They become instances of `tf.Variable` again, and NumPy takes those of graphs as objects again.
    """
    variables = _compat.resolve("tensorflow.python.ops.resource_variable_ops.BaseResourceVariable")
    patches.patch(variables, "initialized_value", _initialized_value, reason="")
    patches.patch(
        variables, "__array__", property(functools.partial(_array, variables.__array__)), reason=""
    )
    tf.Variable.register(variables)


def _initialized_value(variable: tf.Variable) -> tf.Tensor:
    """Returns the variable's value, or its initial value as long as its initializer has not run."""
    with tf.init_scope():
        return tf.cond(
            tf.is_variable_initialized(variable),
            variable.read_value,
            lambda: variable.initial_value,
        )


def _array(convert: patches.Function, variable: tf.Variable) -> patches.Function:
    if not tf.executing_eagerly():
        raise AttributeError("__array__")  # as if it had no such method
    return functools.partial(convert, variable)


def private_module(fullname: str) -> types.ModuleType:
    """Returns the module `tensorflow.python...`, with the names that later versions moved,
    looked up when used.
    """
    module = importlib.import_module(fullname)
    if "__getattr__" not in vars(module):
        setattr(module, "__getattr__", functools.partial(find, fullname.partition(".")[2]))
    return module


def find(path: str, name: str) -> Any:
    """Returns the value that was `name` in the module at `path`,
    from the module that has it now.
    """
    if path.partition(".")[0] == "python" and not name.startswith("_"):
        try:
            return private_module(f"tensorflow.{path}.{name}")
        except ImportError:
            pass  # it is not a submodule
        for place in name_map.MOVED_TO:
            found = _names_of(place).get(name)
            # They import modules of such names.
            if found is not None and not isinstance(found, types.ModuleType):
                return found
        if name in dir(tf):
            return getattr(tf, name)
    now = name_map.rows().get(join(path, name), name_map.ORIGINAL)
    if now != name_map.ORIGINAL:
        return _compat.resolve(now)
    raise AttributeError(f"module {join('tensorflow', path)!r} has no attribute {name!r}")


def _names_of(module: str) -> dict[str, Any]:
    try:
        return vars(importlib.import_module(module))
    except ImportError:  # a later version added it
        return {}
