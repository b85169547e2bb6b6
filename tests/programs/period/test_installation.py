"""Tests that parts of the period layer are installed whole, or not at all,
from each of their sources.
"""

import errno
import os
import shutil
import signal
import subprocess
import sys
import types
import venv

import pytest
import tensorflow.compat.v1 as tf

import fake_wheels
from paths import ROOT
from script_folder import run_python
from tf1grad.cli.main import main
from tf1grad.programs import _systems
from tf1grad.programs._errors import UsageError
from tf1grad.programs.period import folder, installation, layer, manifest, parts, pip, sources

POSIX = pytest.mark.skipif(
    os.name == "nt", reason="the programs are shell scripts, the signals are POSIX's"
)
NAME = parts.TENSORFLOW.name


def put(source, *wanted):
    """Installs, and returns the lines that were told."""
    told = []
    installation.install(wanted or [parts.TENSORFLOW], source, told.append)
    return told


def damage(path):
    """Returns what is damaged in a part, all of whose files are read."""
    return manifest.read_contents(str(path)).damage


def fails(source, message, place):
    """Checks that an installation fails with this message, and leaves nothing."""
    with pytest.raises(sources.Failed, match=message):
        put(source)
    assert not os.path.isdir(str(place)) or os.listdir(str(place)) == []


def test_keeps_the_served_files_of_the_wheels(wheels, place):
    told = put(sources.from_folder(str(wheels)))
    assert fake_wheels.is_whole(place / NAME) and os.listdir(str(place)) == [NAME]
    files = fake_wheels.files(place / NAME)
    size = sum(map(len, files.values()))
    assert manifest.read_contents(str(place / NAME)) == (str(place / NAME), len(files), size, None)
    assert folder.find_originals() == str(place / NAME)
    assert told == [
        f"fetching what TensorFlow 1.15 came with, once: TensorFlow 1.15.5's own Python files (112 MB to "
        f"download, 33 MB on disk, for a moment 336 MB), into {place}"
    ]
    assert put(sources.from_folder(str(wheels))) == []


def test_sizes_are_those_on_the_disk(wheels, place):
    put(sources.from_folder(str(wheels)), parts.LIBRARIES)
    path = place / parts.LIBRARIES.name
    files = fake_wheels.files(path)
    assert any(name.endswith(".pyc") for name in files)
    assert manifest.read_contents(str(path)).bytes == sum(map(len, files.values()))


def test_keeps_packages_without_metadata_and_tests(wheels, place):
    put(sources.from_folder(str(wheels)), parts.LIBRARIES)
    packages = place / parts.LIBRARIES.name / "site-packages"
    assert sorted(os.listdir(str(packages))) == [
        "astor",
        "keras_applications",
        "keras_preprocessing",
    ]
    assert sorted(os.listdir(str(packages / "astor"))) == ["__init__.py", "__pycache__"]
    assert damage(place / parts.LIBRARIES.name) is None


@POSIX
def test_keeps_the_program_of_a_wheel_which_can_be_executed(wheels, place):
    put(sources.from_folder(str(wheels)), parts.UV)
    assert os.listdir(str(place / parts.UV.name / "bin")) == ["uv"]
    answer = subprocess.run([str(place / parts.UV.name / "bin" / "uv")], capture_output=True)
    assert answer.stdout == b"uv 0.13.9\n"


def test_a_part_that_fetches_itself_is_an_error_and_does_not_wait(wheels, place):
    def source(part, staging):
        put(sources.from_folder(str(wheels)))
        yield from ()

    with pytest.raises(RuntimeError, match="is locked by this thread"):
        put(source)


def test_a_part_can_fetch_another_which_survives_its_failure(wheels, place):
    def source(part, staging):
        put(sources.from_folder(str(wheels)), parts.LIBRARIES)
        raise sources.Failed("stopped")

    with pytest.raises(sources.Failed, match="stopped"):
        put(source)
    assert os.listdir(str(place)) == [parts.LIBRARIES.name]


def test_keeps_the_licence(wheels, place):
    put(sources.from_folder(str(wheels)))
    with open(os.path.join(ROOT, "LICENSE"), encoding="utf-8") as file:
        text = file.read()  # the Apache License 2.0, as TensorFlow's is, with our copyright
    text = text.replace("2026 The tf1grad authors", "[yyyy] [name of copyright owner]")
    assert (place / NAME / "LICENSE").read_text(encoding="utf-8") == (
        "Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.\n\n" + text
    )


