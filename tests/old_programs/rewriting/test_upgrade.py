"""What `tf1grad upgrade` makes of programs: the text, that it parses, and that a second run changes nothing."""

import ast
import glob
import os
import textwrap

import pytest

import generated_programs
from other_pythons import NEEDS_PYTHON_3_8
from paths import ROOT
from tf1grad.old_programs.rewriting.upgraded_programs import upgrade
from tf1grad.old_programs.rules import engine
from tf1grad.old_programs.rules.installed_packages import Installed
from tf1grad.old_programs.source import files as sources
from tf1grad.old_programs.source.program import Program

pytestmark = NEEDS_PYTHON_3_8


def _upgrade(files):
    """The new texts by path, from texts by path; asserts what must hold of every upgrade."""
    texts, left, _, _ = upgrade([Program(sources.Source(path, text)) for path, text in files.items()])
    again, left_again, _, _ = upgrade([Program(sources.Source(path, text)) for path, text in texts.items()])
    assert again == texts
    assert [finding.rule.id for finding in left_again] == [finding.rule.id for finding in left]
    for text in texts.values():
        ast.parse(text)
    return texts, left


def _body(before, after, left=()):
    """Compares what becomes of a library file, which is imported by a program and calls nothing itself."""
    before, after = [textwrap.dedent(text).lstrip("\n") for text in (before, after)]
    texts, found = _upgrade({"library.py": before})
    assert texts["library.py"] == after
    assert sorted(finding.rule.id for finding in found) == sorted(left)


