"""Tests what an old script sees of TensorFlow, and of Python around it, under `tf1grad run`."""

import importlib
import os
import shutil
import sys

import pytest
import tensorflow.compat.v1 as tf

from paths import ROOT
from script_folder import output_of
from tf1grad.run.view.tensorflow_view import View

IS_TF1 = tf.__version__.startswith("1.")


FACADE = """
    import importlib, pickle, sys
    import tensorflow as tf
    import tensorflow.contrib.opt
    import tensorflow.contrib.graph_editor as graph_editor
    import tensorflow.contrib.slim as slim_module
    import tensorflow.compat.v1 as compat_v1
    from tensorflow.contrib import slim
    from tensorflow.contrib.training import HParams
    from tensorflow.contrib.layers.python.layers import layers as private_layers
    from tensorflow.examples.tutorials.mnist import input_data
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import array_ops, control_flow_ops, variables
    from tensorflow.python.client import device_lib
    from tensorflow.python.platform import gfile
    from tensorflow.python.training import training_ops
    from helpers.model import loss, module_version

    print(tf.__version__, tf.VERSION, tf.version.VERSION, module_version)
    print(importlib.import_module("tensorflow").__version__, __import__("tensorflow").__version__)
    print(importlib.import_module(".training", "tensorflow.contrib").HParams is HParams, pickle.dumps(tf) != b"")
    namespace = {}
    exec("import tensorflow as again; version = again.__version__", namespace)
    print(namespace["version"])
    print(tensorflow.contrib.opt.ScipyOptimizerInterface is tf.contrib.opt.ScipyOptimizerInterface)
    print(slim is slim_module, tf.contrib.slim is slim, HParams is tf.contrib.training.HParams)
    print(tf.Tensor is ops.Tensor, tf.IndexedSlices is ops.IndexedSlices)
    print(callable(array_ops.stack), control_flow_ops.while_loop is not None, variables.VariableV1 is not None)
    print(callable(training_ops.apply_gradient_descent), tf.core is not None)
    print(tf.executing_eagerly(), "ref" in str(tf.Variable(1.0).dtype))
    print(hasattr(tf, "no_such_name"), hasattr(tf.contrib, "no_such_module"), hasattr(tf.contrib.opt, "__wrapped__"))
    print("train" in dir(tf), "opt" in dir(tf.contrib), pickle.loads(pickle.dumps(HParams(a=1))).a)
    print(loss(), callable(input_data.read_data_sets), gfile.Exists("train.py"))
    tf.flags.DEFINE_string("name", "nobody", "a name")
    tf.app.flags.DEFINE_integer("steps", 1, "steps")

    class Pickled(object):
        pass

    def main(arguments):
        print(arguments, tf.flags.FLAGS.name, tf.app.flags.FLAGS.steps)
        print(__name__, __file__ == sys.modules["__main__"].__file__, type(pickle.loads(pickle.dumps(Pickled()))))
        print(open("data/numbers.txt").read().strip(), sys.stdin.read())

    if __name__ == "__main__":
        tf.app.run()
"""
MODEL = """
    import tensorflow as tf
    module_version = tf.__version__

    def loss():
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.get_variable("x", initializer=3.0)
            session.run(tf.global_variables_initializer())
            return float(session.run(tf.gradients(x ** 2, x)[0]))
"""


@pytest.fixture
def project(folder):
    """Writes a script with a package and data beside it."""
    folder.write("train.py", FACADE)
    folder.write("helpers/__init__.py", "")
    folder.write("helpers/model.py", MODEL)
    folder.write("data/numbers.txt", "1 2 3")
    return folder


@pytest.mark.slow
@pytest.mark.each_release
def test_script_sees_tensorflow_1(project):
    before = project.files()
    lines = project.lines("train.py", "--name", "somebody", "--steps=3", "rest", stdin="typed")
    assert lines == [
        "1.15.5 1.15.5 1.15.5 1.15.5",
        "1.15.5 1.15.5",
        "True True",
        "1.15.5",
        "True",
        "True True True",
        "True True",
        "True True True",
        "True True",
        "False True",
        "False False False",
        "True True 1",
        "6.0 True True",
        "['train.py', 'rest'] somebody 3",
        "__main__ True <class '__main__.Pickled'>",
        "1 2 3 typed",
    ]
    assert project.files() == before  # no __pycache__ beside the script, nor anything else


