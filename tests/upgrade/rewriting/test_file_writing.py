"""Tests that a file is written whole, with the old one beside it, or stays as it is."""

import os
import shutil

import pytest

from tf1grad.upgrade.rewriting import file_writing


@pytest.fixture
def path(tmp_path):
    """The path of a file, alone in its folder."""
    (tmp_path / "old.py").write_text("old")
    return str(tmp_path / "old.py")


def _contents(path):
    folder = os.path.dirname(path)
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as file:
            found[name] = file.read()
    return found


def test_each_old_content_stays_beside_a_file(path):
    file_writing.write(path, b"new", backup=True)
    file_writing.write(path, b"newer", backup=True)
    assert _contents(path) == {"old.py": "newer", "old.py.orig": "old", "old.py.orig.1": "new"}


@pytest.mark.parametrize("step", ["copymode", "copy2", "replace"])
def test_nothing_is_left_of_a_file_that_cannot_be_written(path, monkeypatch, step):
    def fail(*arguments, **options):
        if step == "copy2":
            open(path + file_writing.BACKUP, "w").close()  # half of the copy
        raise OSError("no space")

    monkeypatch.setattr(os if step == "replace" else shutil, step, fail)
    with pytest.raises(OSError, match="no space"):
        file_writing.write(path, b"new", backup=True)
    assert _contents(path) == {"old.py": "old"}


@pytest.mark.parametrize("has_link", [False, True])
def test_an_interrupt_after_the_file_is_replaced_leaves_the_old_content(
    path, monkeypatch, has_link
):
    if has_link:
        os.link(path, path + ".link")

    def interrupted(function):
        def called(*arguments):
            function(*arguments)
            raise KeyboardInterrupt

        return called

    step = "remove" if has_link else "replace"
    with monkeypatch.context() as patches, pytest.raises(KeyboardInterrupt):
        patches.setattr(os, step, interrupted(getattr(os, step)))
        file_writing.write(path, b"new", backup=True)
    contents = _contents(path)
    assert contents.pop("old.py.link", "new") == "new"
    assert contents == {"old.py": "new", "old.py.orig": "old"}


@pytest.mark.skipif(os.name == "nt", reason="files have no such group there")
@pytest.mark.parametrize("may_give_away", [True, False])
def test_the_owner_stays_or_the_group_alone(path, monkeypatch, may_give_away):
    found, given = os.stat(path), []

    def chown(target, user, group):
        if user != -1 and not may_give_away:
            raise PermissionError
        given.append((user, group))

    monkeypatch.setattr(os, "chown", chown)
    file_writing.write(path, b"new", backup=False)
    assert given == [(found.st_uid if may_give_away else -1, found.st_gid)]


@pytest.mark.parametrize("fails", [False, True])
def test_a_file_with_two_names_is_written_in_its_place(path, monkeypatch, fails):
    os.link(path, path + ".link")
    put, failures = file_writing._put, [OSError("no space")] * fails

    def fail_once(file, data):
        put(file, data[: len(data) // 2] if failures else data)
        if failures:
            raise failures.pop()

    monkeypatch.setattr(file_writing, "_put", fail_once)
    if fails:
        with pytest.raises(OSError, match="no space"):
            file_writing.write(path, b"newer", backup=True)
        assert _contents(path) == {"old.py": "old", "old.py.link": "old"}
    else:
        file_writing.write(path, b"newer", backup=True)
        expected = {"old.py": "newer", "old.py.link": "newer", "old.py.orig": "old"}
        assert _contents(path) == expected
    assert os.path.samefile(path, path + ".link")
