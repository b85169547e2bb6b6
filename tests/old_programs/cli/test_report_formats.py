"""Tests the last line of reports, which says what to install, and that `check` and `upgrade` agree."""

import shlex

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad._compat import VERSION
from tf1grad.old_programs import originals
from tf1grad.old_programs.cli import main
from tf1grad.old_programs.rules import installed_packages, requirements

PROGRAM = (
    "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\ny = tf.contrib.layers.flatten(x)\n"
    "z = tf.contrib.crf.crf_decode(y)\ntf.mul(y, z)\nr = tf.layers.dense(x, 3)\n"
)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "old.py"
    path.write_text(PROGRAM)
    return path


@NEEDS_PYTHON_3_8
def test_the_last_line_says_what_to_install(program, capsys, monkeypatch):
    for is_there in (True, False):
        monkeypatch.setattr(requirements, "is_installed", lambda name, is_there=is_there: is_there)
        monkeypatch.setattr(originals, "is_installed", lambda is_there=is_there: is_there)
        main.main(["check", "--no-tensorflow", str(program)])
        assert ("To install" not in capsys.readouterr().out) is is_there
    expected = "To install for the upgraded program: pip install tf_slim; tf1grad period install"
    assert main.main(["check", "--no-tensorflow", str(program)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == expected
    assert main.main(["upgrade", "--no-tensorflow", str(program)]) == 1
    assert "To install" not in capsys.readouterr().err  # TensorFlow 1.15 has all that it uses
    program.write_text(
        "import tensorflow as tf\nx = tf.contrib.layers.flatten(tf.placeholder('float'))\n"
    )
    assert main.main(["upgrade", "--no-tensorflow", str(program)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == expected.partition(";")[0]


@NEEDS_PYTHON_3_8
@pytest.mark.skipif(VERSION < (2, 16), reason="there is no Keras 3")
def test_layers_need_keras_where_only_keras_3_is_installed(program, capsys, monkeypatch):
    monkeypatch.setattr(installed_packages, "KERAS", installed_packages.KERAS[-1:])
    monkeypatch.setattr(requirements, "is_installed", lambda name: name != "tf_keras")
    program.write_text("import tensorflow as tf\ny = tf.layers.dense(tf.placeholder('float'), 2)\n")
    assert main.main(["check", str(program)]) == 1
    output = capsys.readouterr().out
    expected = "To install for the upgraded program: pip install --no-deps tf_keras"
    assert "tensorflow.layers.dense is missing from TensorFlow" in output
    assert output.splitlines()[-1].startswith(expected)
    assert main.main(["upgrade", str(program)]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith(expected)
    running = ["upgrade", "--write", "--by-running", shlex.quote(str(program)), str(program)]
    assert main.main(running) == 2
    assert "the upgraded program needs pip install --no-deps tf_keras" in capsys.readouterr().err
