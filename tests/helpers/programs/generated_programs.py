"""Writes programs at random, in valid Python 2 and 3.

They hold the constructs in which names and calls of TensorFlow 1 can stand.
"""

import ast
import random
import re
import sys

# In all templates, a pilcrow is the end of a line.
IMPORTS = r"""
import tensorflow as tf
import tensorflow
import tensorflow as tf; tf.set_random_seed(1)
import tensorflow.contrib.slim as slim
import tensorflow.contrib as contrib
import tensorflow.nn as nn
import tensorflow.python.ops.rnn_cell as cells
from tensorflow import contrib, nn
from tensorflow import *
from tensorflow.contrib import slim, layers as L
from tensorflow.contrib.layers import (fully_connected,  # why¶    batch_norm as bn,¶)
from tensorflow.contrib.opt import ScipyOptimizerInterface
from tensorflow.examples.tutorials.mnist import input_data
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, gone_ops
from tensorflow.nn import \¶    dropout, relu
import numpy as np
import scipy.misc
from scipy.misc import imread, imresize as r
import matplotlib.pyplot as plt
import pandas as pd
from .other import thing as tf2
import tensorflow as tf, os; import numpy as np
from tensorflow.gfile import Open, Exists as exists
from tensorflow.contrib.layers.python.layers import layers, \¶    initializers
if True: import tensorflow as tf; from tensorflow.contrib import rnn
""".strip("\n").split("\n")

_BINDINGS = """
import tensorflow as tf; import tensorflow; import numpy as np; import tensorflow.contrib.slim as slim
from tensorflow.contrib import layers as L; from tensorflow import nn; from tensorflow import contrib
import scipy.misc; from tensorflow.contrib import rnn; import collections; import keras
import matplotlib.pyplot as plt; import pandas as pd; import importlib
from tensorflow.contrib.layers import fully_connected; import sys
from tensorflow.contrib.opt import ScipyOptimizerInterface
""".strip().replace("\n", "; ").split("; ")
BOUND_BY = {line.split()[-1].partition(".")[0]: line for line in _BINDINGS}
NAMES = """tf.float32 tf.contrib.layers.l2_regularizer tf.contrib.slim tf.nn.rnn_cell.LSTMCell tf.app.flags tf.VERSION
tf.contrib.gone.name tf.contrib tf.python.ops tf.GraphKeys.LOSSES tensorflow.contrib.rnn slim.conv2d L.flatten nn.relu
np.float np.inf np.bool scipy.misc.imread collections.Mapping tf.estimator.Estimator tf.__version__ tf.newaxis tf.mul
x y w self.loss data flags.FLAGS.rate contrib.rnn rnn.BasicLSTMCell keras.layers plt.hold""".split()

CALLS = """tf.mul({0}, {1}) tf.concat(0, [{0}, {1}]) tf.concat(axis={0}, values={1}) tf.placeholder(tf.float32, {0})
tf.Variable({0}, name={1}) tf.contrib.layers.fully_connected({0}, 3, activation_fn={1}) slim.conv2d({0}, *{1})
tf.nn.softmax_cross_entropy_with_logits({0}, {1}) tf.train.AdamOptimizer({0}).minimize({1}) tf.gradients({0}, {1})
tf.initialize_all_variables() tf.split(1, 2, {0}) tf.nn.dropout({0}, {1}) np.array({0}) np.load({0}) np.stack({0})
np.asscalar({0}) np.lib.pad({0}, 1, {1}) scipy.misc.imresize({0}, {1}) {0}.has_key({1}) {0}.append({1})
int({0}) len({0}) sess.run({0}, feed_dict={{x:{1}}}) tf.clip_by_global_norm({0}, 5.0) zip({0}, {1}) range({0}/{1})
tf.contrib.gone({0})
tf.contrib.framework.arg_scope([{0}]) tf.reduce_sum({0}, reduction_indices={1}) f({0}, **{1}) fully_connected({0}, {1})
tf.train.SummaryWriter({0}) tf.scalar_summary("a", {0}) tf.pack([{0}, {1}]) xrange({0}) ScipyOptimizerInterface({0})
tf.get_variable("w", {0}, initializer=tf.contrib.layers.xavier_initializer()) tf.cond({0}, lambda: {1}, lambda: {0})
optimizer.apply_gradients(zip({0}, {1})) tf.app.run() pd.DataFrame({0}).append({1}) plt.gca(projection={0})
tf.select({0}, {1}, {0}) tf.sparse_tensor_to_dense({0}) tf.assign_add({0}, {1}) np.fromstring({0}, {1})
importlib.import_module("tensorflow.contrib") tf.set_random_seed({0}) tf.Session()""".replace("\n", " ")
CALLS = [part for part in CALLS.replace(") ", ")\n").split("\n") if part]

