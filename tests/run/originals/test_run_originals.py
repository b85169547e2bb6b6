"""Tests that `run` serves TensorFlow 1.15's own contrib where it is installed,
and names the remedy where it is not.
"""

import os

import pytest

from paths import ROOT
from script_folder import output_of, run_output

pytestmark = pytest.mark.period


@pytest.mark.slow
@pytest.mark.each_release
def test_training_options_act_on_optimizers_of_the_originals(folder):
    folder.write(
        "train.py",
        """
        import tensorflow as tf
        x = tf.get_variable("x", initializer=3.0)
        train_op = tf.contrib.opt.LazyAdamOptimizer(0.5).minimize(x ** 2)
        descent = tf.contrib.layers.optimize_loss(x ** 2, tf.train.get_or_create_global_step(), 0.1,
                                                  tf.train.GradientDescentOptimizer, summaries=[])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(4):
                session.run(train_op)
            print("%.3f" % session.run(x))
            session.run([descent])
            print("%.3f" % session.run(x))
            session.run([descent])
            print("%.3f" % session.run(x))
    """,
    )
    code, output, errors = folder.run("--accumulate", "2", "train.py")
    assert code == 0, errors[-3000:]
    # Adam moves by 0.5, then by 0.5 (1.04 / 0.19) / sqrt(0.060964 / 0.001999); descent by 0.1 of 2
    # x.
    assert output.split() == ["2.004", "2.004", "1.604"]
    assert "--accumulate 2: acted on 2 optimizers" in errors


@pytest.mark.slow
def test_training_options_refuse_optimizers_of_keras(folder):
    """Keras makes the steps of its own optimizers;
    those of tf.train, which it takes as well, accumulate.
    """
    folder.write(
        "train.py",
        """
        import numpy as np
        import tensorflow as tf
        import keras
        for library in tf.keras, keras:
            for optimizer in tf.train.GradientDescentOptimizer(0.5), "adam":
                model = library.models.Sequential([library.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")])
                model.compile(optimizer, "mse")
                try:
                    for _ in range(2):
                        model.train_on_batch(np.ones([1, 1]), np.zeros([1, 1]))
                        print(float(model.get_weights()[0].item()))
                except ValueError as error:
                    print(error)
    """,
    )
    code, output, errors = folder.run("--accumulate", "2", "train.py")
    assert code == 0, errors[-3000:]
    refused = (
        "--accumulate, --clip-global-norm and --freeze act on optimizers of tf.train, and this program trains with "
        "Adam of {}. Compile the model with an optimizer of tf.train, such as tf.train.AdamOptimizer, or leave these "
        "options out."
    )
    assert output.splitlines() == [
        "1.0",
        "0.0",
        refused.format("tensorflow.python.keras.optimizer_v2.adam"),
        "1.0",
        "0.0",
        refused.format("keras.optimizers"),
    ]
    assert "--accumulate 2: acted on 2 optimizers" in errors


def test_original_that_executes_what_it_compiles(tmp_path):
    """`pyct.compiler` is private. It used the module `imp`, which Python 3.12 dropped."""
    assert (
        output_of(
            """
        from tensorflow.python.autograph.pyct import compiler
        module, path = compiler.source_to_entity("def double(x):\\n  return 2 * x\\n", delete_on_exit=True)
        print(module.double(21), module.__file__ == path)
    """,
            tmp_path,
        )
        == "42 True\n"
    )


STRICT = """
import warnings
warnings.filterwarnings("error", "numpy.core is deprecated")
import tensorflow as tf
print(tf.stack([1, 2]).shape)
"""


@pytest.mark.slow
@pytest.mark.each_release
def test_originals_load_where_warnings_are_errors(folder):
    """Tests `numpy.core`, of which NumPy 2 warns; test suites make errors of warnings."""
    folder.write("train.py", STRICT)
    assert folder.lines("train.py") == ["(2,)"]


EVERY_NAME = """
for line in open(sys.argv[1]):
    module, _, names = line.partition(":")
    for name in names.split():
        if not hasattr(getattr(tf.contrib, module), name):
            print(module, name)
"""
# A class for workers with GPUs, which TensorFlow 2 dropped, and wrappers of an op that it does not
# have.
NOT_SERVED = {
    "distribute MultiWorkerAllReduce",
    "quantization CompareAndBitpack",
    "quantization compare_and_bitpack",
    "quantization compare_and_bitpack_eager_fallback",
}


@pytest.mark.slow
@pytest.mark.each_release
def test_every_public_name_is_served(tmp_path):
    names = os.path.join(ROOT, "docs", "generate", "contrib_names.txt")
    assert set(output_of(EVERY_NAME, tmp_path, names).splitlines()) <= NOT_SERVED


def test_a_library_gets_the_installed_error(tmp_path):
    """Tests a float as a size in a graph of a library of today,
    which is refused as without the op layer.
    """
    library = tmp_path / "site-packages" / "halving.py"
    library.parent.mkdir()
    library.write_text(
        "import tensorflow as tf\n\ndef half():\n    with tf.Graph().as_default():\n"
        "        return tf.TensorShape([3 / 1])\n"
    )
    metadata = library.parent / "halving-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: halving\nVersion: 1.0\nRequires-Python: >=3.10\n"
    )
    (metadata / "RECORD").write_text("halving.py,,\n")
    script = tmp_path / "program.py"
    script.write_text(
        f"import sys\nsys.path.append({str(library.parent)!r})\nimport tensorflow as tf\nimport halving\n"
        "try:\n    halving.half()\nexcept TypeError as error:\n    print('__index__' in str(error))\n"
    )
    assert run_output(str(script)) == "True\n"


SHARED = """
import glob
from tf1grad.programs._compat import resolve

tf.enable_eager_execution()
writer = tf.contrib.summary.create_file_writer(sys.argv[1])
with writer.as_default(), tf.contrib.summary.always_record_summaries():
    tf.contrib.summary.scalar("old", 1.0, step=1)
    resolve("tensorflow.python.ops.summary_ops_v2").write("new", 2.0, step=1)
    tf.contrib.summary.flush()
file, = glob.glob(sys.argv[1] + "/events*")
print(sorted(value.tag for event in tf.train.summary_iterator(file) for value in event.summary.value))
"""


def test_both_kinds_of_summaries_have_one_writer(tmp_path):
    """Tests a summary of the installed TensorFlow,
    such as those of TensorBoard behind `tf.compat.v2.summary`.
    """
    assert output_of(SHARED, tmp_path, str(tmp_path / "events")).strip() == "['new', 'old']"


TEST_CASE = """
class Test(tf.test.TestCase):
    def test_job(self):
        self.assertEqual(tf.train.Server.create_local_server().server_def.job_name, "local")

tf.test.main()
"""


def test_the_default_graph_is_the_users_whoever_asks_first(tmp_path):
    """Tests a program of tests, in which absl is the first that asks for the default graph."""
    output_of(TEST_CASE, tmp_path)
