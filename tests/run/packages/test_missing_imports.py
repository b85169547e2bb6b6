"""Tests for which imports `run` brings a missing package."""

import linecache

import pytest

from tf1grad.programs.process import ownership
from tf1grad.run.packages import imported, missing_imports

TEXT = """import PIL
try:
    import PIL
    read("a.png")
    importlib.import_module("PIL")
except ImportError:
    import PIL
"""


@pytest.mark.parametrize("is_cell", [False, True])
def test_a_call_in_a_try_needs_a_package_and_an_import_in_one_does_not(
    tmp_path, monkeypatch, is_cell
):
    file = str(tmp_path / "train.py")
    if is_cell:
        file += ":cell 1"
        lines = TEXT.splitlines(True)
        monkeypatch.setitem(linecache.cache, file, (len(TEXT), None, lines, file))
    else:
        (tmp_path / "train.py").write_text(TEXT)
    monkeypatch.setattr(ownership, "is_installed_file", lambda path: False)
    needed = []
    for line in range(1, 8):
        monkeypatch.setattr(ownership, "place_of_asker", lambda: (file, line))
        if missing_imports._is_needed("PIL"):
            needed.append(line)
    assert needed == [1, 2, 4, 6]


def test_code_without_a_file_brings_nothing(monkeypatch):
    monkeypatch.setattr(ownership, "is_installed_file", lambda path: False)
    monkeypatch.setattr(ownership, "place_of_asker", lambda: ("<nowhere>", 1))
    assert not missing_imports._is_needed("PIL")


def test_the_program_itself_is_not_missing(tmp_path):
    train = tmp_path / "train.py"
    train.write_text("import __main__\nimport stranger\n")
    assert [each.module for each in imported.missing(str(train), set())] == ["stranger"]
