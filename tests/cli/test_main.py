"""Tests what all commands share: their list, their parsers,
and that TensorFlow starts quietly under them.
"""

import os
import re
import subprocess
import sys
import types

import pytest

import tf1grad
from paths import ROOT
from script_folder import run_python
from tf1grad.cli import completion, main


@pytest.mark.slow
@pytest.mark.each_release
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
        from tf1grad.cli import main
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


def test_the_rest_of_an_output_that_cannot_be_written_goes_nowhere(tmp_path, monkeypatch):
    with open(str(tmp_path / "output"), "w") as output:
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", output)
            main._discard_output()
        output.write("the rest")
    assert (tmp_path / "output").read_text() == ""


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
    assert all(re.search(rf"^ +{command}\s", output, re.M) for command in main.COMMANDS)


@pytest.mark.parametrize(
    "words, meant",
    [
        (["train.py", "--epochs", "3"], "To run it: "),
        (["run", "--epochs", "3", "train.py"], "Options of the script come after the script."),
        (["run", "--kernel", "eigen", "train.py"], "Did you mean --kernels?"),
        (["run", "--python", "three", "train.py"], "expected 2 or 3; got 'three'"),
        (["check", "--fix", "train.py"], "`tf1grad upgrade --write` rewrites files."),
        (["check", "--write", "train.py"], "`tf1grad upgrade --write` rewrites files."),
        (["upgrade", "--wirte", "train.py"], "Did you mean --write?"),
        (["upgrade", "-i", "train.py"], "--write changes the files."),
        (["upgrade", "-o", "new.py", "train.py"], "keeps each as FILE.orig."),
        (["doctor", "--format=json"], "--json prints an object."),
        (["--run", "train.py"], "Did you mean run?"),
        (["trian.py"], "Did you mean train.py?"),
        (["chek", "other.py"], "Did you mean check?"),
        (["missing.py"], "'missing.py': no such file, and not a command"),
        (["period", "instal"], "Did you mean install?"),
        (["check", "--severity", "eror", "train.py"], "Did you mean error?"),
        (["--verison"], "unrecognized arguments: --verison. Did you mean --version?"),
        (["-v", "run", "train.py"], "options come after the command: tf1grad run -v"),
    ],
)
def test_what_was_meant_is_said(words, meant, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    with pytest.raises(SystemExit) as ended:
        main.main(words)
    assert ended.value.code == 2 and meant in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, same", [(["help"], ["--help"]), (["help", "check"], ["check", "--help"])]
)
def test_help_is_a_command_too(words, same, capsys):
    def printed(argv):
        with pytest.raises(SystemExit) as ended:
            main.main(argv)
        return ended.value.code, capsys.readouterr().out

    assert printed(words) == printed(same) and printed(words)[0] == 0


@pytest.mark.parametrize("words, missing", [(["-c"], "give the CODE"), (["-m"], "name the MODULE")])
def test_code_and_module_must_be_given(words, missing, capsys):
    assert main.main(["run", *words]) == 2
    assert missing in capsys.readouterr().err


@pytest.mark.parametrize("command", ["run", "upgrade", "verify", "model"])
def test_a_folder_named_as_a_command_says_how_the_command_is_written(command):
    code, output, errors = run_python("-m", f"tf1grad.{command}")
    assert (code, output) == (1, "")
    assert errors == f"The command is written with a space: python -m tf1grad {command}\n"


@pytest.mark.parametrize("word", ["version", "-V"])
def test_version_is_a_command_too(word, capsys):
    with pytest.raises(SystemExit):
        main.main([word])
    assert capsys.readouterr().out == f"tf1grad {tf1grad.__version__}\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_one_sentence():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tf1grad", "check", "--list-rules"],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"tf1grad check: the output cannot be written: No space left on device\n"


def test_closed_streams_change_no_exit_code(monkeypatch, tmp_path):
    (tmp_path / "train.py").write_text("import tensorflow as tf\nx = tf.placeholder(tf.float32)\n")
    monkeypatch.chdir(tmp_path)
    for words, code in ((["check", "train.py"], 1), (["check", "absent.py"], 2)):
        monkeypatch.setattr(sys, "stdout", None)
        monkeypatch.setattr(sys, "stderr", None)
        assert main.main(words) == code


def test_completion_names_each_command_and_option(monkeypatch, capsys):
    """shtab itself need not be here: it gets a parser in which every command has its options."""
    shtab = types.ModuleType("shtab")
    given = []
    shtab.complete = lambda parser, shell: given.append((parser, shell)) or "the script"
    monkeypatch.setitem(sys.modules, "shtab", shtab)
    monkeypatch.setattr(completion, "is_installed", lambda name: name == "shtab")
    assert main.main(["completion", "bash"]) == 0
    [(parser, shell)] = given
    assert capsys.readouterr().out == "the script\n" and shell == "bash"
    commands = parser._subparsers._group_actions[0].choices
    assert list(commands) == list(main.COMMANDS)
    assert "--kernels" in commands["run"].format_help()


def test_completion_without_shtab_says_what_brings_it(monkeypatch, capsys):
    monkeypatch.setattr(completion, "is_installed", lambda name: False)
    assert main.main(["completion", "zsh"]) == 2
    assert "completion needs shtab: pip install shtab" in capsys.readouterr().err
