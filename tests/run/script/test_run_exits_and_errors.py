"""Tests that `tf1grad run` ends and fails as Python itself does."""

import importlib.util
import os
import pathlib
import py_compile
import sys

import numpy as np
import pytest

from paths import ROOT
from tf1grad._compat import VERSION
from tf1grad.programs._errors import UsageError
from tf1grad.run import python2
from tf1grad.run.script import script, tracebacks, user_modules


def _python(folder, *arguments):
    process = folder.start(*arguments)
    output, errors = process.communicate()
    return process.returncode, output, errors


ENDS = {
    "exits with 3": "import sys; sys.exit(3)",
    "exits with a message": "import sys; sys.exit('no data')",
    "asserts": "def check(x):\n    assert x > 1, 'too small'\n\ncheck(0)\n",
    "raises from a cause": "try:\n    {}['a']\nexcept KeyError as error:\n    raise ValueError('b') from error\n",
    "is not valid": "x = 1\nif x\n    print(x)\n",
    "has a hook": "import sys, traceback\ndef hook(kind, error, tb):\n"
    "    print(kind.__name__, len(traceback.extract_tb(tb)))\nsys.excepthook = hook\n1 / 0\n",
    "ends in a thread": "import threading\nthreading.Thread(target=print, args=('later',)).start()\n",
    "has something to do at exit": "import atexit\natexit.register(print, 'bye')\nraise ValueError('x')\n",
    "imports what is broken": "import broken\n",
    "is latin-1": "# -*- coding: latin-1 -*-\nprint(u'\xe9' == u'\\xe9')\n".encode("latin-1"),
    # It comes from the script itself: from outside it would come at one line or at another.
    "is interrupted": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nprint('went on')\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", sorted(ENDS))
def test_script_ends_as_under_python(folder, what):
    folder.write("train.py", ENDS[what])
    folder.write("broken.py", "x = (\n")
    expected = _python(folder, "-B", "train.py")
    assert folder.run("train.py") == expected


def test_a_wrong_syntax_without_fissix_says_what_reads_python_2(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    program = script.MainProgram(
        "train.py", "", lambda: script.MainSource(b"print 1", "train.py", {})
    )
    monkeypatch.setattr(sys, "argv", ["pytest"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(SyntaxError):
        script.run(program, [], python2.Compiler(user_modules.compile_plainly, 3))
    assert "train.py is written for Python 2: fissix" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, part",
    [
        (["missing.py"], "can't open file 'missing.py': no such file"),
        (["empty"], "can't find '__main__' module in 'empty'"),
        (
            ["-m", "no_such_module"],
            "no module named no_such_module. Modules are looked for in the current folder",
        ),
        (["-m", "script.py"], "a module, script; leave -m out to run script.py"),
        (["model.pb"], "If it is a model: tf1grad model inspect"),
        (["utf_16.py"], "It is UTF-16, which Python does not read: save it as UTF-8"),
        (["json"], "To run a module: tf1grad run -m json"),
        (["--date", "2999-01-01", "script.py"], "2999-01-01 is in the future"),
        (["other.pyc"], "'other.pyc': no such file or directory.\n"),
        (["broken.pyc"], "Run the .py file that it was made from"),
        ([], "SCRIPT"),
        (
            ["--accumulate", "0", "script.py"],
            "--accumulate: expected a whole number of at least 1; got '0'",
        ),
        (
            ["--clip-global-norm", "0", "script.py"],
            "--clip-global-norm: expected a number above 0; got '0'",
        ),
        (
            ["--clip-global-norm=-1", "script.py"],
            "--clip-global-norm: expected a number above 0; got '-1'",
        ),
        (
            ["--clip-global-norm", "nan", "script.py"],
            "--clip-global-norm: expected a number above 0; got 'nan'",
        ),
        (["--record", "no/folder/record", "script.py"], "cannot write --record"),
        (["--kernels", "other", "script.py"], "--kernels"),
    ],
)
def test_unusable_arguments_exit_with_2(folder, arguments, part):
    os.mkdir(os.path.join(folder.path, "empty"))
    folder.write("script.py", "print('ran')")
    folder.write("broken.pyc", "print('ran')")
    pathlib.Path(folder.path, "model.pb").write_bytes(b"\n\r\0\1x")
    pathlib.Path(folder.path, "utf_16.py").write_text("print('ran')\n", encoding="utf-16")
    code, output, errors = folder.run(*arguments)
    assert (code, output) == (2, "") and part in errors and "Traceback" not in errors


def test_a_wrong_encoding_has_nothing_to_do_with_fissix(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SyntaxError, match="Write its encoding in the first line"):
        script._compiled(b"x = '\xe9'", "train.py", python2.Compiler(user_modules.compile_plainly))
    assert not capsys.readouterr().err


def test_a_program_on_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="- is standard input, which is closed"):
        script.find_program("-", False).read()


def test_errors_come_before_tensorflow_is_imported(folder):
    folder.write("tensorflow.py", "raise RuntimeError('imported')")
    folder.write("bad.py", "import tensorflow\nif\n")
    folder.write("good.py", "print('no tensorflow needed')")
    for arguments in (["missing.py"], ["bad.py"], ["-m", "nothing"], ["good.py"]):
        assert (
            "imported"
            not in folder.run(*arguments, env={"PYTHONPATH": os.pathsep.join([folder.path, ROOT])})[
                2
            ]
        )


def test_arguments_after_the_script_and_standard_input_belong_to_it(folder):
    folder.write("train.py", "import sys\nprint(sys.argv[1:], input() + sys.stdin.read())\n")
    arguments = ["--kernels", "x", "-m", "y", "--", "--help", "-h"]
    assert folder.lines("--kernels", "eigen", "train.py", *arguments, stdin="one\ntwo") == [
        f"{arguments} onetwo"
    ]
    assert folder.lines("--", "train.py", "--", "--s", "-h", "--", stdin="one\n") == [
        "['--', '--s', '-h', '--'] one"
    ]


def test_a_script_from_standard_input(folder):
    folder.write("beside.py", "")
    lines = folder.lines(
        "-",
        "x",
        "--",
        stdin="""if True:
        import sys, beside
        print(__name__, sys.argv, repr(sys.path[0]), "__file__" in globals(), repr(sys.stdin.read()))
        import collections
        print(isinstance({}, collections.Mapping))
    """,
    )
    assert lines == ["__main__ ['-', 'x', '--'] '' True ''", "True"]
    code, _, errors = folder.run("-", stdin="x = 1\n1 / 0\n")
    assert code == 1 and 'File "<stdin>", line 2, in <module>' in errors and "tf1grad" not in errors


@pytest.mark.slow
def test_messages_are_marked_as_tf1grads(folder):
    folder.write(
        "train.py",
        "import sys, warnings\nimport numpy as np\nwarnings.simplefilter('ignore')\n"
        "print('loss', file=sys.stderr)\nprint(np.asscalar(np.array(2)))\n",
    )
    code, output, errors = folder.run("train.py")
    said = [line for line in errors.splitlines() if line != "loss"]
    assert (code, output) == (0, "2\n") and all(line.startswith("tf1grad: ") for line in said)
    assert bool(said) != hasattr(np, "asscalar")
    assert folder.run("--quiet", "train.py") == (0, "2\n", "loss\n")


def test_a_file_that_is_not_utf_8(folder):
    folder.write("train.py", "x = 'caf\xe9'\nprint(1)\n".encode("latin-1"))
    code, output, errors = folder.run("train.py")
    assert (code, output) == (1, "") and "SyntaxError: byte 0xe9 is not utf-8. Write its" in errors
    assert "Traceback" not in errors


WITHOUT_NUMBER = """
import tensorflow as tf

def build():
    x = tf.placeholder(tf.float32, [None], name="x")
    return x, tf.check_numerics(x, "not finite", name="checked") * 2

x, y = build()
with tf.Session() as session:
    try:
        session.run(y, {x: [float("nan")]})
    except tf.errors.InvalidArgumentError as error:
        print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(VERSION < (2,), reason="this is TensorFlow 1, whose errors are its own")
def test_error_of_an_op_has_the_reason_first_and_its_stack_once(folder):
    folder.write("train.py", WITHOUT_NUMBER)
    script = os.path.join(folder.path, "train.py")
    output, _ = folder.start("-m", "tf1grad", "run", "train.py").communicate()
    lines = output.splitlines()
    assert lines[:2] == [
        "not finite : Tensor had NaN values",
        "\t [[node checked]]",
    ]
    assert lines[3] == "Original stack trace for 'checked':"
    frames = [line for line in lines[4:] if line.startswith("  File ")]
    assert frames[:2] == [
        f'  File "{script}", line 8, in <module>',
        f'  File "{script}", line 6, in build',
    ]
    assert sum("in build" in line for line in lines) == 1


@pytest.mark.slow
def test_tensorflows_log_has_each_line_once(folder):
    """Tests `tf.app.run`, which adds a handler to that of TensorFlow and, on 1.15 as here,
    shows lines of INFO.
    """
    folder.write(
        "train.py",
        """
        import tensorflow as tf

        def main(argv):
            tf.logging.info("loss 1.5")
            tf.to_float(1)

        tf.app.run()
    """,
    )
    for options, warnings in (([], 1), (["--quiet"], 0)):
        code, _, errors = folder.run(*options, "train.py")
        assert code == 0 and errors.count("loss 1.5") == 1, errors
        assert errors.count("Use `tf.cast` instead") == warnings, errors


SHOWN = "import sys; print(sys.argv, __name__, globals().get('__file__'), sys.path[0], __spec__)"


def test_code_of_the_command_line_runs_as_under_python(folder):
    words = ["-c", SHOWN, "x", "-c", "--y"]
    assert folder.run(*words) == _python(folder, *words)


def test_code_from_standard_input_has_the_file_that_python_gives_it(folder):
    process = folder.start("-", "x")
    output, errors = process.communicate(SHOWN)
    assert folder.run("-", "x", stdin=SHOWN) == (process.returncode, output, errors)


def test_a_compiled_file_runs_as_under_python(folder):
    folder.write("shown.py", SHOWN)
    compiled = os.path.join(folder.path, "shown.pyc")
    py_compile.compile(os.path.join(folder.path, "shown.py"), cfile=compiled)
    assert folder.run("shown.pyc", "x") == _python(folder, "shown.pyc", "x")


@pytest.mark.parametrize(
    "options, environment, said",
    [
        (["--include", "no_such.part"], {}, "--include no_such.part: no package of this name"),
        (["--exclude", "no_such"], {}, "--exclude no_such: no package of this name"),
        ([], {"TF1GRAD_OPTIONS": "--quiet"}, "TF1GRAD_OPTIONS is not read here"),
    ],
)
def test_options_without_an_effect_are_said(folder, options, environment, said):
    folder.write("script.py", "print('ran')")
    code, output, errors = folder.run(*options, "script.py", env=environment)
    assert (code, output) == (0, "ran\n") and errors.count(said) == 1


@pytest.mark.parametrize("name, is_module", [("tensorboard", False), ("tensorboard.main", True)])
def test_tensorboard_needs_no_tf1grad(monkeypatch, tmp_path, name, is_module):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(script._compat, "is_installed", lambda package: False)
    with pytest.raises(UsageError, match="needs no tf1grad. To install it: .* tensorboard"):
        script.find_program(name, is_module)


def test_errors_of_ops_have_the_names_of_1_15():
    message = "Incompatible shapes: [2] vs. [3]\n\t [[{{node add}}]]\n\t [[{{node net/y}}]]"
    shown = tracebacks._with_plain_names(message, None)
    assert shown == "Incompatible shapes: [2] vs. [3]\n\t [[node add]]\n\t [[node net/y]]"
