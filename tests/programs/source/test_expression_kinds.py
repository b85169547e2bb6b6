"""Tests what the text of a training step makes of its expressions:
pairs, gradients, variables, steps.
"""

import ast

import pytest

from tf1grad.programs.source import integer_inference
from tf1grad.programs.source.files import Source
from tf1grad.programs.source.name_resolution import Names
from tf1grad.programs.source.program import Program, literal

HEADER = """
import tensorflow as tf
import tf1grad
optimizer = tf.train.AdamOptimizer()
loss = tf.reduce_sum(x)
variables = tf.trainable_variables()
grads = tf.gradients(loss, variables)
pairs = optimizer.compute_gradients(loss)
g, v = pairs[0]
holder = tf.placeholder(tf.float32)
sums = [tf.Variable(tf.zeros_like(v)) for v in variables]
"""
# The last expression, and its kind.
KINDS = {
    "grads": "gradients",
    "grads[0]": "gradient",
    "grads[1:]": "gradients",
    "pairs": "pairs",
    "pairs[:2]": "pairs",
    "pairs[0]": "pair",
    "g": "gradient",
    "v": "variable",
    "variables[0]": "variable",
    "[g for g, _ in pairs]": "gradients",
    "[v for _, v in pairs]": "variables",
    "tuple(g for g, _ in pairs)": "gradients",
    "[(g, v) for g, v in pairs]": "pairs",
    "[(v, g) for g, v in pairs]": "swapped",
    "[p for p in pairs if p[0] is not None]": "pairs",
    "[p[0] for p in pairs]": "gradients",
    "list(zip(grads, variables))": "pairs",
    "zip(variables, grads)": "swapped",
    "list(zip(variables, grads))[0]": "swapped pair",
    "list(zip(variables, grads))[0][0]": "variable",
    "list(zip(variables, grads))[0][1]": "gradient",
    "zip(grads)": None,
    "zip(*pairs)": "unzipped",
    "zip(*grads)": None,
    "list(zip(*pairs))[0]": "gradients",
    "list(zip(*pairs))[1]": "variables",
    "zip(grads, variables, names)": None,
    "tf.clip_by_global_norm(grads, 5.0)": "clipped",
    "tf.clip_by_global_norm(grads, 5.0)[0]": "gradients",
    "tf.clip_by_global_norm(grads, 5.0)[1]": None,
    "tf1grad.clip_by_global_norm(pairs, 5.0)[0]": "pairs",
    "[tf.clip_by_value(g, -1.0, 1.0) for g in grads]": "gradients",
    "tf.clip_by_norm(g, 1.0)": "gradient",
    "tf.tuple(grads)": "gradients",
    "tf.zeros_like(g)": "gradient",
    "tf.zeros_like(v)": None,
    "g * 0.5": "gradient",
    "0.5 * g": "gradient",
    "g / 4.0": "gradient",
    "g * 0": "gradient",
    "g - 1.0": None,
    "2.0 * v": None,
    "grads + grads": "gradients",
    "tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)": "variables",
    "tf.get_collection('my_variables', 'net')": "variables",
    "tf.get_collection(tf.GraphKeys.LOSSES)": None,
    "tf.train.get_or_create_global_step()": "variable",
    "holder": "placeholder",
    "[tf.placeholder(tf.float32) for _ in variables]": "placeholders",
    "zip([tf.placeholder(tf.float32) for _ in variables], variables)": "pairs",
    "optimizer.apply_gradients(pairs)": "apply",
    "optimizer.minimize(loss)": "apply",
    "tf.group(optimizer.minimize(loss))": "apply",
    "[optimizer.minimize(loss)]": "apply",
    "sums[0].assign_add(g)": "accumulate",
    "[s.assign_add(g) for s, g in zip(sums, grads)]": "accumulate",
    "sums[0].assign_add(1.0)": None,
    "sums[0].assign(tf.zeros_like(v))": "reset",
    "sums[0].assign(g)": None,
    "g if clip else tf.zeros_like(g)": "gradient",
    "None or grads": "gradients",
    "list(reversed(grads))": "gradients",
    "[*grads]": None,
    "loss": None,
    "unknown": None,
}


def _program(text):
    return Program(Source("program.py", text))


def _last(program):
    return program.source.tree.body[-1].value


@pytest.mark.parametrize("text, kind", list(KINDS.items()), ids=list(KINDS))
def test_an_expression_has_its_kind(text, kind):
    program = _program(HEADER + text)
    assert program.kind(_last(program)) == kind


