"""Records in each graph which gradients are guarded,
so that no Python code between can lose the guard.

A list comprehension, `zip` or a slice makes a plain list, but its gradients are still computed from
guarded ones: `guards_of` finds the guard in the graph. A plain TensorFlow optimizer would apply the
zeros of a run that is to be skipped. It enters its op in `tf.GraphKeys.TRAIN_OP`; the list that
stands there in a graph with guards raises an error.

While a program builds its graph:

1. `drop_nonfinite`, or a clip with `nonfinite="skip"`, makes a `GuardedGradients` list and calls
   `register_guard`.
2. The program changes the list: it scales gradients, or sorts the pairs. It may now have a plain
   list.
3. A function of tf1grad gets that list. `guards_of` finds the guard: the function skips what the
   guard skips, and builds those ops within `obeying_guards`.
4. A plain optimizer that gets the list instead enters its op in TRAIN_OP, and `_check_obeys`
   raises.

An exported graph keeps its guards in the names of the ops in a `guard_scope`. `_Registry.look`
finds them where the graph was imported.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any, ContextManager, Iterable, Iterator, NamedTuple

from tf1grad._compat import operation, replace_collection, tf
from tf1grad._types import GradsAndVars
from tf1grad.recipes.gradients.grads_and_vars import components
from tf1grad.recipes.sessions.reached import reached
from tf1grad.recipes.sessions.writes import ancestors, writes

# A tuple, as TensorFlow exports and copies collections with string keys only.
_KEY = ("tf1grad_guards",)
_SCOPE = "tf1grad_guard"
FINITE, DROPPED = "finite", "dropped"
_NAME_OF_FINITE = re.compile(rf"(?:^|/){_SCOPE}(?:_\d+)?/{FINITE}$")


class Guard(NamedTuple):
    """The condition of a `GuardedGradients` list, its count of skipped runs,
    and the ops that make its gradients.

    The count is None in an imported graph that was exported without it.
    """

    finite: tf.Tensor
    dropped: tf.Tensor | None
    sources: set[tf.Operation]


class _Registry:
    """The guards of one graph, and the ops that are applied as their guard says."""

    def __init__(self) -> None:
        self.guards: list[Guard] = []
        self.variables: set[str] = set()
        self.obeyed = 0  # so many of the guards are obeyed by whoever builds ops now
        self.obeying_ops: set[tf.Operation] = set()
        self._seen = 0  # so many ops of the graph were looked at

    def add(self, graph: tf.Graph, guard: Guard) -> None:
        """Adds a guard. From the first one on, plain optimizers are checked."""
        if not self.guards:
            train_ops = graph.get_collection(tf.GraphKeys.TRAIN_OP)
            replace_collection(graph, tf.GraphKeys.TRAIN_OP, _TrainOps(train_ops))
        self.guards.append(guard)

    def look(self, graph: tf.Graph) -> None:
        """Adds the guards that were imported with a graph."""
        ops = graph.get_operations()
        known = {guard.finite.op for guard in self.guards}
        for op in ops[self._seen :]:
            if _NAME_OF_FINITE.search(op.name) and op not in known:
                self.add(graph, _imported(op))
        self._seen = len(ops)


class _TrainOps(list):  # type: ignore[type-arg]
    """The collection `tf.GraphKeys.TRAIN_OP` of a graph with guards."""

    def append(self, op: tf.Operation | tf.Tensor) -> None:
        _check_obeys(op)
        super().append(op)


def guard_scope() -> ContextManager[Any]:
    """Opens the name scope of a guard, for its condition,
    its count and the ops that make its gradients zeros.
    """
    return tf.name_scope(_SCOPE)


def register_guard(guard: Any) -> None:
    """Records that the gradients of `guard`, a `GuardedGradients` of tensors made for it,
    are zeros in some runs.
    """
    graph = tf.get_default_graph()
    sources = {tensor.op for tensor in _tensors(guard)}
    registry = _registry(graph)
    registry.add(graph, Guard(guard.finite, guard.dropped, sources))
    registry.variables.update(_names(guard))


def guards_of(grads_and_vars: GradsAndVars) -> list[Guard]:
    """Returns the guards that gradients are computed under."""
    registry = _looked(tf.get_default_graph())
    ops = {tensor.op for tensor in _tensors(grads_and_vars)}
    guards = [
        guard
        for guard in registry.guards[registry.obeyed :]
        if not ops.isdisjoint(_computed_from(guard.sources))
    ]
    if guards:  # an imported guard does not know its variables
        registry.variables.update(_names(grads_and_vars))
    return guards


def guards_in(graph: tf.Graph) -> list[Guard]:
    """Returns all guards that were made in a graph, or imported with it."""
    return list(_looked(graph).guards)


@contextlib.contextmanager
def obeying_guards() -> Iterator[None]:
    """Opens a context that may apply guarded gradients, because the caller obeys their guards.

    `guards_of` finds only guards that are made inside.
    """
    graph = tf.get_default_graph()
    registry = _looked(graph)
    before, known = registry.obeyed, len(graph.get_operations())
    registry.obeyed = len(registry.guards)
    try:
        yield
    finally:
        registry.obeyed = before
        registry.obeying_ops.update(graph.get_operations()[known:])


def _registry(graph: tf.Graph) -> _Registry:
    if not graph.get_collection(_KEY):
        graph.add_to_collection(_KEY, _Registry())
    (registry,) = graph.get_collection(_KEY)
    return registry


def _looked(graph: tf.Graph) -> _Registry:
    registry = _registry(graph)
    registry.look(graph)
    return registry


def _imported(finite: tf.Operation) -> Guard:
    """Returns the guard with the condition `finite`, an op that was imported."""
    (condition,) = finite.outputs
    scope = finite.name[: -len(FINITE)]
    sources = {op for op in condition.consumers() if op.name.startswith(scope)}
    try:
        dropped = finite.graph.get_tensor_by_name(f"{scope}{DROPPED}:0")
    except KeyError:
        dropped = None
    return Guard(condition, dropped, sources)


def _names(grads_and_vars: GradsAndVars) -> Iterator[str]:
    return (variable.op.name for _, variable in grads_and_vars)


def _tensors(grads_and_vars: GradsAndVars) -> list[tf.Tensor]:
    return components([gradient for gradient, _ in grads_and_vars])


def _computed_from(sources: Iterable[tf.Operation]) -> set[tf.Operation]:
    """Returns `sources` and all ops with data from them in the same run."""

    def consumers(op: tf.Operation) -> list[tf.Operation]:
        if writes([op]):  # what a variable keeps is of other runs as well
            return []
        return [consumer for tensor in op.outputs for consumer in tensor.consumers()]

    return reached(sources, consumers)


def _check_obeys(op: tf.Operation | tf.Tensor) -> None:
    """Raises ValueError where the train op `op` applies guarded gradients in every run."""
    registry = _registry(tf.get_default_graph())
    if registry.obeyed:
        return
    guarded = _computed_from(op for guard in registry.guards for op in guard.sources)
    for write in writes(guarded & ancestors([operation(op)]) - registry.obeying_ops):
        for name in registry.variables:
            # The variable, or its slot.
            if write.variable.name == name or f"/{name}/" in f"/{write.variable.name}":
                raise ValueError(
                    f"the gradient of {name} is guarded: zeros in a run that is to be skipped, and an optimizer's own "
                    "apply_gradients would apply them (Adam, Momentum and global_step move on zeros). Apply the list "
                    'that drop_nonfinite or a clip with nonfinite="skip" returned: guarded.apply(optimizer, '
                    "global_step). From a list of your own make one: tf1grad.GuardedGradients(pairs, guarded.finite, "
                    "guarded.dropped).apply(optimizer, global_step)."
                )