@pytest.mark.parametrize("before, after", [
    # the import, and nothing else
    ("""
     import tensorflow as tf  # the library
     def f():
         return tf.placeholder( tf.float32,)   # odd, but mine
     """, """
     import tensorflow.compat.v1 as tf  # the library
     def f():
         return tf.placeholder( tf.float32,)   # odd, but mine
     """),
    ("""
     import os, tensorflow as tf, sys
     x = lambda: tf.Session
     """, """
     import os, sys
     import tensorflow.compat.v1 as tf
     x = lambda: tf.Session
     """),
    ("""
     import tensorflow
     def f():
         tensorflow.Session()
     """, """
     import tensorflow.compat.v1 as tensorflow
     def f():
         tensorflow.Session()
     """),
    ("""
     from tensorflow import Session, flags as f
     x = Session
     """, """
     from tensorflow.compat.v1 import Session, flags as f
     x = Session
     """),
    # comments in an import stay
    ("""
     from tensorflow.contrib.slim import (  # layers
         conv2d,
         # and more
         dropout)
     def f():
         return conv2d, dropout
     """, """
     # layers
     # and more
     import tf1grad.migrate.legacy  # before TensorFlow
     from tf_slim import conv2d, dropout
     def f():
         return conv2d, dropout
     """),
    # names from inside of contrib's modules, and of estimators
    ("""
     from tensorflow.contrib.framework.python.ops import add_arg_scope, variables
     from tensorflow.contrib.rnn.python.ops.core_rnn_cell import _linear
     from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets
     from tensorflow.python.estimator.model_fn import EstimatorSpec
     from tensorflow.python.estimator import run_config
     def f(x):
         return add_arg_scope, variables.model_variable, _linear, read_data_sets, EstimatorSpec, run_config.RunConfig
     """, """
     import tf1grad.migrate.legacy  # before TensorFlow
     from tf_slim import add_arg_scope
     import tf_slim as variables
     from tf1grad.contrib.rnn.python.ops.core_rnn_cell import _linear
     from tf1grad.migrate.provided.mnist import read_data_sets
     from tensorflow_estimator.python.estimator.model_fn import EstimatorSpec
     from tensorflow_estimator.python.estimator import run_config
     def f(x):
         return add_arg_scope, variables.model_variable, _linear, read_data_sets, EstimatorSpec, run_config.RunConfig
     """),
    # one import serves all names of its module, below it
    ("""
     import tensorflow as tf
     early = tf.contrib.layers.flatten
     from tensorflow.contrib import slim
     def f(x, slim=slim):
         return slim.conv2d(x, 1, 1)
     def g(x):
         return tf.contrib.layers.flatten(slim.conv2d(x, 1, 1))
     """, """
     import tf1grad.migrate.legacy  # before TensorFlow
     import tensorflow.compat.v1 as tf
     import tf_slim

     early = tf_slim.layers.flatten
     import tf_slim as slim
     def f(x, slim=slim):
         return slim.conv2d(x, 1, 1)
     def g(x):
         return slim.layers.flatten(slim.conv2d(x, 1, 1))
     """),
    # private names that moved get their public names; an attribute of a class may be used anywhere
    ("""
     import tensorflow as tf
     from tensorflow.python.framework import ops
     from tensorflow.python.ops import control_flow_ops, math_ops
     from tensorflow.python.ops.control_flow_ops import group, while_loop
     class Model:
         layers = tf.contrib.slim
         def f(self, x):
             y = control_flow_ops.cond(math_ops.less(x, 1), lambda: x, lambda: x + 1)
             return while_loop, group, isinstance(y, ops.Tensor), self.layers.conv2d
     """, """
     import tf1grad.migrate.legacy  # before TensorFlow
     import tensorflow.compat.v1 as tf
     import tf_slim
     from tensorflow.python.framework import ops
     from tensorflow.python.ops import control_flow_ops, math_ops
     from tensorflow.python.ops.control_flow_ops import group
     class Model:
         layers = tf_slim
         def f(self, x):
             y = tf.cond(math_ops.less(x, 1), lambda: x, lambda: x + 1)
             return tf.while_loop, group, isinstance(y, tf.Tensor), self.layers.conv2d
     """),
    # imports from below TensorFlow mean version 1's
    ("""
     from tensorflow.nn import dropout, relu as r
     import tensorflow.nn as nn, tensorflow.nn.rnn_cell as cells, os
     from tensorflow.gfile import Open
     from tensorflow.losses import *
     from tensorflow import keras
     from tensorflow.python.ops import math_ops
     def f(x):
         return dropout(x, 0.9), nn.dropout(x, 0.9), Open, r, cells, math_ops
     """, """
     import tf1grad.migrate.legacy  # before TensorFlow
     from tensorflow.compat.v1.nn import dropout, relu as r
     import os
     from tensorflow.compat.v1 import nn
     from tensorflow.compat.v1.nn import rnn_cell as cells
     from tensorflow.compat.v1.gfile import Open
     from tensorflow.compat.v1.losses import *
     from tensorflow.compat.v1 import keras
     from tensorflow.python.ops import math_ops
     def f(x):
         return dropout(x, 0.9), nn.dropout(x, 0.9), Open, r, cells, math_ops
     """),
    ("""
     import tensorflow.train
     from tensorflow.train import SummaryWriter
     def f():
         return tensorflow.Session, SummaryWriter("x")
     """, """
     import tensorflow.compat.v1 as tensorflow
     def f():
         return tensorflow.Session, tensorflow.summary.FileWriter("x")
     """),
    ("""
     try:
         from tensorflow.compat.v1.nn import dropout
     except ImportError:
         from tensorflow.nn import dropout
     x = lambda: tensorflow.Session
     """, None),
    # the line search
    ("""
     import tensorflow as tf
     class A(object):
         def g(self):
             self.o = tf.contrib.opt.ScipyOptimizerInterface(self.loss,
                                                             method='L-BFGS-B')
     """, """
     import tensorflow.compat.v1 as tf
     import tf1grad.contrib.opt

     class A(object):
         def g(self):
             self.o = tf1grad.contrib.opt.ScipyOptimizerInterface(self.loss,
                                                             method='L-BFGS-B')
     """),
    ("""
     from tensorflow.contrib.opt import ScipyOptimizerInterface as Scipy, ExternalOptimizerInterface
     x = Scipy
     """, """
     from tf1grad.contrib.opt import ScipyOptimizerInterface as Scipy, ExternalOptimizerInterface
     x = Scipy
     """),
    ("""
     from tensorflow.contrib.opt import *
     x = ScipyOptimizerInterface
     """, """
     from tf1grad.contrib.opt import ScipyOptimizerInterface
     x = ScipyOptimizerInterface
     """),
    # slim under a name of its own: layers and gradients go to different places
    ("""
     import tensorflow as tf
     slim = tf.contrib.slim
     def f():
         slim.get_or_create_global_step()
         return slim.learning.create_train_op(slim.fully_connected(1), o)
     """, """
     import tf1grad.migrate.legacy  # before TensorFlow
     import tensorflow.compat.v1 as tf
     import tf_slim
     import tf1grad.contrib.slim.learning

     slim = tf_slim
     def f():
         tf.train.get_or_create_global_step()
         return tf1grad.contrib.slim.learning.create_train_op(slim.fully_connected(1), o)
     """),
    ("""
     from tensorflow.contrib import layers, rnn
     def f():
         return layers.optimize_loss(rnn.LSTMCell(3), layers.xavier_initializer(seed=3), layers.flatten(x))
     """, """
     import tf1grad.migrate.legacy  # before TensorFlow
     import tensorflow.compat.v1 as tf
     import tf1grad.contrib.layers
     from tf_slim import layers
     def f():
         return tf1grad.contrib.layers.optimize_loss(tf.nn.rnn_cell.LSTMCell(3), \
tf.initializers.glorot_uniform(seed=3), layers.flatten(x))
     """),
    # other names that happen to be called so
    ("""
     import tensorflow as tf
     def f(tf):
         return tf.contrib.layers.flatten
     def g():
         return tf.Session, np.float
     """, """
     import tensorflow.compat.v1 as tf
     def f(tf):
         return tf.contrib.layers.flatten
     def g():
         return tf.Session, np.float
     """),
    # brackets and commas that are the text of an f-string
    ("""
     import tensorflow as tf
     def f():
         return tf.concat(0, [f"{{{x}", f"({x},{y}"]), tf.mul(f"{x},{y}", y)
     """, """
     import tensorflow.compat.v1 as tf
     def f():
         return tf.concat([f"{{{x}", f"({x},{y}"], 0), tf.multiply(f"{x},{y}", y)
     """),
    # programs that chose already, and programs of TensorFlow 2
    ("""
     try:
         import tensorflow.compat.v1 as tf
     except ImportError:
         import tensorflow as tf
     def f():
         tf.placeholder()
     """, None),
    ("""
     import tensorflow as tf
     def f():
         with tf.GradientTape() as tape:
             return np.float
     """, None),
])
def test_text(before, after):
    _body(before, after or before)  # None: as it was


