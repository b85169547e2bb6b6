"""Programs with the findings of `check` at the ends of their lines:
Python 2, names, and how names are resolved.
"""

import pytest

from announced_findings import read_cases

CASES = read_cases("""
=== ignored
import tensorflow.contrib.slim as slim  # tf1grad: ignore
from tensorflow.contrib import rnn  # tf1grad: ignore[TFG101]
from tensorflow.contrib import opt  # tf1grad: ignore[TFG999] #! TFG101
=== flags that absl has taken
flags = tf.app.flags
flags.DEFINE_string("log_dir", "logs", "")  #! TFG112
tf.flags.DEFINE_integer(name="v", default=1, help="")  #! TFG112
flags.DEFINE_string("log_dir", "logs", "", allow_override=True)
flags.DEFINE_string("logs", "log_dir", "")
flags.FLAGS.log_dir, Parser.DEFINE_string("log_dir", "", "")
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
z = tf.mul(x, 2.0) if LooseVersion(tf.__version__) < LooseVersion("1") or tf.__version__.startswith("0") else None
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
import tensorflow as real  #! TFG103
real.contrib.gan.GANModel(3)  #! TFG102
def local():
    import numpy as real
    return real.contrib.gan.GANModel
=== import module
import importlib
importlib.import_module('tensorflow.contrib.slim')  #! TFG101
__import__('tensorflow.contrib.slim')  #! TFG101
importlib.import_module('json')
importlib.import_module(name)
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
import tensorflow.compat.v1 as T
assert T.__version__ > '1' and T.VERSION > '1' and tf.version.VERSION.startswith(('1', '2'))
if is_python3() and six.PY2():
    pass
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
=== other libraries
import numpy as np
import collections, time
np.float, np.float64, np.asscalar(x)  #! TFG401
time.clock()  #! TFG401
collections.Mapping, collections.OrderedDict  #! TFG401
from scipy.misc import imread  #! TFG401
""")


@pytest.mark.parametrize("title", CASES)
def test_findings(check_announced, title):
    check_announced(CASES[title])


def test_a_graph_seed_of_a_program_for_tensorflow_1(findings_in):
    text = "import tensorflow as tf\ntf.Session\ntf.set_random_seed(1)\n"
    assert (3, "TFG107") in {(finding.line, finding.rule.id) for finding in findings_in(text)}


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
