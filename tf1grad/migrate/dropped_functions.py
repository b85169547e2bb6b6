"""Provides functions that NumPy, SciPy, Matplotlib and Python have dropped, for upgraded programs."""

from tf1grad.old_programs.era.lost_functions import (
    ArgSpec,
    asfarray,
    binom_test,
    cast,
    escape,
    find_common_type,
    getargspec,
    hold,
    ishold,
    maketrans,
    normpdf,
    random_integers,
    recfromcsv,
    setdefaultencoding,
    sph_harm,
    string_join,
    string_lower,
    string_replace,
    string_split,
    string_strip,
    string_upper,
)
from tf1grad.old_programs.era.scipy_images import (
    bytescale,
    fromimage,
    imread,
    imresize,
    imrotate,
    imsave,
    imshow,
    toimage,
)

__all__ = ["ArgSpec", "asfarray", "binom_test", "bytescale", "cast", "escape", "find_common_type", "fromimage",
           "getargspec", "hold", "imread", "imresize", "imrotate", "imsave", "imshow", "ishold", "maketrans", "normpdf",
           "random_integers", "recfromcsv", "setdefaultencoding", "sph_harm", "string_join", "string_lower",
           "string_replace", "string_split", "string_strip", "string_upper", "toimage"]
