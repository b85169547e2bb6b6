"""Audits which variables a loss or a train op really moves,
and which other ops move variables that look frozen.
"""

from __future__ import annotations

import collections
import re
from typing import Any, Iterable, List, NamedTuple, Sequence

import numpy as np

from tf1grad._arguments import describe
from tf1grad._compat import operation, tf
from tf1grad._types import Status
from tf1grad.recipes.sessions.reached import reached
from tf1grad.recipes.sessions.writes import (
    VARIABLE_TYPES,
    Write,
    ancestors,
    graph_variables,
    source,
    writes,
)

_NO_GRADIENT = ("StopGradient", "ZerosLike", "OnesLike", "Floor", "Ceil", "Round", "Rint", "Sign")
_RESTORES = ("Restore", "RestoreSlice", "RestoreV2")


class Mover(NamedTuple):
    """A write to a variable."""

    kind: str
    op: str


class Audited(NamedTuple):
    """A variable, its status, and the ops that move it."""

    variable: tf.Variable
    status: str
    movers: list[Mover]


class Report(List[Audited]):
    """The audit made by `report`: an `Audited` entry a variable, in the order of creation;
    `str` of it is a table.

    An entry has `variable`, `status` ("trained", "frozen" or "still moved") and `movers`: a list of
    `Mover`s with `op`, the name of an op, and `kind`, a word such as "gradient", "UPDATE_OPS" or
    "another train op". An addition to whole numbers, such as that to `global_step`, is a "counter".
    The table names the first mover of a kind, and only counts slots and beta
    powers, whose kind is "optimizer state".
    """

    def having(self, status: Status) -> list[tf.Variable]:
        """Returns the variables of one status."""
        return [entry.variable for entry in self if entry.status == status]

    def __str__(self) -> str:
        shown = [
            entry
            for entry in self
            if any(mover.kind != "optimizer state" for mover in entry.movers) or not entry.movers
        ]
        width = max([len(entry.variable.name) for entry in shown] + [8])
        lines = [f"{'variable':<{width}}  {'status':<11}  moved by"]
        for entry in shown:
            lines.append(
                f"{entry.variable.name:<{width}}  {entry.status:<11}  {_listed(entry.movers)}".rstrip()
            )
        if len(shown) < len(self):
            left = len(self) - len(shown)
            state = "a variable" if left == 1 else f"{left} variables"
            lines.append(f"and {state} of optimizer state, moved with what the state belongs to")
        return "\n".join(lines)


def _listed(movers: Sequence[Mover]) -> str:
    first: dict[str, str] = {}
    for kind, op in movers:
        first.setdefault(kind, op)
    return ", ".join(f"{kind} ({op})" for kind, op in first.items())


def report(loss_or_train_op: tf.Tensor | tf.Operation, loss: tf.Tensor | None = None) -> Report:
    """Audits what is frozen: each variable of the graph is trained, frozen,
    or still moved, and by which op.

        print(tf1grad.report(train_op))
        assert not set(tf1grad.report(train_op).having("trained")) & set(encoder)

    It does not change the graph, so that it also works when the graph is finalized. "trained": an
    optimizer in the train op applies a gradient to the variable; for a loss, the loss depends on a
    trainable variable along a path that gradients can take. "frozen": no op of the graph writes it,
    initialisers and restoring apart. "still moved": something else writes it: UPDATE_OPS (batch
    normalisation), slots (which move a variable also where its gradient is always zero), moving
    averages, weight decay, a regulariser that is its only path to the loss, another train op. The
    graph does not show whether a run closes a gate.

    Args:
        loss_or_train_op: the op that `minimize` or `apply_gradients` returned, or a loss.
        loss: the loss that a train op minimises: with it, a gradient that comes from a regulariser
            alone is distinguished from one of the data.

    Returns:
        A `Report`.

    Raises:
        TypeError: an argument is neither an op nor a tensor.
        ValueError: no collection of the graph names a variable, so that there is nothing to audit.
    """
    target = _target(loss_or_train_op, "loss_or_train_op")
    audit = _Audit(target, None if loss is None else _target(loss, "loss"))
    return Report(audit.entry(name) for name in audit.variables)


def _target(value: object, argument: str) -> Any:
    if isinstance(value, (tf.Tensor, tf.Operation)):
        return operation(value)
    raise TypeError(
        f"report: {argument} must be a loss tensor or a train op; got {describe(value)}. minimize(loss) "
        "returns a train op."
    )


