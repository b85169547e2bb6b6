"""Programs with the findings of `check` at the ends of their lines: all families of rules."""

import re

import pytest

CASES = """
=== ignored
import tensorflow.contrib.slim as slim  # tf1grad: ignore
from tensorflow.contrib import rnn  # tf1grad: ignore[TFG101]
from tensorflow.contrib import opt  # tf1grad: ignore[TFG999] #! TFG101
=== python 2
print(unicode('x'))  #! TFG002
try:
    range = xrange
except NameError:
    pass
=== what python itself refuses only later is read
nonlocal w
sess.run(train, feed_dict=dict(zip()))
tf.contrib.opt.ScipyOptimizerInterface(loss)  #! TFG101
=== code for tensorflow before 1 0 is not judged
if tf.__version__ < "1.0":
    y = tf.mul(tf.concat(0, [x]), 2.0)
else:
    y = tf.mul(x, 2.0)  #! TFG109
z = tf.mul(x, 2.0) if tf.__version__.startswith("0") else None  #! TFG109
if tf.__version__ < "2":  #! TFG106
    z = tf.mul(x, 2.0)  #! TFG109
=== other tests of the version
import sys
if sys.version_info[1] > 8 or sys.platform == "linux":
    n = unicode(1)  #! TFG002
=== whole name
tf.contrib.opt.ScipyOptimizerInterface(loss)  #! TFG101
=== from contrib import module
from tensorflow.contrib import slim  #! TFG101
slim.conv2d(x, 3, 3)  #! TFG101
=== shadowed by a parameter
import tensorflow.contrib.layers as L  #! TFG101
def f(L):
    return L.fully_connected(1)
def g():
    return L.fully_connected(1)  #! TFG101
=== shadowed in a class
slim = tf.contrib.slim
class A(object):
    slim = 3
    def f(self):
        return slim.conv2d(1)  #! TFG101
=== star import
from tensorflow.contrib.opt import *  #! TFG101
ScipyOptimizerInterface(1)  #! TFG101
Unrelated(2)
=== two meanings of a name
import tensorflow as real
real.contrib.gan.GANModel(3)  #! TFG102
def local():
    import numpy as real
    return real.contrib.gan.GANModel
=== import module
import importlib
importlib.import_module('tensorflow.contrib.slim')  #! TFG101
=== global name
def f():
    global nets
    nets = tf.contrib.layers
def g():
    return nets.flatten(1)  #! TFG101
=== fallback to none
try:
    import tf_slim as slim
except ImportError:
    slim = None
slim.conv2d(1)
=== another package named contrib
import contrib
contrib.opt.ScipyOptimizerInterface(1)
text = 'tf.contrib.opt'  # tf.contrib.layers
=== rebound
def f(tf):
    return tf.contrib.layers.x
=== version tests
if tf.__version__ < '1.0':
    tf.global_variables_initializer = tf.initialize_all_variables
assert LooseVersion(tf.__version__) >= LooseVersion('1.4') and int(tf.__version__.split('.')[1]) >= 4
new = tuple(map(int, tf.__version__.split('.')[:2])) > (1, 0) if tf.VERSION in ('0.12', '1.0') else None
if tf.__version__ > '1.2':  #! TFG106
    pass
if LooseVersion(tf.__version__) > LooseVersion('1.15.5'):  #! TFG106
    pass
assert tf.__version__.startswith('1.')  #! TFG106
assert tf.__version__[0] == '1' and int(tf.__version__.split('.')[0]) < 2  #! TFG106
if unknown(tf.__version__) < '1.0':  #! TFG106
    pass
print(tf.__version__)
=== graph seed of a program that draws by TensorFlow 2's rule already
tf.set_random_seed(1)
=== accumulation without faults
class Model(object):
    def __init__(self):
        self.pairs = [(g, v) for g, v in opt.compute_gradients(loss) if g is not None]
        self.sums = [tf.Variable(tf.zeros(v.shape), trainable=False, collections=['mine']) for g, v in self.pairs]
        self.add = [s.assign_add(g) for s, (g, v) in zip(self.sums, self.pairs)]  #! TFG201
=== counters and moving averages
counter = tf.Variable(0, trainable=False)
counter.assign_add(1)
total = tf.Variable(tf.zeros([3]), trainable=False)
tf.assign_add(total, values / 8)
rates = [rate / 2 for rate in rates]
=== clipping by global norm
grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), 5)  #! TFG204
opt.apply_gradients(zip(grads, tvars))
=== clipped probability
tf.clip_by_value(probability, 1e-10, 1.0)
=== gates
y = do * x + (1 - do) * tf.stop_gradient(x)  #! TFG206
z = tf.stop_gradient((1.0 - do) * x) + x * do  #! TFG206
baseline = a * x + (1 - a) * y
mean = x + tf.stop_gradient(y - x)
=== deleted handle
handle = tf.get_session_handle(batch)  #! TFG203
sess.run(handle).delete()
=== accumulation
pairs = opt.compute_gradients(loss)
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for _, v in pairs]  #! TFG306
evaluate = [s.assign_add(g / 8) for s, (g, _) in zip(sums, pairs)]  #! TFG201 TFG305
reset = [s.assign(tf.zeros_like(s)) for s in sums]
apply = opt.apply_gradients([(s, v) for s, (_, v) in zip(sums, pairs)])
sess.run([apply, reset])  #! TFG310
sess.run([evaluate, loss])
=== fed gradients
pairs = opt.compute_gradients(loss)
train = opt.apply_gradients(pairs)
feed = {pairs[0][0]: mean, x: batch}  #! TFG302
sess.run(train, feed_dict=feed)
holders = [tf.placeholder(tf.float32, v.shape) for g, v in pairs]
opt.apply_gradients([(p, v) for p, (g, v) in zip(holders, pairs)])  #! TFG202
=== resource variables
w = tf.get_variable("w", [2], use_resource=True)
copy = tf.Variable(w.initialized_value())  #! TFG307
=== fed variable
w = tf.Variable(1.0)
sess.run(loss, {w: 2.0})  #! TFG301
sess.run(loss, feed_dict={x: 2.0})
factors = {w: 2.0}
sess.run(loss, {tf.get_collection('inputs')[0]: 1, tf.get_collection(key)[0]: 2})
sess.run(loss, {tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)[0]: 1})  #! TFG301
=== clipping one by one
opt.minimize(other)
pairs = opt.compute_gradients(loss)
[(tf.clip_by_value(g, -1., 1.), v) for g, v in pairs]  #! TFG204
[(tf.clip_by_norm(g, 1.), v) for g, v in pairs if g is not None]  #! TFG204
for i, (g, v) in enumerate(pairs):
    if g is not None:
        pairs[i] = (tf.clip_by_norm(g, 5), v)  #! TFG204
=== one loss
[(tf.clip_by_value(g, -1., 1.), v) for g, v in opt.compute_gradients(loss)]  #! TFG204
=== clipping of embeddings
tf.nn.embedding_lookup(table, ids)
tf.clip_by_global_norm(grads, 5)  #! TFG204 TFG313
=== clipping of embeddings by contrib
from tensorflow.contrib.layers import optimize_loss  #! TFG101
from tensorflow.contrib.slim import learning  #! TFG101
from tensorflow.contrib.training import clip_gradient_norms_fn  #! TFG101
tf.nn.embedding_lookup(table, ids)
optimize_loss(loss, step, 0.1, 'SGD', clip_gradients=5.)  #! TFG101 TFG313
optimize_loss(loss, step, 0.1, 'SGD')  #! TFG101
learning.create_train_op(loss, opt, clip_gradient_norm=5)  #! TFG101 TFG313
learning.create_train_op(loss, opt)  #! TFG101
clip = clip_gradient_norms_fn(5)  #! TFG101 TFG313
=== variables by name
tf.get_variable('D', [1]), tf.get_variable('D_w', [1]), tf.get_variable('G/w', [1])
tvars = tf.trainable_variables()
d_vars = [v for v in tvars if 'D' in v.name]  #! TFG303
g_vars = [v for v in tvars if v.name.startswith('G/')]
q_vars = [v for v in tvars if 'Q' in v.name or 'G' in v.name or v.name.startswith('D_')]
opt.minimize(loss, var_list=d_vars)  #! TFG205
opt.minimize(loss, var_list=g_vars)  #! TFG205
opt.minimize(loss, var_list=[w, b])
=== variables by scope
tf.variable_scope('D%d' % i), tf.variable_scope('D'), tf.name_scope(name='E')
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='D')  #! TFG303
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='D1')  #! TFG303
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='E')
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='D/')
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=None)
tf.get_collection(tf.GraphKeys.UPDATE_OPS)
tf.get_collection(key, scope), tf.get_collection('my_variables', scope)
tf.trainable_variables('D')  #! TFG303
=== zeroed gradients
pairs = opt.compute_gradients(loss)
opt.apply_gradients([(g * 0, v) if v in frozen else (g, v) for g, v in pairs if g is not None])  #! TFG312
opt.apply_gradients([(tf.zeros_like(g), v) for g, v in pairs if g is not None])  #! TFG312
=== averages of each run
import tf1grad
inner = tf.train.AdamOptimizer()
opt = tf1grad.AccumulatingOptimizer(inner, 8)
ema = tf.train.ExponentialMovingAverage(0.99)
plain = inner.minimize(loss)
train = opt.minimize(loss)
with tf.control_dependencies([train]):
    train = ema.apply([w])  #! TFG315
with tf.name_scope("a"), tf.control_dependencies([opt.apply_gradients(pairs), x]):
    average = tf.train.ExponentialMovingAverage(0.99).apply([w])  #! TFG315
with tf.control_dependencies([plain]):
    ema.apply([w])
train = tf.cond(opt.step_applied, lambda: ema.apply([w]), tf.no_op)
=== gradients of tf gradients
grads = tf.gradients(loss, tvars)
opt.apply_gradients(zip(grads, tvars))  #! TFG304
opt.apply_gradients(opt.compute_gradients(loss))
clipped, _ = tf.clip_by_global_norm(grads, 40.0)  #! TFG204
opt.apply_gradients([(tf.identity(g), v) for g, v in zip(grads, tvars)])  #! TFG304
opt.apply_gradients(zip(tf.gradients(loss, [w, b]), [w, b]))  #! TFG304
global_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, 'global/')
opt.apply_gradients(zip(clipped, global_vars))
opt.apply_gradients(zip(grads, global_vars))
=== swapped pairs
pairs = opt.compute_gradients(loss)
_, grads = zip(*pairs)  #! TFG308
grads, variables = zip(*pairs)
for v, g in pairs:  #! TFG308
    print(v.name)
for g, v in pairs:
    print(v.name)
=== leaked handle
handle = tf.get_session_handle(batch)  #! TFG203 TFG311
=== other libraries
import numpy as np
import collections, time
np.float, np.float64, np.asscalar(x)  #! TFG401
time.clock()  #! TFG401
collections.Mapping, collections.OrderedDict  #! TFG401
from scipy.misc import imread  #! TFG401
"""
CASES = dict(re.findall(r"^=== (.*)\n((?:(?!===).*\n)*)", CASES, re.MULTILINE))