def test_pip_downloads_from_the_index(wheels, place, offline):
    put(sources.from_index)
    assert fake_wheels.is_whole(place / NAME) and os.listdir(str(place)) == [NAME]


def test_pip_of_the_current_folder_is_not_executed(wheels, place, offline, tmp_path, monkeypatch):
    """Neither a folder pip or ensurepip, nor a module that pip imports,
    nor what PYTHONPATH names.
    """
    stranger = tmp_path / "stranger"
    mark = f"open({str(tmp_path / 'executed')!r}, 'a').write(__file__)\n"
    names = ["pip/__main__", "pip/__init__", "ensurepip/__init__", "sitecustomize", "usercustomize"]
    for name in [*names, "keyring", "ssl", "subprocess"]:
        (stranger / name).parent.mkdir(parents=True, exist_ok=True)
        (stranger / f"{name}.py").write_text(mark)
    monkeypatch.chdir(str(stranger))
    monkeypatch.syspath_prepend("")
    monkeypatch.setenv("PYTHONPATH", str(stranger))
    put(sources.from_index)
    assert fake_wheels.is_whole(place / NAME)
    assert not (tmp_path / "executed").exists()


def test_a_pip_that_brings_nothing_leaves_no_part(place, monkeypatch):
    monkeypatch.setattr(sources, "_run_pip", lambda command, staging: (0, ""))
    fails(sources.from_index, "tensorflow==1.15.5, and no wheel of it is there", place)


def test_a_pip_that_brings_one_of_two_wheels_leaves_no_part(wheels, place, monkeypatch):
    def bring_first(command, staging):
        shutil.copy(str(wheels / list(fake_wheels.WHEELS)[0]), staging)
        return 0, ""

    monkeypatch.setattr(sources, "_run_pip", bring_first)
    fails(sources.from_index, "tensorflow_estimator==1.15.1, and no wheel of it is there", place)


def test_without_network_names_both_ways(place, offline):
    fails(
        sources.from_index,
        r"No matching distribution(.|\n)*--wheels FOLDER(.|\n)*--from PYTHON",
        place,
    )


def test_nothing_is_fetched_where_the_user_forbids_it(place, monkeypatch):
    monkeypatch.setenv(sources.OFFLINE, "1")
    monkeypatch.setattr(sources, "_run_pip", lambda command, staging: pytest.fail("pip is run"))
    fails(sources.from_index, f"would be fetched, but {sources.OFFLINE} is set", place)


def test_a_folder_without_wheels_says_what_fills_it(place, tmp_path):
    message = r"No matching distribution(.|\n)*must have the wheels(.|\n)*period download FOLDER"
    fails(sources.from_folder(str(tmp_path)), message, place)


def test_unreachable_index_is_said_to_be(place, offline, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    fails(sources.from_index, r"files: (?!.* object at 0x)NewConnectionError.*refused", place)


@pytest.mark.slow
def test_pip_of_ensurepip_serves_where_none_is_installed(
    wheels, place, offline, monkeypatch, tmp_path
):
    venv.create(str(tmp_path / "environment"), symlinks=os.name != "nt", with_pip=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "environment" / "bin" / "python"))
    monkeypatch.setattr(pip.site, "getsitepackages", lambda: [])
    monkeypatch.setattr(pip.site, "ENABLE_USER_SITE", False)
    put(sources.from_index)
    assert fake_wheels.is_whole(place / NAME)


def test_without_any_pip(place, monkeypatch):
    monkeypatch.setattr(pip, "_folders", lambda package, places: [])
    fails(sources.from_index, "does not have pip, which downloads; install it", place)


@pytest.mark.parametrize("changed", fake_wheels.WHEELS, ids=["first", "second"])
def test_other_checksum(wheels, place, changed):
    parts.read_checksums()[changed] = "0" * 64
    message = f"{changed} is damaged, or not the file that PyPI has.*expected 0000"
    fails(sources.from_folder(str(wheels)), message, place)


def failing(source, after, error):
    """Returns a source that fails at a file."""

    def files(part, staging):
        for number, file in enumerate(source(part, staging)):
            if number == after:
                raise error
            yield file

    return files


