"""Programs that need names of TensorFlow 1.15 alone get `import tf1grad.v1 as tf`,
in every file or in none.
"""

import json
import re

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.cli import main
from tf1grad.programs.period import manifest
from tf1grad.programs.source import files as sources
from tf1grad.programs.source.program import KnownNames, Program
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rewriting.program_kinds import describe_kinds
from tf1grad.upgrade.rewriting.upgraded_programs import upgrade
from tf1grad.upgrade.rules import engine
from upgraded_texts import read_diffs, upgraded

pytestmark = NEEDS_PYTHON_3_8

TEXTS = read_diffs(r"""
=== the line is the first import
 #!/usr/bin/env python
 'Trains.'
 from __future__ import print_function
+import tf1grad.v1 as tf
 import numpy as np
 import keras
-import tensorflow as tf
 x = tf.contrib.crf.crf_decode(tf.placeholder("float"), 1)
=== it stands where the import stood, with its comment
-import tensorflow as tf  # the library
+import tf1grad.v1 as tf  # the library
 import numpy as np
 x = tf.contrib.seq2seq.BasicDecoder
=== environment variables are set before it
 import os
 os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
+import tf1grad.v1 as tf
 import sys
-import tensorflow as tf
 x = tf.contrib.seq2seq.BasicDecoder
=== other names in the statement stay
+import tf1grad.v1 as tf
-import os, tensorflow as tf, sys
+import os, sys
 x = tf.contrib.lookup.index_table_from_file
=== tensorflow under its own name, and from compat
-import tensorflow
+import tf1grad.v1 as tensorflow
-from tensorflow.compat import v1 as tf
+from tensorflow.compat import v1 as tf
 x = tensorflow.contrib.graph_editor.copy, tf.Session
=== imports from below tensorflow stay
+import tf1grad.v1  # before TensorFlow
 from tensorflow.contrib import layers, rnn, slim
 import tensorflow.contrib.crf as crf
 def f():
     return layers.optimize_loss(rnn.LSTMCell(3)), slim.learning.create_train_op, crf.crf_decode
=== names from inside of contrib
+import tf1grad.v1  # before TensorFlow
 from tensorflow.contrib.rnn.python.ops.core_rnn_cell import _linear
 x = lambda: _linear
=== contrib as a whole, and modules of it
-import tensorflow as tf
+import tf1grad.v1 as tf
 tfe, find = tf.contrib.eager, getattr(tf.contrib, "layers")
=== names from before 1.0 get those of 1.15
-import tensorflow as tf
+import tf1grad.v1 as tf
-from tensorflow.models.rnn import rnn_cell, seq2seq
 def f(x):
-    return tf.mul(x, 2), rnn_cell.GRUCell(3), seq2seq.sequence_loss(x)
+    return tf.multiply(x, 2), tf.nn.rnn_cell.GRUCell(3), tf.contrib.legacy_seq2seq.sequence_loss(x)
=== a star import for other files
+import tf1grad.v1  # before TensorFlow
-from tensorflow.python.ops.seq2seq import *
+from tensorflow.contrib.legacy_seq2seq import *
=== what numpy dropped is still written anew; seeds and switches are those of 1.15
-import tensorflow as tf
+import tf1grad.v1 as tf
 import numpy as np
 tf.set_random_seed(1)
-x = np.float(tf.contrib.learn.ModeKeys.TRAIN)
+x = float(tf.contrib.learn.ModeKeys.TRAIN)
=== arguments that only contrib takes
-import tensorflow as tf
+import tf1grad.v1 as tf
 x = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
=== methods that split a batch today
-import tensorflow as tf
+import tf1grad.v1 as tf
 strategy = tf.contrib.distribute.MirroredStrategy()
 strategy.make_dataset_iterator(tf.placeholder("float"))
=== a file that has the line keeps its names
 import tf1grad.v1 as tf
 slim = tf.contrib.slim
 x = slim.conv2d(tf.layers.dense(tf.placeholder("float"), 1), 2, 3)
=== a name that not even 1.15 has (TFG102)
 import tf1grad.v1 as tf
+# tf1grad: TFG102 tensorflow.contrib.gan.GANModel is gone from TensorFlow.
 x = tf.contrib.gan.GANModel, tf.contrib.crf.crf_decode
""")


