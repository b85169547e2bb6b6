"""Does what Python 2 did, for upgraded programs:
divides whole numbers, rounds, compares and reads pickles.

`divide` rounds down if both numbers are whole, which the text of a program may not show. The
functions for pickles read those that Python 2 wrote, and take files that were opened as text.
`round_half_away` rounds 2.5 to 3.0, `map_to_list` takes None as the function, and the decorator
`compare_by_cmp` lets `<` and the like call `__cmp__`.
"""

from typing import Any

from tf1grad.run.dropped_names.python2_pickles import (
    dump as dump_pickle,
    load as load_pickle,
    loads as loads_pickle,
)
from tf1grad.run.python2.builtin_functions import (
    list_map as map_to_list,
    round_away as round_half_away,
)
from tf1grad.run.python2.meaning import (
    compared as compare_by_cmp,
    divided as divide,
    divided_in_place as divide_in_place,
)

__all__ = [
    "compare_by_cmp",
    "divide",
    "divide_in_place",
    "divide_item_in_place",
    "dump_pickle",
    "load_pickle",
    "loads_pickle",
    "map_to_list",
    "round_half_away",
]


def divide_item_in_place(owner: Any, index: Any, divisor: Any) -> None:
    """Does what `owner[index] /= divisor` did, where computing the item calls something."""
    owner[index] = divide_in_place(owner[index], divisor)
