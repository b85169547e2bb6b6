"""What `tf1grad check` finds in the text of programs, and what it must leave alone."""

import re
import textwrap

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.old_programs.names import removed_in_2
from tf1grad.old_programs.rules import engine
from tf1grad.old_programs.rules.installed_packages import Installed
from tf1grad.old_programs.source import files
from tf1grad.old_programs.source.program import Program

HEADER = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"


def _findings(text, installed=None):
    program = Program(files.Source("program.py", text))
    return engine.findings([program], installed or Installed(ask=False), tf1=True)


def _check(text):
    """Compares the findings, by line, with those that comments `#! TFG101 TFG102` at the ends of lines announce."""
    text = HEADER + textwrap.dedent(text)
    expected = {(number, rule) for number, line in enumerate(text.split("\n"), 1) if "#!" in line
                for rule in re.findall(r"TFG\d+", line.split("#!")[1])}
    assert {(finding.line, finding.rule.id) for finding in _findings(text)} == expected


@pytest.mark.parametrize("text", [
    """
    tf.contrib.opt.ScipyOptimizerInterface(loss)  #! TFG101
    """,
    """
    from tensorflow.contrib import slim  #! TFG101
    slim.conv2d(x, 3, 3)  #! TFG101
    """,
    """
    import tensorflow.contrib.layers as L  #! TFG101
    def f(L):
        return L.fully_connected(1)
    def g():
        return L.fully_connected(1)  #! TFG101
    """,
    """
    slim = tf.contrib.slim
    class A(object):
        slim = 3
        def f(self):
            return slim.conv2d(1)  #! TFG101
    """,
    """
    from tensorflow.contrib.opt import *  #! TFG101
    ScipyOptimizerInterface(1)  #! TFG101
    Unrelated(2)
    """,
    """
    import tensorflow as real
    real.contrib.gan.GANModel(3)  #! TFG102
    def local():
        import numpy as real
        return real.contrib.gan.GANModel
    """,
    """
    import importlib
    importlib.import_module('tensorflow.contrib.slim')  #! TFG101
    """,
    """
    def f():
        global nets
        nets = tf.contrib.layers
    def g():
        return nets.flatten(1)  #! TFG101
    """,
    """
    try:
        import tf_slim as slim
    except ImportError:
        slim = None
    slim.conv2d(1)
    """,
    """
    import contrib
    contrib.opt.ScipyOptimizerInterface(1)
    text = 'tf.contrib.opt'  # tf.contrib.layers
    """,
    """
    tf = object()
    """,
    """
    import tensorflow.contrib.slim as slim  # tf1grad: ignore
    from tensorflow.contrib import rnn  # tf1grad: ignore[TFG101]
    from tensorflow.contrib import opt  # tf1grad: ignore[TFG999] #! TFG101
    """,
    """
    if tf.__version__ < '1.0':  #! TFG106
        tf.global_variables_initializer = tf.initialize_all_variables
    print(tf.__version__)
    """,
    """
    import numpy as np
    import collections, time
    np.float, np.float64, np.asscalar(x)  #! TFG401
    time.clock()  #! TFG401
    collections.Mapping, collections.OrderedDict  #! TFG401
    from scipy.misc import imread  #! TFG401
    """,
    """
    tf.set_random_seed(1)  #! TFG107
    """,
    """
    print(unicode('x'))  #! TFG002
    try:
        range = xrange
    except NameError:
        pass
    """,
])
def test_names(text):
    _check(text.replace("tf = object()", "def f(tf):\n        return tf.contrib.layers.x\n"))


