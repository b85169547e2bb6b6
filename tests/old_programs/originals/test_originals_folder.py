"""Tests the folders that are searched for the originals, and what counts as originals."""

import os
import sys

import pytest

import fake_wheels
from tf1grad.old_programs.originals import folder, manifest


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Folders for the environment and the user, in place of the real ones."""
    monkeypatch.delenv("TF1GRAD_ORIGINALS", raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user"))
    return [str(tmp_path / "environment" / "share" / "tf1grad" / "tensorflow-1.15.5"),
            str(tmp_path / "user" / "tf1grad" / "tensorflow-1.15.5")]


@pytest.mark.skipif(os.name == "nt", reason="the user's folder of other systems")
def test_environment_comes_before_the_user(places):
    assert folder.places() == places
    assert folder.find_originals() is None
    fake_wheels.unpack(places[1])
    assert folder.find_originals() == places[1]
    fake_wheels.unpack(places[0])
    assert folder.find_originals() == places[0]


@pytest.mark.skipif(os.name == "nt", reason="the user's folder of other systems")
def test_user_folder_of_each_system(places, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME")
    assert folder.places()[1] == str(tmp_path / ".local" / "share" / "tf1grad" / "tensorflow-1.15.5")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder.places()[1] == str(
        tmp_path / "Library" / "Application Support" / "tf1grad" / "tensorflow-1.15.5")


def test_variable_is_the_only_place(places, monkeypatch, tmp_path):
    fake_wheels.unpack(places[0])
    monkeypatch.setenv("TF1GRAD_ORIGINALS", str(tmp_path / "mine"))
    assert folder.places() == [str(tmp_path / "mine")]
    assert folder.find_originals() is None
    fake_wheels.unpack(tmp_path / "mine")
    assert folder.find_originals() == str(tmp_path / "mine")


def test_contents_of_an_installed_tensorflow(tmp_path):
    fake_wheels.unpack(tmp_path)
    found = manifest.contents(str(tmp_path))
    size = sum(map(len, fake_wheels.SERVED.values()))
    assert found == (str(tmp_path), None, None, len(fake_wheels.SERVED), size, True, True)
    assert manifest.contents(str(tmp_path / "tensorflow_core")) is None


def test_finding_imports_neither_tensorflow_nor_what_installs(run_program):
    output = run_program("""
        import sys
        before = set(sys.modules)
        from tf1grad.old_programs.originals import folder
        folder.find_originals()
        print(sorted({"tensorflow", "numpy", "json", "subprocess", "zipfile"} & set(sys.modules) - before))
    """)
    assert output.split() == ["[]"]
