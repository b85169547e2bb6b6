"""Tests that the originals are installed whole, or not at all, from each of their sources."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import venv

import pytest
import tensorflow.compat.v1 as tf

import fake_wheels
from paths import ROOT
from tf1grad.old_programs.originals import folder, installation, manifest, wheel_sources

SCRIPTS = "Scripts" if os.name == "nt" else "bin"
POSIX = pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """Writes a small wheel with the checksum that the installation expects, and returns its path."""
    (tmp_path / "downloads").mkdir()
    path, checksums = fake_wheels.write(tmp_path / "downloads")
    monkeypatch.setattr(wheel_sources, "SHA256", checksums)
    return path


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Returns the folder that the originals go to."""
    monkeypatch.setenv("TF1GRAD_ORIGINALS", str(tmp_path / "data" / "originals"))
    return tmp_path / "data" / "originals"


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """pip that knows no index, and only the files of one folder."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "downloads"))


def put(source_in):
    """Installs, and gives the numbers that were given to the progress bar as well."""
    seen = []
    return installation.install(source_in, lambda *numbers: seen.append(numbers)), seen


def from_wheel(path):
    """Returns the argument of `install` for a wheel."""
    return lambda workshop: wheel_sources.wheel(path)


def test_keeps_the_served_files_of_a_wheel(wheel, place):
    found, seen = put(from_wheel(wheel))
    assert fake_wheels.is_whole(place)
    count, size = len(fake_wheels.SERVED), sum(map(len, fake_wheels.SERVED.values()))
    assert found == (str(place), "1.15.5", wheel_sources.SHA256[wheel_sources.WHEEL], count, size, True, True)
    assert seen == [(done, count) for done in range(1, count + 1)]
    assert os.listdir(str(place.parent)) == ["originals"]
    assert folder.find_originals() == str(place)


def test_keeps_the_licence(wheel, place):
    put(from_wheel(wheel))
    with open(os.path.join(ROOT, "LICENSE"), encoding="utf-8") as file:
        text = file.read()  # the Apache License 2.0, as TensorFlow's is
    assert (place / "LICENSE").read_text(encoding="utf-8") == (
        "Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.\n\n" + text)


def test_pip_downloads_for_any_python(wheel, place, offline):
    found, _ = put(wheel_sources.index)
    assert found.whole and fake_wheels.is_whole(place)
    assert os.listdir(str(place.parent)) == ["originals"]


def test_without_network(place, offline, tmp_path):
    with pytest.raises(wheel_sources.Failed,
                       match=r"pip could not download TensorFlow 1\.15\.5: No matching distribution"
                             r".*--wheel tensorflow-1\.15\.5-cp37"):
        put(wheel_sources.index)
    assert os.listdir(str(tmp_path)) == []


def test_unreachable_index_is_said_to_be(place, offline, monkeypatch, tmp_path):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(wheel_sources.Failed, match="NewConnectionError.*refused"):
        put(wheel_sources.index)
    assert os.listdir(str(tmp_path)) == []


def test_without_pip(place, monkeypatch, tmp_path):
    venv.create(str(tmp_path / "environment"), symlinks=os.name != "nt", with_pip=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "environment" / SCRIPTS / "python"))
    with pytest.raises(wheel_sources.Failed,
                       match="does not have pip, which downloads; `.*python -m ensurepip` installs.*--wheel"):
        put(wheel_sources.index)
    assert not place.parent.exists()


@pytest.mark.parametrize("source", ["wheel", "index"])
@pytest.mark.parametrize("changed", [wheel_sources.WHEEL, wheel_sources.ESTIMATOR_WHEEL], ids=["first", "second"])
def test_other_checksum(wheel, place, offline, monkeypatch, source, changed):
    monkeypatch.setitem(wheel_sources.SHA256, changed, "0" * 64)
    with pytest.raises(wheel_sources.Failed, match=f"is not the whole {changed} .*wrong checksum.*expected 0000"):
        put(wheel_sources.index if source == "index" else from_wheel(wheel))
    assert not place.parent.exists()


def test_truncated_wheel(wheel, place):
    with open(wheel, "rb+") as file:
        file.truncate(1000)
    with pytest.raises(wheel_sources.Failed, match="not the whole .*wrong checksum. Its 1000 bytes"):
        put(from_wheel(wheel))
    assert not place.parent.exists()


def test_estimator_is_added_to_a_folder_that_lacks_it(wheel, place, tmp_path):
    second = tmp_path / "downloads" / wheel_sources.ESTIMATOR_WHEEL
    second.rename(tmp_path / "kept")
    found, _ = put(from_wheel(wheel))
    assert (found.whole, found.estimator, folder.has_estimator()) == (True, False, False)
    (tmp_path / "kept").rename(second)
    found, _ = put(from_wheel(wheel))
    assert found.estimator and folder.has_estimator() and fake_wheels.is_whole(place)


def test_no_such_wheel(place):
    with pytest.raises(wheel_sources.WrongSource, match="there is no file nowhere.whl"):
        put(from_wheel("nowhere.whl"))
    assert not place.parent.exists()


def test_full_disk(wheel, place, monkeypatch):
    written = []

    def no_space(path, mode="r", **options):
        if "w" in mode:
            written.append(path)
        if len(written) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        return open(path, mode, **options)

    monkeypatch.setattr(installation, "open", no_space, raising=False)
    with pytest.raises(wheel_sources.Failed, match="the disk of .*originals is full: 30 MB"):
        put(from_wheel(wheel))
    assert len(written) == 4 and not place.parent.exists()


def test_disk_too_full_for_a_download(place, offline, monkeypatch, tmp_path):
    monkeypatch.setattr(wheel_sources, "NEEDED_BYTES", 1 << 62)
    with pytest.raises(wheel_sources.Failed, match="the disk of .*originals is full: .* 220 MB more"):
        put(wheel_sources.index)
    assert os.listdir(str(tmp_path)) == []


def test_exception_in_the_middle_leaves_nothing(wheel, place):
    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        installation.install(from_wheel(wheel), stop)
    assert not place.parent.exists()


@pytest.mark.skipif(os.name == "nt", reason="folders have no locks there")
def test_what_a_killed_process_left_is_removed_by_the_next(wheel, place):
    kill = "lambda done, total: os.kill(os.getpid(), signal.SIGKILL)"
    program = f"""if True:
        import os, signal
        from tf1grad.old_programs.originals import installation, wheel_sources
        wheel_sources.SHA256 = {wheel_sources.SHA256!r}
        installation.install(lambda workshop: wheel_sources.wheel({str(wheel)!r}), {kill})
    """
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")]))
    assert subprocess.call([sys.executable, "-c", program], env=environment) == -signal.SIGKILL
    left, = os.listdir(str(place.parent))
    assert left.endswith(".tmp") and os.listdir(str(place.parent / left)) == ["new"]
    put(from_wheel(wheel))
    assert os.listdir(str(place.parent)) == ["originals"] and fake_wheels.is_whole(place)


def test_failure_keeps_what_was_there(wheel, place):
    put(from_wheel(wheel))
    os.remove(str(place / "tensorflow_core" / "contrib" / "__init__.py"))
    before = fake_wheels.files(place)
    with pytest.raises(wheel_sources.WrongSource):
        put(from_wheel("nowhere.whl"))
    assert fake_wheels.files(place) == before and os.listdir(str(place.parent)) == ["originals"]


def test_repairs_a_damaged_folder(wheel, place):
    put(from_wheel(wheel))
    os.remove(str(place / "tensorflow_core" / "contrib" / "__init__.py"))
    assert not manifest.contents(str(place)).whole
    assert put(from_wheel(wheel))[0].whole and fake_wheels.is_whole(place)
    assert os.listdir(str(place.parent)) == ["originals"]


def test_two_at_once(wheel, place):
    found = installation.install(lambda workshop: wheel_sources.wheel(wheel),
                            lambda done, total: put(from_wheel(wheel)) if done == total else None)
    assert found.whole and fake_wheels.is_whole(place)
    assert os.listdir(str(place.parent)) == ["originals"]


def test_removed_by_another_process_at_once(wheel, place, monkeypatch):
    rename = os.rename

    def rename_and_remove(old, new):
        rename(old, new)
        shutil.rmtree(new)

    monkeypatch.setattr(installation.os, "rename", rename_and_remove)
    with pytest.raises(wheel_sources.Failed, match="another process removed .*originals"):
        put(from_wheel(wheel))


def test_refuses_a_folder_of_somebody_else(wheel, place):
    place.mkdir(parents=True)
    (place / "thesis.txt").write_text("mine")
    with pytest.raises(wheel_sources.Failed, match="holds other files"):
        put(from_wheel(wheel))
    assert fake_wheels.files(place.parent) == {"originals/thesis.txt": b"mine"}


@pytest.mark.parametrize("obstacle", ["a file", "its mode"])
@pytest.mark.skipif(os.name == "nt", reason="the user's folder of other systems")
def test_user_folder_where_the_environment_is_read_only(wheel, obstacle, tmp_path, monkeypatch):
    share = tmp_path / "environment" / "share"
    share.parent.mkdir()
    if obstacle == "a file":
        share.write_text("no folder")
    elif os.geteuid() == 0:
        pytest.skip("the superuser may write everywhere")
    else:
        share.mkdir(mode=0o555)
    monkeypatch.delenv("TF1GRAD_ORIGINALS", raising=False)
    monkeypatch.setattr(sys, "prefix", str(share.parent))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user"))
    found, _ = put(from_wheel(wheel))
    assert found.place == str(tmp_path / "user" / "tf1grad" / "tensorflow-1.15.5")
    assert fake_wheels.is_whole(found.place)
    assert installation.remove() == [found.place]
    assert fake_wheels.files(tmp_path / "user") == {} and not (tmp_path / "user" / "tf1grad").exists()


def test_no_permission_anywhere(wheel, place):
    place.parent.write_text("no folder")
    with pytest.raises(wheel_sources.Failed, match="no permission to write .*originals .*Set TF1GRAD_ORIGINALS"):
        put(from_wheel(wheel))
    assert place.parent.read_text() == "no folder"


def test_remove_takes_away_all_that_was_installed(wheel, place):
    put(from_wheel(wheel))
    compiled = place / "tensorflow_core" / "contrib" / "__pycache__"
    compiled.mkdir()
    (compiled / "__init__.pyc").write_text("made later")
    assert installation.remove() == [str(place)]
    assert os.listdir(str(place.parent)) == [] and installation.remove() == []


def test_remove_leaves_an_installed_tensorflow_alone(place):
    fake_wheels.unpack(place)
    before = fake_wheels.files(place)
    with pytest.raises(wheel_sources.Failed, match="was not installed by"):
        installation.remove()
    assert fake_wheels.files(place) == before


def python(path, prints):
    """Writes a program that prints this, as another Python would."""
    path.write_text(f"#!/bin/sh\necho 'TensorFlow says hello'\necho '{prints}'\n")
    path.chmod(0o755)
    return lambda workshop: wheel_sources.interpreter(str(path))


@POSIX
def test_copies_from_another_python(place, tmp_path):
    fake_wheels.unpack(tmp_path / "site packages")
    answer = f'tf1grad ["1.15.0", "{tmp_path / "site packages"}"]'
    found, _ = put(python(tmp_path / "python", answer))
    assert (found.version, found.sha256, found.whole) == ("1.15.0", None, True)
    assert fake_wheels.is_whole(place)


@POSIX
@pytest.mark.parametrize("prints, complaint", [
    ('tf1grad ["2.21.0", null]', "has TensorFlow 2.21.0; --from needs a Python that has TensorFlow 1.15"),
    ("tf1grad [null, null]", "cannot import TensorFlow"),
    ("hello", "is not a Python interpreter"),
])
def test_other_python_without_the_originals(place, tmp_path, prints, complaint):
    with pytest.raises(wheel_sources.WrongSource, match=complaint):
        put(python(tmp_path / "python", prints))
    assert not place.parent.exists()


def test_no_such_python(place, tmp_path):
    for path in (str(tmp_path), str(tmp_path / "nowhere")):
        with pytest.raises(wheel_sources.WrongSource, match="there is no program"):
            put(lambda workshop: wheel_sources.interpreter(path))


def test_this_python_answers_for_its_tensorflow():
    if not tf.__version__.startswith("1.15."):
        with pytest.raises(wheel_sources.WrongSource, match="has TensorFlow 2"):
            wheel_sources.interpreter(sys.executable).__enter__()
        return
    with wheel_sources.interpreter(sys.executable) as source:
        assert source.version == tf.__version__
        assert "tensorflow_core/contrib/crf/python/ops/crf.py" in source.names
        assert b"def crf_log_likelihood(" in source.read("tensorflow_core/contrib/crf/python/ops/crf.py")