class _Audit:
    """The graph read once: which ops write a variable, and which variables the loss reaches."""

    def __init__(self, target: Any, loss: tf.Operation | None) -> None:
        graph = target.graph
        self.variables = graph_variables(graph)
        if not self.variables:
            raise ValueError(
                "report: no collection of the graph names a variable, so there is nothing to audit. "
                "tf.import_graph_def imports no collections; tf.train.import_meta_graph does."
            )
        self._trainable = {
            variable.op.name for variable in graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
        }
        self._updates = ancestors(
            operation(update) for update in graph.get_collection(tf.GraphKeys.UPDATE_OPS)
        )
        self._run = ancestors([target])
        self._writes: dict[str, list[Write]] = collections.defaultdict(list)
        self._scopes: set[str] = set()
        self._with_slots: set[str] = set()
        for write in writes(graph.get_operations()):
            name = write.variable.name
            if _sets_up(write, self.variables.get(name)):
                continue
            self._writes[name].append(write)
            scope, owner = self._update(write.op)
            if owner:
                self._scopes.add(scope)
                if owner != name:
                    self._with_slots.add(owner)
        # Where no optimizer's op is in the run, the target is a loss.
        self._loss = (
            None if any(self._update(write.op)[1] for write in writes(self._run)) else target
        )
        loss = loss or self._loss
        regularisers = {
            operation(tensor) for tensor in graph.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        }
        # The names of the variables that the loss reaches by its data (None where it is not known),
        # by regularisers.
        self._by_data: Any = None
        self._by_regulariser: dict[str, str] = {}
        if loss is not None:
            self._by_data = _variables_reached(loss, regularisers)
            for regulariser in regularisers & ancestors([loss]):
                for name in _variables_reached(regulariser, ()):
                    self._by_regulariser[name] = regulariser.name

    def _update(self, op: tf.Operation) -> Any:
        """Returns the optimizer's scope and the variable that the op updates;
        None and None for other ops.

        Its name is "<scope>/update_<variable>/...".
        """
        for place in re.finditer("/update_", op.name):
            parts = op.name[place.end() :].split("/")
            for end in range(len(parts) - 1, 0, -1):
                name = "/".join(parts[:end])
                if name in self.variables:
                    return op.name[: place.start()], name
        return None, None

    def entry(self, name: str) -> Audited:
        """Returns the `Audited` entry of one variable."""
        movers = []
        if name in self._trainable and self._loss is not None and name in self._by_data:
            movers.append(Mover("gradient", self._loss.name))
        if (
            name in self._trainable
            and name in self._by_regulariser
            and (self._loss is not None or self._writes[name])
        ):
            movers.append(Mover("regulariser", self._by_regulariser[name]))
        movers += [Mover(self._kind(write), write.op.name) for write in self._writes[name]]
        movers = [mover for mover in dict.fromkeys(movers) if mover.kind]
        if any(mover.kind == "gradient" for mover in movers):
            status = "trained"
        else:
            status = "still moved" if movers else "frozen"
        return Audited(self.variables[name], status, movers)

    def _kind(self, write: Write) -> Any:
        """Returns the kind of a write; None for an optimizer's that never changes the variable."""
        op, name = write.op, write.variable.name
        owner = self._update(op)[1]
        if op in self._updates:
            return "UPDATE_OPS"
        if "AssignMovingAvg" in op.name or name.endswith("/ExponentialMovingAverage"):
            return "moving average"
        if owner is None and "AssignAdd" in op.type and self.variables[name].dtype.is_integer:
            return "counter"
        if owner is None and op.name.rpartition("/")[0] not in self._scopes:
            return "assignment"
        if owner != name:
            return "optimizer state"
        if op not in self._run:
            return "another train op"
        if (self._by_data is None or name in self._by_data) and not _gradient_is_zero(op):
            return "gradient"
        return "slots" if name in self._with_slots and name not in self._by_regulariser else None


def _variables_reached(loss: tf.Operation, stops: Iterable[tf.Operation]) -> set[str]:
    """Returns the names of the variables that gradients of `loss` reach along
    paths that end at `stops`.
    """
    ends = set(stops)

    def sources(op: tf.Operation) -> list[tf.Operation]:
        if op in ends or op.type in _NO_GRADIENT:
            return []
        return [tensor.op for tensor in op.inputs if _carries_gradient(tensor)]

    return {op.name for op in reached([loss], sources) if op.type in VARIABLE_TYPES}


def _carries_gradient(tensor: tf.Tensor) -> bool:
    return tensor.dtype.base_dtype.is_floating or tensor.dtype in (tf.resource, tf.variant)


def _sets_up(write: Write, variable: tf.Variable | None) -> bool:
    """Says whether it is an initialiser, restores a checkpoint,
    or writes a variable outside of collections.
    """
    if variable is None or write.op in ancestors([variable.initializer]):
        return True
    return any(source(tensor).type in _RESTORES for tensor in write.op.inputs)


def _gradient_is_zero(op: tf.Operation) -> bool:
    """Says whether the gradient that an optimizer op applies is zero for any feed."""
    return any(
        _always_zero(tensor)
        for argument, tensor in zip(op.op_def.input_arg, op.inputs)
        if argument.name in ("grad", "delta")
    )


def _always_zero(tensor: tf.Tensor) -> bool:
    op = source(tensor)
    if op.type == "Mul":
        return any(_always_zero(factor) for factor in op.inputs)
    value = tf.get_static_value(op.outputs[0])
    return op.type == "ZerosLike" or (value is not None and not np.any(value))
