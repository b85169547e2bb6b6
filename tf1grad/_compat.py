"""The only module that imports TensorFlow, and the only one that knows which TensorFlow it is.

Everything else says `from tf1grad._compat import tf` and is written once. What differs between TF 1.15 and 2.x, or
between ref and resource variables, has a function here that gives both the same answer.
"""

import contextlib
import copy
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy as np

__all__ = ["tf"]  # what the others import from here that is not made here

try:
    import tensorflow.compat.v1 as tf
    from tensorflow.compat.v2 import Variable as _AnyVariable
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.client import session as _client

    # Called by name it asks no `tf.distribute` strategy, which would mirror the variable and forbid replicas to write.
    from tensorflow.python.ops.resource_variable_ops import ResourceVariable
    from tensorflow.python.ops.session_ops import _get_handle_feeder
except ImportError as error:
    raise ImportError(
        f"tf1grad needs TensorFlow 1.15 or any 2.x, and could not import it ({error}). In a new environment: pip "
        "install tensorflow-cpu, or tensorflow for GPUs.") from error

VERSION = tuple(int(part) for part in tf.__version__.split(".")[:2])
if VERSION < (1, 15):
    raise ImportError(f"tf1grad needs TensorFlow 1.15 or any 2.x; this is {tf.__version__}. TensorFlow 1.15 runs the "
                      "same graphs: pip install 'tensorflow>=1.15,<2'.")


def require_graph(caller: str) -> None:
    """Raises RuntimeError when eager execution is on where `caller` builds its graph."""
    if tf.executing_eagerly():
        raise RuntimeError(
            f"{caller} builds a TensorFlow 1 graph, but eager execution is on. Write `import tensorflow.compat.v1 as "
            "tf` and `tf.disable_v2_behavior()` at the top of the program, or build inside `with "
            "tf.Graph().as_default():`.")


def is_variable(value: Any) -> bool:
    """True for a variable of any kind: ref or resource, TF 1 or 2, or one slice of a partitioned variable."""
    # On 2.x a resource variable is no instance of compat.v1.Variable; the v2 class covers both on every version.
    return isinstance(value, _AnyVariable)


def is_resource_variable(variable: Any) -> bool:
    """True when `variable` is reached through a resource handle, so that it is assigned and never fed."""
    return is_variable(variable) and variable.dtype == variable.dtype.base_dtype


def is_tensor_handle(value: Any) -> bool:
    """True for what `session.run` returned for `tf.get_session_handle`; its class has no public name."""
    return type(value) is not np.ndarray and hasattr(value, "to_numpy_array")


def variable_key(variable: tf.Variable) -> Any:
    """A hashable stand-in for `variable` (variables themselves hash or compare differently between versions)."""
    reference = getattr(variable, "ref", None) or variable.experimental_ref
    return reference()


def new_resource_variable(initial_value: Any, **options: Any) -> tf.Variable:
    """A resource variable; under a `tf.distribute` strategy, the calling replica's own."""
    if tf.distribute.has_strategy():
        return ResourceVariable(initial_value, **options)
    return tf.Variable(initial_value, use_resource=True, **options)


def in_one_of_several_replicas() -> bool:
    """True where ops are built once for each of several replicas of a `tf.distribute` strategy."""
    return tf.distribute.get_strategy().num_replicas_in_sync > 1 and not tf.distribute.in_cross_replica_context()


def initialize_together(variable: tf.Variable, op: tf.Operation) -> None:
    """From now on `variable.initializer` also runs `op`, and so does a `tf.global_variables_initializer` made later.

    Variables whose initializer is made of those of others (a `tf.distribute` strategy's), or that have none (those made
    under eager execution), stay as they are.
    """
    if getattr(variable, "_initializer_op", None) is None:
        return
    with tf.init_scope(), tf.name_scope(None):
        variable._initializer_op = tf.group(variable.initializer, op, name=variable.op.name + "/initializer")


def operation_holding(variable: tf.Variable) -> tf.Operation:
    """The op that holds `variable` where ops are built now: its own, or what stands for it in a function graph."""
    graph = tf.get_default_graph()
    if graph.building_function and is_resource_variable(variable):
        return graph.capture(variable.handle).op
    return variable.op


