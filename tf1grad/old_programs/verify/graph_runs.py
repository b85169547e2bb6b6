"""What a `session.run` executes, read from the graph: no op is added, nothing is run."""

from __future__ import annotations

from typing import Collection, Dict, Iterable, Iterator, List, Mapping, Sequence, Set, Tuple

from tf1grad._compat import tf

Consumers = Mapping[tf.Operation, Sequence[tf.Operation]]
Racing = Dict[tf.Operation, Set[tf.Operation]]

VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp"])
# Ops that TensorFlow calls stateful and that a further run can execute without a trace.
READS = VARIABLES | frozenset(["ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape",
                               "VarIsInitializedOp", "IsVariableInitialized", "Assert", "CheckNumerics", "NoOp",
                               # These live as long as one run.
                               "TensorArray", "TensorArrayV2", "TensorArrayV3", "Stack", "StackV2"])
RESTORES = frozenset(["Restore", "RestoreSlice", "RestoreV2"])
SHAPES = frozenset(["Rank", "Shape", "ShapeN", "Size", "VariableShape", "VarIsInitializedOp", "IsVariableInitialized"])
WRITES = ("Assign", "Apply", "SparseApply", "ResourceApply", "ResourceSparseApply", "Scatter", "ResourceScatter")


def executed(ops: Iterable[tf.Operation], fed: Collection[str] = ()) -> Set[tf.Operation]:
    """The set of ops that a run of `ops` executes, where the tensors of the names `fed` are given."""
    found: Set[tf.Operation] = set()
    waiting = list(ops)
    while waiting:
        op = waiting.pop()
        if op in found:
            continue
        found.add(op)
        waiting.extend(tensor.op for tensor in op.inputs if tensor.name not in fed)
        waiting.extend(op.control_inputs)
    return found


def leave_no_trace(ops: Iterable[tf.Operation]) -> bool:
    """True when executing `ops` once more changes nothing: no queue or iterator moves on, no random op draws."""
    return not any(_leaves_trace(op) for op in ops)


def _leaves_trace(op: tf.Operation) -> bool:
    return bool(op.op_def.is_stateful and op.type not in READS or op.type.startswith(WRITES))


def sources(tensors: Iterable[tf.Tensor], fed: Collection[str] = ()) -> Tuple[List[tf.Tensor], List[tf.Tensor]]:
    """Where `tensors` come from, as (variables' values, other values that cannot be had twice): two lists of tensors.

    Given all of these, and those of the names `fed`, the tensors can be computed again at any time.
    """
    reads: List[tf.Tensor] = []
    draws: List[tf.Tensor] = []
    seen: Set[str] = set()
    waiting = list(tensors)
    while waiting:
        tensor = waiting.pop()
        if tensor.name in fed or tensor.name in seen:
            continue
        seen.add(tensor.name)
        if tensor.op.type in ("Variable", "VariableV2", "ReadVariableOp"):
            reads.append(tensor)
        elif _leaves_trace(tensor.op) or tensor.op.type.startswith("ResourceGather"):
            draws.append(tensor)
        else:
            waiting.extend(tensor.op.inputs)
    return reads, draws


def races(racing: Racing, fetches: Mapping[str, tf.Operation]) -> Dict[str, List[str]]:
    """Which of what a run gives reads a variable that the run writes, with nothing to say which comes first.

    Args:
        racing: what `racing_reads` finds in the ops that are executed.
        fetches: dict from name to op of what the run gives.

    Returns:
        A dict from the name of such a fetch to the names of the variables' ops.
    """
    found = {}
    for name, op in fetches.items() if racing else ():
        variables = {write.inputs[0].op.name for read in executed([op]) & set(racing) for write in racing[read]}
        if variables:
            found[name] = sorted(variables)
    return found


def racing_writes(racing: Racing, fetches: Mapping[str, tf.Operation],
                  trained: Collection[tf.Operation]) -> List[str]:
    """The names of fetches that write variables of `trained` from what another fetch writes, in no order."""
    found = []
    for name, op in fetches.items() if racing else ():
        own = executed([op])
        writes = [write for write in own if _is_write(write) and write.inputs[0].op in trained]
        reads = executed(writes) & set(racing)
        if any(write not in own for read in reads for write in racing[read]):
            found.append(name)
    return sorted(found)


def racing_reads(ran: Iterable[tf.Operation]) -> Racing:
    """The ops that read a variable, each with those that write it, where nothing says which comes first."""
    consumers: Dict[tf.Operation, List[tf.Operation]] = {}
    for op in ran:
        for before in [tensor.op for tensor in op.inputs] + list(op.control_inputs):
            consumers.setdefault(before, []).append(op)
    racing: Racing = {}
    for write in filter(_is_write, ran):
        ordered = executed([write]) | _after(write, consumers)
        for read in set(_readers(write.inputs[0].op, consumers)) - ordered:
            racing.setdefault(read, set()).add(write)
    return racing


def _is_write(op: tf.Operation) -> bool:
    return bool(op.type.startswith(WRITES) and len(op.inputs) and is_variable_op(op.inputs[0].op))


def _readers(variable: tf.Operation, consumers: Consumers) -> Iterator[tf.Operation]:
    """The ops that look into the memory of a variable: an `Identity` of a ref variable only hands it on."""
    for op in consumers.get(variable, ()):
        if op.type in ("Identity", "RefIdentity"):
            yield from _readers(op, consumers)
        elif not op.type.startswith(WRITES) and op.type not in SHAPES:
            yield op


def _after(op: tf.Operation, consumers: Consumers) -> Set[tf.Operation]:
    found: Set[tf.Operation] = set()
    waiting = [op]
    while waiting:
        for later in consumers.get(waiting.pop(), ()):
            if later not in found:
                found.add(later)
                waiting.append(later)
    return found


def need_feeds(ops: Iterable[tf.Operation]) -> bool:
    """True when one of `ops`, which are executed, is a placeholder without a value."""
    return any(op.type in ("Placeholder", "PlaceholderV2") for op in ops)


def is_variable_op(op: tf.Operation) -> bool:
    """True for the op that holds a variable, ref or resource."""
    return op.type in VARIABLES


def written(ops: Iterable[tf.Operation]) -> Set[tf.Operation]:
    """The variables' ops that `ops` write to."""
    return {op.inputs[0].op for op in ops if _is_write(op)}


def restores(ops: Iterable[tf.Operation]) -> bool:
    """True when `ops` read a checkpoint."""
    return any(op.type in RESTORES for op in ops)
