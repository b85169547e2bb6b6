"""Tests that a program may use flags as before TensorFlow imported absl, such as one that is named `log_dir`."""

from script_folder import run_in_fork

PROGRAM = """
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("log_dir", "logs", "of the program")
tf.flags.DEFINE_integer("v", 3, "of the program")


def main(_):
    tf.logging.info("shown nowhere")
    flags.FLAGS.words = [5]  # it is not defined, which was allowed before TensorFlow 1.5
    print(flags.FLAGS._parse_flags(), flags.FLAGS.log_dir, flags.FLAGS.v, flags.FLAGS.words)


tf.app.run()
"""


def test_flags_of_the_program_take_the_place_of_those_of_absl(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    code, output, errors = run_in_fork([str(path), "--log_dir=here"], str(tmp_path))
    assert (code, output.strip()) == (0, "[] here 3 [5]"), errors
