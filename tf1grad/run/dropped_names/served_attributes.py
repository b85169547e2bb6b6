"""Holds what `run` serves for each name that a module has lost, imports it,
and says that it is served.

What is served is written as in the rows: code of ours as "dropped_names.module" or
"dropped_names.module:name", an expression of NumPy, a submodule as "module:", or the dotted name of
the same thing today.
"""

from __future__ import annotations

import builtins
import importlib
import re
import sys
from typing import Any

from tf1grad.programs.names import other_libraries
from tf1grad.programs.names.rows import does_nothing
from tf1grad.run.dropped_names.fix_messages import record_move, warn_once

# module -> name -> what is served for it
ATTRIBUTES: dict[str, dict[str, str]] = {}
for _row in other_libraries.select_rows("name", "submodule"):
    _module, _, _name = _row.old.rpartition(".")
    if not does_nothing(_row.run):
        ATTRIBUTES.setdefault(_module, {})[_name] = (
            _row.old + ":" if _row.kind == "submodule" else _row.run
        )


def announce(name: str, target: str) -> None:
    """Says that a name is served, and by what; a name that only moved is noted."""
    if is_ours(target):
        warn_once(name, summary_of(target))
    elif "(" in target:
        warn_once(name, "is " + target.format(module="numpy", arguments="..."))
    else:
        record_move(name, "is " + target.rstrip(":"))


def is_ours(target: str) -> bool:
    """Says whether what is served is code of ours."""
    return target.startswith("dropped_names.")


def summary_of(target: str) -> str:
    """Returns the first paragraph of the docstring of code of ours, as a phrase."""
    summary = " ".join(resolve(target).__doc__.split("\n\n")[0].split()).rstrip(".")
    return summary[0].lower() + summary[1:]


def path_of(target: str) -> str:
    """Returns the dotted name of a module that is served."""
    return re.sub(r"^dropped_names\.", "tf1grad.run.dropped_names.", target)


def resolve(target: str) -> Any:
    """Imports and returns what is served."""
    if "(" in target:
        code = target.format(module="numpy", arguments="*arguments, **options")
        function = eval("lambda *arguments, **options: " + code, {"numpy": sys.modules["numpy"]})
        return function if "{arguments}" in target else function()
    module, colon, name = path_of(target).partition(":")
    if colon and not name:
        __import__(module)  # not `import_module`, whose frame would hide that the script asks
        return sys.modules[module]
    if not colon and not is_ours(target):
        module, _, name = target.rpartition(".")
    if not module:
        return (
            vars(builtins)[target] if target in vars(builtins) else importlib.import_module(target)
        )
    found = importlib.import_module(module)
    return getattr(found, name) if name else found
