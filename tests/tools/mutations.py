"""Plants single breaks in rooms of the package, and tells which ones the tests notice.

    python tests/tools/mutations.py [--seed 0] [--draws 20] [--rooms ROOM ...] [--near]
        [--state FILE]

A break negates a condition, leaves a call out, or returns None. It is written into a copy of the
repository. There the short tests of its room run that call the broken function: quick ones first,
up to the first failure. `--near` also asks the rooms that import it, if the room's own tests notice
nothing. A run without a break records which test calls what.

A line has the place, the break, which room noticed it, "own" or "near", and the first test that
did. A break "loops" if the tests do not end, "survived" if all pass, and is "uncalled" if none
calls the function. The last lines count rooms. A survivor is equivalent, or wants a test in its
room. `--state` keeps all results in a file, and goes on from it: it asks again where test files
changed, and keeps the draw. The script needs Python 3.12 and `os.fork`.
"""

from __future__ import annotations

import argparse
import ast
import collections
import functools
import gc
import hashlib
import itertools
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
SECONDS = 15  # of CPU time of tests by break, measured without the break
LIMIT = 60  # CPU seconds, after which a break is taken to loop
LOOPS, SURVIVED, UNCALLED = "loops", "survived", "uncalled"
OUTCOMES = ["own", "near", LOOPS, SURVIVED, UNCALLED]
NO_TESTS = 5  # the exit status of pytest where it finds none of those that it is asked for
ASKED = "not slow or each_release or of_another_python"  # with all cases of its tests
OPTIONS = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", ASKED]
sys.path.insert(0, os.path.join(ROOT, "tests"))


class Break(NamedTuple):
    """A place that can be broken, and how."""

    room: str
    source: str
    function: str  # the outermost one; "" in a module
    line: int
    words: str
    nth: int  # among those of the function with the same words
    whole: str  # the source
    target: ast.AST
    new: str  # in the place of the target

    def __str__(self) -> str:
        return f"{self.source}:{self.line}  {self.words}"

    @property
    def text(self) -> str:
        """The whole source, broken."""
        return replaced(self.whole, self.target, self.new)

    def identity(self) -> tuple[str, str, str, int]:
        """Returns what stays as other places of its file change."""
        return self.source, self.function, self.words, self.nth


