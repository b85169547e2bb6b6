"""What `check` finds and `upgrade` rewrites: a rule is a file of this folder, and is registered by being here.

A rule's module is named as the rule is, and has

    the docstring   its title, and below it the text that explains it: `check --explain`, the documentation
    ID, SEVERITY    "TFG303", which never changes, and one of `SEVERITIES`
    SUMMARY         one sentence: what a finding says where the rule has nothing more precise
    REMEDY          what to do, where that is the same for every finding
    BAD, GOOD       a program that has the finding, and what to write instead: documentation, and the rule's first tests

and those of these functions that it needs:

    find(program)       yields what it finds in a `Program`: a node, (node, message), or (node, message, remedy)
    judge(use)          says of one dotted name, a `NameUse`, what is wrong with it: (message, remedy) or None
    find_in(programs)   yields (program, node) where only all files of a program together can tell
    rewrite(plan)       plans the changes to one file, in an `edit_plan.Plan`, where they are sure

The room knows programs, symbols and era, and nothing of reports or of how text is changed.
"""

import ast
import functools
import importlib
import pkgutil
from types import ModuleType
from typing import Any, Callable, List, NamedTuple, Optional, Tuple, Union

from tf1grad.old_programs.source.program import Placed, Program

# "error" (the program does not run), "warning" (it runs, and may do something else than it says), "note" (nothing is
# wrong; tf1grad has a call for it).
SEVERITIES = ("error", "warning", "note")

# The folders of rules: TFG0, TFG1, TFG2, TFG3 and TFG4.
FAMILIES = ("files", "tensorflow_names", "tf1grad_calls", "silent_faults", "other_libraries")

# What a rule finds: the place alone, or with its message, or with its message and its remedy.
Found = Union[Placed, Tuple[Placed, str], Tuple[Placed, str, str]]
# What a rule says of a name: the message and the remedy, or these and the requirement (see `Finding`), or nothing.
Verdict = Union[None, Tuple[str, str], Tuple[str, str, Optional[str]]]


class Rule(NamedTuple):
    """A rule.

    id, name: such as "TFG303" and "prefix-scope".
    severity: one of `SEVERITIES`.
    summary, remedy: a sentence each; the remedy is "" where it depends on the finding.
    title, text: a heading, and plain paragraphs.
    bad, good: programs.
    module: what has the functions.
    """

    id: str
    name: str
    severity: str
    summary: str
    remedy: str
    title: str
    text: str
    bad: str
    good: str
    module: ModuleType


class Finding(NamedTuple):
    """One report.

    line, column: from 1, columns in characters.
    cell: in a notebook, the code cell of the line.
    requirement: what to `pip install` for the remedy, or `provisions.ORIGINALS`; None when nothing more is needed.
    """

    rule: Rule
    path: str
    line: int
    column: int
    message: str
    remedy: str
    cell: Optional[int]
    requirement: Optional[str] = None


class NameUse(NamedTuple):
    """A dotted name that a program uses, from its root."""

    program: Program
    node: Union[ast.expr, ast.stmt]
    name: str


@functools.lru_cache(maxsize=None)
def all() -> Tuple[Rule, ...]:
    """Every `Rule`, in the order of the ids."""
    families = [importlib.import_module(f"{__name__}.{name}") for name in FAMILIES]
    modules = [importlib.import_module(f"{family.__name__}.{name}") for family in families
               for _, name, _ in pkgutil.iter_modules(family.__path__)]
    return tuple(sorted(map(_rule, modules)))


def find(identifier: str) -> Optional[Rule]:
    """The `Rule` with an id such as "TFG303", or with a name such as "prefix-scope"; None where there is none."""
    return next((rule for rule in all() if identifier in (rule.id, rule.name)), None)


def having(function: str) -> List[Tuple[Rule, Callable[..., Any]]]:
    """(rule, its function) of every rule that has the `function` of this name."""
    return [(rule, vars(rule.module)[function]) for rule in all() if function in vars(rule.module)]


def _rule(module: ModuleType) -> Rule:
    names = vars(module)
    title, _, text = names["__doc__"].partition("\n")
    name = names.get("NAME") or module.__name__.rpartition(".")[2].replace("_", "-")
    return Rule(names["ID"], name, names["SEVERITY"], names["SUMMARY"], names.get("REMEDY", ""),
                title.strip().rstrip("."), text.strip(), names["BAD"].strip() + "\n",
                names["GOOD"].strip() + "\n", module)
