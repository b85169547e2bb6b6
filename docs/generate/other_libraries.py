"""Generates the tables of the names that left Python and other libraries,
from the rows that the commands use.
"""

from tf1grad.programs.names import other_libraries, recorded_names
from tf1grad.programs.names.rows import NOT, does_nothing


def tables():
    """Returns a collapsible table for each library."""
    libraries = sorted(set(map(other_libraries.library_of, other_libraries.ROWS)), key=str.lower)
    return "\n\n".join(_table(title) for title in libraries)


def recorded():
    """Returns collapsible lists of the names that the commands know from recorded
    lists alone, by library.
    """
    by_title = {}
    for name, since in recorded_names.all_names():
        title, _, version = since.replace("by ", "").rpartition(" ")
        key = (title, version if title == "Python" else "")
        by_title.setdefault(key, []).append(f"`{name}`")
    return "\n\n".join(
        f'??? note "{" ".join(filter(None, key))} ({len(names)})"\n\n    {", ".join(names)}'
        for key, names in by_title.items()
    )


def _table(title):
    found = [row for row in other_libraries.ROWS if other_libraries.library_of(row) == title]
    rows = [
        "| old | today | gone since | `check` | `run` | `upgrade` |",
        "|---|---|---|---|---|---|",
    ]
    rows += ["| " + " | ".join(map(_escaped, _cells(row))) + " |" for row in found]
    return f'??? note "{title} ({len(found)})"\n\n' + "\n".join("    " + row for row in rows)


def _cells(row):
    today = f"`{row.new}`" if row.new else row.remedy
    needs = f" (`pip install {row.requirement}`)" if row.requirement else ""
    return [
        f"`{row.old}`",
        today + needs,
        _since(row.since),
        *map(_does, (row.check, row.run, row.upgrade)),
    ]


def _since(since):
    return since[len("by ") :] + " or earlier" if since.startswith("by ") else since


def _does(column):
    return "no: " + column[len(NOT) :] if does_nothing(column) else "yes"


def _escaped(cell):
    return cell.replace("|", "\\|")
