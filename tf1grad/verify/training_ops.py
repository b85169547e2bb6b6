"""Observes which ops train: the pairs that optimizers apply,
and the losses that are differentiated.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, Collection, Iterable, Mapping, NamedTuple, Union

from tf1grad._compat import is_variable, tf
from tf1grad._types import Pair
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.programs.process.optimizer_classes import call_with_optimizer_classes
from tf1grad.programs.process.replaced_functions import replace_functions
from tf1grad.recipes.sessions.writes import VARIABLE_TYPES, graph_variables, writes
from tf1grad.verify.record import AVERAGE, OF_OPTIMIZER, TRAINED, UNTRAINED

if TYPE_CHECKING:
    from tf1grad._types import Optimizer

# A gradient that is not None.
Found = Union[tf.Tensor, tf.IndexedSlices]


class Differentiation(NamedTuple):
    """Tensors, and the gradients that `tf.gradients` returned of them with respect to variables."""

    loss: list[tf.Tensor]
    gradients: list[Found]


class Application(NamedTuple):
    """Holds the op that applies, and its pairs."""

    op: tf.Operation
    pairs: list[tuple[Found, tf.Variable]]


class Watch:
    """Sees every `Optimizer.apply_gradients` and `tf.gradients` from now on, in this process."""

    def __init__(self) -> None:
        self._applications: list[Application] = []
        self._differentiations: list[Differentiation] = []
        self.of_optimizers: set[str] = set()  # names of slots and other state

    def start(self) -> None:
        """Wraps TensorFlow's functions."""
        call_with_optimizer_classes(self._wrap_apply, "verify records what they apply")
        # `tf.gradients` and `compute_gradients` both call it, on every version; the script may hold
        # the former by name.
        place = _compat.module_name("ops.gradients_util") + ":_GradientsHelper"
        wrap = functools.partial(patches.wrapped, around=self._gradients_helper)
        replace_functions({place: wrap}, "verify records the losses that are differentiated")

    def applied(self, ran: Collection[tf.Operation]) -> list[Application]:
        """Returns those applications that a run of the ops `ran` executes."""
        return [application for application in self._applications if application.op in ran]

    def differentiated(self, ran: Collection[tf.Operation]) -> list[Differentiation]:
        """Returns those differentiations of which a run of the ops `ran` computes a gradient."""
        return [
            each
            for each in self._differentiations
            if any(part.op in ran for gradient in each.gradients for part in parts(gradient))
        ]

    def trains(self, graph: tf.Graph, ran: Collection[tf.Operation]) -> bool:
        """Says whether a run of the ops `ran` applies gradients,
        or writes variables from gradients.
        """
        trainable = {variable.op for variable in self.variables(graph).values()}
        written = {write.variable for write in writes(ran)}
        return bool(self.applied(ran) or self.differentiated(ran) and trainable & written)

    def variables(self, graph: tf.Graph) -> dict[str, tf.Variable]:
        """Returns the dict from name to variable of all that train in `graph`."""
        variables = graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
        for application in self._applications:
            if application.op.graph is graph:
                variables += [variable for _, variable in application.pairs]
        return {variable.name: variable for variable in variables}

    def count(self) -> int:
        """Returns how much was seen so far."""
        return len(self._applications) + len(self._differentiations)

    def _wrap_apply(self, optimizer_class: type) -> None:
        if "apply_gradients" in vars(optimizer_class):
            patches.wrap(optimizer_class, "apply_gradients", self._apply_gradients, reason="")

    def _apply_gradients(
        self,
        original: patches.Function,
        optimizer: Optimizer,
        grads_and_vars: Iterable[Pair],
        *args: object,
        **kwargs: object,
    ) -> Any:
        grads_and_vars = list(grads_and_vars)
        applied = original(optimizer, grads_and_vars, *args, **kwargs)
        # An optimizer of the program's own may lack it.
        with contextlib.suppress(AttributeError, TypeError):
            self.of_optimizers.update(variable.name for variable in optimizer.variables())
        op = applied if isinstance(applied, tf.Operation) else getattr(applied, "op", None)
        if op is not None:
            pairs = [
                (gradient, variable)
                for gradient, variable in grads_and_vars
                if gradient is not None and is_variable(variable)
            ]
            self._applications.append(Application(op, pairs))
        return applied

    def _gradients_helper(
        self, original: patches.Function, ys: object, xs: object, *args: object, **kwargs: object
    ) -> Any:
        gradients = original(ys, xs, *args, **kwargs)
        if not tf.get_default_graph().building_function and not tf.executing_eagerly():
            found = [
                gradient
                for x, gradient in zip(tf.nest.flatten(xs), gradients)
                if gradient is not None
                and isinstance(getattr(x, "op", None), tf.Operation)
                and x.op.type in VARIABLE_TYPES
            ]
            losses = [y for y in tf.nest.flatten(ys) if isinstance(y, tf.Tensor)]
            if found and losses:
                self._differentiations.append(Differentiation(losses, found))
        return gradients


def recorded_variables(graph: tf.Graph) -> dict[str, tf.Variable]:
    """Returns all variables of a graph that hold numbers, by name."""
    found = {}
    for variable in graph_variables(graph).values():
        dtype = variable.dtype.base_dtype
        if dtype.is_floating or dtype.is_integer or dtype.is_bool or dtype.is_complex:
            found[variable.name] = variable
    return found


def kinds(
    graph: tf.Graph,
    variables: Mapping[str, tf.Variable],
    trained: Collection[str],
    of_optimizers: Collection[str],
) -> dict[str, str]:
    """Returns what each variable is, by name: a text such as `TRAINED`."""
    averaging = [op for op in graph.get_operations() if "AssignMovingAvg" in op.name]
    averages = {write.variable for write in writes(averaging)}

    def kind(name: str) -> str:
        if name in trained:
            return TRAINED
        if name in of_optimizers:
            return OF_OPTIMIZER
        return AVERAGE if variables[name].op in averages else UNTRAINED

    return {name: kind(name) for name in variables}


def parts(gradient: Found) -> list[tf.Tensor]:
    """Returns the tensors of a gradient."""
    return (
        [gradient.values, gradient.indices]
        if isinstance(gradient, tf.IndexedSlices)
        else [gradient]
    )
