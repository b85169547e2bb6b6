"""Does what Python 2 did, for upgraded programs: divides whole numbers and reads pickles.

`divide` rounds down if both numbers are whole, which the text of a program may not show. The functions for pickles read
those that Python 2 wrote, and take files that were opened as text.
"""

from tf1grad.old_programs.dropped_names.python2_pickles import (
    dump as dump_pickle,
    load as load_pickle,
    loads as loads_pickle,
)
from tf1grad.old_programs.python2.meaning import (
    divided as divide,
    divided_in_place as divide_in_place,
)

__all__ = ["divide", "divide_in_place", "dump_pickle", "load_pickle", "loads_pickle"]
