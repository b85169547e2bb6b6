"""Tests that `run` serves TensorFlow 1.15's own contrib where it is installed, and names the remedy where it is not."""


import pytest
import tensorflow.compat.v1 as tf

from script_folder import ScriptFolder, output_of

IS_TF1 = tf.__version__.startswith("1.")
pytestmark = pytest.mark.skipif(IS_TF1, reason="TensorFlow 1 has its own contrib")


@pytest.fixture
def folder(tmp_path):
    """Makes an empty folder of scripts."""
    return ScriptFolder(tmp_path / "scripts")


@pytest.mark.period
def test_every_import_reaches_the_same_name(tmp_path):
    assert output_of("""
        import tensorflow.contrib.crf as crf
        import tensorflow.contrib.crf.python.ops.crf
        from tensorflow.contrib.crf import *
        from tensorflow.contrib import crf as again
        from tensorflow.contrib.crf.python.ops import crf as inner
        from tensorflow.contrib.crf.python.ops.crf import viterbi_decode as decode

        print(crf is tf.contrib.crf is again, viterbi_decode is inner.viterbi_decode is decode)
        print(tensorflow.contrib.crf.python.ops.crf is inner, inner.__name__)
        print("absolute_import" in globals(), hasattr(crf, "no_such_name"))
        try:
            from tensorflow.contrib.crf import no_such_name
        except ImportError as error:
            print(str(error).split(" (")[0])
        print(decode(np.array([[1.0, 2.0]]), np.zeros([2, 2])))
    """, tmp_path).splitlines() == [
        "True True", "True tensorflow.contrib.crf.python.ops.crf", "False False",
        "cannot import name 'no_such_name' from 'tensorflow.contrib.crf'", "([1], 2.0)"]


@pytest.mark.period
def test_cells_and_layers_are_of_one_family(tmp_path):
    assert output_of("""
        import pickle
        from tensorflow.contrib.rnn.python.ops import core_rnn_cell
        from tensorflow.python.keras.utils import tf_utils
        from tensorflow.python.layers import base, core
        from tensorflow.python.ops import rnn_cell_impl

        print(tf.nn.rnn_cell.LSTMStateTuple is rnn_cell_impl.LSTMStateTuple is tf.contrib.rnn.LSTMStateTuple)
        print(tf.nn.rnn_cell.RNNCell is rnn_cell_impl.RNNCell,
              issubclass(tf.contrib.rnn.NASCell, rnn_cell_impl.RNNCell))
        print(tf.layers.Layer is base.Layer, tf.layers.Dense is core.Dense)
        print(tf.contrib.framework.nest.is_sequence([1]))
        print(pickle.loads(pickle.dumps(tf.contrib.training.HParams(a=3))).a)

        class Pair:
            first = tf.constant(1.0)

        tf.register_tensor_conversion_function(Pair, lambda pair, dtype=None, name=None, as_ref=False: pair.first)
        tf_utils.register_symbolic_tensor_type(Pair)
        print([tf_utils.is_symbolic_tensor(each) for each in (Pair(), tf.sparse_placeholder(tf.float32), 1.0)])
    """, tmp_path).splitlines() == [
        "True", "True True", "True True", "True", "3", "[True, True, False]"]


@pytest.mark.period
def test_training_options_act_on_optimizers_of_the_originals(folder):
    folder.write("train.py", """
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
    """)
    code, output, errors = folder.run("--accumulate", "2", "train.py")
    assert code == 0, errors[-3000:]
    # Adam moves by 0.5, then by 0.5 (1.04 / 0.19) / sqrt(0.060964 / 0.001999); descent by 0.1 of 2 x.
    assert output.split() == ["2.004", "2.004", "1.604"]
    assert "--accumulate 2: acted on 2 optimizers, 3 applied steps of 6 runs" in errors


@pytest.mark.period
def test_original_that_executes_what_it_compiles(folder):
    """`pyct.compiler` is private. It used the module `imp`, which Python 3.12 dropped."""
    folder.write("train.py", """
        from tensorflow.python.autograph.pyct import compiler
        module, path = compiler.source_to_entity("def double(x):\\n  return 2 * x\\n", delete_on_exit=True)
        print(module.double(21), module.__file__ == path)
    """)
    assert folder.lines("train.py") == ["42 True"]
