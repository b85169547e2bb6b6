"""Holds the rules of `check` and `upgrade`:
each file in the folders of `FAMILIES` is a rule, and needs no other entry.

A rule's module is named after the rule, and has

    the docstring   its title, and below it the text that explains it: `check --explain`, the
                    documentation
    ID, SEVERITY    "TFG303", which never changes, and one of `SEVERITIES`
    EXAMPLE         a program that has the finding, and its correction: "- " begins the lines that
                    go, "+ " new ones. It is documentation, and the rule's first tests. Where a
                    program uses `tf` without imports, the usual imports and the switch to graphs
                    are put before it

and those of these functions and constants that it needs:

    SUMMARY                     the message of a finding for which the rule has nothing more
                                precise, if not the title
    REMEDY                      the advice, if it is the same for every finding
    findings(program)           yields its findings in a `Program`: a node, (node, message), or
                                (node, message, remedy)
    judge(use)                  returns (message, remedy) for a dotted name, a `remedies.NameUse`,
                                or None if it is fine
    findings_across(programs)   yields (program, node) if it needs to see all files of a program
                                together
    rewrite(plan)               plans the changes to one file, in an `edit_plan.Plan`, if they are
                                safe
    NAME                        the rule's public name, if the file is named differently
    OF_TENSORFLOW_2             True if its findings are wrong in a program that has TensorFlow 1.15
                                by `tf1grad.v1`
    REPORTED_BY_UPGRADE         True if `upgrade` comments on the findings that are left; rules that
                                rewrite always do

The room knows how to read programs and which names TensorFlow has; it does not know reports or exit
codes.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from types import ModuleType
from typing import Any, Callable, Container, Iterable, NamedTuple, Optional, Tuple, Union

from tf1grad.programs.source.program import Placed, Program

# "error" (the program does not run), "warning" (it runs, but may do something other than it says),
# "note" (nothing is wrong, and tf1grad has a call for it).
SEVERITIES = ("error", "warning", "note")

# The folders of rules: TFG0, TFG1, TFG2, TFG3 and TFG4.
FAMILIES = ("files", "tensorflow_names", "tf1grad_calls", "silent_faults", "other_libraries")

# A rule's findings: each a place alone, or with its message, or with its message and its remedy.
Findings = Iterable[Union[Placed, Tuple[Placed, str], Tuple[Placed, str, str]]]
# A rule's verdict on a name: message and remedy, or these and the requirement (see `Finding`), or
# None.
Verdict = Union[None, Tuple[str, str], Tuple[str, str, Optional[str]]]


class Rule(NamedTuple):
    """Everything that is known of a rule."""

    id: str  # such as "TFG303" and "prefix-scope"
    name: str
    severity: str  # one of `SEVERITIES`
    summary: str  # a sentence each; the remedy is "" if it depends on the finding
    remedy: str
    title: str  # a heading, and plain paragraphs
    text: str
    bad: str  # a program that has the finding
    good: str
    module: ModuleType  # the rule's module, with its functions

    @property
    def is_reported_by_upgrade(self) -> bool:
        """Returns whether `upgrade` puts a comment above each finding of this rule that is left."""
        return "rewrite" in vars(self.module) or getattr(self.module, "REPORTED_BY_UPGRADE", False)

    def concerns(self, program: Program) -> bool:
        """Returns False for a rule about recipes in a file for TensorFlow 2,
        and for one about TensorFlow 2 on 1.15.
        """
        if program.is_tf2 and self.id.startswith(("TFG2", "TFG3")):
            return False
        return not (program.is_on_1_15 and getattr(self.module, "OF_TENSORFLOW_2", False))


class Finding(NamedTuple):
    """One report."""

    rule: Rule
    path: str
    line: int  # counted from 1, columns in characters
    column: int
    message: str
    remedy: str
    cell: int | None = None  # the code cell in a notebook, or None
    # What the remedy needs: for `pip install`, or `provisions.ORIGINALS`.
    requirement: str | None = None


@functools.lru_cache(maxsize=None)
def all_rules() -> tuple[Rule, ...]:
    """Returns every `Rule`, ordered by id."""
    families = [importlib.import_module(f"{__name__}.{name}") for name in FAMILIES]
    modules = [
        importlib.import_module(f"{family.__name__}.{name}")
        for family in families
        for _, name, _ in pkgutil.iter_modules(family.__path__)
    ]
    return tuple(sorted(map(_rule, modules)))


def find_rule(identifier: str) -> Rule | None:
    """Returns the `Rule` with an id such as "TFG303" or a name such as "prefix-scope", or None."""
    return next((rule for rule in all_rules() if identifier in (rule.id, rule.name)), None)


def find_rules(identifier: str) -> list[Rule]:
    """Returns the rules with an id, a name, or the beginning of an id, such as "TFG3"."""
    exact = find_rule(identifier)
    if exact is not None:
        return [exact]
    begins = identifier if re.fullmatch(r"TFG\d*", identifier) else "\0"
    return [rule for rule in all_rules() if rule.id.startswith(begins)]


def having(
    function: str, only: Container[Rule] | None = None
) -> list[tuple[Rule, Callable[..., Any]]]:
    """Returns (rule, its function) for every rule that defines the `function`;
    `only` restricts them to some rules.
    """
    return [
        (rule, vars(rule.module)[function])
        for rule in all_rules()
        if function in vars(rule.module) and (only is None or rule in only)
    ]


def file_finding(
    identifier: str, path: str, message: str, remedy: str = "", line: int = 1
) -> Finding:
    """Returns a rule's finding about a whole file; the remedy is the rule's unless one is given."""
    rule = find_rule(identifier)
    assert rule is not None
    return Finding(rule, path, line, 1, message, remedy or rule.remedy)


def _rule(module: ModuleType) -> Rule:
    names = vars(module)
    title, _, text = names["__doc__"].partition("\n")
    name = names.get("NAME") or module.__name__.rpartition(".")[2].replace("_", "-")
    bad, good = (_program(names["EXAMPLE"], sign) for sign in "-+")
    return Rule(
        names["ID"],
        name,
        names["SEVERITY"],
        names.get("SUMMARY", title),
        names.get("REMEDY", ""),
        title.rstrip("."),
        text.strip(),
        bad,
        good,
        module,
    )


def _program(example: str, sign: str) -> str:
    """Returns one of the programs of an example,
    with the usual start if it uses TensorFlow and has no imports.
    """
    lines = [line[2:] for line in example.split("\n") if line[:1] in ("", " ", sign)]
    program = "\n".join(lines).strip() + "\n"
    if "tf." not in program or "import " in program:
        return program
    library = "import tf1grad\n" if "tf1grad." in program else ""
    return f"import tensorflow.compat.v1 as tf\n{library}\ntf.disable_v2_behavior()\n{program}"
