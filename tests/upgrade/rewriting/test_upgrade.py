"""What `tf1grad upgrade` makes of programs:
the text, that it parses, and that a second run changes nothing.
"""

import glob
import os
import re
import warnings

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from paths import ROOT
from tf1grad.programs.source import files as sources
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rewriting.upgraded_programs import upgrade
from tf1grad.upgrade.rules import engine
from upgraded_texts import read_diffs, upgraded

pytestmark = NEEDS_PYTHON_3_8


# What becomes of files; in parentheses the rules whose findings are left.
TEXTS = read_diffs(r"""
=== the import, and nothing else
-import tensorflow as tf  # the library
+import tensorflow.compat.v1 as tf  # the library
 def f():
     return tf.placeholder( tf.float32,)   # odd, but mine
=== names of compat.v1 in full
 import tensorflow as tf
 from tensorflow.image import resize
+
+tf.compat.v1.disable_v2_behavior()
+
 x = tf.compat.v1.placeholder(tf.float32)
 y = tf.image.resize(x, [2, 2])
=== layers of compat.v1 in full
+import tf1grad.migrate.legacy  # before TensorFlow
 import tensorflow as tf
+
+tf.compat.v1.disable_v2_behavior()
+
 tf1 = tf.compat.v1
 x = tf1.layers.dense(tf1.placeholder(tf1.float32), 2)
=== the function of Keras 1 (TFG110 TFG110)
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
+# tf1grad: TFG110 keras.layers.merge is a function of Keras 1.
 from keras.layers import merge
 def f():
+    # tf1grad: TFG110 keras.layers.merge is a function of Keras 1.
     return merge([tf.Session()])
=== stacked generators
 import numpy as np
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
 def f(rows):
     tf.Session()
-    return np.vstack(row for row in rows), np.stack((row for row in rows), axis=1)
+    return np.vstack(list(row for row in rows)), np.stack(list((row for row in rows)), axis=1)
=== the switch stands before the first use, though an import follows
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
+
+tf.disable_v2_behavior()
+
 x = tf.placeholder(tf.float32)
 import os
=== several imports in a line
-import os, tensorflow as tf, sys
+import os, sys
+import tensorflow.compat.v1 as tf
 x = lambda: tf.Session
=== a plain import
-import tensorflow
+import tensorflow.compat.v1 as tensorflow
 def f():
     tensorflow.Session()
=== an import of names
-from tensorflow import Session, flags as f
+from tensorflow.compat.v1 import Session, flags as f
 x = Session
=== an import of a name from before TensorFlow 1.0
-from tensorflow import mul, placeholder
+from tensorflow.compat.v1 import placeholder
+import tensorflow.compat.v1 as tf
+
 def f(x):
-    return mul(x, 2), placeholder
+    return tf.multiply(x, 2), placeholder
=== comments in an import stay
-from tensorflow.contrib.slim import (  # layers
-    conv2d,
-    # and more
-    dropout)
+# layers
+# and more
+import tf1grad.migrate.legacy  # before TensorFlow
+from tf_slim import conv2d, dropout
 def f():
     return conv2d, dropout
=== names from inside of contrib's modules, and of estimators
-from tensorflow.contrib.framework.python.ops import add_arg_scope, variables
-from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets
-from tensorflow.python.estimator.model_fn import EstimatorSpec
-from tensorflow.python.estimator import run_config
+import tf1grad.migrate.legacy  # before TensorFlow
+from tf_slim import add_arg_scope
+import tf_slim as variables
+from tf1grad.migrate.provided.mnist import read_data_sets
+from tensorflow_estimator.python.estimator.model_fn import EstimatorSpec
+from tensorflow_estimator.python.estimator import run_config
 def f(x):
     return add_arg_scope, variables.model_variable, read_data_sets, EstimatorSpec, run_config.RunConfig
=== one import serves all names of its module, below it
-import tensorflow as tf
-early = tf.contrib.layers.flatten
-from tensorflow.contrib import slim
+import tf1grad.migrate.legacy  # before TensorFlow
+import tensorflow.compat.v1 as tf
+import tf_slim
+
+early = tf_slim.layers.flatten
+import tf_slim as slim
 def f(x, slim=slim):
     return slim.conv2d(x, 1, 1)
 def g(x):
-    return tf.contrib.layers.flatten(slim.conv2d(x, 1, 1))
+    return slim.layers.flatten(slim.conv2d(x, 1, 1))
=== private names that moved get their public names; an attribute of a class may be used anywhere
-import tensorflow as tf
+import tf1grad.migrate.legacy  # before TensorFlow
+import tensorflow.compat.v1 as tf
+import tf_slim
 from tensorflow.python.framework import ops
 from tensorflow.python.ops import control_flow_ops, math_ops
-from tensorflow.python.ops.control_flow_ops import group, while_loop
+from tensorflow.python.ops.control_flow_ops import group
 class Model:
-    layers = tf.contrib.slim
+    layers = tf_slim
     def f(self, x):
-        y = control_flow_ops.cond(math_ops.less(x, 1), lambda: x, lambda: x + 1)
-        return while_loop, group, isinstance(y, ops.Tensor), self.layers.conv2d
+        y = tf.cond(math_ops.less(x, 1), lambda: x, lambda: x + 1)
+        return tf.while_loop, group, isinstance(y, tf.Tensor), self.layers.conv2d
=== imports from below TensorFlow mean version 1's
-from tensorflow.nn import dropout, relu as r
-import tensorflow.nn as nn, tensorflow.nn.rnn_cell as cells, os
-from tensorflow.gfile import Open
-from tensorflow.losses import *
-from tensorflow import keras
+import tf1grad.migrate.legacy  # before TensorFlow
+from tensorflow.compat.v1.nn import dropout, relu as r
+import os
+from tensorflow.compat.v1 import nn
+from tensorflow.compat.v1.nn import rnn_cell as cells
+from tensorflow.compat.v1.gfile import Open
+from tensorflow.compat.v1.losses import *
+from tensorflow.compat.v1 import keras
 from tensorflow.python.ops import math_ops
 def f(x):
     return dropout(x, 0.9), nn.dropout(x, 0.9), Open, r, cells, math_ops
=== names of a module that is imported whole
-import tensorflow.train
-from tensorflow.train import SummaryWriter
+import tensorflow.compat.v1 as tensorflow
 def f():
-    return tensorflow.Session, SummaryWriter("x")
+    return tensorflow.Session, tensorflow.summary.FileWriter("x")
=== a fallback to a name below TensorFlow
 try:
     from tensorflow.compat.v1.nn import dropout
 except ImportError:
     from tensorflow.nn import dropout
 x = lambda: tensorflow.Session
=== a name that a fallback binds too stays bound
+import tf1grad.migrate.legacy  # before TensorFlow
 try:
-    from tensorflow.contrib.rnn import LSTMCell
+    from tensorflow.compat.v1.nn.rnn_cell import LSTMCell
 except ImportError:
     from tensorflow.python.ops.rnn_cell import LSTMCell
 x = lambda: LSTMCell(3)
=== the line search
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
+import tf1grad
+
 class A(object):
     def g(self):
-        self.o = tf.contrib.opt.ScipyOptimizerInterface(self.loss,
+        self.o = tf1grad.ScipyOptimizerInterface(self.loss,
                                                         method='L-BFGS-B')
=== an interface under a name of its own
-from tensorflow.contrib.opt import ScipyOptimizerInterface as Scipy, ExternalOptimizerInterface
+from tf1grad import ScipyOptimizerInterface as Scipy, ExternalOptimizerInterface
 x = Scipy
=== a star import
-from tensorflow.contrib.opt import *
+from tf1grad import ScipyOptimizerInterface
 x = ScipyOptimizerInterface
=== slim under a name of its own: layers and steps go to different places
-import tensorflow as tf
-slim = tf.contrib.slim
+import tf1grad.migrate.legacy  # before TensorFlow
+import tensorflow.compat.v1 as tf
+import tf_slim
+
+slim = tf_slim
 def f():
-    slim.get_or_create_global_step()
+    tf.train.get_or_create_global_step()
     return slim.learning.train(slim.fully_connected(1), o)
=== layers, cells and initializers
-from tensorflow.contrib import layers, rnn
+import tf1grad.migrate.legacy  # before TensorFlow
+import tensorflow.compat.v1 as tf
+from tf_slim import layers
 def f():
-    return rnn.LSTMCell(3), layers.xavier_initializer(seed=3)
+    return tf.nn.rnn_cell.LSTMCell(3), tf.initializers.glorot_uniform(seed=3)
 def g():
     return layers.flatten
=== strategies, profiles, graphs of functions and clipping
-import tensorflow as tf
-from tensorflow.contrib.estimator import clip_gradients_by_norm
-tfprof = tf.contrib.tfprof
+import tensorflow.compat.v1 as tf
+from tf1grad import ClippingOptimizer as clip_gradients_by_norm
 def f(adam, function):
-    strategy = tf.contrib.distribute.MirroredStrategy(devices=["/cpu:0"])
-    tfprof.model_analyzer.print_model_analysis(
-        tf.get_default_graph(), tfprof_options=tfprof.model_analyzer.FLOAT_OPS_OPTIONS)
-    return clip_gradients_by_norm(adam, clip_norm=1.0), tf.contrib.autograph.to_graph(function), tf.Session
+    strategy = tf.distribute.MirroredStrategy(devices=["/cpu:0"])
+    tf.profiler.profile(
+        tf.get_default_graph(), options=tf.profiler.ProfileOptionBuilder.float_operation())
+    return clip_gradients_by_norm(adam, clip_norm=1.0), tf.autograph.to_graph(function), tf.Session
=== other names that happen to be called so
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
 def f(tf):
     return tf.contrib.layers.flatten
 def g():
     return tf.Session, np.float
=== brackets and commas that are the text of an f-string
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
 def f():
-    return tf.concat(0, [f"{{{x}", f"({x},{y}"]), tf.mul(f"{x},{y}", y)
+    return tf.concat([f"{{{x}", f"({x},{y}"], 0), tf.multiply(f"{x},{y}", y)
=== a program that chose already
 try:
     import tensorflow.compat.v1 as tf
 except ImportError:
     import tensorflow as tf
 def f():
     tf.placeholder()
=== a program of TensorFlow 2
 import tensorflow as tf
 def f():
     with tf.GradientTape() as tape:
         return np.float
=== a switch after the imports
 #!/usr/bin/env python
 'Trains.'
 from __future__ import print_function
 import os
 os.environ['CUDA_VISIBLE_DEVICES'] = ''
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
 import numpy as np
+
+tf.disable_v2_behavior()
+
 np.random.seed(1)
 tf.set_random_seed(1)
 x = tf.placeholder(tf.float32)
=== statements that are left (TFG102 TFG102 TFG102)
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
+# tf1grad: TFG102 tensorflow.contrib.gan is gone from TensorFlow.
 from tensorflow.contrib import gan
 def f():
+    # tf1grad: TFG102 tensorflow.contrib.gan.GANModel is gone from TensorFlow.
     if deep: return gan.GANModel(3)
+    # tf1grad: TFG102 tensorflow.contrib.gan.GANModel is gone from TensorFlow.
     return [tf.placeholder(),
             gan.GANModel(4)]
=== a comment goes when its reason went
 import tensorflow.compat.v1 as tf
 def f():
-    # tf1grad: TFG102 tensorflow.contrib.x is gone from TensorFlow.
     # mine
     tf.placeholder()
=== imports and tests that are left (TFG102 TFG106)
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
 # what follows is old
+# tf1grad: TFG102 tensorflow.contrib.gan.GANModel is gone from TensorFlow.
 from tensorflow.contrib.gan import GANModel
 def f():
+    # tf1grad: TFG106 The version of TensorFlow is tested, by code that expects version 1.
     if tf.__version__ > '1.2':
         tf.Session()
""")


