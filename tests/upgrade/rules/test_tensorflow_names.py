"""TFG1: names that left TensorFlow 1, and programs that never switch to it."""

import functools
import inspect

import pytest
import tensorflow.compat.v1 as tf

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.programs.names import version_names
from tf1grad.programs.source import files
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rules import engine
from upgraded_texts import upgraded, upgraded_text


def test_a_finding_says_where_and_what(findings_in):
    text = "# é\nimport tensorflow as tf\nx = 'é', tf.contrib.opt.ScipyOptimizerInterface\n"
    finding = [finding for finding in findings_in(text) if finding.rule.id == "TFG101"][0]
    assert (finding.line, finding.column) == (3, 10)
    assert "tensorflow.contrib.opt.ScipyOptimizerInterface" in finding.message
    assert "resource variables" in finding.message
    assert "tf1grad.ScipyOptimizerInterface" in finding.remedy


def test_plain_import_matters_to_tensorflow_1_only(rules_in):
    old = "import tensorflow as tf\ntf.placeholder(tf.float32)\n"
    both = (
        "try:\n    import tensorflow.compat.v1 as tf\n    tf.disable_v2_behavior()\n"
        "except ImportError:\n    import tensorflow as tf\ntf.placeholder(tf.float32)\n"
    )
    new = "import tensorflow as tf\nwith tf.GradientTape() as tape:\n    tf.matmul(a, b)\n"
    explicit = "import tensorflow as tf\ntf.compat.v1.disable_v2_behavior()\ntf.compat.v1.placeholder(tf.float32)\n"
    found = {text: rules_in([text]) for text in (old, both, new, explicit)}
    assert found == {old: {"TFG103"}, both: set(), new: set(), explicit: set()}


@pytest.mark.parametrize(
    "below", ["from tensorflow.nn import dropout", "import tensorflow.nn as nn"]
)
def test_an_import_from_below_tensorflow_matters_as_well(rules_in, below):
    other = "import p0\nfrom tensorflow.contrib import slim\nslim.conv2d(x)\n"
    assert "TFG103" in rules_in([below + "\n", other])
    of_version_1 = below.replace("tensorflow", "tensorflow.compat.v1")
    assert "TFG103" not in rules_in([of_version_1 + "\n", other])


def test_a_module_without_names_of_version_1_belongs_to_its_program(rules_in):
    layers = "import tensorflow as tf\ndef dense(x, w):\n    return tf.matmul(x, w)\n"
    assert rules_in([layers]) == set()
    assert rules_in([layers, "import tensorflow as tf\ntf.Session()\n"]) == {"TFG103"}


def test_an_import_that_asks_whether_tensorflow_is_there_is_fine(rules_in):
    asks = "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n"
    program = (
        "import p0\nimport tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.Session()\n"
    )
    assert rules_in([asks, program]) == set()
    assert rules_in([asks + "y = tf.matmul(x, x)\n", program]) == {"TFG103"}


def test_a_program_that_never_switches(rules_in):
    text = "import tensorflow.compat.v1 as tf\ntf.placeholder(tf.float32)\n"
    assert rules_in([text]) == {"TFG108"}
    assert (
        rules_in([text, "import tensorflow.compat.v1 as tf\ntf.disable_eager_execution()\n"])
        == set()
    )
    assert (
        rules_in(
            ["import tensorflow.compat.v1 as tf\ndef f():\n    return tf.placeholder(tf.float32)\n"]
        )
        == set()
    )


SPELLED_OUT = "import tensorflow as tf\nx = tf.compat.v1.placeholder(tf.float32)\n"


def test_compat_v1_in_full_needs_the_switch_as_well(rules_in):
    alias = "import tensorflow as tf\ntf1 = tf.compat.v1\ntf1.placeholder(tf1.float32)\n"
    model = "import tensorflow as tf\ndef build():\n    tf.compat.v1.placeholder(tf.float32)\n"
    main = "import tensorflow as tf\nfrom p1 import build\nbuild()\n"
    assert rules_in([SPELLED_OUT]) == rules_in([alias]) == rules_in([main, model]) == {"TFG108"}
    assert rules_in([SPELLED_OUT + "tf.compat.v1.disable_eager_execution()\n"]) == set()


