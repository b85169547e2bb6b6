"""Tests `tf1grad contrib`: its messages, its exit codes, and that Ctrl-C leaves nothing."""

import os
import signal
import subprocess
import sys

import pytest
import tensorflow.compat.v1 as tf

import fake_wheels
from paths import ROOT
from tf1grad.old_programs import _compat
from tf1grad.old_programs.cli.main import main
from tf1grad.old_programs.originals import wheel_sources

IS_TF1 = tf.__version__.startswith("1.")


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """Writes a small wheel with the checksum that the installation expects, and returns its path."""
    path, checksums = fake_wheels.write(tmp_path)
    monkeypatch.setattr(wheel_sources, "SHA256", checksums)
    return path


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Returns where the originals go, beside a TensorFlow 2."""
    monkeypatch.setenv("TF1GRAD_ORIGINALS", str(tmp_path / "data" / "originals"))
    monkeypatch.setattr(_compat, "installed_version", lambda: (2, 21))
    return tmp_path / "data" / "originals"


@pytest.fixture
def command(capsys):
    """Runs the command; gives its exit code and what it says, on one stream or the other."""
    def run(*arguments):
        code = main(["contrib"] + list(arguments))
        output, errors = capsys.readouterr()
        assert not output or not errors
        assert (output + errors).count("\n") == 1
        return code, output + errors
    return run


def test_install_status_and_remove(wheel, place, command):
    size = sum(map(len, fake_wheels.SERVED.values())) / 1e6
    there = f"tf.contrib of TensorFlow 1.15.5, with its dependencies, in {place}: 8 files, {size:.1f} MB"
    absent = (f"TensorFlow 1.15's own tf.contrib is not installed (looked in {place}). To install it: "
              "tf1grad contrib install\n")
    assert command() == (1, absent)
    assert command("install", "--wheel", wheel) == (0, f"Installed: {there}.\n")
    assert command() == (0, there + ".\n")
    before = os.stat(str(place)).st_mtime_ns
    assert command("install", "--wheel", wheel) == (0, f"Already installed: {there}.\n")
    assert command("install") == (0, f"Already installed: {there}.\n")
    assert os.stat(str(place)).st_mtime_ns == before
    assert command("remove") == (0, f"Removed {place}.\n")
    assert command("remove") == (0, f"Nothing to remove (looked in {place}).\n")
    assert command() == (1, absent)


def test_folder_without_the_estimator_is_completed(wheel, place, command, tmp_path):
    second, lacks = tmp_path / wheel_sources.ESTIMATOR_WHEEL, "does not have tensorflow-estimator, for tf.estimator"
    second.rename(tmp_path / "kept")
    for said in (command("install", "--wheel", wheel), command()):
        assert said[0] == 0 and lacks in said[1] and said[1].endswith("to add it: tf1grad contrib install\n")
    (tmp_path / "kept").rename(second)
    code, said = command("install", "--wheel", wheel)
    assert code == 0 and said.startswith("Installed: ") and "8 files" in said and lacks not in said
    assert command() == (0, said.replace("Installed: ", ""))


def test_progress_is_shown_on_a_terminal(wheel, place, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["contrib", "install", "--wheel", wheel]) == 0
    lines = capsys.readouterr().err.split("\r")
    assert lines[:-2] == [f"Keeping {done} of 8 files" for done in range(1, 8)]
    assert lines[-2:] == [" " * len(lines[0]), ""]


def test_damage_is_reported_and_repaired(wheel, place, command):
    command("install", "--wheel", wheel)
    os.remove(str(place / "tensorflow_core" / "contrib" / "crf" / "__init__.py"))
    code, said = command()
    assert code == 1 and "7 files" in said and said.endswith("Files are missing or changed; to repair them: "
                                                             "tf1grad contrib install\n")
    assert command("install", "--wheel", wheel)[1].startswith("Installed: ")
    assert fake_wheels.is_whole(place)


def test_failures_and_wrong_usage(wheel, place, command, monkeypatch):
    code, said = command("install", "--wheel", "nowhere.whl")
    assert (code, said) == (2, "tf1grad contrib: there is no file nowhere.whl.\n")
    assert command("install", "--from", "nowhere")[0] == 2
    monkeypatch.setitem(wheel_sources.SHA256, wheel_sources.WHEEL, "0" * 64)
    code, said = command("install", "--wheel", wheel)
    assert code == 1 and said.startswith(f"tf1grad contrib: {wheel} is not the whole ")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    code, said = command("install")
    assert code == 1 and said.startswith("tf1grad contrib: pip could not download TensorFlow 1.15.5: ")
    assert not place.parent.exists()


@pytest.mark.parametrize("arguments", [["get"], ["install", "--wheel"], ["install", "--wheel", "a", "--from", "b"],
                                       ["remove", "--wheel", "a"]])
def test_wrong_arguments(place, arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["contrib"] + arguments)
    assert stopped.value.code == 2 and "usage: tf1grad" in capsys.readouterr().err


def test_not_needed_on_tensorflow_1(place, command, monkeypatch):
    monkeypatch.setattr(_compat, "installed_version", lambda: (1, 15))
    said = "TensorFlow 1.15 is installed here, with its own tf.contrib: nothing more is needed.\n"
    assert command() == command("install") == (0, said)
    assert not place.parent.exists()


def start(program, path=None, **options):
    """Starts a program of this checkout in a fresh interpreter, which looks for modules in the folder `path` first."""
    paths = filter(None, [path, ROOT, os.environ.get("PYTHONPATH")])
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(paths))
    return subprocess.Popen([sys.executable, "-c", program], env=environment, universal_newlines=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


INSTALL = """
import sys, time
from tf1grad.old_programs.cli.main import main
from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import wheel_sources