@pytest.mark.parametrize("title", TEXTS)
def test_text(title):
    before, after = TEXTS[title]
    texts, left = upgraded({"library.py": before})
    assert texts["library.py"] == after
    assert left == re.findall(r"TFG\d+", title)


MODEL = "import tensorflow as tf\n\n\ndef model():\n    return tf.layers.dense(tf.placeholder(tf.float32), 3)\n"


def _written(folder, files):
    """Returns the texts of files that it writes into a folder, by their paths."""
    for name, text in files.items():
        (folder / name).write_text(text)
    return {str(folder / name): text for name, text in files.items()}


@pytest.mark.parametrize("started", ["if __name__ == '__main__':\n    model()\n", "x = model()\n"])
def test_a_program_switches_once_where_it_is_started(tmp_path, started):
    files = {"model.py": MODEL, "train.py": "from model import model\n\n" + started}
    texts, _ = upgraded(_written(tmp_path, files))
    assert "disable_v2_behavior" not in texts[str(tmp_path / "model.py")]
    assert texts[str(tmp_path / "train.py")] == (
        "import tf1grad.migrate.legacy  # before TensorFlow\nimport tensorflow.compat.v1 as tf\n"
        "from model import model\n\ntf.disable_v2_behavior()\n\n" + started
    )


