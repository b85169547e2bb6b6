"""Makes runs wait for checks of ops, or take another tensor for an op's output.

Both are made when a session next runs: until then a graph is the user's. Several sessions may run a
graph at the same time: its checks are made under a lock.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any, Callable, Iterator

from tf1grad.programs import _compat
from tf1grad.programs.process import patches

if TYPE_CHECKING:
    from tf1grad._compat import tf

CHECKS = "tf1grad_checks/"
ADDED = "_tf1grad_added"  # the attribute of ops that tf1grad adds
_STATE = "_tf1grad_checks"


def check(operation: tf.Operation, build: Callable[[], tf.Operation | None]) -> None:
    """Makes runs that fetch `operation`, and the ops that use it,
    wait for the check that `build` makes.

    The check is made when a session next runs, so that until then the graph stays as the user built
    it. Its ops are below the scope `CHECKS`. A `partial_run` cannot wait for further ops: there the
    check covers ops that use `operation`, but not a fetch of `operation`. Nothing waits where
    `build` returns None: it has changed `operation`.
    """
    _patch_runs()
    graph = operation.graph
    if not hasattr(graph, _STATE):
        setattr(graph, _STATE, _Checks())
    getattr(graph, _STATE).waiting.append((operation, build))
    if _is_in_loop_condition(operation):
        _make(graph)  # a later op of the loop would wait for its body


def replace(operation: tf.Operation, build: Callable[[], tf.Tensor | None]) -> None:
    """Gives the users of an op's only output the tensor that `build` makes,
    when a session next runs.

    Runs that feed or fetch the output feed or fetch that tensor. In a `partial_run` a fetch
    computes the op itself. Nothing is replaced where `build` returns None.
    """
    _patch_feeds()

    def replace_output() -> None:
        tensor = build()
        if tensor is not None:
            checks = getattr(operation.graph, _STATE)
            checks.replaced[operation] = tensor
            checks.addresses[operation.outputs[0]._as_tf_output()] = tensor._as_tf_output()

    check(operation, replace_output)


@contextlib.contextmanager
def ops_are_added(scope: str = CHECKS) -> Iterator[None]:
    """Has the ops made within below a scope, and marks them as tf1grad's,
    also where they become those of a function.
    """
    from tf1grad._compat import tf

    mark = {ADDED: tf.AttrValue(b=True)}
    with tf.name_scope(scope), tf.get_default_graph()._attr_scope(mark):
        yield


class _Checks:
    """Holds what runs of one graph wait for: the checks to be made,
    and by their ops those that were made.

    It also holds the tensors in the place of outputs: by op, and by the runtime's names of both.
    """

    def __init__(self) -> None:
        self.waiting: list[tuple[tf.Operation, Callable[[], tf.Operation | None]]] = []
        self.made: dict[tf.Operation, tf.Operation] = {}
        self.replaced: dict[tf.Operation, tf.Tensor] = {}
        self.addresses: dict[Any, Any] = {}
        self.version = -1  # of the graph that has them
        self.lock = threading.Lock()


def _make(graph: tf.Graph) -> None:
    """Makes the checks of a graph that has grown,
    and lets the users of checked ops wait for them.
    """
    checks: _Checks | None = getattr(graph, _STATE, None)
    if checks is None:
        return
    with checks.lock:
        if graph.version == checks.version:
            return
        with graph.as_default(), _unfinalized(graph):
            while checks.waiting:
                operation, build = checks.waiting.pop(0)
                with _place_of(operation):
                    made = build()
                if made is not None:
                    checks.made[operation] = made
            for operation, tensor in checks.replaced.items():
                _compat.give_users(operation, tensor)
            for operation, check in checks.made.items():
                _let_users_wait(operation, check)
        checks.version = graph.version


@contextlib.contextmanager
def _unfinalized(graph: tf.Graph) -> Iterator[None]:
    was_finalized = graph.finalized
    graph._unsafe_unfinalize()
    try:
        yield
    finally:
        if was_finalized:
            graph.finalize()


@contextlib.contextmanager
def _place_of(operation: tf.Operation) -> Iterator[None]:
    """Yields a context that makes ops on the device and in the loop or
    conditional of `operation`.
    """
    from tf1grad._compat import tf

    graph = operation.graph
    with tf.control_dependencies(None), tf.device(None), tf.device(operation.device), ops_are_added(
        _scope(operation)
    ):
        graph._set_control_flow_context(operation._get_control_flow_context())
        yield


def _scope(operation: tf.Operation) -> str:
    return f"{CHECKS}{operation.name}_/"


def _let_users_wait(operation: tf.Operation, check: tf.Operation) -> None:
    for output in operation.outputs:
        for user in output.consumers():
            if not user.name.startswith(_scope(operation)) and check not in user.control_inputs:
                user._add_control_input(check)


def _is_in_loop_condition(operation: tf.Operation) -> bool:
    context = operation._get_control_flow_context()
    return context is not None and getattr(context, "_pivot_for_body", context) is None


def _patch_runs() -> None:
    """Patches, once, the functions that list what a run waits for and that give
    the graph to the runtime.
    """
    from tf1grad._compat import session_base

    handler = _compat.resolve("tensorflow.python.client.session._FetchHandler")
    if not hasattr(handler.targets, "__wrapped__"):
        patches.wrap(handler, "targets", _checked_targets, reason="runs wait for checks of ops")
        patches.wrap(session_base, "_extend_graph", _extend_checked_graph, reason="")


def _checked_targets(targets: Callable[[Any], Any], fetches: Any) -> Any:
    own = targets(fetches)
    wanted = [tensor.op for tensor in fetches.fetches()] + own
    if not wanted or not hasattr(wanted[0].graph, _STATE):
        return own
    _make(wanted[0].graph)
    made = getattr(wanted[0].graph, _STATE).made
    return own + [made[op] for op in wanted if op in made]


def _extend_checked_graph(extend_graph: Callable[[Any], Any], session: tf.Session) -> None:
    _make(session.graph)
    extend_graph(session)


def _patch_feeds() -> None:
    """Patches, once, the functions that give feeds and fetches to the runtime."""
    from tf1grad._compat import session_base

    if not hasattr(session_base._call_tf_sessionrun, "__wrapped__"):
        reason = "runs feed and fetch what is in the place of an op's output"
        patches.wrap(session_base, "_call_tf_sessionrun", _run_replaced, reason=reason)
        patches.wrap(session_base, "_call_tf_sessionprun", _run_replaced_partially, reason="")
        patches.wrap(session_base, "partial_run_setup", _set_up_replaced, reason="")


def _run_replaced(
    run: Callable[..., Any],
    session: tf.Session,
    options: Any,
    feeds: Any,
    fetches: Any,
    *others: Any,
) -> Any:
    addresses = _replaced_addresses(session)
    if addresses:
        feeds = {addresses.get(fed, fed): value for fed, value in feeds.items()}
        fetches = [addresses.get(fetch, fetch) for fetch in fetches]
    return run(session, options, feeds, fetches, *others)


def _run_replaced_partially(
    run: Callable[..., Any], session: tf.Session, handle: str, feeds: Any, fetches: Any
) -> Any:
    addresses = _replaced_addresses(session)
    feeds = {addresses.get(fed, fed): value for fed, value in feeds.items()}
    return run(session, handle, feeds, fetches)


def _set_up_replaced(
    set_up: Callable[..., Any], session: tf.Session, fetches: Any, feeds: Any = None
) -> Any:
    _make(session.graph)
    checks: _Checks | None = getattr(session.graph, _STATE, None)
    if checks and feeds:
        fed = [session.graph.as_graph_element(feed) for feed in feeds]
        feeds = [checks.replaced.get(tensor.op, tensor) for tensor in fed]
    return set_up(session, fetches, feeds)


def _replaced_addresses(session: tf.Session) -> dict[Any, Any]:
    checks: _Checks | None = getattr(session.graph, _STATE, None)
    return checks.addresses if checks else {}
