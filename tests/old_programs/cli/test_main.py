"""Tests what all commands share: their list, their parsers, and that TensorFlow starts quietly under them."""

import os
import subprocess
import sys

import pytest

from paths import ROOT
from tf1grad.old_programs.cli import main


@pytest.mark.parametrize("given, then", [(None, "2"), ("0", "0"), ("3", "3")])
def test_tensorflow_starts_quietly_unless_the_environment_says_otherwise(
    monkeypatch, capsys, given, then
):
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", given or "")
    if given is None:
        monkeypatch.delenv("TF_CPP_MIN_LOG_LEVEL")
    main.main(["period"])
    assert os.environ["TF_CPP_MIN_LOG_LEVEL"] == then
    assert capsys.readouterr().out


def test_importing_the_library_leaves_log_settings_alone(run_program):
    output = run_program("""
        import os
        os.environ.pop("TF_CPP_MIN_LOG_LEVEL", None)
        import tf1grad
        from tf1grad.old_programs.cli import main
        print(os.environ.get("TF_CPP_MIN_LOG_LEVEL"))
    """)
    assert output.split() == ["None"]


def test_reader_of_the_output_may_stop():
    process = subprocess.Popen(
        [sys.executable, "-m", "tf1grad", "check", "--list-rules"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait() == main.BROKEN_PIPE


@pytest.mark.parametrize("command", list(main.COMMANDS))
def test_only_the_named_command_has_its_arguments(command, capsys):
    def helped(argv):
        with pytest.raises(SystemExit):
            main.make_parser(argv).parse_args([command, "--help"])
        return capsys.readouterr().out

    assert "exit code" in helped([command]).lower() and "exit code" not in helped([]).lower()


def test_without_a_command_the_commands_are_listed(capsys):
    assert main.main([]) == 0
    output = capsys.readouterr().out
    assert all(f"  {command} " in output for command in main.COMMANDS)


@pytest.mark.parametrize(
    "words, meant",
    [
        (["train.py", "--epochs", "3"], "To run it: "),
        (["run", "--epochs", "3", "train.py"], "Options of the script come after the script."),
    ],
)
def test_what_was_meant_is_said(words, meant, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    with pytest.raises(SystemExit) as ended:
        main.main(words)
    assert ended.value.code == 2 and meant in capsys.readouterr().err
