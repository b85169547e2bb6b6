"""Tests the command `tf1grad upgrade`: what it writes, what it keeps, and what it never touches."""

import argparse
import os
import shlex
import shutil
import stat
import subprocess
import sys

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from script_folder import run_python
from tf1grad.cli import main, upgrade
from tf1grad.programs import _compat
from tf1grad.programs.names.packages import pinned
from tf1grad.upgrade.edits import added_lines

pytestmark = NEEDS_PYTHON_3_8

OLD = "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\n"
NEW = "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n\nx = tf.placeholder(tf.float32)\n"
LEFT = OLD + "y = tf.contrib.gan.GANModel(3)\n"
LATIN = f"# -*- coding: latin-1 -*-\n# \u00e9\n{OLD}".encode("latin-1")


def _upgrade(*arguments):
    return main.main(["upgrade", "--no-tensorflow"] + [str(argument) for argument in arguments])


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.py"
    path.write_text(OLD)
    return path


def _names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_diff_is_shown_and_nothing_written(old, capfd):
    assert _upgrade(old) == 1
    shown = capfd.readouterr().out
    assert "-import tensorflow as tf\n+import tensorflow.compat.v1 as tf\n" in shown
    assert old.read_text() == OLD and _names(old.parent) == ["old.py"]


@pytest.mark.parametrize(
    "data",
    [
        LATIN[:-1].replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + OLD.encode(),
        f"# \u00e9\n{LEFT}".encode(),
        OLD[:-1].replace("\n\n", "\n\x0c\n").encode(),
        b"# a\rb\ns = '\xc2\x85 \xe2\x80\xa8 \x1c'\n" + OLD.encode(),
    ],
    ids=["latin-1 CRLF", "byte order mark", "with a comment left", "form feed", "other line ends"],
)
def test_bytes_of_the_file_stay_and_the_diff_is_a_patch(tmp_path, monkeypatch, capfdbinary, data):
    monkeypatch.chdir(str(tmp_path))
    path = tmp_path / "old program.py"
    path.write_bytes(data)
    assert _upgrade(os.path.join(".", path.name)) == 1
    diff = capfdbinary.readouterr().out
    _upgrade(path.name, "--write")
    written = path.read_bytes()
    line_end = b"\r\n" if b"\r\n" in data else b"\n"
    expected = data.replace(b"tensorflow as", b"tensorflow.compat.v1 as").replace(
        b"x = tf", b"tf.disable_v2_behavior()" + line_end * 2 + b"x = tf"
    )
    assert written == expected or b"contrib" in data or b"\x0c" in data  # these get other lines
    if shutil.which("patch") and not data.startswith(b"# -*- coding"):
        path.write_bytes(data)
        subprocess.run(["patch", "-p1", "--quiet", "--binary"], input=diff, check=True)
        assert path.read_bytes() == written


def test_requirements_that_cannot_be_read_are_said(tmp_path, old, capsys):
    (tmp_path / "requirements.txt").mkdir()
    (tmp_path / "setup.py").write_text("tensorflow==1.4\n")
    assert _upgrade(old, "--write") == 0
    said = capsys.readouterr().err
    assert f"{tmp_path / 'requirements.txt'}: its pins were not looked at: " in said
    assert "setup.py:1: 'tensorflow==1.4' excludes TensorFlow 2" in said


def test_what_upgrade_finds_nothing_in_is_said(tmp_path, old, capsys):
    plain = tmp_path / "plain.py"
    plain.write_text("x = 1\n")
    assert _upgrade(plain) == 0
    said = "No file has names of TensorFlow 1, or is Python 2."
    assert said in capsys.readouterr().err
    assert _upgrade(plain, old) == 1
    assert said not in capsys.readouterr().err