@pytest.mark.slow
@pytest.mark.parametrize("how", ["path", "module", "symlink", "zip"])
def test_a_script_finds_what_python_gives_it(folder, how):
    script = folder.write(
        "package/__main__.py" if how in ("module", "zip") else "package/script.py",
        """
        import sys, os
        import beside
        print(__name__, sys.argv, os.path.realpath(__file__), os.path.realpath(sys.path[0]), __package__)
        print(beside.__name__, sys.modules["__main__"].__dict__ is globals())
    """,
    )
    folder.write("package/beside.py", "")
    arguments, cwd = [script], "/"
    if how == "module":
        folder.write("beside.py", "")
        folder.write("package/__init__.py", "")
        arguments, cwd = ["-m", "package"], folder.path
    elif how == "symlink":
        os.symlink(script, os.path.join(folder.path, "link.py"))
        arguments, cwd = ["link.py"], folder.path
    elif how == "zip":
        shutil.make_archive(os.path.join(folder.path, "packed"), "zip", os.path.dirname(script))
        arguments, cwd = ["packed.zip"], folder.path
    arguments += ["-x", "--", "y"]
    process = folder.start("-B", *arguments, cwd=cwd)
    expected, errors = process.communicate()
    assert process.returncode == 0, errors
    assert folder.lines(*arguments, cwd=cwd) == expected.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(IS_TF1, reason="it answers itself")
def test_every_question_for_the_version_is_answered_with_1_15(folder):
    folder.write(
        "train.py",
        """
        import sys
        from importlib.util import find_spec
        print(find_spec("tensorflow").name, "tensorflow" in sys.modules, find_spec("no_such_module"))
        print(find_spec("tensorflow.contrib").name, find_spec(".layers", "tensorflow.contrib").name)
        print(find_spec("tensorflow.no_such_module"), find_spec("tensorflow.contrib.no_such_module"))
        import tensorflow as tf
        print(tf.keras.__version__, tf.__git_version__, tf.GIT_VERSION, tf.version.GIT_VERSION)
        print(tf.compat.v2.version.VERSION, tf.compat.v2.version.GIT_VERSION)
    """,
    )
    commit = "v1.15.4-39-g3db52be"
    assert folder.lines("train.py") == [
        "tensorflow False None",
        "tensorflow.contrib tensorflow.contrib.layers",
        "None None",
        f"2.2.4-tf {commit} {commit} {commit}",
        f"1.15.5 {commit}",
    ]


@pytest.mark.slow
@pytest.mark.skipif(IS_TF1, reason="there is only one view of TensorFlow 1")
def test_libraries_see_what_is_installed(folder):
    of_today = "import tensorflow as tf\nversion, function = tf.__version__, tf.function"
    folder.write("site-packages/new.py", of_today)
    folder.write(
        "site-packages/old/__init__.py", "import tensorflow as tf\nversion = tf.__version__"
    )
    folder.write("target/other-1.0.dist-info/METADATA", "")
    folder.write("target/other.py", of_today)
    folder.write("own/mine.py", "import tensorflow as tf\nversion = tf.__version__")
    folder.write(
        "train.py",
        """
        import new, old, other, mine
        print(new.version, old.version, other.version, mine.version)
        import tensorflow as tf
        from tensorflow.python.framework import ops
        assert tf.__version__ == "1.15.5" and tf.python.framework.ops is ops
    """,
    )
    places = os.pathsep.join(
        [ROOT] + [os.path.join(folder.path, name) for name in ("site-packages", "target", "own")]
    )
    (line,) = folder.lines("--include", "old", "train.py", env={"PYTHONPATH": places})
    assert line.split() == [tf.__version__, "1.15.5", tf.__version__, "1.15.5"]


@pytest.mark.slow
def test_a_script_may_import_tf1grad_before_tensorflow(folder):
    folder.write(
        "train.py",
        """
        import tf1grad
        accumulator = tf1grad.GradientAccumulator
        import tensorflow as tf
        x = tf.get_variable("x", [], initializer=tf.ones_initializer())
        grads_and_vars = tf.train.GradientDescentOptimizer(1.0).compute_gradients(x * x)
        print(tf.__version__, len(accumulator(grads_and_vars).grads_and_vars))
    """,
    )
    assert folder.lines("train.py") == ["1.15.5 1"]


@pytest.mark.slow
def test_included_libraries_get_the_fixes_of_the_program(folder):
    folder.write(
        "site-packages/old/__init__.py",
        """
        import collections
        from collections import Mapping
        import numpy as np
        found = [isinstance({}, Mapping), collections.Iterable.__name__, np.float(2), "%.1f" % np.array([1.5])]
    """,
    )
    folder.write(
        "site-packages/old/spectral.py",
        """
        import scipy.sparse.linalg.eigen.arpack as arpack
        from scipy.sparse.linalg.eigen.arpack import eigsh
        from scipy.sparse import eye
        found = [arpack.eigsh is eigsh, round(float(eigsh(eye(9) * 2.0, 1)[0][0]), 6)]
    """,
    )
    folder.write("train.py", "import old.spectral\nprint(old.found, old.spectral.found)\n")
    path = {"PYTHONPATH": os.pathsep.join([ROOT, os.path.join(folder.path, "site-packages")])}
    assert folder.lines("--include", "old", "train.py", env=path) == [
        "[True, 'Iterable', 2.0, '1.5'] [True, 2.0]"
    ]
    if sys.version_info >= (3, 10):  # where collections has no Mapping
        assert "cannot import name 'Mapping'" in folder.run("train.py", env=path)[2]


