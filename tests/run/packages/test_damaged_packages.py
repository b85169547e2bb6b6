"""Tests that a damaged file of a package that was brought is named,
and the packages are fetched again.
"""

import os
import pathlib

import pytest

from tf1grad.programs.period import folder as period_folder


def empty(file):
    file.write_bytes(b"")


def truncate(file):
    file.write_bytes(file.read_bytes()[:5])


def overwrite(file):
    file.write_bytes(b"?" * len(file.read_bytes()))
    os.utime(str(file), (0, 0))


DAMAGES = [empty, truncate, overwrite, pathlib.Path.unlink]


@pytest.mark.parametrize("do", DAMAGES)
def test_a_damaged_file_is_named_and_the_packages_fetched_again(bring, index, layer, capsys, do):
    bring("plain==1.0\n")
    (file,) = layer.glob("package-plain-1.0-*/site-packages/plain/__init__.py")
    whole = file.read_bytes()
    do(file)
    period_folder.find_damage.cache_clear()
    capsys.readouterr()
    assert bring("plain==1.0\n")[0] == ["plain"] and file.read_bytes() == whole
    first, second = capsys.readouterr().err.splitlines()[:2]
    assert first.startswith(f"tf1grad: damaged: plain 1.0: {file}")
    assert second.startswith("tf1grad: fetching the packages of requirements.txt")


def test_a_damaged_file_is_named_where_nothing_may_be_fetched(
    bring, index, layer, capsys, monkeypatch
):
    bring("plain==1.0\n")
    (file,) = layer.glob("package-plain-1.0-*/site-packages/plain/__init__.py")
    empty(file)
    period_folder.find_damage.cache_clear()
    monkeypatch.setenv("TF1GRAD_OFFLINE", "1")
    capsys.readouterr()
    assert bring("plain==1.0\n")[0] == []
    told = capsys.readouterr().err
    assert f"damaged: plain 1.0: {file} has 0 bytes" in told
    assert "are the installed ones, since TF1GRAD_OFFLINE is set" in told
