"""Tests the folders that are searched for the parts of the period layer."""

import os
import sys

import pytest

import fake_wheels
from tf1grad.programs import _installers, _systems
from tf1grad.programs.period import folder, installation, manifest, sources
from tf1grad.programs.process import messages

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such owners")
NAME = "tensorflow-1.15.5"


@pytest.fixture
def places(folders_of_systems):
    """Returns the places below these folders."""
    return [
        str(folders_of_systems / path)
        for path in (
            "environment/share/tf1grad",
            "user/tf1grad",
            f"temporary/tf1grad-{os.getuid()}",
        )
    ]


def part(place):
    """Writes the part with TensorFlow's files into a place."""
    fake_wheels.unpack(os.path.join(place, NAME))
    manifest.write(os.path.join(place, NAME))


@pytest.mark.skipif(os.name == "nt", reason="the user's folder of other systems")
def test_environment_comes_before_the_user(places):
    assert folder.places() == places
    assert folder.find_originals() is None
    for place in reversed(places[:2]):
        part(place)
        assert folder.find_originals() == os.path.join(place, NAME)


def test_the_part_that_a_file_is_in(monkeypatch, tmp_path):
    mine = [str(tmp_path / "mine"), str(tmp_path / "ours")]
    monkeypatch.setenv("TF1GRAD_PERIOD", os.pathsep.join(mine))
    for place in mine:
        file = os.path.join(place, NAME, "tensorflow_core", "__init__.py")
        assert folder.part_of(file) == os.path.join(place, NAME) and folder.is_inside(file)
    for file in (mine[0] + "-beside/a.py", str(tmp_path / "train.py")):
        assert folder.part_of(file) is None and not folder.is_inside(file)


@pytest.mark.skipif(os.name == "nt", reason="the user's folder of other systems")
@pytest.mark.parametrize("tool", _installers.TEMPORARY)
def test_environment_of_one_start_keeps_nothing(places, monkeypatch, tool):
    monkeypatch.setattr(_installers, "environment_tool", lambda: tool)
    assert folder.places() == places[1:]


@pytest.mark.skipif(os.name == "nt", reason="the user's folder of other systems")
def test_user_folder_of_each_system(places, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME")
    assert folder.places()[1] == str(tmp_path / ".local" / "share" / "tf1grad")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder.places()[1] == str(tmp_path / "Library" / "Application Support" / "tf1grad")


@pytest.mark.skipif(os.name == "nt", reason="the user's folder of other systems")
def test_variable_names_the_only_places(places, monkeypatch, tmp_path):
    part(places[0])
    mine = [str(tmp_path / "mine"), str(tmp_path / "ours")]
    monkeypatch.setenv("TF1GRAD_PERIOD", os.pathsep.join(mine))
    assert folder.places() == mine
    assert folder.find_originals() is None
    part(mine[1])
    assert folder.find_originals() == os.path.join(mine[1], NAME)


def test_finding_imports_neither_tensorflow_nor_what_installs(run_program):
    output = run_program("""
        import sys
        before = set(sys.modules)
        from tf1grad.programs.period import folder, layer
        folder.find_originals()
        print(sorted({"tensorflow", "numpy", "json", "subprocess", "zipfile"} & set(sys.modules) - before))
    """)
    assert output.split() == ["[]"]


@pytest.fixture
def give(monkeypatch):
    """Returns a function that gives a folder to another user, as far as tf1grad sees."""
    owners, owner = {}, _systems._owner
    monkeypatch.setattr(_systems, "_owner", lambda path: owners.get(path) or owner(path))
    return lambda path: owners.update({path: 4242})


@POSIX
@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("is_part", [False, True])
def test_a_folder_of_another_user_is_not_used_in_any_place(places, give, capsys, number, is_part):
    for place in places:
        part(place)
    stranger = os.path.join(places[number], NAME) if is_part else places[number]
    give(stranger)
    messages.said.clear()
    others = [os.path.join(each, NAME) for each in places if each != places[number]]
    assert folder.having(NAME) == others and folder.find_originals() == others[0]
    told = capsys.readouterr().err
    assert told == (
        f"tf1grad: {stranger} is not used, since it belongs to another user, number 4242. TF1GRAD_PERIOD names another "
        "folder\n"
    )


@POSIX
def test_a_named_folder_of_another_user_is_not_used(give, monkeypatch, tmp_path):
    monkeypatch.setenv("TF1GRAD_PERIOD", str(tmp_path / "theirs"))
    part(str(tmp_path / "theirs"))
    assert folder.find_originals() is not None
    give(str(tmp_path / "theirs"))
    assert folder.places() == [] and folder.find_originals() is None
    with pytest.raises(sources.Failed, match="no permission to write .*theirs"):
        installation.find_writable_place()


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can give files away")
def test_the_owner_is_read_from_the_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("TF1GRAD_PERIOD", str(tmp_path / "theirs"))
    part(str(tmp_path / "theirs"))
    os.chown(str(tmp_path / "theirs"), 4242, -1)
    assert folder.find_originals() is None


@POSIX
def test_the_owner_of_the_environment_is_trusted(places, give):
    part(places[0])
    give(places[0])
    give(sys.prefix)
    assert folder.find_originals() == os.path.join(places[0], NAME)