def main() -> None:
    """Draws breaks, runs the tests on each, and prints who notices them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--rooms", nargs="+", metavar="ROOM", help="such as gradients; else all")
    parser.add_argument("--near", action="store_true", help="also ask the rooms that import it")
    parser.add_argument("--state", metavar="FILE", help="keeps results, and goes on from them")
    arguments = parser.parse_args()
    import test_source

    rooms = [room.path for room in test_source.ROOMS]
    for room in set(arguments.rooms or ()) - set(rooms):
        parser.error(f"--rooms: {room!r} is none of {', '.join(rooms)}")
    rooms = arguments.rooms or rooms
    found = [
        each
        for source in test_source.LIBRARY_SOURCES
        if test_source.room_of(source) in rooms
        for each in breaks(test_source.room_of(source), source)
    ]
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
        drawn = run.drawn(found, rooms, arguments.seed, arguments.draws)
        outcomes = {}
        for each in drawn:
            by = run.answer(each, [each.room], with_rest=True)
            outcomes[each] = outcome("own", by)
            print(f"{each}  {outcomes[each]} {by}", flush=True)
        for each in drawn:
            if arguments.near and outcomes[each] in (SURVIVED, UNCALLED):
                by = run.answer(each, users[each.room], with_rest=False)
                if by != UNCALLED:
                    outcomes[each] = outcome("near", by)
                print(f"{each}  {outcomes[each]} {by}", flush=True)
    print(f"\n| room, seed {arguments.seed} | drawn | {' | '.join(OUTCOMES)} |")
    print("|---|---|" + "---|" * len(OUTCOMES))
    for room in [*rooms, ""]:
        count = collections.Counter(
            outcomes[each] for each in drawn if not room or each.room == room
        )
        cells = [room or "all", count.total(), *(count[each] for each in OUTCOMES)]
        print(f"| {' | '.join(map(str, cells))} |")


def outcome(where: str, by: str) -> str:
    """Returns the column of an answer."""
    return by if by in (LOOPS, UNCALLED) else where if by else SURVIVED


def breaks(room: str, source: str) -> list[Break]:
    """Returns a break for each place in a source that can be broken."""
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        text = file.read()
    found = []
    same: collections.Counter[tuple[str, str]] = collections.Counter()

    def visit(node: ast.AST, function: str, is_inside: bool) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not is_inside:
            function = f"{function}.{node.name}".lstrip(".")
            is_inside = isinstance(node, ast.FunctionDef)
        change = change_of(node, text)
        if change:
            target, words, new = change
            name = function if is_inside else ""
            nth = same[name, words]
            same[name, words] += 1
            found.append(Break(room, source, name, target.lineno, words, nth, text, target, new))
        for child in ast.iter_child_nodes(node):
            visit(child, function, is_inside)

    visit(ast.parse(text), "", False)
    return found


def change_of(node: ast.AST, text: str) -> tuple[ast.AST, str, str] | None:
    """Returns the part of a node to replace, the break in words, and the new text;
    None for other nodes.
    """
    if isinstance(node, (ast.If, ast.IfExp, ast.While)) and not is_for_types(node.test):
        condition = segment(text, node.test)
        return node.test, f"not ({shortened(condition)})", f"(not ({condition}))"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return node, f"without {shortened(segment(text, node))}", "pass"
    if isinstance(node, ast.Return) and node.value and not is_none(node.value):
        return (
            node.value,
            f"return None, not {shortened(segment(text, node.value))}",
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


def segment(text: str, node: ast.AST) -> str:
    """Returns the part of `text` that a node stands for, as `ast.get_source_segment`, which
    splits `text` each time.
    """
    start = offset(text, node.lineno, node.col_offset)
    return text[start : offset(text, node.end_lineno, node.end_col_offset)]


def offset(text: str, line: int, column: int) -> int:
    """Returns the place in `text` of a line from 1 and a column in bytes."""
    lines, starts = lines_of(text)
    return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())


@functools.lru_cache(maxsize=1)
def lines_of(text: str) -> tuple[list[str], list[int]]:
    """Returns the lines of `text`, and where each begins."""
    lines = text.splitlines(keepends=True)
    return lines, [0, *itertools.accumulate(map(len, lines))]


class Run:
    """Runs tests on breaks in a copy of the repository, and keeps what it saw in a file."""

    def __init__(self, copy: str, path: str | None) -> None:
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "build", "__pycache__"))
        self._copy, self._path = copy, path
        self._digests: dict[str, str] = {}
        self._state: dict[str, Any] = {"files": {}, "answers": {}}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self._state = json.load(file)

    def drawn(self, found: list[Break], rooms: list[str], seed: int, draws: int) -> list[Break]:
        """Returns the breaks that are drawn, or those of the kept draw that still exist,
        in the order of the rooms.
        """
        if "drawn" not in self._state:
            drawn = random.Random(seed).sample(found, min(draws, len(found)))
            self._state["drawn"] = [[each.room, *each.identity()] for each in drawn]
            self._save()
        places = collections.defaultdict(list)
        for each in found:
            places[each.identity()].append(each)
        drawn = []
        for room, *identity in self._state["drawn"]:
            if places[tuple(identity)]:
                drawn.append(places[tuple(identity)][0])
            elif room in rooms:
                print("gone since the draw:", *identity, file=sys.stderr)
        return sorted(drawn, key=lambda each: rooms.index(each.room))

    def answer(self, each: Break, rooms: list[str], with_rest: bool) -> str:
        """Returns the test of these rooms that fails with a break, LOOPS, or "":
        UNCALLED where none was tried.
        """
        files = [file for room in rooms for file in self._recorded(room)]
        tests = self._tests(each, files, with_rest)
        key = hashlib.sha256(repr((each.source, each.text, rooms)).encode()).hexdigest()[:16]
        asked = {test.partition("::")[0] for test in tests}
        state = sorted(f"{file} {self._digest(file)}" for file in asked)
        known = self._state["answers"].get(key)
        if not known or not self._still_holds(known, state):
            by = self._first_failure(each, tests) if tests else UNCALLED
            self._state["answers"][key] = {"state": state, "by": by, "break": str(each)}
            self._save()
        return self._state["answers"][key]["by"]

    def _still_holds(self, known: dict[str, Any], state: list[str]) -> bool:
        """Returns whether the file of the test that failed,
        or each file if none did, is as it was.
        """
        prefix = known["by"].partition("::")[0] + " "
        before, now = (
            [line for line in lines if line.startswith(prefix)] or lines
            for lines in (known["state"], state)
        )
        return before == now

    def _tests(self, each: Break, files: list[str], with_rest: bool) -> list[str]:
        """Returns the tests that call the function: quick ones first, as many as `SECONDS` allow.

        The others of their files may share a fixture or a cache with them, and come last.
        """
        seconds, first, rest = {}, set(), set()
        for record in (self._state["files"][file] for file in files):
            called = record["called"]
            if each.function:
                callers = set(called.get(f"{each.source}:{each.function}", ()))
            else:
                prefix = each.source + ":"
                found = (tests for name, tests in called.items() if name.startswith(prefix))
                callers = {test for tests in found for test in tests}
            passed = set(record["seconds"]) - set(record["failed"])
            first |= callers & passed
            rest |= passed - callers if callers and with_rest else set()
            seconds.update(record["seconds"])
        sums, kept = 0.0, []
        for test in [*sorted(first, key=seconds.get), *sorted(rest, key=seconds.get)]:
            if sums < SECONDS:
                sums += seconds[test]
                kept.append(test)
        return kept

    def _recorded(self, room: str) -> list[str]:
        """Returns the test files of a room, whose tests have run without a
        break since they changed.
        """
        folder = os.path.join(self._copy, "tests", room)
        files = sorted(
            os.path.relpath(os.path.join(path, name), self._copy)
            for path, _, names in os.walk(folder)
            for name in names
            if name.startswith("test_") and name.endswith(".py")
        )
        known = self._state["files"]
        new = [file for file in files if known.get(file, {}).get("digest") != self._digest(file)]
        if new:
            print(f"recording what {len(new)} files of {room} call", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                result = os.path.join(folder, "result.json")
                in_fork(self._copy, lambda: record(folder, new, result), None)
                with open(result, encoding="utf-8") as file:
                    found = json.load(file)
            for name in new:
                known[name] = {"digest": self._digest(name), **of_file(name, found)}
                for test in known[name]["failed"]:
                    print(f"fails without a break, and is left out: {test}", file=sys.stderr)
            self._save()
        return files

    def _digest(self, file: str) -> str:
        """Returns a digest of a test file."""
        if file not in self._digests:
            with open(os.path.join(self._copy, file), "rb") as opened:
                self._digests[file] = hashlib.sha256(opened.read()).hexdigest()[:16]
        return self._digests[file]

    def _first_failure(self, each: Break, tests: list[str]) -> str:
        path = os.path.join(self._copy, each.source)
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        times = os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns
        with open(path, "w", encoding="utf-8") as file:
            file.write(each.text)
        # Bytecode is known by the second of its source: each break has one of its own.
        second = 2_000_000_000 + len(self._state["answers"])
        os.utime(path, (second, second))
        try:
            with tempfile.TemporaryDirectory() as folder:
                told = os.path.join(folder, "failure")
                status = in_fork(self._copy, lambda: chosen(tests, told), LIMIT)
                if status in (0, NO_TESTS):
                    return ""
                if status < 0:
                    return LOOPS
                if not os.path.exists(told):
                    return tests[0].partition("::")[0]  # it was not collected
                with open(told, encoding="utf-8") as file:
                    return file.read()
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(whole)
            os.utime(path, ns=times)

    def _save(self) -> None:
        if self._path:
            with open(self._path + ".new", "w", encoding="utf-8") as file:
                json.dump(self._state, file)
            os.replace(self._path + ".new", self._path)


def of_file(file: str, found: dict[str, Any]) -> dict[str, Any]:
    """Returns the part of a record that is about the tests of one file."""
    prefix = file + "::"
    called = {
        name: [test for test in tests if test.startswith(prefix)]
        for name, tests in found["called"].items()
    }
    return {
        "called": {name: tests for name, tests in called.items() if tests},
        "seconds": {
            test: each for test, each in found["seconds"].items() if test.startswith(prefix)
        },
        "failed": [test for test in found["failed"] if test.startswith(prefix)],
    }


def in_fork(copy: str, call: Callable[[], int], limit: int | None) -> int:
    """Runs a function in a fork of this process, which has imported TensorFlow,
    and returns its exit status.

    A fork that takes more CPU seconds than `limit`, or waits three times as long, is killed: its
    status is negative.
    """
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="2", TF_ENABLE_ONEDNN_OPTS="0")  # as tests/conftest.py
    import pytest  # noqa: F401
    import tensorflow.compat.v1  # noqa: F401

    gc.freeze()  # no collection of the fork looks at TensorFlow's objects
    child = os.fork()
    if child:
        if limit:
            signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
            signal.alarm(3 * limit)
        status = os.waitpid(child, 0)[1]
        signal.alarm(0)
        status = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        try:
            os.killpg(child, signal.SIGKILL)  # what a broken test has left
        except ProcessLookupError:
            pass
        return status
    os.setsid()
    if limit:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
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


def record(folder: str, files: list[str], result: str) -> int:
    """Runs the short tests of some files, and writes which ones call what into a file."""
    import pytest

    import called_functions

    called_functions.prepare(folder)
    os.environ["PYTHONPATH"] += os.pathsep + folder
    plugin = called_functions.Calls(folder)
    options = [option for option in OPTIONS if option != "-x"]
    pytest.main([*options, *files], plugins=[plugin])
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


def chosen(tests: list[str], told: str) -> int:
    """Runs these tests in this order, up to the first failure,
    and writes its name into the file `told`.
    """
    import pytest

    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    return pytest.main([*OPTIONS, *files], plugins=[Chosen(tests, told)])


class Chosen:
    """A plugin of pytest that takes some tests, in their order, and writes which one fails."""

    def __init__(self, tests: list[str], told: str) -> None:
        self._told = told
        self._places = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items):
        items[:] = sorted(
            (item for item in items if item.nodeid in self._places),
            key=lambda item: self._places[item.nodeid],
        )

    def pytest_runtest_logreport(self, report):
        if report.failed and not os.path.exists(self._told):
            with open(self._told, "w", encoding="utf-8") as file:
                file.write(report.nodeid)


if __name__ == "__main__":
    main()