def test_writing_keeps_the_old_file_and_its_mode(old, capsys):
    old.chmod(0o754)
    assert _upgrade(old, "--write") == 0
    assert old.read_text() == NEW
    assert (old.parent / "old.py.orig").read_text() == OLD
    assert [stat.S_IMODE(path.stat().st_mode) for path in sorted(old.parent.iterdir())] == [
        0o754,
        0o754,
    ]
    assert "1 file upgraded, 0 places left to do" in capsys.readouterr().err
    assert _upgrade(old, "--write") == 0 and _upgrade(old) == 0
    assert old.read_text() == NEW and _names(old.parent) == ["old.py", "old.py.orig"]


def test_existing_backup_is_kept(old):
    (old.parent / "old.py.orig").write_text("mine")
    assert _upgrade(old, "--write") == 0
    assert (old.parent / "old.py.orig").read_text() == "mine" and old.read_text() == NEW
    assert (old.parent / "old.py.orig.1").read_text() == OLD


def test_exit_code_tells_that_findings_are_left(old, capsys):
    old.write_text(LEFT)
    for _ in range(2):
        assert _upgrade(old, "--write") == 1
        assert "TFG102 tensorflow.contrib.gan.GANModel is gone" in capsys.readouterr().err
    assert old.read_text().count("# tf1grad: TFG102") == 1


def test_a_link_is_followed(old, tmp_path):
    os.symlink(str(old), str(tmp_path / "link.py"))
    assert _upgrade(tmp_path / "link.py", "--write") == 0
    assert os.path.islink(str(tmp_path / "link.py")) and old.read_text() == NEW
    assert (tmp_path / "old.py.orig").read_text() == OLD


def test_a_failure_leaves_every_file_as_it_was(tmp_path, monkeypatch, capsys):
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(OLD)
    replace = os.replace

    def fail(source, target):
        if target.endswith("b.py"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    assert _upgrade(tmp_path, "--write") == 1
    assert "b.py: not written: No space left on device" in capsys.readouterr().err
    assert (tmp_path / "a.py").read_text() == NEW and (tmp_path / "b.py").read_text() == OLD
    assert _names(tmp_path) == ["a.py", "a.py.orig", "b.py"]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes every file"
)
def test_a_write_protected_file(old, capsys):
    old.chmod(0o444)
    assert _upgrade(old, "--write") == 1
    assert "write-protected" in capsys.readouterr().err
    assert old.read_text() == OLD and _names(old.parent) == ["old.py"]


def test_bad_files_are_reported_and_the_others_upgraded(tmp_path, capsys):
    (tmp_path / "bad.py").write_text("def f(:\n")
    (tmp_path / "old.py").write_text(OLD)
    assert _upgrade(tmp_path, "--write") == 1
    said = capsys.readouterr().err
    assert "bad.py:1:1: TFG001" in said and "1 file upgraded, 0 places left to do, 1 failed" in said
    assert (tmp_path / "bad.py").read_text() == "def f(:\n" and (
        tmp_path / "old.py"
    ).read_text() == NEW
    assert _names(tmp_path) == ["bad.py", "old.py", "old.py.orig"]


def test_wrong_usage(tmp_path, old):
    assert _upgrade(tmp_path / "missing.py") == 2
    (tmp_path / "empty").mkdir()
    assert _upgrade(tmp_path / "empty") == 2
    with pytest.raises(SystemExit) as stopped:
        _upgrade(old, "--writ")
    assert stopped.value.code == 2
    assert old.read_text() == OLD


def test_files_without_tensorflow_stay_unchanged(tmp_path):
    path = tmp_path / "other.py"
    path.write_text("import numpy as np\nprint(np.float, 'unchanged')\n")
    assert _upgrade(tmp_path, "--write") == 0
    assert _names(tmp_path) == ["other.py"] and "np.float" in path.read_text()


def test_a_link_that_leads_out_of_the_folder_is_left(tmp_path):
    (tmp_path / "shared.py").write_text(OLD)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "old.py").write_text(OLD)
    os.symlink(str(tmp_path / "shared.py"), str(tmp_path / "project" / "link.py"))
    assert _upgrade(tmp_path / "project", "--write", "--no-backup") == 0
    assert (tmp_path / "shared.py").read_text() == OLD
    assert (tmp_path / "project" / "old.py").read_text() == NEW