def test_a_session_around_a_placeholder_or_an_estimator_needs_no_switch(rules_in):
    inside = (
        "import tensorflow as tf\nclass Model:\n    def __init__(self):\n"
        "        self.x = tf.compat.v1.placeholder(tf.float32)\n"
        "with tf.compat.v1.Session() as sess:\n    Model()\n"
    )
    serving = SPELLED_OUT + "tf.estimator.Estimator(f), tf.keras.Sequential()\n"
    assert rules_in([inside]) == set()
    assert rules_in([serving]) == {"TFG101"}


def test_layers_need_the_old_keras(rules_in):
    layers = "x = tf.layers.dense(tf.nn.rnn_cell.LSTMCell(3))\n"
    text = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n" + layers
    assert rules_in([text]) == {"TFG111"}
    assert rules_in([text, "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n"]) == set()
    assert rules_in(["import tensorflow as tf\n" + layers]) == {"TFG103"}


class _Knows:
    version = "9.9"

    def __init__(self, names):
        self._names = names

    def has(self, name):
        return name in self._names


def test_the_installed_tensorflow_decides(findings_in):
    text = (
        "import tensorflow.compat.v1 as tf\nfrom tensorflow.python.ops import gone\n"
        "tf.reshape(x), tf.layers.dense(x)\n"
    )
    found = findings_in(text, _Knows(["tensorflow", "tensorflow.reshape"]))
    named = {
        finding.message.split()[0]: finding for finding in found if finding.rule.id == "TFG104"
    }
    assert sorted(named) == ["tensorflow.layers.dense", "tensorflow.python.ops.gone"]
    assert "9.9" in found[0].message and "tf_keras" in named["tensorflow.layers.dense"].remedy


def test_a_program_with_only_estimators_is_one_of_tensorflow_1(rules_in):
    text = "import tensorflow as tf\nestimator = tf.estimator.Estimator(model, 'folder')\n"
    assert rules_in([text]) == {"TFG101", "TFG103"}
    assert rules_in([text + "model = tf.keras.Sequential()\n"]) == {"TFG101"}
    there = InstalledNames(ask=False)
    there.has = lambda name: True
    assert {
        finding.rule.id for finding in engine.findings([Program(files.Source("p.py", text))], there)
    } == {"TFG103"}


def test_names_of_tensorflow_2_and_keras_3_do_not_make_a_program_old(rules_in):
    assert (
        rules_in(
            [
                "import keras\nfrom keras.layers import Dense\nkeras.backend.floatx(), keras.ops.sum\n"
            ]
        )
        == set()
    )
    uses = "losses.BinaryCrossentropy train.Checkpoint train.latest_checkpoint nn.softmax train loggings"
    assert [use for use in uses.split() if version_names.is_old("tensorflow." + use)] == []
    assert version_names.is_old("tensorflow.train.AdamOptimizer")
    assert version_names.is_old("tensorflow.contrib.slim.conv2d")
    new = "import tensorflow as tf\nloss = tf.losses.categorical_generalized_cross_entropy(y, z)\n"
    assert rules_in([new]) == set() and rules_in([new + "tf.Session()\n"]) == {"TFG103"}


class _Lacking(InstalledNames):
    """Packages that lack some names."""

    version = "2.0"

    def __init__(self, *names):
        super().__init__(ask=False)
        self.has = lambda name: name not in names


