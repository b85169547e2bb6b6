"""Plants single breaks in rooms of the package, and tells which ones the tests notice.

    python tests/tools/mutations.py [--seed 0] [--draws 20] [--rooms ROOM ...] [--near]

A break negates a condition, leaves a call out, or returns None. It is written into a copy of the repository, where the
short run of its room follows; `--near` adds the rooms that import it. A line has the place, the break and "noticed" or
"SURVIVED"; the last lines count by room. A survivor is equivalent, or wants a test in its room. It ends where the tests
of a room fail without a break.
"""

from __future__ import annotations

import argparse
import ast
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 600  # of one short run, after which a break counts as noticed: it may loop
sys.path.insert(0, os.path.join(ROOT, "tests"))


def main() -> int:
    """Draws breaks, runs the tests on each, and prints what they notice."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--rooms", nargs="+", metavar="ROOM", help="such as gradients; else all")
    parser.add_argument("--near", action="store_true", help="also test the rooms that import it")
    arguments = parser.parse_args()
    from test_source import LIBRARY_SOURCES, ROOMS, _imports

    names = [room.path for room in ROOMS]
    rooms = arguments.rooms or [room for room in names if os.path.isdir(tests_of(room))]
    found = [(room, *each) for room in rooms for each in breaks(room, LIBRARY_SOURCES)]
    drawn = random.Random(arguments.seed).sample(found, min(arguments.draws, len(found)))
    counts: dict[str, collections.Counter[bool]] = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "build", "__pycache__"))
        for room, source, line, words, broken in drawn:
            near = importers(room, names, LIBRARY_SOURCES, _imports) if arguments.near else []
            noticed = is_noticed(copy, source, broken, [room, *near])
            if noticed and not counts[room][True] and fails(copy, [room, *near]):
                print(f"{room}: its tests fail without a break", flush=True)
                return 1
            counts[room][noticed] += 1
            print(f"{source}:{line}  {words}  {'noticed' if noticed else 'SURVIVED'}", flush=True)
    for room, count in counts.items():
        print(f"{room}: {count[True]} of {sum(count.values())} noticed")
    return 0


def breaks(room: str, sources: list[str]) -> list[tuple[str, int, str, str]]:
    """Returns (source, line, break, broken text) for each place in a room that can be broken."""
    found = []
    for source in sources:
        if os.path.dirname(source) != os.path.join("tf1grad", *room.split("/")):
            continue
        with open(os.path.join(ROOT, source), encoding="utf-8") as file:
            text = file.read()
        for node in ast.walk(ast.parse(text)):
            change = change_of(node, text)
            if change:
                target, words, new = change
                found.append((source, target.lineno, words, replaced(text, target, new)))
    return found


def change_of(node: ast.AST, text: str) -> tuple[ast.AST, str, str] | None:
    """Returns the part of a node to replace, the break in words, and the new text; None for other nodes."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)) and not is_for_types(node.test):
        condition = ast.get_source_segment(text, node.test)
        return node.test, f"not ({shortened(condition)})", f"(not ({condition}))"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return node, f"without {shortened(ast.get_source_segment(text, node))}", "pass"
    if isinstance(node, ast.Return) and node.value and not is_none(node.value):
        return (
            node.value,
            f"return None, not {shortened(ast.get_source_segment(text, node.value))}",
            "None",
        )
    return None


def is_for_types(test: ast.AST) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def is_none(value: ast.AST) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def shortened(text: str) -> str:
    return " ".join(text.split())[:60]


def replaced(text: str, target: ast.AST, new: str) -> str:
    """Returns `text` with `new` in the place of a node."""
    start = offset(text, target.lineno, target.col_offset)
    return text[:start] + new + text[offset(text, target.end_lineno, target.end_col_offset) :]


def offset(text: str, line: int, column: int) -> int:
    """Returns the place in `text` of a line from 1 and a column in bytes."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())


def importers(room: str, rooms: list[str], sources: list[str], imports) -> list[str]:
    """Returns the rooms whose files import from `room`."""
    prefix = "tf1grad." + room.replace("/", ".")
    users = {
        os.path.relpath(os.path.dirname(source), "tf1grad").replace(os.sep, "/")
        for source in sources
        if any(name == prefix or name.startswith(prefix + ".") for name in imports(source))
    }
    return [user for user in rooms if user in users - {room} and os.path.isdir(tests_of(user))]


def tests_of(room: str) -> str:
    return os.path.join(ROOT, "tests", *room.split("/"))


def is_noticed(copy: str, source: str, broken: str, rooms: list[str]) -> bool:
    """Says whether the short run of these rooms fails in the copy with a broken source."""
    path = os.path.join(copy, source)
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(broken)
    try:
        return fails(copy, rooms)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole)


def fails(copy: str, rooms: list[str]) -> bool:
    """Says whether the short run of these rooms fails in the copy, or takes too long."""
    tests = [os.path.join("tests", *room.split("/")) for room in rooms]
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=copy,
            env=dict(os.environ, PYTHONPATH=copy, PYTHONDONTWRITEBYTECODE="1"),
            timeout=SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