@pytest.mark.parametrize("text", [
    # accumulation, as the textbook has it
    """
    pairs = opt.compute_gradients(loss)
    sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for _, v in pairs]  #! TFG306 TFG307
    evaluate = [s.assign_add(g / 8) for s, (g, _) in zip(sums, pairs)]  #! TFG201 TFG305 TFG309
    reset = [s.assign(tf.zeros_like(s)) for s in sums]
    apply = opt.apply_gradients([(s, v) for s, (_, v) in zip(sums, pairs)])
    sess.run([apply, reset])  #! TFG310
    sess.run([evaluate, loss])
    """,
    # the same, in a class, without its faults
    """
    class Model(object):
        def __init__(self):
            self.pairs = [(g, v) for g, v in opt.compute_gradients(loss) if g is not None]
            self.sums = [tf.Variable(tf.zeros(v.shape), trainable=False, collections=['mine']) for g, v in self.pairs]
            self.add = [s.assign_add(g) for s, (g, v) in zip(self.sums, self.pairs)]  #! TFG201
    """,
    # counters and moving averages are no accumulated gradients; a division elsewhere is none of ours
    """
    counter = tf.Variable(0, trainable=False)
    counter.assign_add(1)
    total = tf.Variable(tf.zeros([3]), trainable=False)
    tf.assign_add(total, values / 8)
    rates = [rate / 2 for rate in rates]
    """,
    # gradients that are fetched, averaged and fed back, onto tensors and through placeholders
    """
    pairs = opt.compute_gradients(loss)
    train = opt.apply_gradients(pairs)
    feed = {pairs[0][0]: mean, x: batch}  #! TFG302
    sess.run(train, feed_dict=feed)
    holders = [tf.placeholder(tf.float32, v.shape) for g, v in pairs]
    opt.apply_gradients([(p, v) for p, (g, v) in zip(holders, pairs)])  #! TFG202
    """,
    """
    w = tf.Variable(1.0)
    sess.run(loss, {w: 2.0})  #! TFG301
    sess.run(loss, feed_dict={x: 2.0})
    factors = {w: 2.0}
    """,
    # clipping
    """
    grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), 5)  #! TFG204
    opt.apply_gradients(zip(grads, tvars))
    """,
    """
    pairs = opt.compute_gradients(loss)
    [(tf.clip_by_value(g, -1., 1.), v) for g, v in pairs]  #! TFG204 TFG309
    [(tf.clip_by_norm(g, 1.), v) for g, v in pairs if g is not None]  #! TFG204
    for i, (g, v) in enumerate(pairs):
        if g is not None:
            pairs[i] = (tf.clip_by_norm(g, 5), v)  #! TFG204
    """,
    """
    tf.clip_by_value(probability, 1e-10, 1.0)
    """,
    """
    tf.nn.embedding_lookup(table, ids)
    tf.clip_by_global_norm(grads, 5)  #! TFG204 TFG313
    """,
    # freezing
    """
    tvars = tf.trainable_variables()
    d_vars = [v for v in tvars if 'D' in v.name]  #! TFG303
    g_vars = [v for v in tvars if v.name.startswith('G/')]
    opt.minimize(loss, var_list=d_vars)  #! TFG205
    opt.minimize(loss, var_list=g_vars)  #! TFG205
    opt.minimize(loss, var_list=[w, b])
    """,
    """
    tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='D')  #! TFG303
    tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='D/')
    tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=None)
    tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    tf.trainable_variables(scope + '/')
    tf.trainable_variables('%s/' % scope)
    tf.trainable_variables(scope)  #! TFG303
    tf.trainable_variables('{}/'.format(scope))
    tf.trainable_variables(format(scope))  #! TFG303
    """,
    """
    pairs = opt.compute_gradients(loss)
    opt.apply_gradients([(g * 0, v) if v in frozen else (g, v) for g, v in pairs if g is not None])  #! TFG312
    opt.apply_gradients([(tf.zeros_like(g), v) for g, v in pairs if g is not None])  #! TFG312
    """,
    # gates
    """
    y = do * x + (1 - do) * tf.stop_gradient(x)  #! TFG206
    z = tf.stop_gradient((1.0 - do) * x) + x * do  #! TFG206
    baseline = a * x + (1 - a) * y
    mean = x + tf.stop_gradient(y - x)
    """,
    # gradients of tf.gradients
    """
    grads = tf.gradients(loss, tvars)
    opt.apply_gradients(zip(grads, tvars))  #! TFG304
    opt.apply_gradients(opt.compute_gradients(loss))
    """,
    # pairs the wrong way round
    """
    pairs = opt.compute_gradients(loss)
    _, grads = zip(*pairs)  #! TFG308
    grads, variables = zip(*pairs)
    for v, g in pairs:  #! TFG308
        print(v.name)
    for g, v in pairs:
        print(v.name)
    """,
    # handles
    """
    handle = tf.get_session_handle(batch)  #! TFG203 TFG311
    """,
    """
    handle = tf.get_session_handle(batch)  #! TFG203
    sess.run(handle).delete()
    """,
])
def test_recipes(text):
    _check(text)