def operation(assigned: Any) -> tf.Operation:
    """The op behind what `assign`, `assign_add` or `scatter_update` returned, whichever kind of variable it was."""
    return assigned if isinstance(assigned, tf.Operation) else assigned.op


def replace_collection(graph: tf.Graph, key: str, values: List[Any]) -> None:
    """Makes the list `values` the collection `key` of `graph`, for which no version has a public name."""
    graph._collections[key] = values


def sgd_with_rate_times(optimizer: Any, factor: tf.Tensor) -> Optional[tf.train.Optimizer]:
    """A copy of plain SGD with its learning rate times the scalar tensor `factor`; None for any other optimizer.

    Only there is a scaled rate the same update as scaled gradients, whatever the gradients are.
    """
    if type(optimizer) is not tf.train.GradientDescentOptimizer:
        return None
    rate = optimizer._learning_rate  # no public name on any version
    scaled = copy.copy(optimizer)
    scaled._learning_rate = tf.cast(rate() if callable(rate) else rate, factor.dtype) * factor
    return scaled


def scales_the_loss(optimizer: Any) -> bool:
    """True for TensorFlow's `MixedPrecisionLossScaleOptimizer`, which not every version has."""
    experimental = getattr(tf.train, "experimental", None)
    scaling = getattr(experimental, "MixedPrecisionLossScaleOptimizer", ())
    return isinstance(optimizer, scaling)


@contextlib.contextmanager
def v1_control_flow() -> Iterator[None]:
    """`tf.cond` and `tf.while_loop` built inside are of the first version, as ref variables and optimizers need.

    A ref variable cannot be written inside a version 2 `tf.cond` (a TypeError), and slots cannot be made there.
    Inside a function graph only version 2 exists, so nothing changes.
    """
    switch = tf.control_flow_v2_enabled() and not tf.get_default_graph().building_function
    if switch:
        tf.disable_control_flow_v2()
    try:
        yield
    finally:
        if switch:
            tf.enable_control_flow_v2()


def can_prepare(session: Any) -> bool:
    """True where `make_callable` works: for a `tf.Session`, and not for a MonitoredSession or a wrapper."""
    return hasattr(session, "_make_callable_from_options")


def make_callable(session: tf.Session, fetches: Iterable[Any], feeds: Iterable[tf.Tensor],
                  in_caller_thread: bool = False) -> Callable[..., List[Any]]:
    """A function of the values of `feeds` that returns the values of `fetches`, at a third of `session.run`'s cost.

    `in_caller_thread` runs every op in the thread that calls, one after another: faster for graphs so small that
    handing ops to other threads takes longer than the ops. The function takes contiguous arrays of the feeds' own
    dtypes: `tf1grad.sessions.prepared.PreparedRun` makes them.
    """
    options = config_pb2.CallableOptions()
    options.run_options.inter_op_thread_pool = -1 if in_caller_thread else 0
    options.feed.extend(tensor.name for tensor in feeds)
    for fetch in fetches:
        if isinstance(fetch, tf.Operation):
            options.target.append(fetch.name)
        else:
            options.fetch.append(fetch.name)
    # `session.make_callable(feed_list)` only calls `session.run`; this private twin skips the fetch handler, and is
    # the same on every version from 1.15 on.
    run: Callable[..., List[Any]] = session._make_callable_from_options(options)
    return run


def raw_session(session: Any) -> tf.Session:
    """The `tf.Session` that runs what `session` is given: itself, or the one under a MonitoredSession and its hooks.

    Raises:
        RuntimeError: the MonitoredSession is closed.
        TypeError: `session` is neither.
    """
    if isinstance(session, (tf.Session, tf.InteractiveSession)):
        return session
    if not isinstance(session, (tf.train.MonitoredSession, tf.train.SingularMonitoredSession)):
        raise TypeError(f"expected a tf.Session or a MonitoredSession; got {session!r}")
    try:
        return session.run_step_fn(lambda step_context: step_context.session)
    except AttributeError:  # what a closed MonitoredSession raises
        raise RuntimeError("Attempted to use a closed MonitoredSession.") from None


