"""Writes programs at random, in which names and calls of TensorFlow 1 stand in all constructs of Python 2 and 3."""

import ast
import random
import re

# In all templates <e> is an expression and a pilcrow the end of a line; a 2 or 3 before one is the only Python for it.
IMPORTS = r"""
import tensorflow as tf
import tensorflow
import tensorflow as tf; tf.set_random_seed(1)
import tensorflow.contrib.slim as slim
import tensorflow.nn as nn
import tensorflow.python.ops.rnn_cell as cells
from tensorflow import contrib, nn
from tensorflow import *
from tensorflow.contrib.layers import (fully_connected,  # why¶    batch_norm as bn,¶)
from tensorflow.examples.tutorials.mnist import input_data
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, gone_ops
from tensorflow.nn import \¶    dropout, relu
from scipy.misc import imread, imresize as r
from .other import thing as tf2
import tensorflow as tf, os; import numpy as np
from tensorflow.contrib.layers.python.layers import layers, \¶    initializers
if True: import tensorflow as tf; from tensorflow.contrib import rnn
"""
BINDINGS = (
    """
import tensorflow as tf; import tensorflow; import numpy as np; import tensorflow.contrib.slim as slim
from tensorflow.contrib import layers as L; from tensorflow import nn; from tensorflow import contrib
import scipy.misc; from tensorflow.contrib import rnn; import collections; import keras
import matplotlib.pyplot as plt; import pandas as pd; import importlib
from tensorflow.contrib.layers import fully_connected; import sys
from tensorflow.contrib.opt import ScipyOptimizerInterface
""".strip()
    .replace("\n", "; ")
    .split("; ")
)
NAMES = """tf.float32 tf.contrib.layers.l2_regularizer tf.contrib.slim tf.nn.rnn_cell.LSTMCell tf.app.flags tf.VERSION
tf.contrib.gone.name tf.contrib tf.python.ops tf.GraphKeys.LOSSES tensorflow.contrib.rnn slim.conv2d L.flatten nn.relu
np.float np.inf np.bool scipy.misc.imread collections.Mapping tf.estimator.Estimator tf.__version__ tf.newaxis tf.mul
x y w self.loss data flags.FLAGS.rate contrib.rnn rnn.BasicLSTMCell keras.layers plt.hold""".split()
CALLS = """tf.mul(<e>, <e>) tf.concat(0, [<e>, <e>]) tf.concat(axis=<e>, values=<e>) tf.placeholder(tf.float32, <e>)
tf.Variable(<e>, name=<e>) tf.contrib.layers.fully_connected(<e>, 3, activation_fn=<e>) slim.conv2d(<e>, *<e>)
tf.nn.softmax_cross_entropy_with_logits(<e>, <e>) tf.train.AdamOptimizer(<e>).minimize(<e>) tf.gradients(<e>, <e>)
tf.initialize_all_variables() tf.split(1, 2, <e>) tf.nn.dropout(<e>, <e>) np.array(<e>) np.load(<e>) np.stack(<e>)
np.asscalar(<e>) np.lib.pad(<e>, 1, <e>) scipy.misc.imresize(<e>, <e>) <e>.has_key(<e>) tf.contrib.gone(<e>)
int(<e>) len(<e>) sess.run(<e>, feed_dict={x:<e>}) tf.clip_by_global_norm(<e>, 5.0) zip(<e>, <e>) <e>.append(<e>)
tf.contrib.framework.arg_scope([<e>]) tf.reduce_sum(<e>, reduction_indices=<e>) f(<e>, **<e>) range(<e>/<e>)
fully_connected(<e>, <e>) tf.train.SummaryWriter(<e>) tf.scalar_summary("a", <e>) tf.pack([<e>, <e>]) xrange(<e>)
tf.get_variable("w", <e>, initializer=tf.contrib.layers.xavier_initializer()) tf.cond(<e>, lambda: <e>, lambda: <e>)
ScipyOptimizerInterface(<e>) optimizer.apply_gradients(zip(<e>, <e>)) tf.app.run() plt.gca(projection=<e>)
tf.select(<e>, <e>, <e>) pd.DataFrame(<e>).append(<e>) tf.sparse_tensor_to_dense(<e>) tf.assign_add(<e>, <e>)
np.fromstring(<e>, <e>) importlib.import_module("tensorflow.contrib") tf.set_random_seed(<e>) tf.Session()"""
CALLS = CALLS.replace("\n", " ").replace(") ", ")\n")
EXPRESSIONS = r"""
(<e> + <e>)
<e>[<e>]
<e>[<e>:-1, ::2]
{<e>: <e>}
3 {**<e>, 'a': <e>}
[i for i in <e> if <e>]
lambda a, b=<e>: <e>
3 f"{x!r:>{y}} and {tf.mul(x, y)}"
'''long¶tf.contrib.layers  # no comment¶'''
(yield_)
<e>(\¶    <e>)
(  # tf.contrib.slim¶    <e>)
3 (n := <e>)
(lambda *a, **k: <e>)(*<e>)
3 f"{{x}} {tf.mul(x, {'a': y}['a']):.3f}" f'{x}'
<e>.T.dot(<e>)[..., None]
"a" "tf.mul(x, y)" % <e>
(<e>¶    + <e>  # tf.contrib.rnn¶    )
3 [<e>¶    for i, (a, *b) in <e> if a¶    ]
{  # a comment¶    'a': <e>,¶    'b': <e>, }
"""
# A bar ends a clause, below which other statements stand.
STATEMENTS = r"""
<e> = <e>
a, (b, *c) = <e>
x /= <e>
<e>
tf = tf
global_step = tf.contrib.framework.get_or_create_global_step()
grads_and_vars = optimizer.compute_gradients(<e>)
x = <e>; y = <e>
for i in <e>: x = <e>; y = i
class A(<e>): loss = <e>; w = tf.contrib.slim
def f(x): global data; data = <e>; return <e>
x = lambda a: lambda b=<e>: <e>
x = <e> if <e> else \¶    y
3 print(<e>, end=""); sys.stdout.write(str(<e>))
# tf.contrib.layers
# tf1grad: TFG101 An old comment.
x = <e>  # tf1grad: ignore[TFG101]
2 print <e>
2 print >>sys.stderr, <e>, <e>,
2 x = <e> <> <e>
2 x = ur'text'
2 for k, v in data.iteritems(): print k
2 def g((a, b), c=<e>): return a / b
2 x = map(lambda (a, b): a / <e>, <e>)
2 exec <e> in <e>
2 if <e>: print <e>,; x = y / 3
2 x = <e>.has_key(<e>) and not <e>.has_key(<e>)
2 x, y = divmod(<e>, 2), <e> / len(<e>)
2 assert isinstance(x, (int, long, unicode)), `<e>`
if <e>:|elif <e>:|else:
for i in <e>:|else:
try:|except <e>:|finally:
try:|except (ImportError, <e>) as error:|else:
with <e> as x, <e>:
3 def f(a, b=<e>, *c, d=<e>, **e):
3 async def f():
3 class A(<e>, metaclass=<e>):
3 @<e>¶def f(x):
@tf.contrib.framework.add_arg_scope¶def f(x):
@staticmethod¶@tf.contrib.slim.add_arg_scope  # why¶def f(x):
3 @<e>¶@<e>¶class A(object):
3 match <e>:¶    case tf.float32:|    case _:
if __name__ == '__main__':
"""
HEADS = [
    "",
    "#!/usr/bin/env python\n",
    '"""A program."""\n',
    "from __future__ import print_function\n",
    "from __future__ import (absolute_import,\n    division)\n",
    "\f\n",
    "'one'; 'line'\n",
]