EXPRESSIONS = r"""
({0} + {1})
{0}[{1}]
{0}[{1}:-1, ::2]
{{{0}: {1}}}
{{**{0}, 'a': {1}}}
[i for i in {0} if {1}]
{{k: v for k, v in zip({0}, {1})}}
lambda a, b={0}: {1}
({0} if {1} else {0})
{0} < {1} <= {0}
f"{{x!r:>{{y}}}} and {{tf.mul(x, y)}}"
'a' 'b'
'''long¶tf.contrib.layers  # no comment¶'''
-{0} ** {1}
(yield_)
{0}(\¶    {1})
(  # tf.contrib.slim¶    {0})
(n := {0})
(lambda *a, **k: {0})(*{1})
f"{{{{x}}}} {{tf.mul(x, {{'a': y}}['a']):.3f}}" f'{{x}}'
{0}.T.dot({1})[..., None]
"a" "tf.mul(x, y)" % {0}
({0}¶    + {1}  # tf.contrib.rnn¶    )
[{0}¶    for i, (a, *b) in {1} if a¶    ]
{{  # a comment¶    'a': {0},¶    'b': {1}, }}
""".strip("\n").split("\n")

SIMPLE = r"""
{0} = {1}
a, (b, *c) = {0}
x: {0} = {1}
x += {0}
x /= {0}
self.loss = {0}
{0}
tf = tf
slim = tf.contrib.slim
global_step = tf.contrib.framework.get_or_create_global_step()
flags = tf.app.flags
grads_and_vars = optimizer.compute_gradients({0})
x = {0}; y = {1}
if {0}: x = {1}
for i in {0}: x = {1}; y = i
while {0}: x = {1}; break
with {0} as x, {1}: pass
class A({0}): loss = {1}; w = tf.contrib.slim
def f(x, *y): return {0}
def f(x): global data; data = {0}; return {1}
lambda: (yield)
x = lambda a: lambda b={0}: {1}
x = {0} if {1} else \¶    y
print({0})
print({0}, end=""); sys.stdout.write(str({1}))
# tf.contrib.layers
# tf1grad: TFG101 An old comment.
x = {0}  # tf1grad: ignore[TFG101]
""".strip("\n").split("\n")

PYTHON_2 = r"""
print {0}
print >>sys.stderr, {0}, {1},
x = {0} <> {1}
x = 0777 + 10L
x = ur'text'
raise ValueError, {0}
for k, v in data.iteritems(): print k
def g((a, b), c={0}): return a / b
x = map(lambda (a, b): a / {0}, {1})
exec {0} in {1}
if {0}: print {1},; x = y / 3
print "%d %s" % ({0}, {1})
x = {0}.has_key({1}) and not {1}.has_key({0})
x, y = divmod({0}, 2), {1} / len({0})
assert isinstance(x, (int, long, unicode)), `{0}`
""".strip("\n").split("\n")

BLOCKS = r"""
if {0}:|elif {1}:|else:
for i in {0}:|else:
while {0}:
try:|except {1}:|finally:
try:|except (ImportError, {1}) as error:|else:
with {0} as x:
with {0} as x, {1}:
def f(a, b={0}, *c, d={1}, **e):
def f(a: {0}) -> {1}:
async def f():
class A({0}):
class A({0}, metaclass={1}):
@{0}¶def f(x):
@tf.contrib.framework.add_arg_scope¶def f(x):
@staticmethod¶@tf.contrib.slim.add_arg_scope  # why¶def f(x):
@{0}¶@{1}¶class A(object):
match {0}:¶    case tf.float32:|    case _:
if __name__ == '__main__':
""".strip("\n").split("\n")

