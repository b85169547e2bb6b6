"""Applies `--accumulate`, `--clip-global-norm` and `--freeze` to scripts that are not edited.

The methods of `tf.train.Optimizer` and of its subclasses are wrapped in this process. The outermost
`apply_gradients` acts, and those that it calls do not act again. The order: frozen variables leave
the list first, since they do not count in a norm; micro-batches are averaged; the average is
clipped, as the gradient of one large batch would be. Optimizers of Keras make their steps
themselves, so a program that trains with one is refused.

One thread builds the graph at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, NoReturn

from tf1grad._compat import tf, variable_key
from tf1grad._types import GradsAndVars, Pairs
from tf1grad.programs.process import finder, patches
from tf1grad.programs.process.messages import counted
from tf1grad.programs.process.optimizer_classes import call_with_optimizer_classes
from tf1grad.recipes.freezing import freeze as freezing
from tf1grad.recipes.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.recipes.gradients.selection import select
from tf1grad.recipes.optimizers.accumulating import AccumulatingOptimizer
from tf1grad.recipes.optimizers.clipping import ClippingOptimizer
from tf1grad.recipes.optimizers.wrapped import WrappedOptimizer
from tf1grad.run.seeds import op_counts

if TYPE_CHECKING:
    from types import ModuleType

    from tf1grad._types import Optimizer

# Modules with base classes of Keras's optimizers, and the methods of those that every step begins
# with.
_KERAS = {
    "keras.optimizers": ("Optimizer", ["get_gradients"]),
    "tensorflow.python.keras.optimizers": ("Optimizer", ["get_gradients"]),
    "tensorflow.python.keras.optimizer_v2.optimizer_v2": (
        "OptimizerV2",
        ["get_gradients", "apply_gradients"],
    ),
}

# What `tf.cond` itself adds to ops that are made in it.
_SWITCHES = ("Switch", "RefSwitch")


def install(
    accumulate: int | None = None,
    clip_global_norm: float | None = None,
    freeze: Iterable[str] = (),
) -> _Options:
    """Makes every optimizer of this process act on the options;
    `report()` of the result says what was done.
    """
    options = _Options(accumulate, clip_global_norm, list(freeze))
    call_with_optimizer_classes(
        options.wrap, "--accumulate, --clip-global-norm and --freeze act on their steps"
    )
    for module in _KERAS:
        finder.call_now_and_after(
            module,
            _refuse_keras_optimizers,
            reason="--accumulate, --clip-global-norm and --freeze cannot act on Keras's optimizers",
        )
    return options


def _refuse_keras_optimizers(module: ModuleType) -> None:
    """Makes the steps of a Keras module's optimizers an error."""
    name, methods = _KERAS[module.__name__]
    base = getattr(module, name, None)
    for method in methods:
        if hasattr(base, method):
            patches.wrap(base, method, _refuse, reason="")


def _refuse(step: patches.Function, optimizer: object, *args: object, **kwargs: object) -> NoReturn:
    raise ValueError(
        "--accumulate, --clip-global-norm and --freeze act on optimizers of tf.train, and this program trains with "
        f"{type(optimizer).__name__} of {type(optimizer).__module__}. Compile the model with an optimizer of "
        "tf.train, such as tf.train.AdamOptimizer, or leave these options out."
    )