def test_a_finding_says_where_and_what():
    text = "# é\nimport tensorflow as tf\nx = 'é', tf.contrib.opt.ScipyOptimizerInterface\n"
    finding = [finding for finding in _findings(text) if finding.rule.id == "TFG101"][0]
    assert (finding.line, finding.column) == (3, 10)
    assert "tensorflow.contrib.opt.ScipyOptimizerInterface" in finding.message
    assert "resource variables" in finding.message
    assert "tf1grad.contrib.opt.ScipyOptimizerInterface" in finding.remedy


def test_values_that_are_made_of_themselves_take_no_time():
    lines = [f"x{index % 7} = x{(index + 1) % 7} + x{(index + 3) % 7}" for index in range(300)]
    chain = "loss = " + " + ".join(f"x{index % 7}" for index in range(200))
    text = "grads = tf.gradients(loss, tvars)\ngrads = [tf.clip_by_norm(g, 1) for g in grads]  #! TFG204 TFG309\n"
    _check("\n".join(lines + [chain]) + "\n" + text)


def test_what_python_itself_refuses_only_later_is_read():
    _check("""
    nonlocal w
    sess.run(train, feed_dict=dict(zip()))
    tf.contrib.opt.ScipyOptimizerInterface(loss)  #! TFG101
    """)


def test_plain_import_matters_to_tensorflow_1_only():
    old = "import tensorflow as tf\ntf.placeholder(tf.float32)\n"
    both = ("try:\n    import tensorflow.compat.v1 as tf\n    tf.disable_v2_behavior()\n"
            "except ImportError:\n    import tensorflow as tf\ntf.placeholder(tf.float32)\n")
    new = "import tensorflow as tf\nwith tf.GradientTape() as tape:\n    tf.matmul(a, b)\n"
    explicit = "import tensorflow as tf\ntf.compat.v1.disable_v2_behavior()\ntf.compat.v1.placeholder(tf.float32)\n"
    found = {text: _rules([text]) for text in (old, both, new, explicit)}
    assert found == {old: {"TFG103"}, both: set(), new: set(), explicit: set()}


def test_a_module_without_names_of_version_1_belongs_to_its_program():
    layers = "import tensorflow as tf\ndef dense(x, w):\n    return tf.matmul(x, w)\n"
    assert _rules([layers]) == set()
    assert _rules([layers, "import tensorflow as tf\ntf.Session()\n"]) == {"TFG103"}


def test_a_program_that_never_switches():
    text = "import tensorflow.compat.v1 as tf\ntf.placeholder(tf.float32)\n"
    assert _rules([text]) == {"TFG108"}
    assert _rules([text, "import tensorflow.compat.v1 as tf\ntf.disable_eager_execution()\n"]) == set()
    assert _rules(["import tensorflow.compat.v1 as tf\ndef f():\n    return tf.placeholder(tf.float32)\n"]) == set()


def _rules(texts):
    programs = [Program(files.Source(f"p{index}.py", text)) for index, text in enumerate(texts)]
    return {finding.rule.id for finding in engine.findings(programs, Installed(ask=False))}


class _Knows:
    version = "9.9"

    def __init__(self, names):
        self._names = names

    def has(self, name):
        return name in self._names


def test_the_installed_tensorflow_decides():
    text = ("import tensorflow.compat.v1 as tf\nfrom tensorflow.python.ops import gone\n"
            "tf.reshape(x), tf.layers.dense(x)\n")
    found = _findings(text, _Knows(["tensorflow", "tensorflow.reshape"]))
    named = {finding.message.split()[0]: finding for finding in found if finding.rule.id == "TFG104"}
    assert sorted(named) == ["tensorflow.layers.dense", "tensorflow.python.ops.gone"]
    assert "9.9" in found[0].message and "tf_keras" in named["tensorflow.layers.dense"].remedy