@pytest.mark.parametrize("title", TEXTS)
def test_text(title):
    before, after = TEXTS[title]
    texts, left = upgraded({"library.py": before})
    assert texts["library.py"] == after
    assert left == re.findall(r"TFG\d+", title)


STARTED = "import tensorflow as tf\nimport {}\nif __name__ == '__main__':\n    print({})\n"


def _upgraded(folder, files):
    """Returns the new texts by the names of files in a folder,
    and the lines on the kinds of the programs.
    """
    for name, text in files.items():
        (folder / name).write_text(text)
    programs = [Program(sources.read(str(folder / name))) for name in files]
    done = upgrade(programs)
    again = upgrade([Program(sources.Source(path, text)) for path, text in done.texts.items()])
    assert again.texts == done.texts
    texts = {name: done.texts[str(folder / name)] for name in files}
    return texts, [line.replace(str(folder) + "/", "") for line in describe_kinds(done.kinds)]


def test_programs_that_share_a_module_are_of_one_kind(tmp_path):
    files = {
        "crf.py": STARTED.format("model", "tf.contrib.crf.crf_decode(model.f())"),
        "plain.py": STARTED.format("model", "tf.layers.flatten(model.f())"),
        "model.py": "import tensorflow as tf\nf = lambda: tf.placeholder('float')\n",
        "other.py": STARTED.format("numbers", "tf.Session()"),
    }
    texts, lines = _upgraded(tmp_path, files)
    assert {name: "import tf1grad.v1 as tf\n" in text for name, text in texts.items()} == {
        "crf.py": True,
        "plain.py": True,
        "model.py": True,
        "other.py": False,
    }
    assert not any("compat.v1" in texts[name] for name in ("crf.py", "plain.py", "model.py"))
    assert lines == [
        "other.py: uses installed packages only",
        "crf.py, plain.py: has TensorFlow 1.15 by `import tf1grad.v1 as tf`, for these names",
        "  tf.contrib.crf.crf_decode (crf.py:4). To do without: write the forward algorithm as a loop with tf.scan.",
    ]


def test_a_module_without_tensorflow_joins_no_programs(tmp_path):
    files = {
        "crf.py": STARTED.format("tools", "tf.contrib.crf.crf_decode(tools.f())"),
        "plain.py": STARTED.format("tools", "tf.Session(tools.f())"),
        "tools.py": "import numpy as np\nf = lambda: np.zeros(3)\n",
    }
    texts, _ = _upgraded(tmp_path, files)
    assert "tf1grad.v1" in texts["crf.py"] and "compat.v1" in texts["plain.py"]
    assert texts["tools.py"] == files["tools.py"]


def test_the_line_in_one_file_decides_for_the_program(tmp_path):
    files = {
        "train.py": STARTED.format("model", "model.f()"),
        "model.py": "import tf1grad.v1 as tf\nf = lambda: tf.placeholder('float')\n",
    }
    texts, lines = _upgraded(tmp_path, files)
    assert texts["train.py"] == "import tf1grad.v1 as tf\n" + files["train.py"].partition("\n")[2]
    assert lines == [
        "train.py: has TensorFlow 1.15 by `import tf1grad.v1 as tf`, and needs no name of it alone"
    ]


def test_a_file_with_names_from_another_gets_no_import(tmp_path):
    files = {
        "common.py": "import tensorflow as tf\nx = tf.Session\n",
        "model.py": "from common import *\ny = tf.contrib.crf.crf_decode, tf.layers.flatten\n",
    }
    texts, _ = _upgraded(tmp_path, files)
    assert texts["common.py"].startswith("import tf1grad.v1 as tf\n")
    assert texts["model.py"] == files["model.py"]


