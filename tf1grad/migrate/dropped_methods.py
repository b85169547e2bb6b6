"""Provides methods that pandas, Pillow, Matplotlib and NumPy dropped, as functions of the
object, after an upgrade.
"""

from tf1grad.run.dropped_names.lost_functions import (
    append,
    as_matrix,
    clip_lower,
    clip_upper,
    font_size,
    get_value,
    lookup,
    mad,
    nonzero,
    set_value,
    sort,
    text_size,
    tostring_rgb,
)
from tf1grad.run.dropped_names.numpy_calls import ptp

__all__ = [
    "append",
    "as_matrix",
    "clip_lower",
    "clip_upper",
    "font_size",
    "get_value",
    "lookup",
    "mad",
    "nonzero",
    "ptp",
    "set_value",
    "sort",
    "text_size",
    "tostring_rgb",
]