def test_full_disk(wheels, place):
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a file")
    source = failing(sources.from_folder(str(wheels)), 3, error)
    fails(source, r"the disk of .*period is full: .* needs [34]\d\d MB for a moment", place)


def test_another_fault_of_the_system_names_the_variable(wheels, place):
    source = failing(sources.from_folder(str(wheels)), 3, OSError(errno.EIO, "I/O error", "a file"))
    fails(source, "a file: I/O error.\nSet TF1GRAD_PERIOD to a folder", place)


def test_disk_that_pip_finds_full(wheels, place, monkeypatch):
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    monkeypatch.setattr(sources, "_run_pip", lambda command, staging: (2, said))
    fails(sources.from_index, "the disk of .*period is full", place)


def test_disk_that_fills_while_pip_downloads(wheels, place, monkeypatch):
    free = iter([10**9, 10**6, 10**6])
    monkeypatch.setattr(
        sources.shutil, "disk_usage", lambda path: types.SimpleNamespace(free=next(free))
    )
    broken = "ERROR: Download failed because not enough bytes were received (89.1 MB/110.5 MB)"
    monkeypatch.setattr(sources, "_run_pip", lambda command, staging: (1, broken))
    fails(sources.from_index, "the disk of .*period is full: .*, and 1 MB are free", place)


def test_disk_too_full_for_a_download(place, offline, monkeypatch):
    monkeypatch.setattr(
        sources.shutil, "disk_usage", lambda path: types.SimpleNamespace(free=10**6)
    )
    fails(sources.from_index, "the disk of .*period is full", place)


KILLED = """
import os, signal
from tf1grad.programs.period import installation, parts
def files(part, staging):
    yield "tensorflow_core/contrib/__init__.py", lambda: b""
    os.kill(os.getpid(), signal.SIGKILL)
installation.install([parts.TENSORFLOW], files, print)
"""


@POSIX
def test_what_a_killed_process_left_is_removed_by_the_next(wheels, place):
    assert run_python("-c", KILLED)[0] == -signal.SIGKILL
    (left,) = os.listdir(str(place))
    assert left.endswith(".tmp") and folder.find_originals() is None
    put(sources.from_folder(str(wheels)))
    assert os.listdir(str(place)) == [NAME] and fake_wheels.is_whole(place / NAME)


def test_repairs_a_damaged_part(wheels, place):
    put(sources.from_folder(str(wheels)))
    os.remove(str(place / NAME / "tensorflow_core" / "contrib" / "__init__.py"))
    assert damage(place / NAME)
    with pytest.raises(UsageError):
        put(failing(sources.from_folder(str(wheels)), 2, sources.Failed("stopped")))
    assert damage(place / NAME) and os.listdir(str(place)) == [NAME]
    put(sources.from_folder(str(wheels)))
    assert damage(place / NAME) is None and fake_wheels.is_whole(place / NAME)
    assert os.listdir(str(place)) == [NAME]


AT_ONCE = """
import sys, time
from tf1grad.programs.period import installation, parts
def files(part, staging):
    print("fetches", flush=True)
    time.sleep(0.5)
    yield "tensorflow_core/contrib/__init__.py", lambda: b""
installation.install([parts.TENSORFLOW], files, lambda line: None)
"""


@POSIX
def test_eight_processes_fetch_once(place):
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")])
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", AT_ONCE], env=environment, stdout=subprocess.PIPE)
        for _ in range(8)
    ]
    output = b"".join(process.communicate()[0] for process in processes)
    assert [process.returncode for process in processes] == [0] * 8
    assert output.split() == [b"fetches"] and os.listdir(str(place)) == [NAME]


def test_a_folder_that_another_process_removes_while_it_is_made_is_made_again(
    tmp_path, monkeypatch
):
    """`os.makedirs` says that it exists, and then finds no folder."""
    make, calls = os.makedirs, []

    def makedirs(path, exist_ok):
        calls.append(path)
        if len(calls) == 1:
            raise FileExistsError(17, "File exists", path)
        make(path, exist_ok=exist_ok)

    monkeypatch.setattr(_systems.os, "makedirs", makedirs)
    with _systems.temporary_folder(str(tmp_path / "made"), lambda: None):
        assert (tmp_path / "made").is_dir() and len(calls) == 2
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        with _systems.temporary_folder(str(tmp_path / "file"), lambda: None):
            pass