def test_one_failed_file_does_not_stop_the_others(tmp_path, capsys, monkeypatch):
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(OLD)
    upgraded = added_lines.add_lines

    def fail(plan):
        if plan.program.source.path.endswith("b.py"):
            raise KeyError("out of order")
        return upgraded(plan)

    monkeypatch.setattr(added_lines, "add_lines", fail)
    assert _upgrade(tmp_path, "--write", "--no-backup") == 1
    assert (
        "b.py:1:1: TFG001 It could not be rewritten (KeyError: 'out of order')"
        in capsys.readouterr().err
    )
    assert [(tmp_path / name).read_text() for name in _names(tmp_path)] == [NEW, OLD, NEW]


@pytest.mark.parametrize(
    "old_text, new_text",
    [
        (
            "if a:\n\tx = 1\n        y = '''\n\ttab'''\n",
            "if a:\n        x = 1\n        y = '''\n\ttab'''\n",
        ),
        (
            "if a:\n\tprint 'x'\n        print 'y'\n",
            "if a:\n        print('x')\n        print('y')\n",
        ),
        ("print('x', file=f)\nexec 'y'\n", "print('x', file=f)\nexec('y')\n"),
        ("for i in xrange(3):\n    print i", "for i in range(3):\n    print(i)"),
    ],
    ids=["tabs and spaces", "print in tabs", "print function and exec", "xrange"],
)
def test_tabs_and_python_2(tmp_path, old_text, new_text):
    pytest.importorskip("fissix", reason="Python 2 is translated with fissix")
    path = tmp_path / "old.py"
    path.write_text(OLD + old_text)
    assert _upgrade(path, "--write") == 0
    assert path.read_text() == NEW + new_text


@pytest.mark.parametrize(
    "before, after",
    [
        (
            "def f():\n    from tensorflow.contrib import rnn\n    return rnn.LSTMCell(3)\n",
            "def f():\n    return tf.nn.rnn_cell.LSTMCell(3)\n",
        ),
        (
            "def f():\n    from tensorflow.contrib import rnn  # cells\n    return rnn.LSTMCell(3)\n",
            "def f():\n    # cells\n    return tf.nn.rnn_cell.LSTMCell(3)\n",
        ),
        (
            "def f():\n    import os; from tensorflow.contrib import rnn; x = 1\n    return rnn.LSTMCell(3)\n",
            "def f():\n    import os; pass; x = 1\n    return tf.nn.rnn_cell.LSTMCell(3)\n",
        ),
        (
            "if a:\n    from tensorflow.contrib import rnn\nx = lambda: rnn.LSTMCell(3)\n",
            "if a:\n    pass  # its names are written where they are used\nx = lambda: tf.nn.rnn_cell.LSTMCell(3)\n",
        ),
    ],
    ids=["in a function", "with a comment", "between statements", "alone in a block"],
)
def test_pass_is_left_only_where_a_block_needs_it(tmp_path, before, after):
    (tmp_path / "old.py").write_text("import tensorflow as tf\n" + before)
    _upgrade(tmp_path, "--write", "--no-backup")
    assert (tmp_path / "old.py").read_text().endswith(after)


def test_a_whole_module_of_contrib(tmp_path):
    (tmp_path / "old.py").write_text(
        "import tensorflow as tf\nimport tensorflow.contrib as tf_contrib\n\n\ndef f(x):\n"
        "    tf_contrib.layers.flatten(tf.Session())\n    tf_contrib.metrics.accuracy(x)\n"
    )
    assert _upgrade(tmp_path, "--write", "--no-backup") == 0
    assert (tmp_path / "old.py").read_text() == (
        "import tf1grad.migrate.legacy  # before TensorFlow\nimport tensorflow.compat.v1 as tf\nimport tf_slim\n"
        "\n\ndef f(x):\n"
        "    tf_slim.layers.flatten(tf.Session())\n    tf_slim.metrics.accuracy(x)\n"
    )


