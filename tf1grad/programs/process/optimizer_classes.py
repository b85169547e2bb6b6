"""Calls functions with every optimizer class of TensorFlow, those that are defined later included.

It is the one hook for `Optimizer.__init_subclass__`; whoever changes optimizers subscribes here.
Subscribers join while TensorFlow loads; from then on any thread may define classes, and calls the
subscribers itself.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

from tf1grad.programs.process import patches

_subscribers: list[Callable[[Any], Any]] = []


def call_with_optimizer_classes(function: Callable[[Any], Any], reason: str) -> None:
    """Calls `function` with `tf.train.Optimizer`, each of its subclasses,
    and each that is defined later.

    Later subscribers see what it made of the class.
    """
    from tf1grad._compat import tf

    if not _subscribers:

        def call_subscribers(cls: type, **kwargs: object) -> None:
            super(tf.train.Optimizer, cls).__init_subclass__(**kwargs)
            for subscriber in list(_subscribers):
                subscriber(cls)

        patches.patch(
            tf.train.Optimizer,
            "__init_subclass__",
            classmethod(call_subscribers),  # type: ignore[arg-type]
            reason="one hook for all that changes optimizer classes",
        )
    _subscribers.append(function)
    for cls in _with_subclasses(tf.train.Optimizer):
        function(cls)
    patches.note(
        "tf.train.Optimizer and its subclasses", reason, undo=lambda: _subscribers.remove(function)
    )


def _with_subclasses(cls: Any) -> Iterator[Any]:
    yield cls
    for subclass in cls.__subclasses__():
        yield from _with_subclasses(subclass)
