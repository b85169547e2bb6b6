"""Lets a function that builds a model be called a second time as it was called the first time.

A call leaves entries in the graph's collections, and numbers for variable scopes without a name.
Where a second call finds them, it computes something else: `tf.losses.get_total_loss()` has the
losses of both. So the second call starts from what the first one started from, with the variables
that the first one made.
"""

from __future__ import annotations

import collections
import contextlib
from typing import Any, Callable, Iterator, Sequence

from tf1grad._compat import numbers_of_variable_scopes, tf, variables_of_get_variable
from tf1grad.recipes.sessions.writes import HANDED_ON, VARIABLE_TYPES, ancestors, source

_OF_OPS_IN_LOOPS = (tf.GraphKeys.COND_CONTEXT, tf.GraphKeys.WHILE_CONTEXT)


class GraphState:
    """What the collections hold, and how often each name of a variable scope
    was taken, at this moment.
    """

    def __init__(self) -> None:
        graph = tf.get_default_graph()
        self.entries = {
            key: graph.get_collection(key)
            for key in graph.get_all_collection_keys()
            if key not in _OF_OPS_IN_LOOPS
        }
        self._numbers = dict(numbers_of_variable_scopes())

    def restore(self) -> None:
        """Makes the graph's collections, and the numbers of variable scopes,
        those of that moment.
        """
        graph = tf.get_default_graph()
        for key in graph.get_all_collection_keys():
            if key not in _OF_OPS_IN_LOOPS:
                graph.get_collection_ref(key)[:] = self.entries.get(key, [])
        numbers = numbers_of_variable_scopes()
        numbers.clear()
        numbers.update(self._numbers)


class FirstCall:
    """A context around the first call. Its method `while_repeated` opens
    one around the second call.
    """

    def __enter__(self) -> FirstCall:
        self._before = GraphState()
        self._made: list[tuple[tf.Variable, list[str]]] = []  # with their collections
        self._recording = tf.variable_creator_scope(self._make)
        self._recording.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._recording.__exit__(*exception)
        self._after = GraphState()

    def _make(self, next_creator: Callable[..., tf.Variable], **options: object) -> tf.Variable:
        variable, graph = next_creator(**options), tf.get_default_graph()
        last = {key: graph.get_collection(key)[-1:] for key in graph.get_all_collection_keys()}
        keys = [key for key, entries in last.items() if any(entry is variable for entry in entries)]
        self._made.append((variable, keys))
        return variable

    @contextlib.contextmanager
    def while_repeated(self) -> Iterator[None]:
        """Opens a context in which the call can be repeated;
        at the end, the graph's state is what the first one left.

        Variables are those of the first call: `tf.get_variable` finds one by name, and
        `tf.Variable` takes the next.
        """
        self._before.restore()
        self._add_what_variables_add()
        named = variables_of_get_variable()
        by_name = {id(variable) for variable in named.values()}
        others = iter([variable for variable, _ in self._made if id(variable) not in by_name])

        def get(getter: Callable[..., Any], name: str, *args: object, **options: object) -> Any:
            if name in named:  # TensorFlow takes float32 where a variable is reused without a dtype
                options.update(reuse=True, dtype=named[name].dtype.base_dtype)
            return getter(name, *args, **options)

        def make(next_creator: Callable[..., tf.Variable], **options: object) -> tf.Variable:
            known = next(others, None)
            return next_creator(**options) if known is None else known

        try:
            with tf.variable_scope(
                tf.get_variable_scope(), custom_getter=get, auxiliary_name_scope=False
            ), tf.variable_creator_scope(make):
                yield
        finally:
            self._after.restore()

    def _add_what_variables_add(self) -> None:
        """Adds to collections what is added where a variable is made,
        and not where it is used again.
        """
        for variable, keys in self._made:
            for key in keys:
                tf.add_to_collection(key, variable)
        key = tf.GraphKeys.REGULARIZATION_LOSSES
        losses = self._after.entries.get(key, [])[len(self._before.entries.get(key, [])) :]
        # TensorFlow computes those of a variable in the name scope `VARIABLE/Regularizer`.
        tf.get_collection_ref(key).extend(
            loss for loss in losses if "/Regularizer/" in getattr(loss, "name", "")
        )


def check_uses_slices(loss: tf.Tensor, slices: Sequence[tf.Tensor], caller: str) -> None:
    """Raises ValueError where a loss is not computed from the slices that its function got."""
    if ancestors([loss.op], control=False).isdisjoint(part.op for part in slices):
        raise ValueError(
            f"{caller}: the loss does not depend on the slices that loss_fn is given, so each call would compute that of "
            "the whole batch. Build the model in loss_fn, from its arguments."
        )


def check_second_call(
    first: tf.Tensor, second: tf.Tensor, first_slices: Sequence[tf.Tensor], known: int, caller: str
) -> None:
    """Raises ValueError where the losses of two calls are not computed in the same way.

    Args:
        first, second: the losses.
        first_slices: what the first call was given.
        known: the number of ops in the graph before the second call.
    """
    computed_from = ancestors([second.op], control=False)
    made = [
        op.name
        for op in tf.get_default_graph().get_operations()[known:]
        if op.type in VARIABLE_TYPES and op in computed_from
    ]
    if made:
        raise ValueError(
            f"{caller}: loss_fn made new variables at its second call: {sorted(made)}. Make them outside of "
            "loss_fn, so that both calls use the same."
        )
    if not computed_from.isdisjoint(part.op for part in first_slices):
        raise ValueError(
            f"{caller}: at its second call, loss_fn used a tensor that its first call had computed from the first "
            "slice. Compute it anew in each call: keep no tensor of loss_fn in a list or an attribute."
        )
    uses, uses_in_second = _uses(first), _uses(second)
    differing = sorted(
        name for name in uses.keys() | uses_in_second.keys() if uses[name] != uses_in_second[name]
    )
    if differing:
        raise ValueError(
            f"{caller}: loss_fn computed another loss at its second call, where variables exist and are reused: it uses "
            f"{', '.join(differing)} less or more often than at its first. Build the same loss in each call."
        )


def _uses(loss: tf.Tensor) -> collections.Counter[str]:
    """Counts by variable the inputs of ops that it is, on the way to `loss`."""
    return collections.Counter(
        holder.name
        for op in ancestors([loss.op], control=False)
        if op.type not in HANDED_ON
        for holder in map(source, op.inputs)
        if holder.type in VARIABLE_TYPES
    )