@pytest.mark.parametrize(
    "name, line, pin",
    [
        ("requirements.txt", "tensorflow-gpu==1.13.1", "tensorflow-gpu==1.13.1"),
        ("setup.py", "needs = ['numpy', 'tensorflow>=1.0,<2']", "tensorflow>=1.0,<2"),
        ("requirements.txt", "tensorflow>=1.4", None),
        ("requirements.txt", "# tensorflow==1.4", None),
        ("requirements.txt", "tensorflow-probability==0.7", None),
    ],
)
def test_requirements_that_exclude_the_upgraded_program(tmp_path, capsys, name, line, pin):
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\ntf.Session()\ntf.contrib.layers.flatten(1)\n"
    )
    (tmp_path / name).write_text(line + "\n")
    main.main(["upgrade", "--no-tensorflow", str(tmp_path)])
    told = capsys.readouterr().err
    expected = (
        f"{name}:1: '{pin}' excludes TensorFlow 2: write 'tensorflow' and add tf1grad, tf_slim\n"
    )
    assert expected in told if pin else "TensorFlow 2" not in told


def test_a_requirement_is_named_once_for_files_of_one_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("import tensorflow as tf\ntf.Session()\n")
    (tmp_path / "requirements.txt").write_text("tensorflow==1.4\n")
    main.main(["upgrade", "--no-tensorflow", "a.py", "b.py"])
    assert capsys.readouterr().err.count("excludes TensorFlow 2") == 1


@pytest.mark.parametrize(
    "words, said",
    [
        (["upgrade", "--write", "--by-running", "a.py 'x", "a.py"], '--by-running "a.py \'x"'),
        (
            ["verify", "--against", sys.executable, "--run", "timeout '9", "a.py"],
            '--run "timeout \'9"',
        ),
    ],
)
def test_a_quotation_without_an_end_is_said(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import tensorflow as tf\n")
    assert main.main(words) == 2
    error = capsys.readouterr().err
    assert f"{said}: No closing quotation. Write it as for a shell" in error


WITHOUT_TF_KERAS = """
import os, sys
sys.modules["tf_keras"] = None  # as where it is not installed
os.environ.pop("TF_USE_LEGACY_KERAS", None)
from tf1grad.cli import main
main.main(["upgrade", "layers.py"])
import tf1grad.migrate.legacy
assert "TF_USE_LEGACY_KERAS" not in os.environ
"""


@pytest.mark.slow
@pytest.mark.skipif(not _compat.has_keras_3(), reason="tf.keras is Keras 2 there")
def test_keras_3_without_tf_keras_is_said(tmp_path):
    program = "import tensorflow as tf\ntf.layers.dense(tf.placeholder(tf.float32, [1, 2]), 3)\n"
    (tmp_path / "layers.py").write_text(program)
    code, output, errors = run_python("-c", WITHOUT_TF_KERAS, cwd=str(tmp_path))
    assert code == 0, errors
    assert "import tf1grad.migrate.legacy" in output
    requirement = pinned("tf_keras", _compat.installed_version())
    command = "pip install --no-deps " + shlex.quote(requirement)
    told = errors.index("To install for the upgraded program: "), errors.index(command)
    assert told[0] < told[1]
    warned = errors.index("tf_keras is missing, so `tf.keras` is Keras 3, and `tf.layers` fails.")
    assert command in errors[warned:]


def test_a_verdict_on_another_script_says_that_it_was_not_upgraded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("train.py", "models.py"):
        (tmp_path / name).write_text(OLD)

    def said(command, *paths):
        given = argparse.Namespace(by_running=command, paths=list(paths))
        return list(upgrade._other_script(given))

    told = "train.py, which --by-running starts, was not upgraded: name it after the COMMAND too."
    assert said("train.py --steps 1", "models.py") == [told]
    assert said("train.py --steps 1", "models.py", "./train.py") == said("train.py", ".") == []
