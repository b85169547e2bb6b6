"""Makes non-trainable state variables, such as sums, counts and windows, which outlive a run.

They are resource variables on every TensorFlow, so that a write in a conditional is one code path.
Unless they are persistent they are in no collection: a plain `tf.train.Saver()` neither writes nor
expects them. No initializer needs to run, because they are read with `read_or_zeros`.

They are on the task that computes, never on a parameter server, where all workers would write the
same one.

A server (`tf.train.Server`) keeps variables by container and name, from one session to the next.
There, clients share variables of the same names:

- Persistent state is shared in the same way, because it is a part of the model.
- Other state has a name that no other graph has. Each client has its own, and a client that starts
  again begins anew.
"""

from __future__ import annotations

import contextlib
import uuid
from typing import Any, Iterable, Iterator

from tf1grad._compat import (
    initialize_together,
    new_resource_variable,
    operation,
    set_shared_name,
    tf,
)


def state_variable(
    name: str,
    shape: Any,
    dtype: tf.DType,
    persistent: bool = False,
    beside: tf.Tensor | None = None,
) -> tf.Variable:
    """Makes a non-trainable resource variable that needs no initializer.

    Args:
        shape: where a dimension is None, it starts at 0, and values of changing size may be
            assigned.
        persistent: True puts it among the global variables: initialised with zeros, saved and
            restored with them.
        beside: a tensor. The variable is on its device, unless that is on another task than this
            computation.
    """
    shape = tf.TensorShape(shape)
    with on_this_task(beside):
        variable = new_resource_variable(
            lambda: _zeros(shape, dtype),
            trainable=False,
            validate_shape=shape.is_fully_defined(),
            collections=[tf.GraphKeys.GLOBAL_VARIABLES] if persistent else [],
            name=name,
            dtype=dtype,
        )
    if not persistent:
        set_shared_name(variable, name_of_this_graph(variable.op.name))
    if persistent and (tf.DeviceSpec.from_string(variable.device).task or 0) > 0:
        raise ValueError(
            f"persistent=True: {variable.name} is on {variable.device}, and the chief writes the "
            "checkpoint, and does not see the open windows of other workers. Leave persistent out: a "
            "restart then drops the whole open window."
        )
    return variable


def name_of_this_graph(name: str) -> str:
    """Returns a name under which a server finds this graph's state, and no other graph's."""
    return f"{name}-{uuid.uuid4().hex}"


def counting_variable(
    name: str, shape: object, dtype: tf.DType, persistent: bool = False
) -> tf.Variable:
    """Makes a `state_variable` that begins at zero in every session that
    `MonitoredSession` or `Supervisor` opens.

    On a server, a graph's later session finds what an earlier one left. This variable is then set
    to zero, with the table initializers. A persistent one is restored.
    """
    with tf.init_scope():
        variable = state_variable(name, shape, dtype, persistent)
        if not persistent:
            tf.add_to_collection(
                tf.GraphKeys.TABLE_INITIALIZERS,
                operation(variable.assign(tf.zeros(variable.shape, dtype))),
            )
    return variable


def zero_with_initializers(counter: tf.Variable, variables: Iterable[tf.Variable]) -> None:
    """Sets `counter` to zero whenever one of `variables` is initialised,
    because it counted their old values.

    A persistent one is initialised like any global variable. Initializers that were made before do
    not do so.
    """
    with tf.init_scope():
        zero = operation(counter.assign(tf.zeros(counter.shape, counter.dtype)))
    for variable in variables:
        initialize_together(variable, zero)


@contextlib.contextmanager
def on_this_task(beside: tf.Tensor | None = None) -> Iterator[None]:
    """Opens a context on the task that computes here,
    beside the tensor `beside` if that is on it too.
    """
    # `tf.train.replica_device_setter` sends variables to the parameter servers; an ordinary op
    # shows where we are.
    here = tf.no_op().device
    if beside is not None and task_of(beside.device) in (task_of(here), task_of("")):
        with tf.get_default_graph().colocate_with(beside.op):
            yield
    else:
        with tf.device(None), tf.device(here):
            yield


def task_of(device: str) -> tuple[str | None, int | None]:
    """Returns the job and the task of a device; None where it does not name them."""
    spec = tf.DeviceSpec.from_string(device)
    return spec.job, spec.task


def _zeros(shape: tf.TensorShape, dtype: tf.DType) -> tf.Tensor:
    sizes = [] if shape.ndims is None else shape.as_list()
    start = tf.zeros([0 if size is None else size for size in sizes], dtype)
    # A constant initial value would let its size be folded into everything that reads the variable.
    return start if shape.is_fully_defined() else tf.placeholder_with_default(start, shape)


def read_or_zeros(variable: tf.Variable) -> tf.Tensor:
    """Returns the variable's value, or zeros of its static shape as long
    as nothing was assigned.
    """
    return tf.cond(
        tf.is_variable_initialized(variable),
        variable.read_value,
        lambda: tf.zeros(variable.shape, variable.dtype),
    )
