"""Tests `tf1grad period`: its messages, its exit codes, and that Ctrl-C leaves nothing."""

import os

import pytest

from script_folder import run_python
from tf1grad.cli.main import main
from tf1grad.programs.period import parts

OTHERS = (
    parts.LIBRARIES,
    parts.READERS,
    parts.IPYTHON,
    parts.KERAS,
    parts.KERAS_2_2,
    parts.UV,
)


@pytest.fixture
def command(capsys, monkeypatch):
    """Runs the command, without a NumPy of the layer;
    gives its exit code, its output and its messages.
    """
    monkeypatch.setattr(parts, "_NUMPY", {})

    def run(*arguments):
        code = main(["period"] + list(arguments))
        return (code, *capsys.readouterr())

    return run


@pytest.mark.slow
@pytest.mark.each_release
def test_path_install_and_remove(wheels, place, command):
    code, output, _ = command("path")
    assert code == 1 and output == (
        "TensorFlow 1.15.5's own Python files: missing\nthree packages that TensorFlow 1.15 required: missing\n"
        f"fissix, tomli and pkg_resources: missing\n{parts.IPYTHON.title}: missing\n"
        "Keras 2.3.1: missing\nKeras 2.2.4: missing\nuv 0.13.9, which resolves packages: missing\n"
        f"`tf1grad run` fetches what is missing; or: tf1grad period install (into {place})\n"
    )
    code, output, errors = command("install", "--wheels", str(wheels))
    assert code == 0 and errors.startswith(
        "tf1grad period: fetching what TensorFlow 1.15 came with, once: "
    )
    # The manifest is one of the files.
    assert output.startswith(
        f"TensorFlow 1.15.5's own Python files: {place / 'tensorflow-1.15.5'} (9 files, "
    )
    assert command()[:2] == (0, output)
    removed = place / "tensorflow-1.15.5" / "tensorflow_core" / "contrib" / "__init__.py"
    os.remove(str(removed))
    code, output, _ = command()
    assert code == 1 and f"MB), damaged: {removed}: No such file or directory\n" in output
    code, output, _ = command("remove")
    names = ["tensorflow-1.15.5", *(part.name for part in OTHERS)]
    assert code == 0 and output.splitlines() == [
        f"Removed {place / name}." for name in sorted(names)
    ]
    assert command("remove")[1] == f"Nothing to remove (looked in {place}).\n"


def test_wrong_words(place, command, tmp_path):
    assert command("install", "--wheels", "nowhere")[::2] == (
        2,
        "tf1grad period: --wheels: nowhere is not a folder.\n",
    )
    code, _, errors = command("install", "--from", str(tmp_path / "nothing"))
    assert code == 2 and errors.startswith("tf1grad period: --from: there is no program")


def test_offline_is_a_failure_with_remedies(place, command, monkeypatch):
    monkeypatch.setenv("TF1GRAD_OFFLINE", "1")
    code, _, errors = command("install")
    assert (
        code == 1
        and "TF1GRAD_OFFLINE is set" in errors
        and "tf1grad period download FOLDER" in errors
    )
    assert os.listdir(str(place)) == []


PIP = """
import os, signal, sys, time
workshop = sys.argv[sys.argv.index("--dest") + 1]
with open(os.path.join(workshop, "half a wheel"), "w") as file:
    file.write("PK")
print(os.getpid(), os.listdir(os.environ["TMPDIR"]), file=open(%r, "w"), flush=True)
os.kill(int(os.environ["STARTED_BY"]), signal.SIGINT)
time.sleep(60)
"""
WHILE_PIP_RUNS = """
import os, sys
from tf1grad.cli.main import main
from tf1grad.programs.period import pip
pip.find_command = lambda: [sys.executable, %r]
os.environ["STARTED_BY"] = str(os.getpid())
sys.exit(main(["period", "install"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupted_while_pip_downloads(place, tmp_path):
    (tmp_path / "pip.py").write_text(PIP % str(tmp_path / "seen"))
    program = WHILE_PIP_RUNS % str(tmp_path / "pip.py")
    code, _, errors = run_python("-c", program)
    assert (code, errors.splitlines()[1:]) == (130, ["tf1grad period: interrupted"])
    pid, seen = (tmp_path / "seen").read_text().split(" ", 1)
    assert "half a wheel" in seen and os.listdir(str(place)) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_download_into_no_folder_is_one_sentence(command, tmp_path):
    (tmp_path / "file").write_text("")
    code, output, errors = command("download", str(tmp_path / "file" / "wheels"))
    assert (code, output) == (2, "") and "is not a folder that can be written" in errors
