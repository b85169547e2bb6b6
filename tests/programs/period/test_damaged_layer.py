"""Tests that damaged parts of the period layer are found at the start, named, and fetched again."""

import os
import shutil
import sys

import numpy
import pytest

import fake_wheels
from tf1grad.programs.period import (
    folder as period_folder,
    installation,
    layer,
    manifest,
    parts,
    sources,
)

NAME = parts.TENSORFLOW.name
CONTRIB = "tensorflow_core/contrib/__init__.py"
TWO_MONTHS = 5e6


@pytest.fixture
def installed(wheels, place, monkeypatch):
    """Installs the part with TensorFlow's files, and returns its folder;
    the index has the same wheels.
    """
    monkeypatch.setattr(sources, "from_index", sources.from_folder(str(wheels)))
    installation.install([parts.TENSORFLOW], sources.from_index, lambda line: None)
    return place / NAME


def fetch():
    """Fetches what is missing as a new process does."""
    period_folder.find_damage.cache_clear()
    layer.fetch([parts.TENSORFLOW])


def set_times(path):
    """Sets the time of files to that of an earlier one."""
    status = os.stat(str(path))
    os.utime(str(path), (status.st_atime, status.st_mtime - TWO_MONTHS))


def empty(path):
    path.write_bytes(b"")


def truncate(path):
    path.write_bytes(path.read_bytes()[:3])


def remove(path):
    os.remove(str(path))


def overwrite(path):
    path.write_bytes(b"?" * len(path.read_bytes()))
    set_times(path)


def copied(tmp_path, copied_parts):
    """Copies parts of the real layer, and returns the folder that `TF1GRAD_PERIOD` may name."""
    for each in copied_parts:
        shutil.copytree(period_folder.find(each.name), str(tmp_path / "period" / each.name))
    return tmp_path / "period"


@pytest.mark.parametrize("do", [empty, truncate, overwrite, remove])
def test_damaged_file_is_named_and_the_part_fetched_again(installed, capsys, do):
    do(installed / CONTRIB)
    fetch()
    first, second = capsys.readouterr().err.splitlines()
    named = f"tf1grad: damaged: {parts.TENSORFLOW.title}: {installed / CONTRIB}"
    assert first.startswith(named) and "fetching" in second
    assert fake_wheels.is_whole(installed)
    fetch()
    assert capsys.readouterr().err == ""


def test_whole_part_is_found_without_reading_its_files(installed, monkeypatch):
    monkeypatch.setattr(manifest, "_checksum", lambda path: 1 / 0)
    assert manifest.find_damage(str(installed)) is None


def test_copy_with_other_times_is_whole_and_read_once(installed, monkeypatch):
    for *_, name in manifest.read(str(installed)):
        set_times(installed / name)
    assert manifest.find_damage(str(installed)) is None
    monkeypatch.setattr(manifest, "_checksum", lambda path: 1 / 0)
    assert manifest.find_damage(str(installed)) is None


def test_other_content_of_the_same_size_and_time_is_found_where_all_files_are_read(installed):
    status = os.stat(str(installed / CONTRIB))
    overwrite(installed / CONTRIB)
    os.utime(str(installed / CONTRIB), ns=(status.st_atime_ns, status.st_mtime_ns))
    assert manifest.find_damage(str(installed)) is None
    assert str(installed / CONTRIB) in manifest.read_contents(str(installed)).damage


def test_incomplete_manifest_is_damage(installed):
    truncate(installed / manifest.NAME)
    assert manifest.NAME in manifest.find_damage(str(installed))


def test_damaged_part_that_cannot_be_written_is_fetched_into_the_next_place(
    installed, monkeypatch, tmp_path
):
    empty(installed / CONTRIB)
    other = tmp_path / "other"
    monkeypatch.setenv("TF1GRAD_PERIOD", os.pathsep.join([str(installed.parent), str(other)]))
    monkeypatch.setattr(installation, "_is_writable", lambda place: place == str(other))
    fetch()
    assert period_folder.find_originals() == str(other / NAME)


@pytest.mark.period
@pytest.mark.parametrize(
    "part, pattern",
    [
        pytest.param(
            parts.numpy_of(sys.version_info[:2]),
            "site-packages/numpy/_core/_multiarray_umath.*",
            marks=pytest.mark.skipif(
                numpy.__version__.startswith("1."),
                reason="no NumPy is laid over an installed NumPy 1",
            ),
        ),
        (parts.TENSORFLOW, "tensorflow_core/contrib/layers/python/layers/layers.py"),
    ],
    ids=["numpy", "contrib"],
)
def test_damaged_layer_ends_run_with_the_remedy_where_nothing_may_be_fetched(
    folder, tmp_path, part, pattern
):
    period = copied(tmp_path, {parts.TENSORFLOW, parts.LIBRARIES, part})
    (damaged,) = (period / part.name).glob(pattern)
    truncate(damaged)
    folder.write("train.py", "import numpy; print('ran')")
    code, output, errors = folder.run(
        "train.py", env={"TF1GRAD_PERIOD": str(period), "TF1GRAD_OFFLINE": "1"}
    )
    assert (code, output) == (2, ""), errors
    assert f"damaged: {part.title}: {damaged} has 3 bytes instead of" in errors
    assert "TF1GRAD_OFFLINE is set" in errors and "tf1grad period install --wheels" in errors


@pytest.mark.slow
@pytest.mark.period
@pytest.mark.parametrize(
    "file, text, use, complaint",
    [
        ("python/training/adam.py", "raise RuntimeError()", "tf.train.AdamOptimizer()", "adam of"),
        ("python/training/adam.py", "", "tf.train.AdamOptimizer()", "'AdamOptimizer'"),
        ("contrib/layers/__init__.py", "", "tf.contrib.layers.linear(x, 2)", "'linear'"),
        (
            "contrib/layers/python/layers/layers.py",
            "1 / 0",
            "tf.contrib.layers.linear(x, 2)",
            "by zero",
        ),
    ],
    ids=["op layer fails", "op layer lacks it", "contrib lacks it", "contrib fails"],
)
def test_no_other_code_stands_in_for_an_original(folder, tmp_path, file, text, use, complaint):
    """Without the manifest that names it first: what is written here is taken for whole."""
    period = copied(tmp_path, [parts.TENSORFLOW, parts.LIBRARIES])
    (period / NAME / "tensorflow_core" / file).write_text(text)
    manifest.write(str(period / NAME))
    folder.write(
        "train.py", f"import tensorflow as tf\nx = tf.ones([1, 2])\n{use}\nprint('another one')"
    )
    code, output, errors = folder.run(
        "--numpy", "installed", "train.py", env={"TF1GRAD_PERIOD": str(period)}
    )
    # The last line is what `run` says of the error, if it says something.
    assert (code, output) == (1, "") and complaint in "".join(errors.splitlines()[-2:]), errors