@pytest.mark.parametrize("before, after, left", [
    ("""
     import tensorflow as tf
     from tensorflow.contrib import gan
     def f():
         if deep: return gan.GANModel(3)
         return [tf.placeholder(),
                 gan.GANModel(4)]
     """, """
     import tensorflow.compat.v1 as tf
     import tensorflow

     def f():
         # tf1grad: TFG102 tensorflow.contrib.gan.GANModel is gone from TensorFlow.
         if deep: return tensorflow.contrib.gan.GANModel(3)
         # tf1grad: TFG102 tensorflow.contrib.gan.GANModel is gone from TensorFlow.
         return [tf.placeholder(),
                 tensorflow.contrib.gan.GANModel(4)]
     """, ["TFG102", "TFG102"]),
    ("""
     import tensorflow as tf
     # what follows is old
     from tensorflow.contrib.gan import GANModel
     def f():
         if tf.__version__ > '1.2':
             tf.Session()
     """, """
     import tensorflow.compat.v1 as tf
     # what follows is old
     # tf1grad: TFG102 tensorflow.contrib.gan.GANModel is gone from TensorFlow.
     from tensorflow.contrib.gan import GANModel
     def f():
         # tf1grad: TFG106 The version of TensorFlow is tested, by code that expects version 1.
         if tf.__version__ > '1.2':
             tf.Session()
     """, ["TFG102", "TFG106"]),
])
def test_what_is_left_has_a_comment(before, after, left):
    _body(before, after, left)


def test_a_comment_goes_when_its_reason_went():
    stale = "    # tf1grad: TFG102 tensorflow.contrib.x is gone from TensorFlow.\n"
    text = "import tensorflow.compat.v1 as tf\ndef f():\n" + stale + "    # mine\n    tf.placeholder()\n"
    texts, left = _upgrade({"library.py": text})
    assert texts["library.py"] == text.replace(stale, "")
    assert left == []


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_import_that_shares_its_line(newline):
    old = newline.join(["import os; import tensorflow as tf; x = tf.placeholder('float')", "print(x)", ""])
    texts, _ = _upgrade({"train.py": old})
    assert texts["train.py"] == newline.join([
        "import os; import tensorflow.compat.v1 as tf", "", "tf.disable_v2_behavior()", "",
        "x = tf.placeholder('float')", "print(x)", ""])


