"""Names what NumPy 2 refuses in the middle of an expression, and NumPy 1 took.

The NumPy that `run` lays in front takes these values, and warns. `note_warnings` notes the lines
for `tf1grad upgrade --from`. With the user's own NumPy 2 they are errors, to which `advise` adds
the line and the remedy.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from typing import Any, List, NamedTuple

from tf1grad.programs.process import ownership, raised_errors, run_record


class Refusal(NamedTuple):
    """Describes a refusal by the name of its row's fix and the value, for the message.

    `warning` is how the warning of the layer's NumPy begins, `error` a regular expression for the
    error of NumPy 2.
    """

    name: str
    what: str
    warning: str
    error: str


REFUSALS = (
    Refusal(
        "numpy array of one number",
        "an array where a number is needed, even one of one number",
        "Conversion of an array with ndim > 0 to a scalar",
        r"only 0-dimensional arrays can be converted to Python scalars|is required, not numpy\.ndarray",
    ),
    Refusal(
        "numpy if array",
        "an empty array as a truth value",
        "The truth value of an empty array",
        "The truth value of an empty array is ambiguous",
    ),
    Refusal(
        "numpy numbers too large",
        "a number that the dtype does not hold",
        "NumPy will stop allowing conversion of out-of-bound",
        r"Python integer .* out of bounds for",
    ),
    Refusal(
        "numpy.fromstring",
        "binary data in fromstring",
        "The binary mode of fromstring",
        "The binary mode of fromstring is removed",
    ),
)


def advise(error: BaseException | None) -> str | None:
    """Returns a sentence on an error that only the user's NumPy 2 raises,
    with the line of user code; else None.
    """
    version = getattr(sys.modules.get("numpy"), "__version__", "1")
    # NumPy 1, or the layer's.
    if error is None or version.startswith("1") or "NPY_PROMOTION_STATE" in os.environ:
        return None
    refusal = next(
        (
            each
            for cause in raised_errors.causes(error)
            for each in REFUSALS
            if re.search(each.error, str(cause))
        ),
        None,
    )
    if refusal is None:
        return None
    places = [
        place
        for place in raised_errors.places(error.__traceback__)
        if ownership.is_users_file(place[0])
    ]
    where = f"{places[-1][0]}:{places[-1][1]}: " if places else ""
    return (
        f"{where}NumPy {version} refuses {refusal.what}. NumPy 1 took it, and the layer's NumPy does: run without "
        "`--numpy installed`"
    )


def note_warnings() -> None:
    """Notes the lines of user code at which NumPy warns of what NumPy 2 refuses;
    the warnings are hidden.
    """
    show = warnings.showwarning

    def noted(message: Any, *others: Any, **options: Any) -> None:
        text = str(message)
        refusal = next((each for each in REFUSALS if text.startswith(each.warning)), None)
        if refusal:
            run_record.note_repair(refusal.name)
        else:
            show(message, *others, **options)

    warnings.showwarning = noted
    for refusal in REFUSALS:
        warnings.filterwarnings("always", re.escape(refusal.warning))
    warnings.filters = _Filters(warnings.filters)


class _Filters(List[Any]):
    """Keeps the filters above the first ones: programs insert one there that hides all warnings."""

    def insert(self, index: Any, entry: Any) -> None:
        super().insert(max(index, len(REFUSALS)), entry)
