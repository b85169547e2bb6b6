"""Tests edits of a program's text, and that the rest of the text stays."""

import ast

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.old_programs.source.edits import Text
from tf1grad.old_programs.source.files import Source
from tf1grad.old_programs.source.program import Program

pytestmark = NEEDS_PYTHON_3_8


def _replace(text, call, new="new"):
    text.replace(call.func, new)


# The old text; the edit, which gets the `Text` and its calls in source order; the new text.
EDITS = {
    "replace, but not in strings": (
        "tf.mul(x, 'tf.mul')  # tf.mul",
        _replace,
        "new(x, 'tf.mul')  # tf.mul",
    ),
    "rest stays": (
        "#\t \r\nif 1:\r\n\té =  'é' ; tf. \\\r\n mul( 1 ,2 ) ;\n\r\n'''\r\n  '''  \r\n\x0cz=0",
        _replace,
        "#\t \r\nif 1:\r\n\té =  'é' ; new( 1 ,2 ) ;\n\r\n'''\r\n  '''  \r\n\x0cz=0",
    ),
    "a name in parentheses": ("(tf).mul(x)", _replace, "new(x)"),
    "inside": (
        "print(tf.old(a,  # one\n  b=(1, 2)))",
        lambda text, _, call: text.rewrite(call, "new([{inside}], axis=0)"),
        "print(new([a,  # one\n  b=(1, 2)], axis=0))",
    ),
    "method": (
        "frame('é').sort(sort=1)",
        lambda text, call, _: text.rewrite(call, "order", "method"),
        "frame('é').order(sort=1)",
    ),
    "a comment right behind a statement that goes": (
        "tf.a()# kept\n",
        lambda text, statement: text.rewrite_statement(statement, [], False),
        "# kept\n",
    ),
    "overlap, outer first": (
        "tf.a(tf.b(x), y)",
        lambda text, outer, inner: (text.rewrite(outer, "f({inside})"), _replace(text, inner)),
        "f(new(x), y)",
    ),
    "overlap, inner first": (
        "tf.a(tf.b(x), y)",
        lambda text, outer, inner: (_replace(text, inner), text.rewrite(outer, "f({inside})")),
        "f(new(x), y)",
    ),
    "overlap, inner text is gone": (
        "tf.a(tf.b(x)) + 1",
        lambda text, outer, inner: (_replace(text, inner), text.rewrite(outer, "0")),
        "0 + 1",
    ),
    "overlap, first of two edits of a name": (
        "tf.a(x)",
        lambda text, call: (_replace(text, call, "first"), _replace(text, call, "second")),
        "first(x)",
    ),
}


@pytest.mark.parametrize("old, edit, new", list(EDITS.values()), ids=list(EDITS))
def test_an_edit_changes_its_place_only(old, edit, new):
    program = Program(Source("program.py", old))
    text = Text(program)
    assert text.changed() == old
    edit(text, *[node for node, _ in program.nodes(ast.Call)])
    assert text.changed() == new