class _Options:
    """Holds the options, and what was done."""

    def __init__(
        self,
        accumulate: int | None,
        clip_global_norm: float | None,
        freeze: list[str],
    ) -> None:
        self.accumulate, self.clip = accumulate, clip_global_norm
        self.optimizers = 0
        self.frozen: dict[str, set[Any]] = {scope: set() for scope in freeze}
        self.acting = False

    def wrap(self, optimizer_class: Any) -> None:
        """Wraps the methods that `optimizer_class` defines itself."""
        # The library's own wrappers hand on to an inner optimizer, inside whatever decides that it
        # applies: it acts.
        if not issubclass(optimizer_class, WrappedOptimizer):
            if "apply_gradients" in vars(optimizer_class):
                patches.wrap(optimizer_class, "apply_gradients", self._act, reason="")

    def report(self) -> list[str]:
        """Returns a line for each option, on what it did."""
        acted = f"acted on {counted(self.optimizers, 'optimizer')}"
        lines = [
            f"--freeze {scope}: removed {counted(len(variables), 'variable')}"
            for scope, variables in self.frozen.items()
        ]
        if self.accumulate is not None:
            lines.append(f"--accumulate {self.accumulate}: {acted}")
        if self.clip is not None:
            lines.append(f"--clip-global-norm {self.clip:g}: {acted}")
        return lines

    def _act(
        self,
        apply_gradients: patches.Function,
        optimizer: Optimizer,
        grads_and_vars: GradsAndVars,
        global_step: tf.Variable | None = None,
        name: str | None = None,
        *args: object,
        **kwargs: object,
    ) -> Any:
        """Applies gradients as the options say, unless an outer optimizer does."""

        def apply(
            pairs: GradsAndVars, global_step: tf.Variable | None = None, name: str | None = None
        ) -> tf.Operation:
            return apply_gradients(optimizer, pairs, global_step, name, *args, **kwargs)

        pairs = list(grads_and_vars)
        if self.acting or tf.executing_eagerly() or all(gradient is None for gradient, _ in pairs):
            return apply(pairs, global_step, name)
        with patches.temporarily(self, "acting", True):
            pairs = check_grads_and_vars(pairs, "apply_gradients")
            if self.frozen:
                pairs = self._without_frozen(pairs)
            if self.accumulate is None and self.clip is None:
                return apply(pairs, global_step, name)
            self.optimizers += 1
            name = name or optimizer.get_name()
            users = _UsersOptimizer(apply, f"{name}_step" if self.accumulate else name)
            # The seeds of later random ops depend on the number of ops: those that the program
            # itself makes count.
            with op_counts.uncounted():
                step = self._around(users).apply_gradients(pairs, global_step, name)
            op_counts.shift(tf.get_default_graph(), users.ops)
            return step

    def _around(self, optimizer: Optimizer) -> Any:
        """Returns the library's form of the options around an optimizer."""
        if self.clip is not None:
            optimizer = ClippingOptimizer(optimizer, self.clip)
        if self.accumulate is not None:
            optimizer = AccumulatingOptimizer(optimizer, self.accumulate)
        return optimizer

    def _without_frozen(self, pairs: Pairs) -> Pairs:
        variables = [variable for _, variable in pairs]
        known = {variable_key(variable) for variable in variables}
        others = [
            variable for variable in tf.trainable_variables() if variable_key(variable) not in known
        ]
        for scope, frozen in self.frozen.items():
            try:
                chosen = select(scope, variables + others, "--freeze")
            except ValueError as error:  # a program that caught it would train these variables
                raise SystemExit(f"tf1grad run: {error}") from None
            frozen.update(known.intersection(map(variable_key, chosen)))
        everywhere: set[Any] = set().union(*self.frozen.values())
        here = [variable for variable in variables if variable_key(variable) in everywhere]
        return freezing.without(pairs, here) if here else pairs


class _UsersOptimizer:
    """Calls the `apply_gradients` of the user's optimizer, with the `name` of its op,
    and counts the `ops` it makes.
    """

    def __init__(self, apply: patches.Function, name: str) -> None:
        self._apply, self._name = apply, name
        self.ops = 0

    def compute_gradients(self, *args: object, **kwargs: object) -> NoReturn:
        """Raises an error: gradients were computed before they are applied."""
        raise NotImplementedError("gradients were computed before")

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: tf.Variable | None = None,
        name: str | None = None,
    ) -> tf.Operation:
        """Returns the op of the user's optimizer."""
        graph = tf.get_default_graph()
        start = len(graph.get_operations())
        step = self._apply(grads_and_vars, global_step, self._name)
        self.ops = sum(op.type not in _SWITCHES for op in graph.get_operations()[start:])
        return step
