"""Tests that commands refuse wrong arguments before they run anything, and say the remedy."""

import os
import sys

import pytest

from tf1grad.cli import main

# The arguments of a command, and a part of its message. `SCRIPT`, `RECORD` and `PYTHON` are files.
WRONG = {
    "verify without a script": (["verify"], "name the script"),
    "without a Python": (["verify", "SCRIPT"], "--against PYTHON."),
    "with a Python behind the script": (
        ["verify", "SCRIPT", "--", "--against", "PYTHON"],
        "before the arguments of the script",
    ),
    "of a script that is not there": (
        ["verify", "--against", "PYTHON", "absent.py"],
        "absent.py does not exist.",
    ),
    "a plot of graphs": (
        ["verify", "--against", "PYTHON", "--graph", "--plot", "a.png", "SCRIPT"],
        "--plot is for values; leave it out with --graph.",
    ),
    "a plot in another format": (
        ["verify", "--against", "PYTHON", "--plot", "a.txt", "SCRIPT"],
        "must end in .png, .svg or .pdf",
    ),
    "a plot into no folder": (
        ["verify", "--against", "PYTHON", "--plot", "no/a.png", "SCRIPT"],
        "no",
    ),
    "values of recorded graphs": (
        ["verify", "--against", "RECORD", "SCRIPT"],
        "but no values: add --graph.",
    ),
    "a record of a record": (
        ["verify", "--against", "RECORD", "--record-graph", "new.json", "SCRIPT"],
        "--against names a file.",
    ),
    "no Python": (["verify", "--against", "SCRIPT", "SCRIPT"], "no program"),
    "check without a path": (["check"], "name a Python file, a notebook or a folder to check"),
    "check of a model": (["check", "a.meta"], "a.meta is a model file."),
    "check of nothing": (["check", "absent.py"], "absent.py: no such file or folder"),
    "doctor of nothing": (["doctor", "absent"], "'absent' does not exist"),
}


@pytest.mark.parametrize("arguments, message", list(WRONG.values()), ids=list(WRONG))
def test_wrong_arguments_end_with_a_remedy(arguments, message, tmp_path, monkeypatch, capsys):
    if "--plot" in arguments:
        pytest.importorskip("matplotlib", reason="--plot asks for it first")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("raise SystemExit('nothing runs')\n")
    (tmp_path / "graphs.json").write_text("{}")
    files = {"SCRIPT": "train.py", "RECORD": "graphs.json", "PYTHON": sys.executable}
    assert main.main([files.get(each, each) for each in arguments]) == 2
    output, errors = capsys.readouterr()
    assert message in errors and not output
    assert sorted(os.listdir(str(tmp_path))) == ["graphs.json", "train.py"]
