"""Plants single breaks in rooms of the package, and tells which ones the tests notice.

    python tests/tools/mutations.py [--seed 0] [--draws 20] [--rooms ROOM ...] [--near] [--state FILE]

A break negates a condition, leaves a call out, or returns None. It is written into a copy of the repository. There the
short tests of its room run that call the broken function: quick ones first, up to the first failure. `--near` also asks
the rooms that import it, if the room's own tests notice nothing. A run without a break records which test calls what.

A line has the place, the break, and who noticed it: "own", "near" or "SURVIVED". The last lines count by room. A
survivor is equivalent, or wants a test in its room. `--state` keeps all results in a file, and goes on from it. The
script needs Python 3.12 and `os.fork`.
"""

from __future__ import annotations

import argparse
import ast
import collections
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 60  # of CPU time of tests by break and room, measured without the break
LIMIT = 120  # CPU seconds, after which a break counts as noticed: it may loop
NO_TESTS = 5  # the exit status of pytest where it finds none of those that it is asked for
OPTIONS = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly"]
sys.path.insert(0, os.path.join(ROOT, "tests"))


class Break(NamedTuple):
    """A place that can be broken, and how."""

    room: str
    source: str
    function: str  # the outermost one; "" in a module
    line: int
    words: str
    text: str  # the whole source, broken

    def __str__(self) -> str:
        return f"{self.source}:{self.line}  {self.words}"


