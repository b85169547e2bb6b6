"""Tests the copies of the current folder in which `verify` and `upgrade
--by-running` run a program.
"""

import os

import pytest

from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import copied_folders
from tf1grad.run.packages import fetching
from tf1grad.verify import fresh_folder
from tf1grad.verify.fresh_folder import FreshFolder
from tf1grad.verify.record import Facts


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes a program's folder beside one with data, and enters it."""
    folder = tmp_path / "src"
    for name in ("src/models", "src/.git", "data"):
        (tmp_path / name).mkdir(parents=True)
    (folder / "train.py").write_text("code")
    (folder / "models" / "checkpoint").write_text("model-1")
    (tmp_path / "data" / "x.txt").write_text("data")
    monkeypatch.chdir(folder)
    return folder


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def write(text, *path):
    with open(os.path.join(*path), "w") as file:
        file.write(text)


def test_what_a_run_writes_stays_in_its_copy(program, tmp_path):
    fresh = FreshFolder(str(tmp_path / "temporary"))
    assert read(fresh.path, "train.py") == "code"
    assert fresh.written() == {}
    write("model-2", fresh.path, "models", "checkpoint")
    write("new", fresh.path, "log")
    os.remove(os.path.join(fresh.path, "train.py"))
    assert sorted(fresh.written()) == ["log", os.path.join("models", "checkpoint")]
    assert read("models", "checkpoint") == "model-1"
    assert sorted(os.listdir(".")) == [".git", "models", "train.py"]


def test_paths_beside_the_folder_lead_to_where_they_led(program, tmp_path):
    fresh = FreshFolder(str(tmp_path / "temporary"))
    assert read(fresh.path, os.pardir, "data", "x.txt") == "data"
    assert os.path.islink(os.path.join(fresh.path, ".git"))
    link = os.path.realpath(os.path.join(fresh.path, os.pardir, os.pardir))
    assert os.path.basename(link) == os.path.basename(str(tmp_path.parent))


def test_paths_in_the_folder_are_those_of_the_copy(program, tmp_path):
    fresh = FreshFolder(str(tmp_path / "temporary"))
    script, data = os.path.join(os.getcwd(), "train.py"), str(tmp_path / "data")
    words = fresh.words([script, "--out=" + os.path.join(os.getcwd(), "models"), data])
    assert words[0] == os.path.join(fresh.path, "train.py")
    assert words[1] == "--out=" + os.path.join(fresh.path, "models") and words[2] == data
    assert fresh.text(f'File "{words[0]}"') == f'File "{script}"'


def test_a_process_in_the_copy_knows_the_original(program, tmp_path, monkeypatch):
    fresh = FreshFolder(str(tmp_path / "temporary"))
    for name, value in fresh.environment({}).items():
        monkeypatch.setenv(name, value)
    original = os.path.realpath(os.getcwd())
    assert fetching.find_wanted(fresh.path, "layer").folder == original
    models = os.path.join(fresh.path, "models")
    assert copied_folders.original_of(models) == os.path.join(original, "models")
    assert copied_folders.original_of(str(tmp_path)) == str(tmp_path)


def test_a_temporary_folder_within_the_current_one_is_not_copied(program):
    fresh = FreshFolder(os.path.join(os.getcwd(), "temporary"))
    assert sorted(os.listdir(fresh.path)) == [".git", "models", "train.py"]


def test_the_largest_files_of_a_large_folder_are_linked(program, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fresh_folder, "COPIED", 100)
    write("a" * 80, "small")
    write("b" * 200, "large")
    fresh = FreshFolder(str(tmp_path / "temporary"))
    linked = [name for name in os.listdir(fresh.path) if name != ".git"]
    linked = [name for name in linked if os.path.islink(os.path.join(fresh.path, name))]
    assert linked == ["large"]
    assert "The runs share 1 large file of the current folder" in capsys.readouterr().err


def test_a_folder_of_too_many_files_is_refused(program, tmp_path, monkeypatch):
    monkeypatch.setattr(fresh_folder, "MOST_FILES", 1)
    with pytest.raises(UsageError, match="has more than 1 files, too many to copy for each run"):
        FreshFolder(str(tmp_path / "temporary"))


def test_checkpoints_outside_of_the_copy_are_taken_away_where_none_were_before(tmp_path):
    copy, new, old = (tmp_path / name for name in ("copy", "new", "old"))
    for folder in (copy, new, old):
        folder.mkdir()
        for name in ("checkpoint", "model-1.index", "model-1.meta", "model-10.index", "notes"):
            (folder / name).write_text("")
    facts = Facts(
        saved=[str(folder / "model-1") for folder in (copy, new, old)],
        restored=[str(old / "model-1"), str(copy / "model-1")],
        new_folders=[str(new)],
        old_folders=[str(old), str(copy)],
    )
    fresh_folder.remove_checkpoints(facts, str(copy))
    assert sorted(os.listdir(str(new))) == ["model-10.index", "notes"]
    assert len(os.listdir(str(old))) == len(os.listdir(str(copy))) == 5
    assert fresh_folder.shared_folders(facts) == {str(old)}