FETCHES = """
import sys
from tf1grad.programs.period import installation, parts
def files(part, staging):
    print("fetches", flush=True)
    sys.stdin.read()
    yield "site-packages/astor.py", lambda: b""
installation.install([parts.LIBRARIES], files, lambda line: print(line, flush=True))
"""


@POSIX
def test_a_fetch_blocks_no_other_and_who_wants_the_same_says_what_it_waits_for(wheels, place):
    environment = dict(os.environ, PYTHONPATH=ROOT)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", FETCHES]
    with subprocess.Popen(command, env=environment, **pipes) as first:
        lines = [first.stdout.readline() for _ in range(2)]
        assert lines[1] == "fetches\n"
        put(sources.from_folder(str(wheels)))
        assert sorted(os.listdir(str(place))) == [parts.LIBRARIES.name + ".tmp", NAME]
        with subprocess.Popen(command, env=environment, **pipes) as second:
            assert second.stdout.readline() == (
                f"waiting for another process that fetches {parts.LIBRARIES.title} into {place}\n"
            )
            first.communicate("")
            assert second.communicate()[0] == ""
    assert sorted(os.listdir(str(place))) == [parts.LIBRARIES.name, NAME]


@POSIX
@pytest.mark.parametrize(
    "unwritable, used",
    [(["environment"], "user/tf1grad"), (["environment", "user"], "temporary/tf1grad-{uid}")],
)
def test_next_folder_serves_where_one_is_read_only(wheels, folders_of_systems, unwritable, used):
    for name in unwritable:
        (folders_of_systems / name).write_text("no folder")
    put(sources.from_folder(str(wheels)))
    path = folders_of_systems / used.format(uid=os.getuid()) / NAME
    assert fake_wheels.is_whole(path)
    assert installation.remove([NAME]) == [str(path)] and not path.exists()


@POSIX
def test_temporary_folder_that_others_can_write_is_not_used(wheels, folders_of_systems):
    for name in ("environment", "user"):
        (folders_of_systems / name).write_text("no folder")
    temporary = folders_of_systems / "temporary" / f"tf1grad-{os.getuid()}"
    fake_wheels.unpack(temporary / NAME)
    manifest.write(str(temporary / NAME))
    temporary.chmod(0o777)
    assert folder.find_originals() is None
    with pytest.raises(sources.Failed, match="Set TF1GRAD_PERIOD to a folder"):
        put(sources.from_folder(str(wheels)))
    temporary.chmod(0o700)
    assert folder.find_originals() == str(temporary / NAME)


def test_no_permission_anywhere(wheels, place):
    place.parent.write_text("no folder")
    with pytest.raises(sources.Failed, match="period is not a folder.\nSet TF1GRAD_PERIOD"):
        put(sources.from_folder(str(wheels)))
    assert place.parent.read_text() == "no folder"


def test_the_advice_on_a_failed_download_is_about_its_cause():
    not_found = "No matching distribution found"
    for stderr, advice in (
        ("Could not fetch URL", sources.NO_NETWORK),
        ("connection broken by 'timed out': " + not_found, sources.NO_NETWORK),
        (not_found, sources.NO_RELEASE),
    ):
        first = advice.partition("\n")[0]
        assert sources._ways(stderr).startswith(first)


def test_remove_takes_away_all_that_was_installed(wheels, place):
    put(sources.from_folder(str(wheels)))
    compiled = place / NAME / "tensorflow_core" / "contrib" / "__pycache__"
    compiled.mkdir()
    (compiled / "__init__.pyc").write_text("made later")
    assert damage(place / NAME) is None and folder.find_damage(str(place / NAME)) is None
    assert installation.remove([NAME]) == [str(place / NAME)]
    assert folder.find_damage(str(place / NAME))  # the answer from before is forgotten
    assert os.listdir(str(place)) == [] and installation.remove([NAME]) == []