def main() -> None:
    """Draws breaks, runs the tests on each, and prints who notices them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--rooms", nargs="+", metavar="ROOM", help="such as gradients; else all")
    parser.add_argument("--near", action="store_true", help="also ask the rooms that import it")
    parser.add_argument("--state", metavar="FILE", help="keeps results, and goes on from them")
    arguments = parser.parse_args()
    import test_source

    rooms = arguments.rooms or [room.path for room in test_source.ROOMS]
    found = [
        each
        for source in test_source.LIBRARY_SOURCES
        if test_source.room_of(source) in rooms
        for each in breaks(test_source.room_of(source), source)
    ]
    drawn = random.Random(arguments.seed).sample(found, min(arguments.draws, len(found)))
    drawn.sort(key=lambda each: rooms.index(each.room))
    users = {
        room.path: [
            user.path
            for user in test_source.ROOMS
            if room.path in test_source._rooms_known(user.path)
        ]
        for room in test_source.ROOMS
    }
    with tempfile.TemporaryDirectory() as folder:
        run = Run(os.path.join(folder, "copy"), arguments.state)
        outcomes = {}
        for each in drawn:
            outcomes[each] = "own" if run.is_noticed(each, each.room) else ""
            print(f"{each}  {outcomes[each] or 'not by its own room'}", flush=True)
        for each in drawn:
            if not outcomes[each]:
                if arguments.near and any(run.is_noticed(each, user) for user in users[each.room]):
                    outcomes[each] = "near"
                print(f"{each}  {outcomes[each] or 'SURVIVED'}", flush=True)
    print("\n| room | drawn | own | near | survived |\n|---|---|---|---|---|")
    for room in rooms:
        count = collections.Counter(outcomes[each] for each in drawn if each.room == room)
        print(f"| {room} | {count.total()} | {count['own']} | {count['near']} | {count['']} |")


def breaks(room: str, source: str) -> list[Break]:
    """Returns a break for each place in a source that can be broken."""
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        text = file.read()
    found = []

    def visit(node: ast.AST, function: str, is_inside: bool) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not is_inside:
            function = f"{function}.{node.name}".lstrip(".")
            is_inside = isinstance(node, ast.FunctionDef)
        change = change_of(node, text)
        if change:
            target, words, new = change
            broken = replaced(text, target, new)
            name = function if is_inside else ""
            found.append(Break(room, source, name, target.lineno, words, broken))
        for child in ast.iter_child_nodes(node):
            visit(child, function, is_inside)

    visit(ast.parse(text), "", False)
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


class Run:
    """Runs tests on breaks in a copy of the repository, and keeps what it saw in a file."""

    def __init__(self, copy: str, path: str | None) -> None:
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "build", "__pycache__"))
        self._copy, self._path = copy, path
        self._state: dict[str, Any] = {"rooms": {}, "noticed": {}}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self._state = json.load(file)

    def is_noticed(self, each: Break, room: str) -> bool:
        """Says whether a short test of a room fails with a break."""
        tests = self._tests(each, room)
        if not tests:
            return False
        told = hashlib.sha256(repr((each.text, room, self._digest(room))).encode()).hexdigest()[:16]
        if told not in self._state["noticed"]:
            self._state["noticed"][told] = self._fails(each, tests)
            self._save()
        return self._state["noticed"][told]

    def _tests(self, each: Break, room: str) -> list[str]:
        """Returns the tests that call the function, then the others of their files, which may share a fixture."""
        calls = self._calls(room)
        if each.function:
            first = calls["called"].get(f"{each.source}:{each.function}", [])
        else:
            prefix = each.source + ":"
            found = (tests for name, tests in calls["called"].items() if name.startswith(prefix))
            first = sorted({test for tests in found for test in tests})
        files = {test.partition("::")[0] for test in first}
        rest = [test for test in calls["seconds"] if test.partition("::")[0] in files]
        sums, kept = 0.0, []
        for test in [*sorted(first, key=calls["seconds"].get), *sorted(set(rest) - set(first))]:
            if test not in calls["failed"] and sums < SECONDS:
                sums += calls["seconds"][test]
                kept.append(test)
        return kept

    def _calls(self, room: str) -> dict[str, Any]:
        """Returns which tests of a room call what, and how long they take, by a run without a break."""
        digest = self._digest(room)
        if self._state["rooms"].get(room, {}).get("digest") != digest:
            print(f"recording what the tests of {room} call", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                result = os.path.join(folder, "result.json")
                in_fork(self._copy, lambda: record(folder, os.path.join("tests", room), result))
                with open(result, encoding="utf-8") as file:
                    self._state["rooms"][room] = {"digest": digest, **json.load(file)}
            for test in self._state["rooms"][room]["failed"]:
                print(f"fails without a break, and is left out: {test}", file=sys.stderr)
            self._save()
        return self._state["rooms"][room]

    def _digest(self, room: str) -> str:
        """Returns a digest of the tests of a room."""
        digest = hashlib.sha256()
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, "tests", room))):
            for name in sorted(name for name in names if name.endswith(".py")):
                with open(os.path.join(folder, name), "rb") as file:
                    digest.update(file.read())
        return digest.hexdigest()[:16]

    def _fails(self, each: Break, tests: list[str]) -> bool:
        path = os.path.join(self._copy, each.source)
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        times = os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns
        with open(path, "w", encoding="utf-8") as file:
            file.write(each.text)
        # Bytecode is known by the second of its source: each break has one of its own.
        second = 2_000_000_000 + len(self._state["noticed"])
        os.utime(path, (second, second))
        try:
            return in_fork(self._copy, lambda: chosen(tests)) not in (0, NO_TESTS)
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(whole)
            os.utime(path, ns=times)

    def _save(self) -> None:
        if self._path:
            with open(self._path + ".new", "w", encoding="utf-8") as file:
                json.dump(self._state, file)
            os.replace(self._path + ".new", self._path)


def in_fork(copy: str, call: Callable[[], int]) -> int:
    """Runs a function in a fork of this process, which has imported TensorFlow, and returns its exit status."""
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="2", TF_ENABLE_ONEDNN_OPTS="0")  # as tests/conftest.py
    import pytest  # noqa: F401
    import tensorflow.compat.v1  # noqa: F401

    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        status = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        try:
            os.killpg(child, signal.SIGKILL)  # what a broken test has left
        except ProcessLookupError:
            pass
        return status
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    if not os.environ.get("MUTATIONS_SHOW"):
        os.dup2(0, 1), os.dup2(0, 2)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = copy
    sys.path[:0] = [copy]
    for name in list(sys.modules):
        if name.partition(".")[0] in ("tf1grad", "test_source"):
            del sys.modules[name]
    status = 1
    try:
        status = int(call())
    finally:
        os._exit(status)


def record(folder: str, tests: str, result: str) -> int:
    """Runs the short tests in a folder, and writes which ones call what into a file."""
    import pytest

    import called_functions

    called_functions.prepare(folder)
    os.environ["PYTHONPATH"] += os.pathsep + folder
    plugin = called_functions.Calls(folder)
    options = [option for option in OPTIONS if option != "-x"]
    pytest.main([*options, tests], plugins=[plugin])
    with open(result, "w", encoding="utf-8") as file:
        json.dump(
            {
                "called": plugin.called(),
                "seconds": plugin.seconds,
                "failed": sorted(plugin.failed),
            },
            file,
        )
    return 0


def chosen(tests: list[str]) -> int:
    """Runs these tests in this order, up to the first failure."""
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    return pytest.main([*OPTIONS, *files], plugins=[Chosen(tests)])


class Chosen:
    """A plugin of pytest that takes some tests, in their order."""

    def __init__(self, tests: list[str]) -> None:
        self._places = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items):
        items[:] = sorted(
            (item for item in items if item.nodeid in self._places),
            key=lambda item: self._places[item.nodeid],
        )


if __name__ == "__main__":
    main()
