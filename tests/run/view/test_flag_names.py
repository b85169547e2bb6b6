"""Tests that a program may use flags as before TensorFlow imported absl,
such as one that is named `log_dir`.
"""

import sys

from script_folder import run_in_fork
from tf1grad.programs.process import patches
from tf1grad.run.script import tracebacks
from tf1grad.run.view import flag_names

PROGRAM = """
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("log_dir", "logs", "of the program")
tf.flags.DEFINE_integer("v", 3, "of the program")


def main(_):
    tf.logging.info("shown nowhere")
    flags.FLAGS.words = [5]  # it is not defined, which was allowed before TensorFlow 1.5
    print(flags.FLAGS._parse_flags(), flags.FLAGS.log_dir, flags.FLAGS.v, flags.FLAGS.words)
    print(sorted(flags.FLAGS.__flags.items()))


tf.app.run()
"""


def test_flags_of_the_program_take_the_place_of_those_of_absl(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    code, output, errors = run_in_fork([str(path), "--log_dir=here"], str(tmp_path))
    values = "[('log_dir', 'here'), ('v', 3), ('words', [5])]"  # as before 1.5, with `_parse_flags`
    assert (code, output.splitlines()) == (0, ["[] here 3 [5]", values]), errors


def test_a_flag_in_the_place_of_its_value_is_said_at_the_error(monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    before = len(patches.changes())
    tracebacks.hide_own_frames()
    error = TypeError("unsupported operand type(s) for -: 'float' and 'Flag'")
    sys.excepthook(TypeError, error, None)
    patches.undo(before)
    assert f"'Flag'\ntf1grad: {flag_names.ADVICE}" in capsys.readouterr().err
    given = ValueError(
        "Attempt to convert a value (<absl.flags._flag.BooleanFlag object at 0x7>) to a Tensor"
    )
    assert flag_names.advise(given) == flag_names.ADVICE
    assert flag_names.advise(TypeError("no flag of this name")) is None
