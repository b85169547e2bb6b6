"""Imports TensorFlow, and is the only module of the library that knows its version.

Every other one writes `from tf1grad._compat import tf` and has one code path. Where TF 1.15 and
2.x, or ref and resource variables, differ, a function here gives both the same answer.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterable, Iterator

import numpy as np

__all__ = ["tf"]  # imported by other modules from here, but defined elsewhere

try:
    import tensorflow.compat.v1 as tf
    from tensorflow.compat.v2 import Variable as _AnyVariable
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.client import session as _client
    from tensorflow.python.ops import variable_scope

    # Called by name it asks no `tf.distribute` strategy, which would mirror the variable and forbid
    # replicas to write.
    from tensorflow.python.ops.resource_variable_ops import ResourceVariable
    from tensorflow.python.ops.session_ops import _get_handle_feeder
except ImportError as error:
    raise ImportError(
        f"tf1grad needs TensorFlow 1.15, or 2.12 or newer, and could not import it ({error}). In a new environment: "
        "pip install tensorflow-cpu, or tensorflow for GPUs."
    ) from error

VERSION = tuple(int(part) for part in tf.__version__.split(".")[:2])
if VERSION < (1, 15):
    raise ImportError(
        f"tf1grad needs TensorFlow 1.15, or 2.12 or newer; this is {tf.__version__}. TensorFlow 1.15 runs the "
        "same graphs: pip install 'tensorflow>=1.15,<2'."
    )


def require_graph(caller: str) -> None:
    """Raises RuntimeError where `caller` cannot build its ops:
    eager execution is on, or the graph is finalized.
    """
    if tf.executing_eagerly():
        raise RuntimeError(
            f"{caller} builds a TensorFlow 1 graph, but eager execution is on. Write `import tensorflow.compat.v1 as "
            "tf` and `tf.disable_v2_behavior()` at the top of the program, or build inside `with "
            "tf.Graph().as_default():`."
        )
    if tf.get_default_graph().finalized:
        raise RuntimeError(
            f"{caller} adds ops to the graph, which is finalized: opening a MonitoredSession does that. Build it "
            "before the session."
        )


def is_closed(session: object) -> bool:
    """Says whether a `tf.Session` or a MonitoredSession is closed,
    which a prepared run does not say clearly.
    """
    if isinstance(session, (tf.train.MonitoredSession, tf.train.SingularMonitoredSession)):
        return session.graph is None
    return bool(getattr(session, "_closed", False))  # nothing public tells


def is_variable(value: object) -> bool:
    """Says whether `value` is a variable: ref or resource, TF 1 or 2,
    or a slice of a partitioned one.
    """
    # On 2.x a resource variable is no instance of compat.v1.Variable; the v2 class covers both on
    # every version.
    return isinstance(value, _AnyVariable)


def is_resource_variable(variable: Any) -> bool:
    """Says whether `variable` is reached through a resource handle,
    so that it is assigned and never fed.
    """
    return is_variable(variable) and variable.dtype == variable.dtype.base_dtype


def is_tensor_handle(value: object) -> bool:
    """Recognises the value of `tf.get_session_handle`, whose class is not public."""
    return type(value) is not np.ndarray and hasattr(value, "to_numpy_array")


def variable_key(variable: tf.Variable) -> Any:
    """Returns a hashable key for `variable` (variables hash or compare
    differently between versions).
    """
    reference = getattr(variable, "ref", None) or variable.experimental_ref
    return reference()


def new_resource_variable(initial_value: object, **options: object) -> tf.Variable:
    """Makes a resource variable; under a `tf.distribute` strategy, one of the calling replica."""
    if tf.distribute.has_strategy():
        return ResourceVariable(initial_value, **options)
    return tf.Variable(initial_value, use_resource=True, **options)


def numbers_of_variable_scopes() -> dict[str, int]:
    """Returns the dict from which variable scopes without a name get their
    numbers in the default graph.
    """
    numbers: dict[str, int] = variable_scope.get_variable_scope_store().variable_scopes_count
    return numbers


def variables_of_get_variable() -> dict[str, Any]:
    """Returns the variables that `tf.get_variable` made in the default graph, by name;
    partitioned ones also whole.
    """
    store = variable_scope._get_default_variable_store()
    return {**store._vars, **store._partitioned_vars}


def set_shared_name(variable: tf.Variable, name: str) -> None:
    """Makes `name` the one by which a server keeps a resource variable,
    instead of its name in the graph.
    """
    variable.handle.op._set_attr("shared_name", tf.AttrValue(s=name.encode()))


def in_one_of_several_replicas() -> bool:
    """Says whether ops are built once for each of several replicas of a
    `tf.distribute` strategy.
    """
    return (
        tf.distribute.get_strategy().num_replicas_in_sync > 1
        and not tf.distribute.in_cross_replica_context()
    )


def initialize_together(variable: tf.Variable, op: tf.Operation) -> None:
    """Makes `variable.initializer`, and `tf.global_variables_initializer` if
    called later, also run `op`.

    Variables whose initializer is made of those of others (a `tf.distribute` strategy's), or that
    have none (those made under eager execution), are not changed.
    """
    if getattr(variable, "_initializer_op", None) is None:
        return
    with tf.init_scope(), tf.name_scope(None):
        variable._initializer_op = tf.group(
            variable.initializer, op, name=variable.op.name + "/initializer"
        )


def operation_holding(variable: tf.Variable) -> tf.Operation:
    """Returns the op that holds `variable` in the default graph, which may be a function graph."""
    graph = tf.get_default_graph()
    if graph.building_function and is_resource_variable(variable):
        return graph.capture(variable.handle).op
    return variable.op


def operation(assigned: Any) -> tf.Operation:
    """Returns the op behind the result of `assign`,
    `assign_add` or `scatter_update` on any kind of variable.
    """
    return assigned if isinstance(assigned, tf.Operation) else assigned.op


def replace_collection(graph: tf.Graph, key: str, values: list[Any]) -> None:
    """Makes the list `values` the collection `key` of `graph`,
    for which no version has a public function.
    """
    graph._collections[key] = values


def scales_the_loss(optimizer: tf.train.Optimizer) -> bool:
    """Says whether it is TensorFlow's `MixedPrecisionLossScaleOptimizer`,
    which some versions lack.
    """
    experimental = getattr(tf.train, "experimental", None)
    scaling = getattr(experimental, "MixedPrecisionLossScaleOptimizer", ())
    return isinstance(optimizer, scaling)


@contextlib.contextmanager
def v1_control_flow() -> Iterator[None]:
    """Builds version 1 of `tf.cond` and `tf.while_loop` inside,
    as ref variables and optimizers need.

    A ref variable cannot be written inside a version 2 `tf.cond` (a TypeError), and slots cannot be
    made there. Inside a function graph only version 2 exists, so nothing changes.
    """
    switch = tf.control_flow_v2_enabled() and not tf.get_default_graph().building_function
    if switch:
        tf.disable_control_flow_v2()
    try:
        yield
    finally:
        if switch:
            tf.enable_control_flow_v2()


def control_dependencies_here() -> frozenset[tf.Operation]:
    """Returns the ops that a new op in the default graph waits for."""
    return frozenset(tf.get_default_graph()._current_control_dependencies())


@contextlib.contextmanager
def without_dependencies(dropped: frozenset[tf.Operation] | None = None) -> Iterator[None]:
    """Opens a context in which new ops do not wait for the ops in `dropped`;
    by default for none that are around it.

    An object that builds several ops does so under the control dependencies of its caller. Only
    those that take the caller's batch may obey them: `with tf.control_dependencies(update_ops)` is
    how programs update batch normalisation.
    """
    graph = tf.get_default_graph()
    around = control_dependencies_here()
    kept = around - (around if dropped is None else dropped)
    # `control_dependencies(None)` also leaves the conditional or loop that is being built.
    context = graph._get_control_flow_context()
    with tf.control_dependencies(None):
        graph._set_control_flow_context(context)
        with tf.control_dependencies(sorted(kept, key=lambda op: str(op.name))):
            yield


def let_wait(op: tf.Operation, others: Iterable[tf.Operation]) -> None:
    """Lets `op`, which no session has run yet, wait for ops that were made after it."""
    op._add_control_inputs(list(others))


def can_prepare(session: object) -> bool:
    """Says whether `make_callable` works: for a `tf.Session`,
    and not for a MonitoredSession or a wrapper.
    """
    return hasattr(session, "_make_callable_from_options")


def make_callable(
    session: tf.Session, fetches: Iterable[Any], feeds: Iterable[tf.Tensor]
) -> Callable[..., list[Any]]:
    """Returns a function from the values of `feeds` to those of `fetches`,
    at a third of `session.run`'s cost.

    It takes contiguous arrays of the feeds' own dtypes: `tf1grad.recipes.sessions.prepared` makes
    them.
    """
    options = config_pb2.CallableOptions()
    options.feed.extend(tensor.name for tensor in feeds)
    for fetch in fetches:
        if isinstance(fetch, tf.Operation):
            options.target.append(fetch.name)
        else:
            options.fetch.append(fetch.name)
    # `session.make_callable(feed_list)` only calls `session.run`; this private twin skips the fetch
    # handler, and is the same on every version from 1.15 on.
    return session._make_callable_from_options(options)


def raw_session(session: object) -> tf.Session:
    """Returns `session`, or the `tf.Session` under a MonitoredSession and its hooks."""
    if isinstance(session, (tf.Session, tf.InteractiveSession)):
        return session
    if not isinstance(session, (tf.train.MonitoredSession, tf.train.SingularMonitoredSession)):
        raise TypeError(
            f"session must be a tf.Session or a MonitoredSession, such as tf.Session(); got {session!r}"
        )
    try:
        return session.run_step_fn(lambda step_context: step_context.session)
    except AttributeError:  # what a closed MonitoredSession raises
        raise RuntimeError("Attempted to use a closed MonitoredSession.") from None


def is_remote(session: tf.Session) -> bool:
    """Says whether a `tf.Session` runs in a server (`tf.Session(server.target)`),
    not in this process.
    """
    return bool(tf.compat.as_str(session.sess_str).startswith("grpc"))


session_base = _client.BaseSession
plain_run, _do_run = session_base.run, session_base._do_run


class ResolvedRun:
    """A `session.run` of fixed fetches whose names are resolved;
    the call into the runtime is TensorFlow's own.
    """

    def __init__(self, session: tf.Session, fetches: object) -> None:
        handler = _client._FetchHandler(session.graph, fetches, {})
        self._of_session = type(session)._do_run is _do_run  # else a subclass intercepts each run
        self._fetches = handler.fetches()
        self._outputs = [tensor._as_tf_output() for tensor in self._fetches]
        self._targets = [target._c_op for target in handler.targets()]
        self._is_op, self._build = handler._ops, handler._fetch_mapper.build_results
        self._handles = bool(handler._fetch_handles)

    def direct(self, fed: Iterable[tf.Tensor]) -> bool:
        """Says whether the runtime alone can run it:
        fetches that are fed, or become handles, need more.
        """
        fetched = {id(tensor) for tensor in self._fetches}
        return (
            self._of_session
            and not self._handles
            and bool(self._outputs or self._targets)
            and not any(id(tensor) in fetched for tensor in fed)
        )

    def __call__(
        self, session: tf.Session, arrays: dict[Any, Any], options: Any, run_metadata: Any
    ) -> Any:
        """Does what `session.run` does with `arrays` fed, a dict from `feed_address` to array."""
        library = _client.tf_session
        options = (
            None if options is None else library.TF_NewBufferFromString(options.SerializeToString())
        )
        metadata = None if run_metadata is None else library.TF_NewBuffer()
        try:
            values = session._do_call(self._call, session, arrays, options, metadata)
            if metadata is not None:
                run_metadata.ParseFromString(tf.compat.as_bytes(library.TF_GetBuffer(metadata)))
        finally:
            for buffer in (options, metadata):
                if buffer is not None:
                    library.TF_DeleteBuffer(buffer)
        if self._targets:
            values = iter(values)
            values = [None if is_op else next(values) for is_op in self._is_op]
        return self._build(values)

    def _call(
        self, session: tf.Session, arrays: dict[Any, Any], options: object, metadata: object
    ) -> Any:
        session._extend_graph()
        return session._call_tf_sessionrun(options, arrays, self._outputs, self._targets, metadata)


def lead_with(error: tf.errors.OpError, sentence: str) -> None:
    """Makes `sentence` the first line of the message of `error`, a `tf.errors.OpError`."""
    error._message = f"{sentence}\n\n{error.message}"


def feed_address(tensor: tf.Tensor) -> Any:
    """Returns the runtime's name of a fed `tensor`;
    None where feeding it may move a session handle first.
    """
    return None if _get_handle_feeder(tensor.graph, tensor) else tensor._as_tf_output()