@pytest.mark.parametrize(
    "line, lacks, remedy",
    [
        (
            "tf.contrib.layers.flatten(x)",
            ["tf_slim.layers.flatten"],
            "Write `import tf1grad.v1 as tf`, or take its definition from the sources of TensorFlow 1 into the program.",
        ),
        (
            "tf.estimator.Estimator(x)",
            ["tensorflow.estimator.Estimator"],
            "Use tensorflow_estimator.estimator.Estimator (pip install tensorflow_estimator).",
        ),
        (
            "from tensorflow.python.ops.control_flow_ops import cond",
            ["tensorflow.python.ops.control_flow_ops.cond"],
            "Use tensorflow.compat.v1.cond.",
        ),
        (
            "import tensorflow.contrib as parts",
            [],
            "Import the modules that provide its names, as the findings at their uses say; `tf1grad upgrade` does it.",
        ),
    ],
)
def test_names_that_are_not_installed_have_a_remedy(line, lacks, remedy):
    text = f"import tensorflow.compat.v1 as tf\ntf.Session\n{line}\n"
    found = engine.findings([Program(files.Source("p.py", text))], _Lacking(*lacks), tf1=True)
    assert [finding.remedy for finding in found if finding.line == 3] == [remedy]


def test_the_old_order_of_arguments_in_an_except_is_fine(findings_in):
    text = "import tensorflow.compat.v1 as tf\ntry:\n    x = tf.concat([a, b], 0)\nexcept:\n    x = tf.concat(0, [a, b])\n"
    assert "TFG109" not in {finding.rule.id for finding in findings_in(text)}
    assert "TFG109" in {
        finding.rule.id for finding in findings_in(text.replace("except:", "finally:"))
    }


@NEEDS_PYTHON_3_8
def test_flags_of_absl_may_be_defined_again():
    text, left = upgraded_text(
        "import tensorflow as tf\n"
        "tf.app.flags.DEFINE_string('log_dir', 'logs', 'summaries')\n"
        "tf.app.flags.DEFINE_string('my_dir', 'logs', 'summaries')\n"
    )
    assert left == [] and text.splitlines()[-2:] == [
        "tf.app.flags.DEFINE_string('log_dir', 'logs', 'summaries', allow_override=True)",
        "tf.app.flags.DEFINE_string('my_dir', 'logs', 'summaries')",
    ]


def test_a_name_may_come_from_any_star_import(rules_in):
    text = "from tensorflow.compat.v1.keras.layers import *\nfrom tensorflow.compat.v1.keras.models import *\n"
    program = Program(files.Source("p.py", text + "x = Conv2D(3)\ny = Conv4D(3)\n"))
    installed = _Knows(
        ["tensorflow.keras.layers", "tensorflow.keras.models", "tensorflow.keras.layers.Conv2D"]
    )
    found = engine.findings([program], installed, tf1=True)
    assert [finding.line for finding in found if finding.rule.id == "TFG104"] == [4]


@pytest.mark.skipif(not tf.__version__.startswith("1.15"), reason="only TensorFlow 1.15 has both")
def test_old_names_are_those_that_tensorflow_1_15_has_beside_its_version_2():
    plain = __import__("tensorflow")
    packages = {"tensorflow.examples"}  # no attribute, but installed with it
    names = [name.split(".")[1:] for name in sorted(version_names.OLD - packages)]
    assert [name for name in names if not _has(plain, name)] == []
    assert [name for name in names if _has(plain.compat.v2, name)] == []


def _has(module, name):
    for part in name:
        module = getattr(module, part, None)
    return module is not None


@pytest.mark.parametrize(
    "line, remedy",
    [
        ("tf.flags.FlagsError", "Use tf.flags.Error."),
        (
            "tf.distributions.bijectors.Affine",
            "Write `import tf1grad.v1 as tf`, or use tensorflow_probability.distributions, and compare the numbers.",
        ),
    ],
)
def test_names_that_run_or_compat_have(findings_in, line, remedy):
    assert remedy in [
        finding.remedy for finding in findings_in(f"import tensorflow.compat.v1 as tf\n{line}\n")
    ]


KERAS_2 = """\
from keras.layers.core import Dense, Lambda as L
import keras.backend as K, os
import keras
from keras.engine import Input, Model
from keras.utils import np_utils
from keras.optimizers import rmsprop
from keras import optimizers
print(keras.utils.np_utils.to_categorical, K.sum(1), Dense, keras.optimizers.rmsprop, optimizers.sgd(0.1))
"""


