"""Serves Keras 2 as `keras`, as programs and libraries of TensorFlow 1's time had it.

The first import of `keras` by code of that time decides, in whatever thread it happens; an
installed Keras 2 stays. It is Keras 2.3.1; or 2.2.4, if what the program declares resolves to a
release before 2.3.

Its optimizers count a step before they read the count. `K.update_add(iterations, 1)` and the reads
of `iterations` are in one run, with no path between them. TensorFlow 1.15's executor counted first,
in nearly all runs, and today's reads first: Adam takes another step size. Here a training function
has the order of 1.15 as its only one, with ref variables (Keras 2.0 to 2.2) and with resource
variables (Keras 2.3):

- From Keras 2.2 on, a run takes, in place of each such read, one that waits for the count.
- Before, what the optimizer computes from the read waits for the count.

The order of other reads and writes stays undefined, and `ORDER` says so once.
"""

from __future__ import annotations

from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Iterator

from tf1grad.programs import _compat
from tf1grad.programs.period import layer, parts
from tf1grad.programs.process import checks_before_runs, finder, messages, ownership, patches

if TYPE_CHECKING:
    from tf1grad._compat import tf

ORDER = (
    "an optimizer of Keras writes variables in the run that still reads them, in no defined order: losses after "
    "the first update may vary, as they do on TensorFlow 1.15.5"
)
# The ops that add to a variable, and the op that reads such a variable.
_COUNTS = {"AssignAdd": "Identity", "AssignAddVariableOp": "ReadVariableOp"}
_ORDERED = "optimizers count a step before they read the count"


def install(exclude: list[str], served: Callable[[str], Any], wanted: str = "") -> None:
    """Lets the first import of `keras` decide; `served` is then called with "keras".

    `wanted` is the release that the program and its packages ask for, or "".
    """
    decided: list[bool] = []

    def decide(name: str) -> None:
        if decided or "keras" in exclude or ownership.is_called_by_library() or _is_users():
            return
        decided.append(True)
        release = _compat.installed_release("keras")
        if _compat.is_version_1_on_path() or (release or (3,)) < (3,):
            return
        part = parts.keras_for(wanted)
        layer.add_keras(part)
        ownership.include("keras")
        served("keras")
        messages.say(
            f"keras is {part.title}, as programs of that time expect; `--exclude keras` keeps the installed Keras"
        )

    finder.call_before(["keras"], decide, reason="programs of that time import Keras 2")
    finder.call_after(["keras.backend"], _order_training, reason=_ORDERED)


def _is_users() -> bool:
    """Says whether the program has a module `keras` of its own, which its imports find."""
    found = PathFinder.find_spec("keras")
    places = [found.origin, *(found.submodule_search_locations or ())] if found else []
    return any(
        ownership.is_users_file(place) and not ownership.is_installed_file(place)
        for place in places
        if place
    )


def _order_training(backend: ModuleType) -> None:
    file = backend.__file__ or ""
    if not ownership.is_users_file(file) or _is_users() or _compat.is_version_1():
        return  # Keras 3 has no such function, and the program's own `keras` is left alone

    def ordered(make: Any, inputs: Any, outputs: Any, updates: Any = None, **options: Any) -> Any:
        made = make(inputs, outputs, updates=updates, **options)
        if options.get("name") == "train_function":
            reads = list(_unordered_reads(updates))
            if hasattr(made, "_make_callable"):
                _take_counted_reads(made, reads)
            else:  # before Keras 2.2, `session.run` takes no tensor in the place of another
                _let_users_wait(reads, outputs, updates)
            messages.warn_once("order of Keras", ORDER)
        return made

    patches.wrap(backend, "function", ordered, reason=_ORDERED)


def _take_counted_reads(function: Any, pairs: list[tuple[Any, Any]]) -> None:
    """Connects reads that wait for the counts in place of those of `pairs`,
    which a session may hold already.

    An optimizer that applies another one to groups of variables counts once for each: its reads
    wait for all counts.
    """
    from tf1grad._compat import tf
    from tf1grad.run.seeds import op_counts

    counts: dict[Any, list[Any]] = {}
    for read, count in pairs:
        counts.setdefault(read, []).append(count)
    make_callable, counted = function._make_callable, []
    for read, of_read in counts.items():
        with op_counts.uncounted(), tf.control_dependencies(
            of_read
        ), checks_before_runs.ops_are_added():
            counted.append(
                tf.identity(read.inputs[0])
                if read.type == "Identity"
                else tf.raw_ops.ReadVariableOp(resource=read.inputs[0], dtype=read.outputs[0].dtype)
            )

    def make_ordered(
        feed_arrays: Any, feed_symbols: Any, symbol_vals: Any, session: tf.Session
    ) -> None:
        reads = [read.outputs[0] for read in counts]
        make_callable(feed_arrays, [*feed_symbols, *reads], [*symbol_vals, *counted], session)
        # Those of the next call.
        function._feed_symbols, function._symbol_vals = (
            feed_symbols,
            symbol_vals,
        )

    function._make_callable = make_ordered


def _let_users_wait(pairs: list[tuple[Any, Any]], outputs: list[Any], updates: list[Any]) -> None:
    """Lets ops that only the updates need wait for the counts of `pairs`
    before they use the reads.
    """
    own = _ops(updates) - _ops(outputs)
    for read, count in pairs:
        for user in read.outputs[0].consumers():
            if user in own:
                user._add_control_input(count)


def _unordered_reads(updates: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yields each read of a counter with the op that adds to it,
    where there is no path between them.
    """
    from tf1grad.recipes.sessions import writes  # imports TensorFlow

    ops = _ops(updates)
    for count in [op for op in ops if op.type in _COUNTS and op.inputs[1].dtype.is_integer]:
        for read in ops - writes.ancestors([count]):
            is_of_counter = read.type == _COUNTS[count.type] and read.inputs[0] is count.inputs[0]
            if is_of_counter and count not in writes.ancestors([read]):
                yield read, count


def _ops(values: list[Any]) -> set[Any]:
    """Returns the ops that a training function needs for outputs or updates."""
    from tf1grad.recipes.sessions import writes  # imports TensorFlow

    tensors = [value[1] if isinstance(value, tuple) else value for value in values]
    return writes.ancestors([getattr(tensor, "op", tensor) for tensor in tensors])