def test_the_switch_comes_after_the_imports():
    before = textwrap.dedent('''
        #!/usr/bin/env python
        """Trains."""
        from __future__ import print_function
        import os
        os.environ['CUDA_VISIBLE_DEVICES'] = ''
        import tensorflow as tf
        import numpy as np
        np.random.seed(1)
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32)
        ''').lstrip()
    after = textwrap.dedent('''
        #!/usr/bin/env python
        """Trains."""
        from __future__ import print_function
        import os
        os.environ['CUDA_VISIBLE_DEVICES'] = ''
        import tensorflow.compat.v1 as tf
        import tf1grad.migrate.seeds
        import numpy as np

        tf.disable_v2_behavior()
        tf1grad.migrate.seeds.install("tf1")  # draw what TensorFlow 1 drew

        np.random.seed(1)
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32)
        ''').lstrip()
    assert _upgrade({"train.py": before})[0] == {"train.py": after}


MODEL = "import tensorflow as tf\n\n\ndef model():\n    return tf.layers.dense(tf.placeholder(tf.float32), 3)\n"


@pytest.mark.parametrize("started", ["if __name__ == '__main__':\n    model()\n", "x = model()\n"])
def test_a_program_switches_once_where_it_is_started(tmp_path, started):
    files = {"model.py": MODEL, "train.py": "from model import model\n\n" + started}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    texts, _ = _upgrade({str(tmp_path / name): text for name, text in files.items()})
    assert "disable_v2_behavior" not in texts[str(tmp_path / "model.py")]
    assert texts[str(tmp_path / "train.py")] == (
        "import tf1grad.migrate.legacy  # before TensorFlow\nimport tensorflow.compat.v1 as tf\n"
        "from model import model\n\ntf.disable_v2_behavior()\n\n" + started)


def test_a_name_that_a_fallback_binds_too_stays_bound():
    text = ("try:\n    from tensorflow.contrib.rnn import LSTMCell\nexcept ImportError:\n"
            "    from tensorflow.python.ops.rnn_cell import LSTMCell\nx = LSTMCell(3)\n")
    assert _upgrade({"library.py": text})[0]["library.py"].endswith(text.replace(
        "tensorflow.contrib.rnn", "tensorflow.compat.v1.nn.rnn_cell"))