# What Python 2 does not have: these templates are for Python 3.
_ONLY_3 = re.compile(r"""f["']|:=|\*\*\{0\}, '|\*b\b|^x: |->|^async|^match|metaclass|\*c, d|end=""|^@\{0\}|@\{1\}""")
HEADS = ["", "#!/usr/bin/env python\n", '"""A program."""\n', "from __future__ import print_function\n",
         "from __future__ import (absolute_import,\n    division)\n", "\f\n", "'one'; 'line'\n"]


class Generator:
    """Writes one program after the other; the same seed gives the same ones."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.is_python_2 = self.random.random() < .25

    def program(self):
        """Returns the text of a program; the Python that runs parses it, or its Python 2 is translated."""
        while True:
            text = self._text()
            if self.is_python_2 or _parses(text):
                return text

    def _text(self):
        pick = self.random
        lines = [pick.choice(HEADS)] if pick.random() < .4 else []
        imports = pick.sample(IMPORTS, pick.randint(0, 6))
        body = "".join(self._statement(0) for _ in range(pick.randint(0, 9)))
        used = set(re.findall(r"(?<!\.)\b[A-Za-z]+\b", body)).intersection(BOUND_BY)
        bound = {alias.asname or alias.name.split(".")[0] for line in imports
                 for node in ast.walk(ast.parse(line.replace("¶", "\n"))) if hasattr(node, "names")
                 for alias in node.names}
        lines += [self._import(line) for line in imports]
        lines += [BOUND_BY[name] + "\n" for name in sorted(used - bound)]
        lines += ["sess = optimizer = f = self = x = y = w = data = yield_ = object()\n"]
        return ("".join(lines) + body).replace("¶", "\n")

    def _import(self, line):
        kind = self.random.random()
        if kind < .85:
            return line + "\n"
        inner = line.replace("¶", "¶    ")
        if kind < .93:
            otherwise = self.random.choice(["pass", "tf = None"])
            return f"try:\n    {inner}\nexcept ImportError:\n    {otherwise}\n"
        return f"def load():\n    {inner}\n" if "*" not in line else line + "\n"

    def _statement(self, depth):
        pick = self.random
        indent = "    " * depth
        if pick.random() < .3 and depth < 4:
            return self._block(depth)
        line = self._one_of(PYTHON_2 if self.is_python_2 and pick.random() < .3 else SIMPLE)
        if line.startswith("#"):
            return indent + line + "\n"
        return indent + self._filled(line).replace("¶", "\n" + indent) + "\n"

    def _block(self, depth):
        indent = "    " * depth
        parts = []
        clauses = self._one_of(BLOCKS).split("|")
        for clause in clauses:
            inner = depth + 1 + ("case" in clause)
            parts.append(indent + self._filled(clause).replace("¶", "\n" + indent) + "\n")
            parts += [self._statement(inner) for _ in range(self.random.randint(1, 3))]
            parts.append("    " * inner + "pass\n")
        return "".join(parts)

    def _one_of(self, templates):
        while True:
            template = self.random.choice(templates)
            needs_3_9 = template.startswith("@{0}")  # before, a decorator is a name or a call of one
            if not (self.is_python_2 and _ONLY_3.search(template) or needs_3_9 and sys.version_info < (3, 9)):
                return template

    def _filled(self, line):
        return line.format(self._expression(0), self._expression(0))

    def _expression(self, depth):
        pick = self.random
        kind = pick.random()
        if depth > 2 or kind < .35:
            return pick.choice(NAMES)
        template = pick.choice(CALLS) if kind < .75 else self._one_of(EXPRESSIONS)
        return template.format(self._expression(depth + 1), self._expression(depth + 1))


def _parses(text):
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True
