"""Tests the command `tf1grad check`: its formats, its exit codes, and files that cannot be read."""

import io
import json
import os
import subprocess
import sys
import threading

import pytest

from paths import ROOT
from script_folder import run_python
from tf1grad.cli import main, progress
from tf1grad.programs.process import messages
from tf1grad.programs.source import files

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


def test_a_command_runs_in_another_thread(old, capsys):
    codes = []
    thread = threading.Thread(target=lambda: codes.append(_check(old)))
    thread.start()
    thread.join()
    assert codes == [1] and "TFG101" in capsys.readouterr().out


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
        from tf1grad.cli import main
        print(main.main(["check", "--no-tensorflow", {str(tmp_path)!r}]))
        print("tensorflow" in sys.modules)
        print("tf1grad.run.packages.resolver" in sys.modules)
    """)
    assert output.split("\n")[-4:] == ["0", "False", "False", ""]


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


def test_rules_are_selected_by_the_beginning_of_their_ids(old, capsys):
    assert _check(old, "--select", "TFG10", "--ignore", "TFG101", "--output-format", "concise") == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and ": error TFG103: " in lines[0] and lines[1].startswith("1 error in")
    assert _check(old, "--select", "TFG3") == 0 and _check(old, "--select", "tfg103") == 1
    assert _check(old, "--exit-zero") == 0
    assert "2 errors in 1 file" in capsys.readouterr().out


def test_github_annotates_the_lines(old, capsys):
    assert _check(old, "--output-format", "github", "--select", "TFG103") == 1
    line = capsys.readouterr().out
    assert line.startswith(f"::error file={old},line=1,col=1,title=TFG103::`import tensorflow` now")
    assert line.count("\n") == 1


def test_github_messages_escape_what_ends_them(tmp_path, capsys):
    path = tmp_path / "a,b%.py"
    path.write_text(OLD)
    _check(path, "--output-format", "github", "--select", "TFG103")
    assert "a%2Cb%25.py,line=1" in capsys.readouterr().out


def test_standard_input_is_a_file_with_the_name_of_its_argument(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(OLD.encode())))
    assert _check("-", "--select", "TFG103") == 1
    assert capsys.readouterr().out.startswith("-:1:1: error TFG103")


def test_closed_standard_input_is_a_mistake(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert _check("-") == 2
    assert "- is standard input, which is closed" in capsys.readouterr().err


def test_excluded_and_ignored_files_are_left_out(tmp_path, capsys):
    kept = ["train.py", "models/net.py"]
    left_out = ["build/lib.py", "third_party/a/b.py", "models/net_pb2.py", "data/generated.py"]
    for name in kept + left_out:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(OLD)
    (tmp_path / ".gitignore").write_text("data/\n")
    git = subprocess.run(["git", "init", "-q", str(tmp_path)], check=False)
    assert git.returncode == 0
    options = ["--exclude", "third_party,*_pb2.py"]
    assert files.python_files([str(tmp_path)], ["third_party", "*_pb2.py"]) == sorted(
        (str(tmp_path / name) for name in kept), key=lambda path: "models" in path
    )
    assert _check(tmp_path, *options) == 1
    assert "in 2 files" in capsys.readouterr().out
    # Who names an ignored or excluded file or folder means it.
    assert files.python_files([str(tmp_path / "data")]) == [str(tmp_path / "data/generated.py")]
    assert _check(tmp_path / "models/net_pb2.py", *options) == 1


READS_TOML = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python reads TOML from 3.11 on; tomli may be missing here"
)


@pytest.fixture
def settings(tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path / "pyproject.toml"


@READS_TOML
def test_settings_are_the_defaults_of_options(settings, old, capsys):
    settings.write_text('[tool.tf1grad]\nignore = ["TFG103"]\noutput-format = "concise"\n')
    assert _check(old) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and "TFG101" in lines[0]
    assert _check(old, "--ignore", "TFG101", "--output-format", "text") == 1
    assert "TFG103" in capsys.readouterr().out


@READS_TOML
@pytest.mark.parametrize(
    "line, words",
    [
        ("ignor = []", "has no setting 'ignor'. Did you mean ignore?"),
        ('severity = "high"', "severity = 'high' must be one of error, warning, note"),
        ("ignore = [3]", "ignore = [3] must be a text or a list of texts"),
        ('select = ["TFG9"]', "no such rule: TFG9"),
        ("ignore = [", "is not TOML"),
    ],
)
def test_wrong_settings_name_their_file(settings, old, capsys, line, words):
    settings.write_text(f"[tool.tf1grad]\n{line}\n")
    assert _check(old) == 2
    error = capsys.readouterr().err
    assert str(settings) in error and words in error


def test_settings_of_other_tools_are_not_read(settings, old):
    settings.write_text("[tool.other\n")
    assert _check(old) == 1


def test_colours_are_for_terminals_and_no_color_turns_them_off(old, capsys, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    _check(old)
    assert "\033" not in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    _check(old)
    assert "\033[31merror\033[0m TFG103" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    _check(old)
    assert "\033" not in capsys.readouterr().out


def test_progress_is_shown_on_a_terminal_alone(monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(progress, "WAIT", 0.0)
    monkeypatch.setattr(messages, "SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr", terminal)
    assert (
        list(progress.show_while_reading(["a", "b"], "read")) == ["a", "b"]
        and terminal.getvalue() == ""
    )
    terminal.isatty = lambda: True
    assert list(progress.show_while_reading(["a", "b"], "read")) == ["a", "b"]
    assert "tf1grad: read 1 of 2 files" in terminal.getvalue() and terminal.getvalue().endswith(
        "\r\033[K"
    )
