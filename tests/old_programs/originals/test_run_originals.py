"""Tests that `run` serves TensorFlow 1.15's own contrib where it is installed, and names the remedy where it is not."""

import os
import textwrap

import pytest
import tensorflow.compat.v1 as tf

import toy_originals
from script_folder import ScriptFolder
from tf1grad.old_programs import originals

IS_TF1 = tf.__version__.startswith("1.")
pytestmark = pytest.mark.skipif(IS_TF1, reason="TensorFlow 1 has its own contrib")
needs_originals = pytest.mark.skipif(not originals.is_installed(),
                                     reason="TensorFlow 1.15's own contrib is not installed: tf1grad contrib install")


@pytest.fixture
def folder(tmp_path):
    """Makes an empty folder of scripts."""
    return ScriptFolder(tmp_path / "scripts")


def test_every_import_reaches_the_same_name(folder, tmp_path):
    folder.write("train.py", """
        import tensorflow as tf
        import tensorflow.contrib.toy as toy
        import tensorflow.contrib.toy.python.ops.others
        from tensorflow.contrib.toy import *
        from tensorflow.contrib import toy as again
        from tensorflow.contrib.toy.python.ops import toy_ops, others
        from tensorflow.contrib.toy.python.ops.toy_ops import counter

        print(toy is tf.contrib.toy is again, double is toy_ops.double, counter is toy_ops.counter)
        print(tensorflow.contrib.toy.python.ops.others is others, toy_ops.__name__)
        print("ops" in globals(), hasattr(toy, "no_such_name"))
        try:
            from tensorflow.contrib.toy import no_such_name
        except ImportError as error:
            print(str(error).split(" (")[0])
        try:
            tf.contrib.tensorrt.create_inference_graph()
        except AttributeError as error:
            print(type(error).__name__, str(error).split()[0], "does not load here: tensorflow.contrib.tensorrt of" in
                  str(error), str(error).endswith("has no attribute 'no_such_name'"))
        with tf.Session() as session:
            print(float(session.run(double(tf.constant(2.0)))))
    """)
    lines = folder.lines("--ops", "installed", "train.py", env={"TF1GRAD_ORIGINALS": toy_originals.write(tmp_path)})
    assert lines == ["True True True", "True tensorflow.contrib.toy.python.ops.toy_ops", "False False",
                     "cannot import name 'no_such_name' from 'tensorflow.contrib.toy'",
                     "NotProvided tf.contrib.tensorrt.create_inference_graph True True", "4.0"]


# Of each family of contrib, what programs import from inside of it.
INNER = """
    crf.python.ops.crf.crf_log_likelihood data.python.ops.sliding.sliding_window_batch
    distributions.python.ops.bijectors.affine.Affine distribute.python.mirrored_strategy.MirroredStrategy
    factorization.python.ops.clustering_ops.KMeans feature_column.python.feature_column.sequence_input_layer
    framework.python.ops.checkpoint_ops.load_embedding_initializer framework.python.ops.script_ops.py_func
    image.python.ops.image_ops.rotate layers.python.layers.feature_column._RealValuedColumn
    layers.python.layers.feature_column_ops.input_from_feature_columns learn.python.learn.estimators.estimator.Estimator
    learn.python.learn.learn_runner.run learn.python.learn.metric_spec.MetricSpec lookup.lookup_ops.MutableHashTable
    metrics.python.ops.confusion_matrix_ops.confusion_matrix_of_old nn.python.ops.cross_entropy.deprecated_flipped
    opt.python.training.lazy_adam_optimizer.LazyAdamOptimizer resampler.python.ops.resampler_ops.resampler
    rnn.python.ops.core_rnn_cell._linear rnn.python.ops.rnn_cell.NASCell seq2seq.python.ops.attention_wrapper._BaseX
    seq2seq.python.ops.beam_search_decoder.BeamSearchDecoder seq2seq.python.ops.decoder.Decoder
    seq2seq.python.ops.helper.TrainingHelper summary.summary.scalar tpu.python.tpu.tpu_config.InputPipelineConfigOld
    training.python.training.bucket_ops.bucket_by_sequence_length training.python.training.training_of_old.View
""".split()