@pytest.mark.parametrize("title", CASES)
def test_findings(check_announced, title):
    check_announced(CASES[title])


def test_a_graph_seed_of_a_program_for_tensorflow_1(findings_in):
    text = "import tensorflow as tf\ntf.Session\ntf.set_random_seed(1)\n"
    assert (3, "TFG107") in {(finding.line, finding.rule.id) for finding in findings_in(text)}


def test_values_that_are_made_of_themselves_take_no_time(check_announced):
    lines = [f"x{index % 7} = x{(index + 1) % 7} + x{(index + 3) % 7}" for index in range(300)]
    chain = "loss = " + " + ".join(f"x{index % 7}" for index in range(200))
    text = (
        "grads = tf.gradients(loss, tvars)\ngrads = [tf.clip_by_norm(g, 1) for g in grads]  #! TFG204\n"
        "opt.minimize(loss)\n"
    )
    check_announced("\n".join(lines + [chain]) + "\n" + text)


@pytest.mark.parametrize(
    "test",
    [
        "sys.version_info[0] < 3",
        "sys.version_info < (3, 0)",
        "six.PY2",
        "not six.PY3",
        "sys.version_info.major == 2",
        "sys.version[0] == '2'",
        "IS_PY2",
        "not (sys.version_info > (3,))",
    ],
)
def test_code_for_python_2_alone_is_not_judged(check_announced, test):
    check_announced(f"""
    import sys, six
    if {test}:
        import cPickle as pickle
        n = unicode(1)
    else:
        import cPickle  #! TFG401
        n = unicode(1)  #! TFG002
    m = unicode(2) if {test} else unicode(3)  #! TFG002
    """)
