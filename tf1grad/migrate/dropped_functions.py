"""Provides functions that NumPy, SciPy, Matplotlib and Python have dropped,
for upgraded programs.
"""

from tf1grad.run.dropped_names.lost_functions import (
    ArgSpec,
    asfarray,
    cast,
    formatargspec,
    getargspec,
    hold,
    maketrans,
    normpdf,
    setdefaultencoding,
    string_join,
    string_lower,
    string_replace,
    string_split,
    string_strip,
    string_upper,
)
from tf1grad.run.dropped_names.scipy_images import (
    imread,
    imresize,
    imrotate,
    imsave,
    imshow,
    toimage,
)

__all__ = [
    "ArgSpec",
    "asfarray",
    "cast",
    "formatargspec",
    "getargspec",
    "hold",
    "imread",
    "imresize",
    "imrotate",
    "imsave",
    "imshow",
    "maketrans",
    "normpdf",
    "setdefaultencoding",
    "string_join",
    "string_lower",
    "string_replace",
    "string_split",
    "string_strip",
    "string_upper",
    "toimage",
]