class Program:
    """Writes one program; the same seed gives the same one."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._version = "2" if self._random.random() < 0.25 else "3"
        self.text = self._text()
        while self._version == "3" and not _parses(self.text):
            self.text = self._text()

    def _text(self):
        body = "\n".join(
            line for _ in range(self._random.randint(0, 9)) for line in self._statement(0)
        )
        imports = [
            self._import(line)
            for line in self._random.sample(_lines(IMPORTS), self._random.randint(0, 6))
        ]
        words = set(re.findall(r"(?<!\.)\b[A-Za-z]+\b", body))
        bindings = [line for line in BINDINGS if line.split()[-1].partition(".")[0] in words]
        start = "sess = optimizer = f = self = x = y = w = data = yield_ = object()"
        lines = [*bindings, *imports, start, body, ""]
        return self._random.choice(HEADS) + "\n".join(lines).replace("¶", "\n")

    def _import(self, line):
        template = self._random.choice(
            ["{}"] * 12
            + [
                "try:¶    {}¶except ImportError:¶    pass",
                "try:¶    {}¶except ImportError:¶    tf = None",
                "def load():¶    {}",
            ]
        )
        return (
            line
            if "*" in line
            else template.format(line.replace("¶", "¶    " * ("    " in template)))
        )

    def _statement(self, depth):
        lines = []
        for clause in self._one_of(STATEMENTS).split("|"):
            lines += self._filled(clause).split("¶")
            if clause.endswith(":"):
                inner = "    " * (1 + ("case" in clause))
                lines += [
                    inner + line
                    for _ in range(self._random.randint(1, 3))
                    if depth < 4
                    for line in self._statement(depth + 1)
                ]
                lines.append(inner + "pass")
        return lines

    def _expression(self, depth):
        kind = self._random.random()
        if depth > 2 or kind < 0.35:
            return self._random.choice(NAMES)
        return self._filled(self._one_of(CALLS if kind < 0.75 else EXPRESSIONS), depth + 1)

    def _filled(self, template, depth=0):
        return re.sub("<e>", lambda _: self._expression(depth), template)

    def _one_of(self, templates):
        lines = [
            re.sub("^[23] ", "", line)
            for line in _lines(templates)
            if line[:2] not in ("2 ", "3 ") or line[0] == self._version
        ]
        return self._random.choice(lines)


def _lines(templates):
    return templates.strip("\n").split("\n")


def _parses(text):
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True
