"""Tests that nothing of a folder is executed by the commands that do not run its program."""

import os
import subprocess
import sys

import pytest

from paths import ROOT
from tf1grad._compat import VERSION

# As the console script is: its own folder is the first of the path, and not the current one.
COMMAND = (
    f"import sys\nsys.path.append({ROOT!r})\nfrom tf1grad.cli.main import main\nsys.exit(main())\n"
)
MODULES = (
    *("sitecustomize", "usercustomize", "conftest", "setup", "packaging", "numpy", "tensorflow"),
    *("json", "subprocess", "argparse", "fissix", "pip/__main__", "pip/__init__", "uv/__init__"),
    *("tf1grad/__init__", "keras/__init__", "setuptools/__init__", "helper"),
)
PROGRAM = "import tensorflow as tf\nimport helper\nx = tf.placeholder(tf.float32)\n"


@pytest.fixture
def start(folder, tmp_path):
    """Starts the command in a folder whose modules leave a mark;
    returns what the process printed, and the marks.
    """
    mark = tmp_path / "executed"
    for name in MODULES:
        folder.write(f"program/{name}.py", f"open({str(mark)!r}, 'a').write(__file__ + '\\n')\n")
    folder.write("program/hostile.pth", f"import os; open({str(mark)!r}, 'a').write('pth')\n")
    folder.write("program/requirements.txt", "tensorflow==1.4.0\n")
    command = folder.write("bin/tf1grad", COMMAND)

    def run(text, *arguments):
        folder.write("program/train.py", text)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [sys.executable, command, *arguments],
            cwd=os.path.join(folder.path, "program"),
            env=environment,
            capture_output=True,
            text=True,
        )
        return done, mark.read_text() if mark.exists() else ""

    return run


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "."),
        ("check", "train.py"),
        ("upgrade", "train.py"),
        pytest.param(("upgrade", "--write", "."), marks=pytest.mark.slow),
        pytest.param(("doctor",), marks=pytest.mark.slow),
        pytest.param(("period",), marks=pytest.mark.slow),
        pytest.param(
            ("doctor", "."),
            marks=[pytest.mark.slow, pytest.mark.skipif(VERSION < (2,), reason="it brings none")],
        ),
    ],
    ids=" ".join,
)
def test_nothing_of_the_folder_is_executed(start, arguments):
    done, executed = start(PROGRAM, *arguments)
    assert executed == "" and "Traceback" not in done.stderr, done.stderr
    assert done.stdout or done.stderr


@pytest.mark.slow
def test_run_executes_the_program_first(start):
    done, executed = start("print('began')\n", "run", "train.py")
    assert (done.returncode, done.stdout, executed) == (0, "began\n", ""), done.stderr
