"""What a `session.run` executes, read from the graph: no op is added, nothing is run."""

VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp"])
# Ops that TensorFlow calls stateful and that a further run can execute without a trace.
READS = VARIABLES | frozenset(["ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape",
                               "VarIsInitializedOp", "IsVariableInitialized", "Assert", "NoOp",
                               # These live as long as one run.
                               "TensorArray", "TensorArrayV2", "TensorArrayV3", "Stack", "StackV2"])
RESTORES = frozenset(["Restore", "RestoreSlice", "RestoreV2"])
WRITES = ("Assign", "Apply", "SparseApply", "ResourceApply", "ResourceSparseApply", "Scatter", "ResourceScatter")


def executed(ops, fed=()):
    """The set of ops that a run of `ops` executes, where the tensors of the names `fed` are given."""
    found, waiting = set(), list(ops)
    while waiting:
        op = waiting.pop()
        if op in found:
            continue
        found.add(op)
        waiting.extend(tensor.op for tensor in op.inputs if tensor.name not in fed)
        waiting.extend(op.control_inputs)
    return found


def leave_no_trace(ops):
    """True when executing `ops` once more changes nothing: no queue or iterator moves on, no random op draws."""
    return not any(_leaves_trace(op) for op in ops)


def _leaves_trace(op):
    return op.op_def.is_stateful and op.type not in READS or op.type.startswith(WRITES)


def sources(tensors, fed=()):
    """Where `tensors` come from, as (variables' values, other values that cannot be had twice): two lists of tensors.

    Given all of these, and those of the names `fed`, the tensors can be computed again at any time.
    """
    reads, draws, seen, waiting = [], [], set(), list(tensors)
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


def need_feeds(ops):
    """True when one of `ops`, which are executed, is a placeholder without a value."""
    return any(op.type in ("Placeholder", "PlaceholderV2") for op in ops)


def is_variable_op(op):
    """True for the op that holds a variable, ref or resource."""
    return op.type in VARIABLES


def written(ops):
    """The variables' ops that `ops` write to."""
    return {op.inputs[0].op for op in ops if op.type.startswith(WRITES) and len(op.inputs)}


def restores(ops):
    """True when `ops` read a checkpoint."""
    return any(op.type in RESTORES for op in ops)
