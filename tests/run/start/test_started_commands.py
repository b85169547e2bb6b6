"""Tests the commands that `tf1grad run` starts beside scripts of Python:
each is a process of its own.
"""

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import venv

import pytest

from paths import ROOT
from tf1grad.programs._errors import UsageError
from tf1grad.run.start import commands

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="these are commands of POSIX"),
]

# `tf.contrib` exists on TensorFlow 2 only under `run`.
TRAIN = """
    import sys
    import tensorflow as tf
    print(tf.VERSION, tf.contrib.framework.nest.flatten([1]), sys.argv[1:], sys.stdin.read())
"""
TRAINED = "1.15.5 [1] ['--epochs', '3'] data"


@pytest.fixture
def programs(folder):
    """Makes a folder with a script, and a Makefile and shell scripts that start it."""
    folder.write("train.py", TRAIN)
    folder.write("Makefile", "train:\n\t@python train.py --epochs 3\n")
    for name, text in {
        "all.sh": '#!/bin/sh\npython train.py "$@"\n',
        "all": '#!/usr/bin/env bash\nexec python train.py "$@"\n',
        "trainer": f"#!{sys.executable}\n" + TRAIN.replace("\n    ", "\n"),
        "fails.sh": "#!/bin/sh\nexit 7\n",
        "ends.sh": "#!/bin/sh\nkill -TERM $$\n",
        "pipe.sh": "#!/bin/sh\nyes | head -1\n",
    }.items():
        os.chmod(folder.write(name, text), stat.S_IRWXU)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["./all.sh", "--epochs", "3"],
        ["all", "--epochs", "3"],
        ["./trainer", "--epochs", "3"],
        pytest.param(
            ["make", "train"],
            marks=pytest.mark.skipif(not shutil.which("make"), reason="there is no make"),
        ),
    ],
    ids=" ".join,
)
def test_pythons_of_a_command_find_version_1(programs, words):
    assert programs.lines("--quiet", *words, stdin="data") == [TRAINED]


def test_a_script_of_another_environment_is_named(programs, tmp_path):
    """Tests a console script whose first line names another Python, beside a folder of its name."""
    programs.write("t2t-trainer/notes.txt", "")
    venv.create(str(tmp_path / "other"), symlinks=True)
    other = tmp_path / "other" / "bin" / "python"
    path = programs.write("other/bin/t2t-trainer", f"#!{other}\nprint('ran')\n")
    os.chmod(path, stat.S_IRWXU)
    path = os.pathsep.join([str(other.parent), os.environ["PATH"]])
    code, output, errors = programs.run("t2t-trainer", env={"PATH": path})
    assert (code, output) == (0, "ran\n")
    assert errors.startswith(f"tf1grad: t2t-trainer runs with {other}, ")


@pytest.mark.parametrize(
    "name, code", [("fails.sh", 7), ("ends.sh", -signal.SIGTERM), ("pipe.sh", 0)]
)
def test_it_ends_as_without_run(programs, name, code):
    ended, output, errors = programs.run(name)
    assert ended == code and errors == "" and output == ("y\n" if name == "pipe.sh" else "")


def test_what_cannot_be_started_is_said(programs):
    programs.write("plain.sh", "python train.py\n")
    code, _, errors = programs.run("./plain.sh")
    assert code == 2 and "Permission denied" in errors and "tf1grad run sh ./plain.sh" in errors


def test_an_interactive_python_at_a_terminal(folder):
    import pty

    master, terminal = pty.openpty()
    environment = dict(os.environ, PYTHONPATH=ROOT, TERM="dumb")
    process = subprocess.Popen(
        [sys.executable, "-m", "tf1grad", "run"],
        cwd=folder.path,
        env=environment,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    os.write(master, b"import tensorflow as tf\nprint('version', tf.VERSION)\nexit()\n")
    shown = b""
    with contextlib.suppress(OSError):  # when nothing writes to the terminal any more
        for _ in range(1000):
            shown += os.read(master, 1000)
    assert process.wait(60) == 0 and b"version 1.15.5" in shown, shown


def test_the_extension_in_a_kernel_that_a_command_starts(folder):
    """Tests it with the part of IPython's shell that it uses."""
    folder.write(
        "kernel.py",
        """
        import tf1grad

        class Shell:
            ast_transformers, input_transformers_post, user_ns = [], [], {}

            def register_magic_function(self, function, magic_name):
                print(magic_name)

        tf1grad.load_ipython_extension(Shell())
        print(Shell.input_transformers_post[0](["print 3\\n"])[-1].strip())
        import tensorflow as tf
        print(tf.VERSION)
    """,
    )
    pytest.importorskip("fissix", reason="fissix reads Python 2")
    expected = ["tensorflow_version", "print(3)", "1.15.5"]
    assert folder.lines("--quiet", "python", "kernel.py") == expected


@pytest.mark.skipif(sys.platform == "win32", reason="Windows starts what it has a program for")
def test_a_file_that_may_not_be_executed_is_said_to_go_to_sh(tmp_path):
    file = tmp_path / "plain.sh"
    file.write_text("python train.py\n")
    with pytest.raises(UsageError, match=f"tf1grad run sh {file} --epochs 3"):
        commands.start([str(file), "--epochs", "3"])