def test_a_program_of_keras_alone_switches_where_it_is_started(tmp_path):
    files = {
        "model.py": "from keras.layers.core import Dense\n\n\ndef model():\n    return Dense(3)\n",
        "train.py": "from keras.models import Sequential\nfrom model import model\n\nx = Sequential([model()])\n",
    }
    texts, left = upgraded(_written(tmp_path, files))
    assert left == [] and "disable_v2_behavior" not in texts[str(tmp_path / "model.py")]
    assert "\ntf.disable_v2_behavior()\n" in texts[str(tmp_path / "train.py")]


@pytest.mark.parametrize("taken", ["*", "tf, slim, rnn, LSTMCell, K"])
def test_names_that_another_file_imports_stay_bound_and_mean_the_same_there(tmp_path, taken):
    files = {
        "common.py": "import tensorflow as tf\nfrom tensorflow.contrib import rnn, slim\n"
        "from tensorflow.contrib.rnn import LSTMCell\nfrom tensorflow.python.keras import backend as K\n"
        "cell = rnn.GRUCell\n",
        "model.py": f"from common import {taken}\nused = [LSTMCell(3), K.clear_session(), tf.contrib.layers.flatten,\n"
        "        slim.conv2d, rnn.BasicLSTMCell, tf.log]\n",
    }
    texts, left = upgraded(_written(tmp_path, files))
    common, model = (texts[str(tmp_path / name)] for name in files)
    assert not left and "contrib" not in common + model
    assert "\nfrom tensorflow.compat.v1.nn.rnn_cell import LSTMCell\n" in common
    assert (
        "\nfrom tensorflow.compat.v1.keras import backend as K\n" in common
        and " rnn_cell as rnn\n" in common
    )
    assert model.endswith(
        "used = [LSTMCell(3), K.clear_session(), tf_slim.layers.flatten,\n"
        "        tf_slim.conv2d, tf.nn.rnn_cell.BasicLSTMCell, tf.log]\n"
    )