def test_an_absent_name_does_not_spoil_its_module():
    installed = Installed()
    for name in ("app.flags", "flags", "train", "nn"):
        assert installed.has(f"tensorflow.{name}.no_such_name") is False
    assert all(installed.has("tensorflow." + name) for name in (
        "app.flags.DEFINE_string", "app.flags.FLAGS", "flags.DEFINE_integer", "train.Saver", "nn.relu"))


def test_numpy_bool_is_back():
    text = "import numpy as np\nx = np.bool, np.int\n"
    for there, expected in ((True, ["numpy.int"]), (None, ["numpy.int"]), (False, ["numpy.bool", "numpy.int"])):
        installed = Installed(ask=False)
        installed.has = lambda name, there=there: there
        assert [finding.message.split()[0] for finding in _findings(text, installed)] == expected


def test_a_program_with_only_estimators_is_one_of_tensorflow_1():
    text = "import tensorflow as tf\nestimator = tf.estimator.Estimator(model, 'folder')\n"
    assert _rules([text]) == {"TFG101", "TFG103"}
    assert _rules([text + "model = tf.keras.Sequential()\n"]) == {"TFG101"}
    there = Installed(ask=False)
    there.has = lambda name: True
    assert {finding.rule.id for finding in engine.findings(
        [Program(files.Source("p.py", text))], there)} == {"TFG103"}


def test_asking_the_installed_tensorflow():
    installed = Installed()
    assert installed.has("tensorflow.train.AdamOptimizer") and installed.has("tensorflow.app.flags.FLAGS.learning_rate")
    assert installed.has("tensorflow.python.framework.ops") and not installed.has("tensorflow.python.framework.opps")
    assert not installed.has("tensorflow.train.AdamOptimiser")
    assert installed.has("tensorflow.newaxis")  # its value is None
    assert installed.version == tf.__version__
    assert Installed(ask=False).has("tensorflow.train.AdamOptimizer") is None


def test_names_of_tensorflow_2_do_not_make_a_program_old():
    uses = ["keras.losses.categorical_generalized_cross_entropy", "losses.categorical_generalized_cross_entropy",
            "losses.BinaryCrossentropy", "train.Checkpoint", "train.latest_checkpoint", "nn.softmax", "summary.scalar",
            "image.resize", "data.Dataset", "saved_model.load", "initializers.GlorotUniform", "math.log", "assert_rank"]
    assert [use for use in uses if removed_in_2.is_old("tensorflow." + use)] == []
    assert removed_in_2.is_old("tensorflow.train.AdamOptimizer") and not removed_in_2.is_old("tensorflow.train")
    assert removed_in_2.is_old("tensorflow.contrib.slim.conv2d") and not removed_in_2.is_old("tensorflow.loggings")
    new = "import tensorflow as tf\nloss = tf.losses.categorical_generalized_cross_entropy(y, z)\n"
    assert _rules([new]) == set() and _rules([new + "tf.Session()\n"]) == {"TFG103"}


@pytest.mark.skipif(not tf.__version__.startswith("1.15"), reason="only TensorFlow 1.15 has both")
def test_old_names_are_those_that_tensorflow_1_15_has_beside_its_version_2():
    plain = __import__("tensorflow")
    packages = {"tensorflow.examples"}  # no attribute, but installed with it
    names = [name.split(".")[1:] for name in sorted(removed_in_2.NAMES - packages)]
    assert [name for name in names if not _has(plain, name)] == []
    assert [name for name in names if _has(plain.compat.v2, name)] == []


def _has(module, name):
    for part in name:
        module = getattr(module, part, None)
    return module is not None


def test_a_package_that_was_asked_for_is_asked_for_its_names_still():
    installed = Installed()
    assert installed.has("tensorflow.compat.v1") and installed.has("tf1grad")
    assert installed.has("tensorflow.nest.no_such_name") is False and installed.has("tf1grad.no_such_name") is False