@NEEDS_PYTHON_3_8
def test_names_of_keras_1_are_said_to_be_of_keras_1(findings_in):
    text = (
        "import tensorflow as tf\nfrom keras import initializations\n"
        "from keras.regularizers import WeightRegularizer\nw = initializations.normal((3, 3))\ntf.Session()\n"
    )
    said = [each.message for each in findings_in(text) if each.rule.id == "TFG110"]
    assert said == [
        "keras.initializations is in Keras 1 only.",
        "keras.regularizers.WeightRegularizer is in Keras 1 only.",
        "keras.initializations.normal is in Keras 1 only.",
    ]


@NEEDS_PYTHON_3_8
def test_a_program_with_names_of_keras_1_and_no_tensorflow_is_an_old_one(findings_in):
    found = findings_in("from keras import initializations\n")
    assert [each.message for each in found] == ["keras.initializations is in Keras 1 only."]
    assert "`keras<2`" in found[0].remedy


@NEEDS_PYTHON_3_8
def test_keras_2(findings_in):
    found = findings_in(KERAS_2)
    assert {finding.line for finding in found if finding.rule.id == "TFG110"} == set(range(1, 8))
    assert found[0].remedy == "Use tensorflow.compat.v1.keras.layers.Dense."
    assert upgraded_text(KERAS_2) == (
        """\
import tf1grad.migrate.legacy  # before TensorFlow
from tensorflow.compat.v1.keras.layers import Dense, Lambda as L
import tensorflow.compat.v1 as tf
from tensorflow.compat.v1.keras import backend as K
import os
from tensorflow.compat.v1 import keras
from tensorflow.compat.v1.keras.layers import Input
from tensorflow.compat.v1.keras.models import Model
from tensorflow.compat.v1.keras import utils as np_utils
from tensorflow.compat.v1.keras.optimizers import RMSprop as rmsprop
from tensorflow.compat.v1.keras import optimizers

tf.disable_v2_behavior()

print(keras.utils.to_categorical, K.sum(1), Dense, keras.optimizers.RMSprop, optimizers.SGD(0.1))
""",
        [],
    )


@NEEDS_PYTHON_3_8
@pytest.mark.parametrize(
    "module, old, new",
    [
        ("ops.rnn", "bidirectional_rnn", "tf.nn.static_bidirectional_rnn"),  # from before 1.0
        ("keras.layers.core", "Dense", "tf.keras.layers.Dense"),
    ],
)
def test_private_names_are_not_imported_any_more(module, old, new):
    text, left = upgraded_text(
        f"from tensorflow.python.{module} import {old}\ndef f():\n    return {old}(1, 2)\n"
    )
    assert left == [] and "tensorflow.python" not in text and f"    return {new}(1, 2)\n" in text


@pytest.mark.period
@pytest.mark.parametrize(
    "name, is_lost",
    [
        ("rnn_cell._get_concat_variable", True),
        ("rnn_cell_impl._concat", False),
    ],
)
def test_private_names_that_1_15_had_lost_have_an_advice_of_their_own(name, is_lost):
    name = "tensorflow.python.ops." + name
    text = f"import tensorflow.compat.v1 as tf\nfrom {name.rpartition('.')[0]} import {name.rpartition('.')[2]}\n"
    found = engine.findings([Program(files.Source("p.py", text))], _Lacking(name), tf1=True)
    advice = [finding.remedy for finding in found if finding.rule.id == "TFG104"]
    assert ["TensorFlow 1.15 did not have it any more" in text for text in advice] == [is_lost]


@pytest.mark.period
def test_a_name_of_contrib_that_1_15_had_lost_is_not_promised():
    text = """
import tensorflow as tf
decoder = tf.contrib.seq2seq.dynamic_rnn_decoder
also = tf.contrib.seq2seq.dynamic_decode
"""
    found = engine.findings([Program(files.Source("p.py", text))], _Lacking(), tf1=True)
    remedies = {
        finding.line: finding.remedy for finding in found if finding.rule.id in ("TFG101", "TFG102")
    }
    assert "TensorFlow 1.15 did not have it any more" in remedies[3]
    assert "import tf1grad.v1 as tf" in remedies[4]