def test_a_file_for_tensorflow_2_gets_what_other_libraries_need():
    text = (
        "import numpy as np\nimport tensorflow as tf\nfrom scipy.misc import comb\n"
        "with tf.GradientTape() as tape:\n    x = np.int(3), tf.keras.layers.Dense\n"
    )
    texts, left = upgraded({"new.py": text, "old.py": "import tensorflow as tf\nx = tf.Session\n"})
    assert left == [] and texts["new.py"] == text.replace("np.int(", "int(").replace(
        "scipy.misc", "scipy.special"
    )


def test_a_file_that_uses_estimators_belongs_to_the_program():
    layers = "import tensorflow as tf\nfrom tensorflow.keras.layers import Dense\nx = Dense\n"
    texts, _ = upgraded(
        {
            "model.py": layers + "y = tf.estimator.Estimator\n",
            "layers.py": layers,
            "old.py": "import tensorflow as tf\nx = tf.Session\n",
        }
    )
    assert "\nfrom tensorflow_estimator import estimator as tf_estimator\n" in texts["model.py"]
    assert (
        texts["model.py"].endswith("y = tf_estimator.Estimator\n") and texts["layers.py"] == layers
    )


@pytest.mark.parametrize(
    "line", ["x = tf.contrib.layers.flatten(tf.ones(1))", "x = tf.contrib.gone(tensorflow.x)"]
)
def test_names_from_another_file_stay(line):
    """`common` may bind tf and tensorflow, so an import would change what they mean."""
    text = f"from common import *\nfrom tensorflow.contrib import rnn\n{line}\ny = rnn.static_rnn\n"
    assert line in upgraded({"library.py": text})[0]["library.py"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_comments_are_written_once(newline):
    text = newline.join(["import tensorflow as tf", "x = 1", "y = tf.contrib.nothing.at_all", ""])
    assert upgraded({"library.py": text})[0]["library.py"].count("# tf1grad: TFG") == 1


def test_a_library_alone_is_told_of(tmp_path):
    done = upgrade([Program(sources.Source("model.py", MODEL))])
    assert done.outside == ["model.py"]


@pytest.mark.parametrize(
    "module", ["contrib.slim", "models.rnn.seq2seq", "estimator", "examples.tutorials.mnist"]
)
def test_an_import_of_a_whole_path_binds_tensorflow(module):
    texts, _ = upgraded(
        {"train.py": f"import tensorflow.{module}\nx = tensorflow.placeholder('float')\n"}
    )
    assert [line for line in texts["train.py"].split("\n") if line.endswith(" as tensorflow")] == [
        "import tensorflow.compat.v1 as tensorflow"
    ]


@pytest.mark.parametrize(
    "imported, root", [("", "tf"), ("import tensorflow.examples.tutorials.mnist\n", "tensorflow")]
)
def test_mnist_is_replaced_by_its_whole_path_too(imported, root):
    text = (
        f"import tensorflow as tf\n{imported}"
        f"data = {root}.examples.tutorials.mnist.input_data.read_data_sets('data')\n"
    )
    texts, left = upgraded({"train.py": text})
    last = "\ndata = tf1grad.migrate.provided.mnist.read_data_sets('data')\n"
    assert left == [] and texts["train.py"].endswith(last)
    assert "\nimport tf1grad.migrate.provided.mnist\n" in texts["train.py"]


def test_check_finds_nothing_that_upgrade_repaired():
    program = (
        "import tensorflow as tf\ntf.set_random_seed(1)\n"
        "x = tf.contrib.layers.flatten(tf.placeholder(tf.float32))\n"
    )
    texts, _ = upgraded({"train.py": program})
    programs = [Program(sources.Source(path, text)) for path, text in texts.items()]
    assert engine.findings(programs, InstalledNames(ask=False)) == []


@pytest.mark.parametrize(
    "path", sorted(glob.glob(os.path.join(ROOT, "legacy_examples", "*.py"))), ids=os.path.basename
)
def test_examples_stay_as_they_are(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert upgraded({path: text})[0][path] == text


@pytest.mark.parametrize(
    "path",
    sorted(glob.glob(os.path.join(ROOT, "legacy_examples", "scripts", "*.py"))),
    ids=os.path.basename,
)
def test_old_scripts_are_upgraded_without_a_rest(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    texts, left = upgraded({path: text})
    assert left == []
    assert ("contrib" in texts[path].split('"""')[-1]) <= ("\nimport tf1grad.v1" in texts[path])
    kept = [line for line in text.split("\n") if "tf." not in line and "tensorflow" not in line]
    assert set(kept) - set(texts[path].split("\n")) <= {
        line for line in kept if "(" in line or "np." in line
    }


@pytest.mark.parametrize(
    "load",
    [
        "tf.import_graph_def(graph_def)",
        "tf.train.import_meta_graph('m.meta')",
        "tf.saved_model.loader.load(session, ['serve'], 'm')",
    ],
)
def test_programs_that_load_graphs_provide_their_ops(load):
    program = (
        f"import tensorflow as tf\nsession = tf.Session()\ngraph_def = tf.GraphDef()\n{load}\n"
    )
    texts, left = upgraded({"serve.py": program})
    assert left == [] and "import tf1grad.migrate.models\n" in texts["serve.py"]
    assert (
        texts["serve.py"].count(
            "tf1grad.migrate.models.install()  # load graphs with the ops of tf.contrib\n"
        )
        == 1
    )
    assert upgraded(texts)[0] == texts


OLD_IMPORTS = """import tensorflow as tf
from tensorflow.contrib.layers import (
    xavier_initializer,  # Glorot
    # for tanh
    l2_regularizer,
)  # both
if tf:
    from tensorflow.contrib.layers import (  # here
        xavier_initializer as xi)
y = 1; from tensorflow.contrib.layers import (xavier_initializer as xj,  # there
    xavier_initializer as xk); z = 2
tf.get_variable("w", [2], initializer=xi() or xj() or xk() or xavier_initializer())
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_in_removed_imports_and_line_ends_stay(end):
    texts, _ = upgraded({"old.py": OLD_IMPORTS.replace("\n", end)})
    new = texts["old.py"]
    for comment in ("# Glorot", "# for tanh", "# both", "# here", "# there"):
        assert comment in new
    assert new.count("\n") == new.count(end)


def test_a_class_that_gets_a_method_keeps_its_line_ends():
    method = "    def __rdiv__(self, other):\n        return unicode(1)\n"
    text = "import tensorflow as tf\nclass A(object):\n" + method
    texts, _ = upgraded({"old.py": text.replace("\n", "\r\n")})
    assert "__rtruediv__ = __rdiv__" in texts["old.py"]
    assert texts["old.py"].count("\n") == texts["old.py"].count("\r\n")


def test_what_python_says_of_the_old_text_is_not_shown():
    text = r"""
import tensorflow as tf
with tf.Session() as session:
    print(session.run(tf.constant(1)), "\d")
"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = upgrade([Program(sources.Source("p.py", text))])
    assert "disable_v2_behavior" in done.texts["p.py"]
