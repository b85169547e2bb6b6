"""Tests the command `tf1grad check`: its formats, its exit codes, and files that cannot be read."""

import json
import os

import pytest

from paths import ROOT
from script_folder import run_python
from tf1grad.old_programs.cli import main
from tf1grad.old_programs.source import files

OLD = "import tensorflow as tf\n\noptimizer = tf.contrib.opt.ScipyOptimizerInterface(tf.Variable(1.0))\n"
CLIPS = "import tensorflow.compat.v1 as tf\nclipped = tf.clip_by_global_norm([1.0], 5)\n"


def _check(*arguments):
    return main.main(["check", "--no-tensorflow"] + [str(argument) for argument in arguments])


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old ü.py"
    path.write_text(OLD)
    return path


def test_text(old, capsys):
    assert _check(old) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{old}:1:1: error TFG103: ")
    assert lines[2].startswith(
        f"{old}:3:13: error TFG101: tensorflow.contrib.opt.ScipyOptimizerInterface is gone"
    )
    assert lines[-1].startswith("2 errors in 1 file")


def test_json(old, capsys):
    assert _check(old, "--format", "json") == 1
    report = json.loads(capsys.readouterr().out)
    assert [(found["rule"], found["line"], found["column"]) for found in report["findings"]] == [
        ("TFG103", 1, 1),
        ("TFG101", 3, 13),
    ]
    assert report["tensorflow"] is None and report["files"] == 1
    assert all(found["path"] == str(old) and found["remedy"] for found in report["findings"])


def test_severity_and_ignored_rules_decide_the_exit_code(tmp_path, capsys):
    path = tmp_path / "clips.py"
    path.write_text(CLIPS + "tf.disable_v2_behavior()\n")
    assert _check(path) == 1
    assert "TFG204" in capsys.readouterr().out
    assert _check(path, "--severity", "warning") == 0
    assert _check(path, "--ignore", "TFG204,TFG313") == 0
    assert "Nothing found in 1 file" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        _check(path, "--ignore", "TFG999")
    assert stopped.value.code == 2


def test_paths_that_lead_nowhere(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert _check(tmp_path / "missing.py") == 2
    assert "no such file" in capsys.readouterr().err
    assert _check(tmp_path / "empty") == 2
    assert "no Python file" in capsys.readouterr().err
    os.symlink(str(tmp_path / "gone"), str(tmp_path / "dangling.py"))
    assert _check(tmp_path / "dangling.py") == 2


@pytest.mark.parametrize(
    "data, line, words",
    [
        (b"def f(:\n", 1, "not valid Python"),
        (b"x = 1\ny = '\xe9'\n", 2, "coding"),
        (b"# coding: hex\n616263\n", 1, "decoded"),
        (b"x = 1\0\n", 1, ""),
        (b"x = " + b"(" * 500 + b")" * 500, 1, ""),
    ],
    ids=[
        "syntax error",
        "undeclared latin-1",
        "hex",
        "null byte",
        "deep brackets",
    ],
)
def test_files_that_cannot_be_read(tmp_path, capsys, data, line, words):
    (tmp_path / "bad.py").write_bytes(data)
    (tmp_path / "old.py").write_text(OLD)
    assert _check(tmp_path, "--format", "json") == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [(each["rule"], os.path.basename(each["path"])) for each in found] == [
        ("TFG001", "bad.py"),
        ("TFG103", "old.py"),
        ("TFG101", "old.py"),
    ]
    assert found[0]["line"] == line and words in found[0]["message"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read(old, capsys):
    old.chmod(0)
    assert _check(old) == 1
    assert "ermission" in capsys.readouterr().out


def test_python_2_without_fissix(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fissix", None)
    (tmp_path / "old.py").write_text("print 'hello'\n")
    assert _check(tmp_path) == 1
    assert "pip install fissix" in capsys.readouterr().out


def test_folders_are_searched_once_without_installed_packages(tmp_path):
    for name in (
        "a.py",
        "sub/b.py",
        "sub/c.txt",
        ".hidden/d.py",
        "env/lib/e.py",
        "__pycache__/f.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    os.symlink(str(tmp_path), str(tmp_path / "sub" / "loop"))
    os.symlink(str(tmp_path / "a.py"), str(tmp_path / "link.py"))
    found = files.python_files([str(tmp_path), str(tmp_path / "a.py")])
    assert [os.path.relpath(path, str(tmp_path)) for path in found] == [
        "a.py",
        os.path.join("sub", "b.py"),
    ]


def test_a_file_is_not_executed_and_tensorflow_waits(tmp_path, run_program):
    (tmp_path / "bomb.py").write_text("import tensorflow as tf\nraise SystemExit(7)\n")
    output = run_program(f"""
        import sys
        from tf1grad.old_programs.cli import main
        print(main.main(["check", "--no-tensorflow", {str(tmp_path)!r}]))
        print("tensorflow" in sys.modules)
    """)
    assert output.split("\n")[-3:] == ["0", "False", ""]


def test_the_legacy_examples_are_clean(capsys):
    assert (
        _check(
            os.path.join(ROOT, "legacy_examples", "large_batch_digits.py"), "--severity", "error"
        )
        == 0
    )
    assert (
        _check(os.path.join(ROOT, "legacy_examples", "pinn_burgers.py"), "--severity", "warning")
        == 0
    )
    capsys.readouterr()


def test_names_that_the_terminal_cannot_show(tmp_path):
    (tmp_path / "\u00e4.py").write_text("import tensorflow.contrib.slim as slim\nslim.conv2d\n")
    code, output, errors = run_python(
        "-m", "tf1grad", "check", "--no-tensorflow", str(tmp_path), PYTHONIOENCODING="ascii"
    )
    assert (code, errors) == (1, "") and "\\xe4.py:1:" in output


def test_model_files_belong_to_another_command(capsys):
    assert _check("frozen.pb") == 2
    assert "frozen.pb is a model file. `tf1grad model inspect` tells" in capsys.readouterr().err
