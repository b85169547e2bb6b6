"""Reports the progress of an optimizer outside TensorFlow."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from tf1grad._arguments import integer


class Progress(NamedTuple):
    """The state of a search after an evaluation;
    made by `minimize` for its `progress` callback, without a run.

    Attributes:
        evaluations: how often loss and gradient were evaluated, this time included.
        loss: the loss at the point that was just tried, which need not be the best.
        gradient_norm: the Euclidean norm of its gradient.
        evaluations_per_second: the mean since the search began.
    """

    evaluations: int
    loss: float
    gradient_norm: float
    evaluations_per_second: float


def print_progress(
    every: int = 100, write: Callable[[str], Any] = print
) -> Callable[[Progress], None]:
    """Returns a `progress` callback that writes one line every `every`
    evaluations, from the first on.

    Args:
        every: a positive number of evaluations.
        write: a function of a line.

    Raises:
        TypeError, ValueError: `every` is no int, or below 1.
    """
    if isinstance(every, Progress):
        raise TypeError(
            "print_progress: call it, so that it returns a callback: progress=print_progress()"
        )
    integer(every, "print_progress", "every", 1)

    def progress(now: Progress) -> None:
        if (now.evaluations - 1) % every == 0:
            evaluations, loss, norm, rate = now
            write(
                f"evaluation {evaluations:6d}  loss {loss:.6e}  |gradient| {norm:.3e}  {rate:.1f} evaluations/s"
            )

    return progress