@pytest.mark.parametrize("is_installed", [False, True])
def test_ipython_comes_in_front_unless_it_is_installed(wheels, place, monkeypatch, is_installed):
    small = parts.IPYTHON._replace(requirements=parts.IPYTHON.requirements[:1])
    monkeypatch.setattr(parts, "IPYTHON", small)
    monkeypatch.setattr(layer._compat, "is_installed", lambda name: is_installed)
    monkeypatch.setattr(sources, "from_index", sources.from_folder(str(wheels)))
    monkeypatch.setattr(sys, "path", ["the program's", "the user's"])
    layer.add_ipython()
    packages = [] if is_installed else [str(place / parts.IPYTHON.name / parts.PACKAGES)]
    assert sys.path == ["the program's", *packages, "the user's"]
    assert place.is_dir() is not is_installed


def test_programs_for_keras_2_2_get_its_last_release():
    for asked, release in (
        ("2.1.6", "2.2.4"),
        ("2.2.0", "2.2.4"),
        ("2.3.0", "2.3.1"),
        ("2.10.0", "2.3.1"),
        ("", "2.3.1"),
    ):
        assert parts.release(parts.keras_for(asked)) == release


def test_part_with_other_requirements_has_a_folder_of_its_own(wheels, place, monkeypatch):
    """An older tf1grad made one without pkg_resources."""
    older = parts.named_after_content(
        parts.READERS._replace(name="readers", requirements=parts.READERS.requirements[:-1])
    )
    put(sources.from_folder(str(wheels)), older)
    monkeypatch.setattr(sources, "from_index", sources.from_folder(str(wheels)))
    layer.fetch([parts.READERS])
    layer.fetch([parts.READERS])  # it is there
    has_it = [
        (place / name / "site-packages" / "pkg_resources").is_dir()
        for name in (older.name, parts.READERS.name)
    ]
    assert has_it == [False, True]
    assert sorted(installation.remove([parts.READERS.name])) == sorted(
        str(place / name) for name in (older.name, parts.READERS.name)
    )
    assert os.listdir(str(place)) == []


def test_remove_leaves_an_installed_tensorflow_alone(place):
    fake_wheels.unpack(place / NAME)
    before = fake_wheels.files(place)
    assert installation.remove([NAME]) == [] and fake_wheels.files(place) == before


def python(path, prints):
    """Writes a program that prints this, as another Python would, and returns the source."""
    path.write_text(f"#!/bin/sh\necho 'TensorFlow says hello'\necho '{prints}'\n")
    path.chmod(0o755)
    return sources.from_python(str(path))


@POSIX
def test_another_python_brings_what_run_needs_without_a_network(place, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_run_pip", lambda command, staging: 1 / 0)
    fake_wheels.unpack(tmp_path / "site packages")
    for files in fake_wheels.LIBRARIES.values():
        fake_wheels.unpack(tmp_path / "site packages", files)
    python(tmp_path / "python", f'tf1grad ["1.15.0", "{tmp_path / "site packages"}"]')
    assert main(["period", "install", "--from", str(tmp_path / "python")]) == 0
    assert fake_wheels.is_whole(place / NAME)
    assert sorted(os.listdir(str(place / parts.LIBRARIES.name / parts.PACKAGES))) == [
        "astor",
        "keras_applications",
        "keras_preprocessing",
    ]
    assert layer.missing_parts(layer.needed_parts(None)) == []


@POSIX
@pytest.mark.parametrize(
    "prints, complaint",
    [
        (
            'tf1grad ["2.21.0", null]',
            "has TensorFlow 2.21.0; it needs a Python that has TensorFlow 1.15",
        ),
        ("tf1grad [null, null]", "cannot import TensorFlow"),
        ("hello", "is not a Python interpreter"),
    ],
)
def test_other_python_without_the_files(place, tmp_path, prints, complaint):
    with pytest.raises(UsageError, match=complaint):
        python(tmp_path / "python", prints)
    assert not place.parent.exists()


@pytest.mark.slow
def test_this_python_answers_for_its_tensorflow(place):
    if not tf.__version__.startswith("1.15."):
        with pytest.raises(UsageError, match="has TensorFlow 2"):
            sources.from_python(sys.executable)
        return
    put(sources.from_python(sys.executable))
    kept = place / NAME / "tensorflow_core" / "contrib" / "crf" / "python" / "ops" / "crf.py"
    assert "def crf_log_likelihood(" in kept.read_text()
