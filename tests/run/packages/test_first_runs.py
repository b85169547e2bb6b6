"""Tests first runs: several at once, and in homes that cannot be written or that are missing."""

import os

import pytest

TRAIN = "import old_layers, plain\nprint(old_layers.version, plain.version)\n"
PROGRAM = {"train.py": TRAIN, "requirements.txt": "old-layers\n"}


@pytest.mark.slow
def test_eight_first_runs_at_once_fetch_once(program, folder, index, layer):
    program(PROGRAM)
    processes = [folder.start("-m", "tf1grad", "run", "train.py") for _ in range(8)]
    answers = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, answers
    assert [output for output, _ in answers] == ["1.1 2.0\n"] * 8
    assert sum("1 package of today" in errors for _, errors in answers) == 1
    assert not list(layer.glob("*.tmp"))


@pytest.mark.slow
@pytest.mark.parametrize("home", [None, "/dev/null/home", "missing/home"])
def test_a_first_run_needs_no_home(program, folder, index, layer, monkeypatch, home):
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    if home:
        monkeypatch.setenv("HOME", os.path.join(folder.path, home))
    program(PROGRAM)
    code, output, errors = folder.run("train.py")
    assert (code, output) == (0, "1.1 2.0\n"), errors
    assert "Traceback" not in errors and list(layer.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may write everything")
def test_a_home_that_cannot_be_written_is_left_alone(program, folder, index, monkeypatch):
    home = os.path.join(folder.path, "home")
    os.mkdir(home)
    os.chmod(home, 0o500)
    monkeypatch.setenv("HOME", home)
    program(PROGRAM)
    assert folder.lines("train.py") == ["1.1 2.0"] and os.listdir(home) == []