@pytest.mark.parametrize(
    "call",
    [
        "tf.reduce_mean(x, 1, keep_dims=True)",
        "tf.concat(1, [x, y])",
        "tf.split(1, 3, x)",
        "tf.nn.dropout(x, keep_prob=0.5)",
        "tf.argmax(x, dimension=1)",
        "tf.squeeze(x, squeeze_dims=[1])",
        "tf.expand_dims(x, dim=1)",
        "tf.nn.softmax(x, dim=1)",
        "tf.reduce_sum(x, reduction_indices=1)",
        "tf.nn.conv2d(x, filter=w, strides=s, padding='SAME')",
    ],
)
def test_keywords_and_orders_of_arguments_tell_the_version(rules_in, call):
    text = f"import tensorflow as tf\ndef f(x, y, w, s):\n    return {call}\n"
    assert "TFG103" in rules_in([text])


@pytest.mark.parametrize(
    "call",
    [
        "tf.reduce_mean(x, 1, keepdims=True)",
        "tf.concat([x, y], 1)",
        "tf.nn.dropout(x, rate=0.5)",
        "tf.nn.softmax_cross_entropy_with_logits(x, y)",
        "tf.compat.v1.reduce_sum(x, keep_dims=True)",
        "np.sum(x, keep_dims=True)",
    ],
)
def test_arguments_of_version_2_do_not_make_a_file_old(rules_in, call):
    text = f"import tensorflow as tf, numpy as np\ndef f(x, y, w, s):\n    return {call}\n"
    assert rules_in([text]) == set()


def test_both_forms_of_an_argument_do_not_make_a_file_old(rules_in):
    text = (
        "import tensorflow as tf\ndef f(x):\n    try:\n        return tf.reduce_sum(x, keepdims=True)\n"
        "    except TypeError:\n        return tf.reduce_sum(x, keep_dims=True)\n"
    )
    assert rules_in([text]) == set()


NEUTRAL = "import tensorflow as tf\ndef dense(x, w):\n    return tf.matmul(x, w)\n"
OLD = "import tensorflow as tf\ntf.Session()\n"


@pytest.mark.parametrize(
    "texts, lines",
    [
        ([NEUTRAL, OLD], {"p1.py"}),
        ([NEUTRAL, "import p0\n" + OLD], {"p0.py", "p1.py"}),
        (["import p1\n" + NEUTRAL, OLD], {"p0.py", "p1.py"}),
        ([NEUTRAL, OLD, "import p0, p1\n"], {"p0.py", "p1.py"}),
        (
            [NEUTRAL, "import sys\nsys.path.append('lib')\nimport lib.p0\n" + OLD],
            {"p0.py", "p1.py"},
        ),
        (["import p2\n" + NEUTRAL, "import p2\n" + OLD, "import numpy\n"], {"p1.py"}),
        (["import tensorflow as tf\ntf.experimental.numpy.sum([1])\n", OLD], {"p1.py"}),
        (["import tensorflow as tf\ntf.random.set_seed(1)\n", "import p0\n" + OLD], {"p1.py"}),
    ],
)
def test_an_independent_file_is_not_judged_by_another(texts, lines):
    programs = [Program(files.Source(f"p{index}.py", text)) for index, text in enumerate(texts)]
    found = engine.findings(programs, _Lacking("tensorflow.experimental.numpy.sum"))
    assert {finding.path for finding in found} == lines


@NEEDS_PYTHON_3_8
def test_upgrade_leaves_an_independent_file_for_version_2():
    new = "import tensorflow as tf\nprint(tf.reduce_sum([1.0, 2.0]).numpy())\n"
    texts, _ = upgraded({"new.py": new, "old.py": OLD})
    assert texts["new.py"] == new and "compat.v1" in texts["old.py"]


@pytest.mark.skipif(not tf.__version__.startswith("2.21"), reason="the newest release decides")
def test_the_newest_tensorflow_lacks_the_keywords_of_version_1():
    taken = []
    for function, keywords in version_names.old_keywords().items():
        found = functools.reduce(getattr, function.split(".")[1:], __import__("tensorflow"))
        parameters = inspect.signature(found).parameters
        taken += [(function, keyword) for keyword in keywords if keyword in parameters]
    assert taken == []
