"""Tests that `check` and `upgrade` are bounded on hostile files,
and tell in a sentence what they do not read.
"""

import os
import stat
import subprocess
import sys
import time

import pytest

from tf1grad.cli import main
from tf1grad.programs.source.module_names import ModuleNames
from tf1grad.programs.source.program import KnownNames
from tf1grad.upgrade.rewriting import file_writing
from tf1grad.upgrade.rules import engine

needs_3_8 = pytest.mark.skipif(sys.version_info < (3, 8), reason="upgrade needs Python 3.8")
START = "import tensorflow as tf\n"
# By what they repeat, the beginning of a program and its repeated part.
REPEATED = {
    "rebindings": (START, "tf = tf\n"),
    "rebindings to names of TensorFlow": (START, "tf = tf.foo\ny = tf.placeholder(tf.float32)\n"),
    "rebindings in functions": (START, "def f():\n  global tf\n  tf = tf\n"),
    "imports": ("", START + "x = tf.placeholder(tf.float32)\n"),
    "calls in a line": (START, "tf.foo(1);"),
    "calls in a line with other letters": (START + "x = 'é';", "tf.foo(1);"),
}


def _seconds(path, text):
    path.write_text(text, encoding="utf-8")
    begin = time.process_time()
    programs, found = engine.read_programs([str(path)])
    engine.findings(programs, KnownNames())
    assert programs and not found
    return time.process_time() - begin


@pytest.mark.slow
@pytest.mark.newest_alone
@pytest.mark.parametrize("kind", REPEATED)
def test_the_time_grows_with_the_length_and_not_with_its_square(tmp_path, kind):
    begin, part = REPEATED[kind]
    short, long = (
        min(_seconds(tmp_path / "f.py", begin + part * count) for _ in range(2))
        for count in (1000, 8000)
    )
    assert long < 24 * max(short, 0.05)  # the square would be 64 times


DEEP = {
    "parentheses": "x = " + "(" * 10000 + "1" + ")" * 10000 + "\n",
    "signs": "x = " + "-" * 100000 + "1\n",
    "methods": "x = tf" + ".foo()" * 20000 + "\n",
    "sums": "x = " + "+".join(["tf.ones([1])"] * 9000) + "\n",
    "conditions": "if a: pass\n" + "elif a: tf.foo()\n" * 4000,
    "a null byte": "x = 1\0\n",
    "too many characters": "x = 1\n" * 700_000,
}


def _told(capsys, *argv):
    code = main.main([*argv, "--no-tensorflow"])
    told = capsys.readouterr()
    return code, told.out + told.err


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_what_cannot_be_read_is_told(tmp_path, capsys, kind):
    path = tmp_path / "f.py"
    path.write_text(START + DEEP[kind])
    for command in ("check", "upgrade")[: 1 + (sys.version_info >= (3, 8))]:
        code, said = _told(capsys, command, str(path))
        assert code == 1 and "TFG001" in said and "Traceback" not in said and len(said) < 2000
    assert path.read_text() == START + DEEP[kind]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_pipes_and_devices_are_not_read(tmp_path, capsys, kind):
    path = tmp_path / "f.py"
    if kind == "pipe":
        os.mkfifo(str(path))
    else:
        path.symlink_to("/dev/zero")
    code, said = _told(capsys, "check", str(path))
    assert code == 1 and "It is not a regular file, and is not read." in said


@needs_3_8
@pytest.mark.parametrize("fails", [False, True])
def test_other_names_of_an_upgraded_file_have_its_new_content(tmp_path, capsys, monkeypatch, fails):
    path, other = tmp_path / "f.py", tmp_path / "other.py"
    old = START + "x = tf.placeholder(tf.float32)\n"
    path.write_text(old)
    os.chmod(str(path), 0o640)
    os.link(str(path), str(other))
    if fails:
        put, failures = file_writing._put, [OSError(28, "No space left on device")]

        def fail_once(file, data):
            put(file, data[:3] if failures else data)
            if failures:
                raise failures.pop()

        monkeypatch.setattr(file_writing, "_put", fail_once)
    code, _ = _told(capsys, "upgrade", "--write", str(path))
    assert os.path.samefile(str(path), str(other)) and (path.read_text() == old) == fails
    assert code == int(fails) and stat.S_IMODE(os.stat(str(path)).st_mode) == 0o640
    names = ["f.py", "other.py"] if fails else ["f.py", "f.py.orig", "other.py"]
    assert sorted(os.listdir(str(tmp_path))) == names


# Installed packages -------------------------------------------------------------------------------

MODULES = {
    "an elif chain": "if a: pass\n" + "elif b: x = 1\n" * 500 + "y = 2\n",
    "a chain of methods": "x = f" + ".foo()" * 500 + "\ny = 2\n",
    "a long sum": "x = " + "+".join(["1"] * 500) + "\ny = 2\n",
    "a list": "x = [" + "1, " * 500 + "]\ny = 2\n",
    "nested lists": "x = " + "[" * 90 + "]" * 90 + "\ny = 2\n",
}


@pytest.mark.parametrize("kind", MODULES)
def test_names_below_deep_statements_of_a_module_are_found(tmp_path, kind):
    (tmp_path / "deep.py").write_text(MODULES[kind])
    names = ModuleNames([str(tmp_path)])
    assert names.has("deep.y") is True and names.has("deep.z") is False


@pytest.mark.parametrize("text", ["x = 1\0\n", "print 'x'\n", "x = " + "-" * 100000 + "1\n"])
def test_names_of_a_module_that_cannot_be_parsed_are_not_known(tmp_path, text):
    (tmp_path / "broken.py").write_text(text)
    assert ModuleNames([str(tmp_path)]).has("broken.y") is None


def test_no_warnings_of_the_compiler_are_shown(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(START + "import sys\nif sys.version_info[0] is 3:\n    x = tf.placeholder(1)\n")
    command = [sys.executable, "-W", "always", "-m", "tf1grad", "check", str(path)]
    process = subprocess.run([*command, "--no-tensorflow"], stderr=subprocess.PIPE, check=False)
    assert process.returncode == 1 and b"SyntaxWarning" not in process.stderr