@pytest.mark.skipif(IS_TF1, reason="TensorFlow 1 has them")
def test_dir_and_star_imports_have_the_names_of_1_15(tmp_path):
    assert output_of(
        """
        print({"contrib", "estimator", "app", "ConfigProto"} <= set(dir(tf)))
        from tensorflow.keras.backend import *
        print(placeholder.__name__, "approx_top_k" in dir(tf), [name for name in dir(tf.app) if name[0] != "_"])
    """,
        tmp_path,
    ).splitlines() == ["True", "placeholder False ['flags', 'run']"]


def test_the_dictionaries_of_modules_have_their_names(tmp_path):
    assert output_of(
        """
        print(tf.logging.__dict__["INFO"], "conv2d" in vars(tf.nn), vars(tf.train)["AdamOptimizer"].__name__)
        print(vars(tf)["contrib"] is tf.contrib, sys.modules[__name__].tf is tf)
        print(type(tf.__cxx11_abi_flag__).__name__, type(tf.__compiler_version__).__name__)
    """,
        tmp_path,
    ).splitlines() == ["20 True AdamOptimizer", "True True", "int str"]


@pytest.mark.skipif(IS_TF1, reason="TensorFlow 1 itself lacks them")
def test_names_that_1_15_had_dropped_are_served(tmp_path):
    assert output_of(
        """
        from tensorflow.contrib.rnn.python.ops import core_rnn_cell_impl
        from tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl import GRUCell
        from tensorflow.models.rnn import rnn_cell
        import tensorflow.contrib.slim.learning

        print(core_rnn_cell_impl.LSTMCell is tf.nn.rnn_cell.LSTMCell, GRUCell is rnn_cell.GRUCell)
        print(tf.contrib.data.Dataset is tf.data.Dataset, tf.contrib.linalg.LinearOperatorTriL.__name__)
        print(tensorflow.contrib.slim.learning is tf.contrib.slim.learning, tf.contrib.slim.learning.__name__)
        print(tf.contrib.estimator.stop_if_no_decrease_hook.__name__, "gan" in dir(tf.contrib))
        for statement in ("from tensorflow.contrib.gan import GANModel", "import tensorflow.no_such_module",
                          "from tensorflow import no_such_name", "from tensorflow.train import no_such_name",
                          "from tensorflow.contrib import slim, no_such_module", "tf.no_such_name",
                          "from tensorflow.examples.tutorials.mnist import mnist",
                          "from tensorflow.keras import saving"):
            try:
                exec(statement)
            except (ImportError, AttributeError) as error:
                print(type(error).__name__, str(error).split(" (")[0])
    """,
        tmp_path,
    ).splitlines() == [
        "True True",
        "True LinearOperatorLowerTriangular",
        "True tensorflow.contrib.slim.python.slim.learning",
        "stop_if_no_decrease_hook False",
        "ModuleNotFoundError No module named 'tensorflow.contrib.gan'",
        "ModuleNotFoundError No module named 'tensorflow.no_such_module'",
        "ImportError cannot import name 'no_such_name' from 'tensorflow'",
        "ImportError cannot import name 'no_such_name' from 'tensorflow.train'",
        "ImportError cannot import name 'no_such_module' from 'tensorflow.contrib'",
        "AttributeError module 'tensorflow' has no attribute 'no_such_name'",
        "ImportError cannot import name 'mnist' from 'tensorflow.examples.tutorials.mnist'",
        "ImportError cannot import name 'saving' from 'tensorflow.keras'",
    ]


@pytest.mark.slow
def test_training_options_of_a_script_that_changes_its_folder_and_fails(folder):
    folder.write(
        "train.py",
        """
        import os
        os.mkdir("elsewhere")
        os.chdir("elsewhere")
        import tensorflow as tf
        x, y = tf.Variable(1.0, name="x"), tf.Variable(1.0, name="y")
        train = tf.train.GradientDescentOptimizer(0.1).minimize((x - y) ** 2 + x)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(4):
                session.run(train)
        tf.train.GradientDescentOptimizer(0.1).minimize("no tensor")
    """,
    )
    code, _, errors = folder.run(
        "--accumulate",
        "2",
        "--clip-global-norm",
        "0.5",
        "--freeze",
        "y",
        "train.py",
    )
    # Without frames of the command.
    assert code == 1 and "py_func" not in errors
    assert os.path.join(ROOT, "tf1grad") not in errors
    assert errors.splitlines()[-3:] == [
        "tf1grad: --freeze y: removed 1 variable",
        "tf1grad: --accumulate 2: acted on 1 optimizer",
        "tf1grad: --clip-global-norm 0.5: acted on 1 optimizer",
    ]
    assert folder.files() == ["train.py"]


def test_a_pickled_view_is_imported_again_by_the_name_that_every_process_has():
    assert View("nn").__reduce__() == (importlib.import_module, ("tensorflow_1_15.nn",))
