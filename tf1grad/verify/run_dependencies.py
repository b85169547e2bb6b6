"""Reads from the graph what a `session.run` executes, without adding or running an op."""

from __future__ import annotations

from typing import Collection, Iterable, Iterator, Mapping, Sequence

from tf1grad._compat import tf
from tf1grad.recipes.sessions.reached import reached
from tf1grad.recipes.sessions.writes import VARIABLE_TYPES, Write, writes

Consumers = Mapping[tf.Operation, Sequence[tf.Operation]]

# Stateful ops without side effects: another run may execute them.
READS = frozenset(
    [
        *VARIABLE_TYPES,
        "ReadVariableOp",
        "ResourceGather",
        "ResourceGatherNd",
        "VariableShape",
        "VarIsInitializedOp",
        "IsVariableInitialized",
        "Assert",
        "CheckNumerics",
        "NoOp",
        # These exist only during a run.
        "TensorArray",
        "TensorArrayV2",
        "TensorArrayV3",
        "Stack",
        "StackV2",
    ]
)
SHAPES = frozenset(
    [
        "Rank",
        "Shape",
        "ShapeN",
        "Size",
        "VariableShape",
        "VarIsInitializedOp",
        "IsVariableInitialized",
    ]
)


def executed(ops: Iterable[tf.Operation], fed: Collection[str] = ()) -> set[tf.Operation]:
    """Returns the set of ops that a run of `ops` executes if the tensors with
    the names `fed` are fed.
    """
    return reached(
        ops,
        lambda op: [
            *(tensor.op for tensor in op.inputs if tensor.name not in fed),
            *op.control_inputs,
        ],
    )


def have_no_side_effects(ops: Iterable[tf.Operation]) -> bool:
    """Says whether `ops` can be executed once more:
    no queue or iterator advances, and no random op draws.
    """
    return not any(map(_has_side_effects, ops))


def _has_side_effects(op: tf.Operation) -> bool:
    return bool(op.op_def.is_stateful and op.type not in READS or writes([op]))


def inputs_to_recompute(
    tensors: Iterable[tf.Tensor], fed: Collection[str] = ()
) -> tuple[list[tf.Tensor], list[tf.Tensor]]:
    """Returns the tensors from which `tensors` can be recomputed at any time,
    together with the feeds `fed`.

    The first list has the variables' values, the second the values that a graph yields only once,
    such as random draws.
    """
    reads: list[tf.Tensor] = []
    draws: list[tf.Tensor] = []
    seen: set[str] = set()
    waiting = list(tensors)
    while waiting:
        tensor = waiting.pop()
        if tensor.name in fed or tensor.name in seen:
            continue
        seen.add(tensor.name)
        if tensor.op.type in ("Variable", "VariableV2", "ReadVariableOp"):
            reads.append(tensor)
        elif _has_side_effects(tensor.op) or tensor.op.type.startswith("ResourceGather"):
            draws.append(tensor)
        else:
            waiting.extend(tensor.op.inputs)
    return reads, draws


def racing_variables(ran: Iterable[tf.Operation], trained: Collection[tf.Operation]) -> list[str]:
    """Returns the names of variables that a run reads and writes in no defined order: a data race.

    Only a read counts that decides what is written to a `trained` variable, and not, for example,
    that of a loss which is fetched beside its step.
    """
    consumers = consumers_of(ran)
    written = writes(ran)
    deciding = executed(write.op for write in written if write.variable in trained)
    found = set()
    for write in written:
        readers = deciding.intersection(readers_of(write.variable, consumers))
        if without_order(write, readers, consumers):
            found.add(write.variable.name)
    return sorted(found)


def without_order(
    write: Write, readers: Collection[tf.Operation], consumers: Consumers
) -> set[tf.Operation]:
    """Returns those `readers` of the written variable that run neither before the
    write nor after it for sure.
    """
    if not readers:
        return set()
    return set(readers) - executed([write.op]) - later([write.op], consumers)


def later(ops: Iterable[tf.Operation], consumers: Consumers) -> set[tf.Operation]:
    """Returns `ops`, and all ops that wait for one of them."""
    return reached(ops, lambda op: consumers.get(op, ()))


def after_writes(ran: Iterable[tf.Operation]) -> set[tf.Operation]:
    """Returns those ops of a run that write variables or wait for one that does."""
    return later((write.op for write in writes(ran)), consumers_of(ran))


def consumers_of(ran: Iterable[tf.Operation]) -> Consumers:
    consumers: dict[tf.Operation, list[tf.Operation]] = {}
    for op in ran:
        for before in [tensor.op for tensor in op.inputs] + list(op.control_inputs):
            consumers.setdefault(before, []).append(op)
    return consumers


def readers_of(variable: tf.Operation, consumers: Consumers) -> Iterator[tf.Operation]:
    """Yields the ops that read the memory of a variable.
    An `Identity` of a ref variable only passes it on.
    """
    for op in consumers.get(variable, ()):
        if op.type in ("Identity", "RefIdentity"):
            yield from readers_of(op, consumers)
        elif op.type not in SHAPES and not writes([op]):
            yield op


def can_be_repeated(ops: Collection[tf.Operation]) -> bool:
    """Says whether `ops` can be executed once more:
    without side effects, and without a placeholder's feed.
    """
    needs_feed = any(op.type in ("Placeholder", "PlaceholderV2") for op in ops)
    return have_no_side_effects(ops) and not needs_feed
