"""Tests that commands refuse wrong arguments before they run anything, and say the remedy."""

import argparse
import gc
import os
import sys

import pytest

from tf1grad.cli import main, run, verify_process

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
    "a folder in the place of its Python": (
        ["verify", "--against", ".", "SCRIPT"],
        ". is a folder. Give the Python in it, such as ",
    ),
    "check without a path": (["check"], "name a Python file, a notebook or a folder to check"),
    "check of a model": (["check", "a.meta"], "a.meta is a model file."),
    "check of nothing": (["check", "absent.py"], "absent.py: no such file or folder"),
    "check of a misspelt file": (
        ["check", "Train.py"],
        "Train.py: no such file or folder. Did you mean train.py?",
    ),
    "check of a rule": (["check", "SCRIPT", "TFG101"], "--select TFG101 chooses it"),
    "run of a misspelt file": (["run", "./trian.py"], "Did you mean ./train.py?"),
    "upgrade without a path": (["upgrade"], "name the Python files, notebooks or folders"),
    "upgrade of what only --by-running names": (
        ["upgrade", "--write", "--by-running", "SCRIPT"],
        "to upgrade after the COMMAND of --by-running",
    ),
    "model without an action": (["model"], "inspect PATH, or convert IN OUT"),
    "doctor of nothing": (["doctor", "absent"], "'absent' does not exist"),
    "doctor of a file without permission": (["doctor", "SCRIPT"], "cannot be read: no permission"),
}


@pytest.mark.parametrize("arguments, message", list(WRONG.values()), ids=list(WRONG))
def test_wrong_arguments_end_with_a_remedy(arguments, message, tmp_path, monkeypatch, capsys):
    if "--plot" in arguments:
        pytest.importorskip("matplotlib", reason="--plot asks for it first")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("raise SystemExit('nothing runs')\n")
    (tmp_path / "graphs.json").write_text("{}")
    if arguments[0] == "upgrade" and sys.version_info < (3, 8):
        message = "it needs Python 3.8 or newer"
    if "no permission" in message:
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    files = {"SCRIPT": "train.py", "RECORD": "graphs.json", "PYTHON": sys.executable}
    assert main.main([files.get(each, each) for each in arguments]) == 2
    output, errors = capsys.readouterr()
    assert message in errors and not output
    assert sorted(os.listdir(str(tmp_path))) == ["graphs.json", "train.py"]


def test_a_process_of_verify_ends_as_run_does(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = {"run": ["--quiet", "absent.py", "--quiet"], "seed": 1, "recorder": {}}
    assert verify_process.main(options) == 2
    assert "can't open file 'absent.py'" in capsys.readouterr().err


def test_a_process_of_verify_takes_other_addresses_if_it_is_asked(monkeypatch):
    monkeypatch.setattr(run, "main", lambda *unused: 0)
    kept = []
    for others in (False, True):
        gc.collect()
        before = sys.getallocatedblocks()
        options = {"run": ["train.py"], "seed": 1, "recorder": {}, "other_addresses": others}
        assert verify_process.main(options) == 0
        kept.append(sys.getallocatedblocks() - before)
    assert kept[0] < 500 and kept[1] > 1500


def test_the_environment_names_a_lock_that_exists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(run.VARIABLE, "--lock absent.lock")
    with pytest.raises(ValueError, match="absent.lock: the file does not exist"):
        run.options_from_environment()


def test_the_date_of_a_program_is_a_day_that_was_or_a_word():
    for text in ("all", "none", "2019-06-12"):
        assert run.check_date(text) == text
    for text, error in (("2999-01-01", "is in the future"), ("june", "expected a day")):
        with pytest.raises(argparse.ArgumentTypeError, match=error):
            run.check_date(text)
