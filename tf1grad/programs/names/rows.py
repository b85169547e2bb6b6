"""Defines the row: one fact about a name, method,
argument or value that Python or another library dropped.
"""

from __future__ import annotations

from typing import Iterable, Mapping, NamedTuple, Tuple

NOT = "not: "
RARE = NOT + "it is rare, and the error names it"


class Row(NamedTuple):
    """One fact. A column that begins with "not: " gives the reason why the command does nothing.

    old: the dotted name. A keyword is "function(keyword=)"; a refused value is described,
        "function(value)".
    kind: "name", "module", "submodule" (its package imported it), "method", "keyword", "value", or
        "builtin", for which `run` serves `python2.builtin_functions`.
    new: the dotted name of the same thing today; for a keyword or method of the same object, the
        bare name. None where nothing is the same.
    since: the first release without it, such as "NumPy 1.24". After "by " it is the oldest release
        known to lack it; after "deprecated in " the release that deprecated it, where the newest
        one still has it.
    run: what `run` serves: `new`, the module and name of one of our functions
        ("dropped_names.lost_functions:cast"), the template of `upgrade`, or the name of the fix
        that translates the call, or of the refusal that a recorded run notes. Of several modules,
        which are separated by spaces, the first that is installed is served.
    upgrade: "rename" where `upgrade` writes `new`; "rewrite" where a rule has a function for it;
        "helper" where `tf1grad.migrate.dropped_functions` has the function, or `dropped_methods`
        the method; else a template with {module} and {arguments}.
    remedy: one sentence for the user.
    requirement: what to `pip install` for `new` or for `run`; None when nothing more is needed.
    check: "seen", or why the text of a program cannot show it.
    arguments: for a method, how many arguments a call has that is recognized by the method's name
        alone; None where the text must show which class the object has.
    """

    old: str
    kind: str
    new: str | None
    since: str
    run: str
    upgrade: str
    remedy: str
    requirement: str | None = None
    check: str = "seen"
    arguments: int | None = None


Rows = Tuple[Row, ...]


def moved(
    owner: str,
    since: str,
    names: Mapping[str, str],
    kind: str = "name",
    requirement: str | None = None,
) -> Rows:
    """Returns the rows of names that are the same thing elsewhere:
    {old name in `owner`: new dotted name}.
    """
    prefix = owner and owner + "."
    return tuple(
        Row(prefix + old, kind, new, since, new, "rename", f"Use {new}.", requirement)
        for old, new in names.items()
    )


def moved_together(owner: str, since: str, target: str, names: Iterable[str]) -> Rows:
    """Returns the rows of the listed `names` of `owner`, which the module `target` has today."""
    return moved(owner, since, {name: f"{target}.{name}" for name in names})


def served(
    old: str,
    since: str,
    run: str,
    remedy: str,
    upgrade: str = "helper",
    requirement: str | None = None,
) -> Row:
    """Returns the row of a name that nothing of today equals,
    and that a function of ours serves.
    """
    return Row(old, "name", None, since, run, upgrade, remedy, requirement)


def expression(old: str, since: str, written: str, remedy: str) -> Row:
    """Returns the row of a name for which an expression with {module} and
    {arguments} stands today.
    """
    return Row(old, "name", None, since, written, written, remedy)


def method(
    old: str,
    new: str | None,
    since: str,
    arguments: int | None = None,
    run: str | None = None,
    upgrade: str = "rename",
    remedy: str | None = None,
) -> Row:
    """Returns the row of a method that its class has lost."""
    return Row(
        old,
        "method",
        new,
        since,
        run or new or "",
        upgrade,
        remedy or f"Use {new}.",
        arguments=arguments,
    )


def keyword(old: str, new: str | None, since: str, run: str) -> Row:
    """Returns the row of a keyword argument that has another name today,
    or that is ignored (`new` is None).
    """
    return Row(
        old, "keyword", new, since, run, "rewrite", f"Use {new}=." if new else "Leave it out."
    )


def value(
    old: str, since: str, run: str, remedy: str, upgrade: str = "rewrite", check: str = "seen"
) -> Row:
    """Returns the row of a value that a function refuses today."""
    return Row(old, "value", None, since, run, upgrade, remedy, check=check)


def written_by_upgrade(row: Row) -> str | None:
    """Returns the dotted name that `upgrade` writes for a name that is gone, or None."""
    if row.kind == "name" and row.upgrade == "helper":
        return "tf1grad.migrate.dropped_functions." + row.run.rpartition(":")[2]
    return row.new


def keyword_of(row: Row) -> str:
    """Returns the keyword of a row of that kind."""
    return row.old.rpartition("(")[2].rstrip("=)")


def function_of(row: Row) -> str:
    """Returns the dotted name of the function of a row about a keyword or value."""
    return row.old.partition("(")[0]


def last_name(row: Row) -> str:
    """Returns the name of the function or method of a row, without its owner."""
    return function_of(row).rpartition(".")[2]


def does_nothing(column: str) -> bool:
    """Says whether a column of a row is the reason why a command does nothing."""
    return column.startswith(NOT)