@pytest.mark.parametrize("taken", ["*", "tf, slim, rnn, LSTMCell, K"])
def test_names_that_another_file_imports_stay_bound_and_mean_the_same_there(tmp_path, taken):
    files = {
        "common.py": "import tensorflow as tf\nfrom tensorflow.contrib import rnn, slim\n"
                     "from tensorflow.contrib.rnn import LSTMCell\nfrom tensorflow.python.keras import backend as K\n"
                     "cell = rnn.GRUCell\n",
        "model.py": f"from common import {taken}\nused = [LSTMCell(3), K.clear_session(), tf.contrib.layers.flatten,\n"
                    "        slim.conv2d, rnn.BasicLSTMCell, tf.log]\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    texts, left = _upgrade({str(tmp_path / name): text for name, text in files.items()})
    common, model = (texts[str(tmp_path / name)] for name in files)
    assert not left and "contrib" not in common + model
    assert "\nfrom tensorflow.compat.v1.nn.rnn_cell import LSTMCell\n" in common
    assert "\nfrom tensorflow.compat.v1.keras import backend as K\n" in common and " rnn_cell as rnn\n" in common
    assert model.endswith("used = [LSTMCell(3), K.clear_session(), tf_slim.layers.flatten,\n"
                          "        tf_slim.conv2d, tf.nn.rnn_cell.BasicLSTMCell, tf.log]\n")


def test_a_file_for_tensorflow_2_gets_what_other_libraries_need():
    text = ("import numpy as np\nimport tensorflow as tf\nfrom scipy.misc import comb\n"
            "with tf.GradientTape() as tape:\n    x = np.int(3), tf.keras.layers.Dense\n")
    texts, left = _upgrade({"new.py": text, "old.py": "import tensorflow as tf\nx = tf.Session\n"})
    assert left == [] and texts["new.py"] == text.replace("np.int(", "int(").replace("scipy.misc", "scipy.special")


def test_a_file_that_uses_estimators_belongs_to_the_program():
    layers = "import tensorflow as tf\nfrom tensorflow.keras.layers import Dense\nx = Dense\n"
    texts, _ = _upgrade({"model.py": layers + "y = tf.estimator.Estimator\n", "layers.py": layers,
                         "old.py": "import tensorflow as tf\nx = tf.Session\n"})
    assert "\nfrom tensorflow_estimator import estimator as tf_estimator\n" in texts["model.py"]
    assert texts["model.py"].endswith("y = tf_estimator.Estimator\n") and texts["layers.py"] == layers


@pytest.mark.parametrize("line", ["x = tf.contrib.layers.flatten(tf.ones(1))", "x = tf.contrib.gone(tensorflow.x)"])
def test_names_from_another_file_stay(line):
    """`common` may bind tf and tensorflow, so an import would change what they mean."""
    text = f"from common import *\nfrom tensorflow.contrib import rnn\n{line}\ny = rnn.static_rnn\n"
    assert line in _upgrade({"library.py": text})[0]["library.py"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_comments_are_written_once(newline):
    text = newline.join(["import tensorflow as tf", "x = 1", "y = tf.contrib.nothing.at_all", ""])
    assert _upgrade({"library.py": text})[0]["library.py"].count("# tf1grad: TFG") == 1


def test_generated_programs(tmp_path):
    changed = 0
    for seed in range(80):
        wrong, is_changed = generated_programs.faults(tmp_path, generated_programs.Generator(seed).program())
        assert not wrong, seed
        changed += is_changed
    assert changed > 40


def test_a_library_alone_is_told_of(tmp_path):
    _, _, outside, _ = upgrade([Program(sources.Source("model.py", MODEL))])
    assert outside == ["model.py"]


def _written(folder, files):
    """The texts of files that stand in a folder, by their paths."""
    texts = {}
    for name, text in files.items():
        path = folder.joinpath(*name.split("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        texts[str(path)] = text
    return texts


def test_names_for_other_files_stay():
    texts, left = _upgrade({"seq2seq.py": "from tensorflow.python.ops.seq2seq import *\n"})
    assert texts["seq2seq.py"].endswith("from tf1grad.contrib.legacy_seq2seq import *\n") and left == []


@pytest.mark.parametrize("module", ["contrib.slim", "models.rnn.seq2seq", "estimator", "examples.tutorials.mnist"])
def test_an_import_of_a_whole_path_binds_tensorflow(module):
    texts, _ = _upgrade({"train.py": f"import tensorflow.{module}\nx = tensorflow.placeholder('float')\n"})
    assert [line for line in texts["train.py"].split("\n") if line.endswith(" as tensorflow")] == [
        "import tensorflow.compat.v1 as tensorflow"]


def test_check_finds_nothing_that_upgrade_repaired():
    program = ("import tensorflow as tf\ntf.set_random_seed(1)\n"
               "x = tf.contrib.layers.flatten(tf.placeholder(tf.float32))\n")
    texts, _ = _upgrade({"train.py": program})
    programs = [Program(sources.Source(path, text)) for path, text in texts.items()]
    assert engine.findings(programs, Installed(ask=False)) == []


@pytest.mark.parametrize("path", sorted(glob.glob(os.path.join(ROOT, "legacy_examples", "*.py"))), ids=os.path.basename)
def test_examples_stay_as_they_are(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert _upgrade({path: text})[0][path] == text


@pytest.mark.parametrize("path", sorted(glob.glob(os.path.join(ROOT, "legacy_examples", "scripts", "*.py"))),
                         ids=os.path.basename)
def test_old_scripts_are_upgraded_without_a_rest(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    texts, left = _upgrade({path: text})
    assert left == [] and "contrib" not in texts[path].replace("tf1grad.contrib", "").split('"""')[-1]
    kept = [line for line in text.split("\n") if "tf." not in line and "tensorflow" not in line]
    assert set(kept) - set(texts[path].split("\n")) <= {line for line in kept if "(" in line or "np." in line}


@pytest.mark.parametrize("load", ["tf.import_graph_def(graph_def)", "tf.train.import_meta_graph('m.meta')",
                                  "tf.saved_model.loader.load(session, ['serve'], 'm')"])
def test_programs_that_load_graphs_provide_their_ops(load):
    program = f"import tensorflow as tf\nsession = tf.Session()\ngraph_def = tf.GraphDef()\n{load}\n"
    texts, left = _upgrade({"serve.py": program})
    assert left == [] and "import tf1grad.migrate.models\n" in texts["serve.py"]
    assert texts["serve.py"].count("tf1grad.migrate.models.install()  # load graphs with the ops of tf.contrib\n") == 1
    assert _upgrade(texts)[0] == texts