def test_a_gradient_that_is_zero_says_so():
    """A product with 0 and `zeros_like` keep Adam and momentum moving."""
    for text in ("g * 0", "0.0 * g", "tf.zeros_like(g)"):
        program = _program(HEADER + text)
        assert program.kinds.of(_last(program), program.names.module) == ("gradient", "zeros")
    program = _program(HEADER + "g * 0.5")
    assert program.kinds.of(_last(program), program.names.module).origin == "compute_gradients"


def test_parameters_have_the_kind_of_what_calls_give_them():
    program = _program(
        HEADER
        + """
class Trainer:
    def clipped(self, values, limit=1.0):
        return values

    def apply(self, grads_and_vars):
        return grads_and_vars

trainer.clipped(grads)
trainer.clipped(limit=2.0, values=grads)
"""
    )
    of_values, of_pairs = (
        program.kind(function.body[0].value) for function, _ in program.nodes(ast.FunctionDef)
    )
    assert (of_values, of_pairs) == ("gradients", "pairs")
    starred = _program(HEADER + "def clipped(*values):\n    return values\nclipped(grads)\n")
    assert starred.kind(starred.nodes(ast.FunctionDef)[0][0].body[0].value) is None


WHOLE, OTHER = integer_inference.WHOLE, integer_inference.OTHER
NUMBERS = {
    "3": WHOLE,
    "-3": WHOLE,
    "3.0": OTHER,
    "'%d' % n": OTHER,
    "len(rows)": WHOLE,
    "int(x) - 1": WHOLE,
    "float(x)": OTHER,
    "len(rows) * 0.5": OTHER,
    "n * 0.5": OTHER,
    "n * 2": None,
    "len(rows) ** 2": None,
    "rows.len()": None,
    "(len(a) + 1) // 2": WHOLE,
}


@pytest.mark.parametrize("text, kind", list(NUMBERS.items()), ids=list(NUMBERS))
def test_whole_numbers_are_those_of_python_2(text, kind):
    def found(tree):
        names = Names(tree)
        return integer_inference.infer_kind(tree.body[-1].value, names, names.module)

    assert found(ast.parse(text)) == kind
    own = ast.parse("def len(x): return 0.5\nfrom symbols import int, float\n" + text)
    is_called = any(isinstance(node, ast.Call) for node in ast.walk(own.body[-1]))
    if is_called and "0.5" not in text:
        assert found(own) is None


CONVERSIONS = {
    "tf.to_float(n)": OTHER,
    "tf.cast(n, tf.float32)": OTHER,
    "tf.cast(n, dtype='float64')": OTHER,
    "tf.cast(n, tf.int32)": None,
    "np.float32(n)": OTHER,
    "np.int32(n)": None,
    "rows.astype(float)": OTHER,
    "rows.astype('int32')": None,
    "tf.square(n)": None,
}


@pytest.mark.parametrize("text, kind", list(CONVERSIONS.items()), ids=list(CONVERSIONS))
def test_conversions_to_floats_are_no_whole_numbers(text, kind):
    names = Names(ast.parse("import numpy as np\nimport tensorflow as tf\n" + text))
    value = ast.parse(text).body[-1].value
    assert integer_inference.infer_kind(value, names, names.module) == kind
    by_name = Names(ast.parse(f"import numpy as np, tensorflow as tf\nx = {text}"))
    assert (
        integer_inference.infer_kind(ast.parse("x").body[0].value, by_name, by_name.module) == kind
    )


def test_the_value_above_is_that_of_the_last_assignment_that_runs_for_sure():
    text = """
first = 1
first = 2
print(first)
branch = 1
if unknown:
    branch = 2
print(branch)
for looped in rows:
    print(looped)
added = 1
added += 1
print(added)
late = 1
print(late)
late = 2
print(3)
"""
    program = _program(text)
    values = [program.value_above(call.node.args[0]) for call in program.calls_of("print")]
    constants = [
        ast.literal_eval(value) if isinstance(value, ast.AST) else value for value in values
    ]
    assert constants[0] == 2 and constants[1] is None
    assert constants[2].node.id == "rows" and constants[2].each
    assert constants[3:] == [None, 1, 3]
    assert literal(program, program.calls_of("print")[0].node.args[0]) is None  # two values


def test_what_only_python_2_reaches_is_left_out():
    text = """
import sys, six
if sys.version_info[0] < 3:
    old_function()
else:
    new_function()
old_value() if six.PY2 else new_value()
if tf.__version__.startswith("0."):
    before_1_0()
if sys.version_info >= (3, 9):
    sometimes()
"""
    assert [call.method for call in _program(text).calls] == [
        "new_function",
        "new_value",
        "startswith",
        "sometimes",
    ]