def is_remote(session: tf.Session) -> bool:
    """True when `session`, a `tf.Session`, runs in a server (`tf.Session(server.target)`), not in this process."""
    return bool(tf.compat.as_str(session.sess_str).startswith("grpc"))


def xla_compile(build: Callable[..., Any], inputs: Sequence[tf.Tensor]) -> List[tf.Tensor]:
    """The tensors that `build(*inputs)` makes, compiled by XLA into one kernel.

    Raises:
        ValueError: TensorFlow is 1.15, where the compiled kernel takes twice as long as the plain graph.
    """
    if VERSION < (2,):
        raise ValueError(f"xla=True: on TensorFlow {tf.__version__} compiled losses take twice as long as plain ones. "
                         "Leave it out, or use TensorFlow 2.")
    compiled: List[tf.Tensor] = tf.xla.experimental.compile(build, inputs)
    return compiled


session_base = _client.BaseSession
plain_run, _do_run = session_base.run, session_base._do_run


class ResolvedRun:
    """A `session.run` of fixed fetches whose names are resolved; the call into the runtime is TensorFlow's own.

    Args:
        session: the session, whose graph the fetches are of.
        fetches: as `session.run` takes them. What it says of wrong ones is said here.
    """

    def __init__(self, session: tf.Session, fetches: Any) -> None:
        handler = _client._FetchHandler(session.graph, fetches, {})
        self._of_session = type(session)._do_run is _do_run  # else someone looks at each run
        self._fetches = handler.fetches()
        self._outputs = [tensor._as_tf_output() for tensor in self._fetches]
        self._targets = [target._c_op for target in handler.targets()]
        self._is_op, self._build = handler._ops, handler._fetch_mapper.build_results
        self._handles = bool(handler._fetch_handles)

    def direct(self, fed: Iterable[tf.Tensor]) -> bool:
        """True where nothing but the run is to be done: some fetches come from the feeds, or become handles."""
        fetched = {id(tensor) for tensor in self._fetches}
        return (self._of_session and not self._handles and bool(self._outputs or self._targets)
                and not any(id(tensor) in fetched for tensor in fed))

    @staticmethod
    def open_in(session: tf.Session) -> bool:
        """False when `session` is closed."""
        return not session._closed

    def __call__(self, session: tf.Session, arrays: Dict[Any, Any], options: Any = None,
                 run_metadata: Any = None) -> Any:
        """What `session.run` returns, or raises, where `arrays` are fed: a dict from `feed_address` to array."""
        library = _client.tf_session
        options = None if options is None else library.TF_NewBufferFromString(options.SerializeToString())
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

    def _call(self, session: tf.Session, arrays: Dict[Any, Any], options: Any, metadata: Any) -> Any:
        session._extend_graph()
        return session._call_tf_sessionrun(options, arrays, self._outputs, self._targets, metadata)


def lead_with(error: tf.errors.OpError, sentence: str) -> None:
    """Makes `sentence` the first line of the message of `error`, a `tf.errors.OpError`."""
    error._message = f"{sentence}\n\n{error.message}"


def feed_address(tensor: tf.Tensor) -> Any:
    """What the runtime knows `tensor` by when it is fed; None where feeding it may move a session handle first."""
    return None if _get_handle_feeder(tensor.graph, tensor) else tensor._as_tf_output()


def array_maker(dtype: Any) -> Callable[[Any], np.ndarray]:
    """The function that `session.run` makes arrays of `dtype` with."""
    if hasattr(_client, "numpy_compat") and np.lib.NumpyVersion(np.__version__) >= "2.0.0" and np.issubdtype(
            dtype, np.number):
        return lambda value: np.asarray(value).astype(dtype, copy=False)
    return lambda value: np.asarray(value, dtype=dtype)


def marked_unusable(graph: tf.Graph) -> Tuple[int, int]:
    """How many ops and tensors of `graph` are marked as not to be fetched and not to be fed."""
    return len(graph._unfetchable_ops), len(graph._unfeedable_tensors)