def test_a_program_of_keras_has_the_line_before_it(tmp_path):
    files = {
        "train.py": "import keras\nimport model\nif __name__ == '__main__':\n    model.f(keras)\n",
        "model.py": "import tensorflow as tf\nf = tf.contrib.crf.crf_decode\n",
    }
    texts, _ = _upgraded(tmp_path, files)
    assert texts["train.py"] == "import tf1grad.v1  # before TensorFlow\n" + files["train.py"]


def test_a_file_with_names_of_keras_has_the_line_if_it_makes_a_session(tmp_path):
    files = {
        "main.py": STARTED.format("model", "model.f, tf.keras.Sequential, tf.compat.v1.Session()"),
        "model.py": "import tensorflow as tf\nf = tf.contrib.crf.crf_decode\n",
        "other.py": "import tensorflow as tf\nmodel = tf.keras.Sequential()\n",
    }
    texts, _ = _upgraded(tmp_path, files)
    assert texts["main.py"].startswith("import tf1grad.v1 as tf\n")
    assert texts["other.py"] == files["other.py"]


def test_a_notebook(tmp_path, capsys):
    cells = [
        "%matplotlib inline\nimport numpy as np\nimport tensorflow as tf",
        "tf.contrib.crf.crf_decode",
    ]
    content = {
        "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": [cell]} for cell in cells
        ],
        "metadata": {},
        "nbformat": 4,
    }
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(content))
    for _ in range(2):
        assert main.main(["upgrade", "--write", str(path), "--no-backup"]) == 0
        written = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
        assert written == [
            "%matplotlib inline\nimport tf1grad.v1 as tf\nimport numpy as np",
            cells[1],
        ]
        assert "tf.contrib.crf.crf_decode (a.ipynb:cell 2:1)" in capsys.readouterr().err


def test_a_private_name_that_the_installed_tensorflow_lost(monkeypatch, tmp_path):
    """TensorFlow 1.15's files show which it had."""
    python = tmp_path / "tensorflow-1.15.5" / "tensorflow_core" / "python"
    (python / "ops").mkdir(parents=True)
    (python / "ops" / "old.py").write_text("def kept():\n    pass\n")
    manifest.write(str(tmp_path / "tensorflow-1.15.5"))
    monkeypatch.setenv("TF1GRAD_PERIOD", str(tmp_path))
    names = ["tensorflow.python.ops.old.kept", "tensorflow.python.ops.old.lost"]

    class Lacking(KnownNames):
        version = "2.0"

        def has(self, name):
            return name not in names

    for name, has_line in zip(names, (True, False)):
        module, _, last = name.rpartition(".")
        text = f"import tensorflow as tf\nfrom {module} import {last}\nx = {last}(tf.Session)\n"
        done = upgrade([Program(sources.Source("a.py", text))], Lacking())
        assert ("import tf1grad.v1 as tf\n" in done.texts["a.py"]) == has_line


def test_check_reports_nothing_that_1_15_has():
    text = (
        "import tf1grad.v1 as tf\nfrom tensorflow.python.ops import rnn_cell_impl\nimport keras\n"
        "tf.set_random_seed(1)\nx = tf.contrib.crf.crf_decode, tf.layers.dense, tf.estimator.Estimator\n"
        "y = tf.placeholder('float'), tf.contrib.slim.conv2d, tf1grad.v1.Session\n"
        "if tf.__version__.startswith('1.'):\n    z = tf.summary.FileWriter\n"
    )
    programs = [Program(sources.Source("a.py", text))]
    assert engine.findings(programs, InstalledNames()) == []
    gone = [Program(sources.Source("a.py", text + "tf.contrib.gan.GANModel, tf.mul(x, y)\n"))]
    found = engine.findings(gone, InstalledNames())
    assert [finding.rule.id for finding in found] == ["TFG102", "TFG109"]