def test_inner_paths_without_originals_are_their_public_paths_or_say_so(folder):
    folder.write("train.py", f"INNER = {INNER!r}\n" + textwrap.dedent("""
        import importlib
        import tensorflow as tf
        from tensorflow.contrib.opt.python.training.external_optimizer import ScipyOptimizerInterface

        print(ScipyOptimizerInterface is tf.contrib.opt.ScipyOptimizerInterface)

        def subclass(thing):
            class New(thing):
                pass

        def enter(thing):
            with thing:
                pass

        USES = [lambda thing: thing(), lambda thing: thing(1, name="x"), subclass, enter, list, iter, bool, len, float,
                lambda thing: thing == 1, lambda thing: thing != thing, lambda thing: thing < 1,
                lambda thing: 1 in thing, lambda thing: thing[0], lambda thing: thing + 1, lambda thing: 1 - thing,
                lambda thing: -thing, lambda thing: thing.create()]
        found = 0
        for name in INNER:
            module, _, last = ("tensorflow.contrib." + name).rpartition(".")
            namespace = {}
            exec("from %s import %s as imported" % (module, last), namespace)
            for thing in (namespace["imported"], getattr(importlib.import_module(module), last)):
                for number, use in enumerate(USES):
                    try:
                        print(name, number, use(thing))
                    except AttributeError as error:
                        expected = "tf.contrib." + name + (".create" if use is USES[-1] else "")
                        said = str(error).split()[0]
                        found += 1
                        if type(error).__name__ != "NotProvided" or said not in (expected, "tf.contrib." + name):
                            print(name, number, repr(error))
                    except Exception as error:
                        print(name, number, repr(error))
        print(found == 2 * len(INNER) * len(USES))
    """))
    lines = folder.lines("train.py", env={"TF1GRAD_ORIGINALS": os.path.dirname(toy_originals.__file__)})
    assert lines == ["True", "True"]


@needs_originals
@pytest.mark.parametrize("ops", ["1.15", "installed"])
def test_cells_and_layers_are_of_one_family(ops, folder):
    folder.write("train.py", """
        import pickle
        import tensorflow as tf
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
    """)
    assert folder.lines("--ops", ops, "train.py") == [
        "True", "True True", "True True", "True", "3", "[True, True, False]"]


@needs_originals
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


@needs_originals
def test_eager_programs_train_with_the_op_layer(folder):
    folder.write("train.py", """
        import numpy as np
        import tensorflow as tf
        tf.enable_eager_execution()

        v = tf.Variable([2.0])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        tf.train.AdamOptimizer(0.5).apply_gradients([(tape.gradient(loss, v), v)])
        print("%.3f" % v.numpy()[0])
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")])
        model.compile(tf.train.GradientDescentOptimizer(0.1), "mse")
        model.fit(np.ones([1, 1], np.float32), np.zeros([1, 1], np.float32), verbose=0)
        print("%.3f %.3f" % tuple(float(weight.sum()) for weight in model.get_weights()))
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.constant(3.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            print(float(session.run(tape.gradient(y, x))), tf.layers.flatten(tf.ones([4])).shape)
    """)
    # Adam's first step is its rate; the gradient of (w + b)^2 at w = 1, b = 0 is (2, 2).
    assert folder.lines("train.py") == ["1.500", "0.800 -0.200", "6.0 (4, 1)"]


@needs_originals
def test_package_that_an_original_imports_is_named(folder):
    folder.write("train.py", """
        import sys
        sys.modules["astor"] = None  # as if it were not installed
        from tensorflow.python.autograph.pyct import compiler
    """)
    code, _, errors = folder.run("train.py")
    assert code == 1 and errors.splitlines()[-1].startswith("ModuleNotFoundError: import of astor halted")
