"""Tests that modules of packages that were brought are read, decided and rewritten once,
and not at each start.
"""

import os
import sys

import pytest

from tf1grad.programs.period import folder as period_folder
from tf1grad.programs.process import ownership
from tf1grad.programs.source import program_version
from tf1grad.run import python2

OF_2 = "print 'imported'\nhalf = 7 / 2\n"


class Process:
    """Compiles modules as a process of its own does, and counts those that it reads."""

    def __init__(self, version=None):
        program_version._read.cache_clear()
        self.read = []
        self.compiler = python2.Compiler(python2.dropped_names.compile_module, version)

    def executed(self, path):
        """Returns the names of the module in a file."""
        names = {"__name__": "module"}
        exec(self.compiler.of_file(str(path), self._content), names)
        return names

    def _content(self, path):
        self.read.append(os.path.basename(path))
        with open(path, "rb") as file:
            return file.read()


@pytest.fixture
def part(tmp_path, monkeypatch):
    """Returns the folder of a part."""
    monkeypatch.setenv(period_folder.VARIABLE, str(tmp_path))
    monkeypatch.setattr(ownership, "_files", ownership.Files(["old"]))
    monkeypatch.setattr(python2.builtins, python2.meaning.HELPER, None, raising=False)
    return tmp_path / "package-old-1.0"


@pytest.fixture
def write(part):
    """Returns a function that writes a module of the package, and returns its path."""

    def written(text, name="__init__.py"):
        path = part / "site-packages" / "old" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return written


def test_the_next_process_reads_no_module(write, part):
    path = write("half = 7 / 2\n")
    for read in (["__init__.py"], []):
        process = Process()
        assert process.executed(path)["half"] == 3.5 and process.read == read
    assert [each.name for each in part.iterdir() if each.name.startswith(".tf1grad-")]


def test_a_module_of_python_2_is_kept_with_what_is_said_of_it(write, capsys):
    path, told = write(OF_2), []
    for read in (["__init__.py"], []):
        process = Process()
        assert process.executed(path)["half"] == 3 and process.read == read
        assert ownership.is_python_2_file(str(path))
        told.append(capsys.readouterr())
    assert told[0] == told[1]
    assert told[0].out == "imported\n" and "is Python 2 (line 1" in told[0].err


def test_python_2_and_3_are_kept_apart(write):
    path = write("half = 7 / 2\n")
    for version, half in ((2, 3), (3, 3.5), (2, 3), (None, 3.5)):
        assert Process(version).executed(path)["half"] == half


def test_a_changed_module_is_read_anew(write):
    Process().executed(write("value = 1\n"))
    assert Process().executed(write("value = 22\n"))["value"] == 22


def test_a_module_of_the_same_size_that_changed_within_a_second_is_read_anew(write):
    for value, nanoseconds in ((1, 10**18), (2, 10**18 + 10**6)):
        path = write(f"value = {value}\n")
        os.utime(str(path), ns=(nanoseconds, nanoseconds))
        assert Process().executed(path)["value"] == value


def test_another_rewriting_reads_anew(write, monkeypatch):
    path = write("value = 1\n")
    Process().executed(path)
    monkeypatch.setattr(python2, "_rewriting", lambda: 1)
    process = Process()
    process.executed(path)
    assert process.read == ["__init__.py"]


def test_a_copied_part_names_its_own_files(write, part):
    path = write("def where():\n    return where.__code__.co_filename\n")
    Process().executed(path)
    copy = part.with_name("package-old-2.0")
    os.rename(part, copy)
    moved = copy / path.relative_to(part)
    assert Process().executed(moved)["where"]() == str(moved)


@pytest.mark.parametrize("is_there", [False, True])
def test_a_module_that_the_path_decides_is_decided_in_each_process(
    write, tmp_path, monkeypatch, is_there
):
    """A program may have a `commands.py` of its own,
    and then the package is not Python 2 for that import.
    """
    path = write("import commands\nhalf = 7 / 2\n")
    own = tmp_path / "program"
    own.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(own)])
    (own / "commands.py").write_text("")
    monkeypatch.setattr(sys, "modules", {**sys.modules})
    assert Process().executed(path)["half"] == 3.5
    if not is_there:
        (own / "commands.py").unlink()
        python2.python2_marks.PathFinder.invalidate_caches()
        sys.modules["commands"] = sys
    assert Process().executed(path)["half"] == (3.5 if is_there else 3)


@pytest.mark.parametrize("damage", [b"", b"half"])
def test_damaged_code_is_compiled_again(write, part, damage):
    path = write("value = 1\n")
    Process().executed(path)
    [kept] = next(part.glob(".tf1grad-*")).iterdir()
    kept.write_bytes(damage or kept.read_bytes()[:-4])
    assert Process().executed(path)["value"] == 1


def test_a_folder_that_cannot_be_written_is_left_alone(write, part):
    """A file stands in the place of the folder, since a superuser may write everywhere."""
    path = write("value = 1\n")
    blocked = part / python2.kept_code.FOLDER
    blocked.write_text("")
    for _ in range(2):
        process = Process()
        assert process.executed(path)["value"] == 1 and process.read == ["__init__.py"]


def test_modules_of_the_program_are_read_at_each_start(part, tmp_path, monkeypatch):
    monkeypatch.setenv(period_folder.VARIABLE, str(part))
    path = tmp_path / "model.py"
    path.write_text("value = 1\n")
    for _ in range(2):
        process = Process()
        assert process.executed(path)["value"] == 1 and process.read == ["model.py"]
    assert os.listdir(tmp_path) == ["model.py"]
