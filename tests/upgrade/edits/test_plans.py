"""Tests the plans of files: what becomes of names that are bound,
which imports are added, and where.
"""

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.programs.source.files import Source
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits.module_bindings import bindings_in
from upgraded_texts import read_diffs, upgraded_text

pytestmark = NEEDS_PYTHON_3_8

TEXTS = read_diffs("""
=== a module that has a name gets its import first
+import tf1grad.migrate.legacy  # before TensorFlow
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
-slim = tf.contrib.slim
+import tf_slim
+
+tf.disable_v2_behavior()
+
+slim = tf_slim
 x = slim.conv2d(tf.placeholder('float'), 2, 3)
=== a function of contrib is written at its uses
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
-from tensorflow.contrib.layers import xavier_initializer as init
 def f():
-    return init()
+    return tf.initializers.glorot_uniform()
=== the switch stands before the first call, though an import follows
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
+
+tf.disable_v2_behavior()
+
 x = tf.placeholder('float')
 import numpy
=== estimators are those of their package, by the name that the program gives it
+import tf1grad.migrate.legacy  # before TensorFlow
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
 from tensorflow_estimator import estimator as est
+
+tf.disable_v2_behavior()
+
-x = tf.estimator.Estimator(f)
+x = est.Estimator(f)
=== estimators are those of their package, whose usual name is taken
+import tf1grad.migrate.legacy  # before TensorFlow
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
+import tensorflow_estimator
+
+tf.disable_v2_behavior()
+
 tf_estimator = 1
-x = tf.estimator.Estimator(f)
+x = tensorflow_estimator.estimator.Estimator(f)
=== what calls nothing of TensorFlow stays between its import and the switch
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
 print("start")
 class Net:
     x = None
 import numpy
+
+tf.disable_v2_behavior()
+
 x = tf.placeholder('float')
=== an import in a `try` stays before the switch
-import tensorflow as tf
+import tensorflow.compat.v1 as tf
 try:
     import numpy
 except ImportError:
     numpy = None
+
+tf.disable_v2_behavior()
+
 x = tf.placeholder('float')
=== a name that only the main part imports is not used above it
+import tensorflow.compat.v1
 import argparse
+
+tensorflow.compat.v1.disable_v2_behavior()
+
 def main():
     return tf.placeholder('float')
 if __name__ == '__main__':
-    import tensorflow as tf
+    import tensorflow.compat.v1 as tf
     main()
=== a module that other files may import from here keeps its name
+import tf1grad.migrate.legacy  # before TensorFlow
-import tensorflow.contrib.layers as layers
+import tf_slim as layers
=== a function of tf1grad
+from tf1grad.migrate.python2 import round_half_away
-print round(x)
+print(round_half_away(x))
=== a function of tf1grad, whose name a star import may bind
+import tf1grad.migrate.python2
 from common import *
-print round(x)
+print(tf1grad.migrate.python2.round_half_away(x))
=== a function of tf1grad, whose name a function binds
+import tf1grad.migrate.python2
 def f(round_half_away):
     pass
-print round(x)
+print(tf1grad.migrate.python2.round_half_away(x))
""")


@pytest.mark.parametrize("title", TEXTS)
def test_text(title):
    before, after = TEXTS[title]
    if "print round" in before:
        pytest.importorskip("fissix", reason="Python 2 is translated with fissix")
    assert upgraded_text(before) == (after, [])


# A statement, and the local name, the dotted name and the kind of what it binds.
BOUND = {
    "import tensorflow as tf": ("tf", "tensorflow", "root"),
    "import tensorflow.contrib.slim": ("tensorflow", "tensorflow.contrib.slim", "root"),
    "from tensorflow import nn": ("nn", "tensorflow.nn", "public"),
    "from tensorflow.contrib import slim as s": ("s", "tensorflow.contrib.slim", "module"),
    "from tensorflow.contrib.slim import conv2d": (
        "conv2d",
        "tensorflow.contrib.slim.conv2d",
        "symbol",
    ),
    "from tensorflow.contrib.slim import *": ("*", "tensorflow.contrib.slim", "star"),
    "from tensorflow.python.framework import ops": None,
    "from numpy import zeros": None,
    "from .tensorflow import nn": None,
}


@pytest.mark.parametrize("text, expected", list(BOUND.items()), ids=list(BOUND))
def test_what_an_import_binds(text, expected):
    found = bindings_in(Program(Source("a.py", text + "\n")))
    assert [(each.local, each.name, each.kind) for each in found] == (
        [expected] if expected else []
    )