wheel_sources.SHA256 = %r
_compat.installed_version = lambda: (2, 21)
"""
WAIT = """
read = wheel_sources.zipfile.ZipFile.read

def slow(archive, name):
    if name.endswith("iris.csv"):
        print("in the middle", flush=True)
        time.sleep(60)
    return read(archive, name)

wheel_sources.zipfile.ZipFile.read = slow
"""
BEGIN = """
code = main(["contrib", "install", "--wheel", %r])
print("tensorflow" in sys.modules)
sys.exit(code)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_in_the_middle(wheel, place, number):
    process = start(INSTALL % wheel_sources.SHA256 + WAIT + BEGIN % wheel)
    assert process.stdout.readline() == "in the middle\n"
    written = fake_wheels.files(place.parent)
    process.send_signal(number)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (130, "tf1grad contrib: interrupted\n")
    assert 0 < len(written) < len(fake_wheels.SERVED)
    assert not place.parent.exists()


PIP = """
import os, signal, sys, time
workshop = sys.argv[sys.argv.index("--dest") + 1]
with open(os.path.join(workshop, "half a wheel"), "w") as file:
    file.write("PK")
print(os.getpid(), os.listdir(os.environ["TMPDIR"]), file=open(%r, "w"), flush=True)
os.kill(os.getppid(), signal.SIGINT)
time.sleep(60)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupted_while_pip_downloads(wheel, place, tmp_path):
    (tmp_path / "pip.py").write_text(PIP % str(tmp_path / "seen"))
    begin = "wheel_sources.PIP_EXIT_SECONDS = 0.1\nsys.exit(main(['contrib', 'install']))"
    process = start(INSTALL % wheel_sources.SHA256 + begin, path=str(tmp_path))
    _, errors = process.communicate()
    assert (process.returncode, errors) == (130, "tf1grad contrib: interrupted\n")
    pid, seen = (tmp_path / "seen").read_text().split(" ", 1)
    assert "half a wheel" in seen and not place.parent.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_no_room_for_a_file(place, tmp_path):
    import resource
    path, checksums = fake_wheels.write(tmp_path, {"tensorflow_core/python/ops/gen_large_ops.py": b"#" * 10000000})
    process = start(INSTALL % checksums + BEGIN % path,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000000, 5000000)))
    _, errors = process.communicate()
    assert process.returncode == 1
    assert errors.startswith(f"tf1grad contrib: {place}: ") and errors.count("\n") == 1
    assert not place.parent.exists()


def test_imports_no_tensorflow(wheel, place):
    process = start(INSTALL % wheel_sources.SHA256 + BEGIN % wheel)
    output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert output.startswith("Installed: ") and output.endswith("\nFalse\n")


@pytest.mark.skipif(not IS_TF1, reason="it is needed beside TensorFlow 2")
def test_knows_the_tensorflow_that_is_installed(command):
    assert command("install")[1].startswith("TensorFlow 1.15 is installed here")
