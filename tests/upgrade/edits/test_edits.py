"""Tests edits of a program's text, and that the rest of the text stays."""

import ast
import sys

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.programs.source.files import Source
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits import text as edits
from tf1grad.upgrade.edits.text import Text

pytestmark = NEEDS_PYTHON_3_8


def _replace(text, call, new="new"):
    text.replace(call.func, new)


# The old text; the edit, which gets the `Text` and the calls, or other nodes, in source order; the
# new text.
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
    "operation": (
        "y = a /  (b)",
        lambda text, node: text.rewrite(node, "//", "operator"),
        "y = a //  (b)",
        ast.BinOp,
    ),
    "item that is updated": (
        "rows[i, 0] += (1)",
        lambda text, node: text.rewrite(node, "add({owner}, {index}, {right})"),
        "add(rows, i, 0, (1))",
        ast.AugAssign,
    ),
    "rows of a column": (
        "frame['a'][2:]",
        lambda text, node, _: text.rewrite(node, "{frame}.loc[{rows}, {column}]"),
        "frame.loc[2:, 'a']",
        ast.Subscript,
    ),
    "arguments by their places": (
        "f(a, (b), c=d)",
        lambda text, call: text.rewrite(call, "g({2}, {0}, {1})"),
        "g(d, a, (b))",
    ),
    "other arguments": (
        "f( a, # one\n  b=2 , c=3 )",
        lambda text, call: text.rearrange(
            call, [("x", text.arguments(call)[1].value), (None, "new")]
        ),
        "f( x=2, # one\n  new )",
    ),
    "a list of arguments": (
        "f(a, b)",
        lambda text, call: text.rearrange(
            call, [("x", [argument.value for argument in text.arguments(call)])]
        ),
        "f(x=[a, b])",
    ),
    "no arguments": ("f()", lambda text, call: text.rearrange(call, [(None, "a")]), "f()"),
    "a renamed keyword": (
        "f(axis, axis=axis, dim=1)",
        lambda text, call: text.rename_keyword(call, "axis", "dimension"),
        "f(axis, dimension=axis, dim=1)",
    ),
    "a further argument": (
        "f(a, b=1 )",
        lambda text, call: text.add_argument(call, "c=2"),
        "f(a, b=1, c=2 )",
    ),
    "a further argument of none": ("f()", lambda text, call: text.add_argument(call, "c=2"), "f()"),
    "a dropped argument": (
        "f(a, b=1, c=2)",
        lambda text, call: text.drop_argument(call, "b"),
        "f(a, c=2)",
    ),
    "doubled parentheses": ("f((x))", lambda text, call: text.drop_parentheses(call), "f(x)"),
    "no doubled parentheses": ("f(x)", lambda text, call: text.drop_parentheses(call), "f(x)"),
    "inside an f-string": (
        "f'{tf.mul(x)}'",
        lambda text, call: (_replace(text, call), text.rewrite(call, "new({inside})")),
        "f'{tf.mul(x)}'" if sys.version_info < (3, 12) else "f'{new(x)}'",
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


@pytest.mark.parametrize(
    "old, edit, new, kind", [(*case, ast.Call)[:4] for case in EDITS.values()], ids=list(EDITS)
)
def test_an_edit_changes_its_place_only(old, edit, new, kind):
    program = Program(Source("program.py", old))
    text = Text(program)
    assert text.changed() == old
    edit(text, *[node for node, _ in program.nodes(kind)])
    assert text.changed() == new


# The old text, the number of the statement that goes, the lines that come, and the new text.
STATEMENTS = {
    "alone": ("import a\nimport b\nx = 1\n", 1, [], "import a\nx = 1\n"),
    "two for one": (
        "def f():\n    import a\n    x\n",
        1,
        ["import b", "import c"],
        "def f():\n    import b\n    import c\n    x\n",
    ),
    "the only one of a block": (
        "def f():\n    import a\nx\n",
        1,
        [],
        "def f():\n    pass  # its names are written where they are used\nx\n",
    ),
    "with others on its line": ("x; import a; y\n", 1, [], "x; pass; y\n"),
    "with others, and lines": (
        "import a; y\n",
        0,
        ["import b", "import c"],
        "import b; import c; y\n",
    ),
    "with a comment inside": (
        "from a import (  # why\n  b)\nx\n",
        0,
        ["import b"],
        "# why\nimport b\nx\n",
    ),
    "with a comment inside, and others": (
        "from a import (  # why\n  b); x\n",
        0,
        ["import b"],
        "# why\nimport b; x\n",
    ),
    "with line ends of Windows": (
        "x = 1\r\nimport a\r\ny\r\n",
        1,
        ["b", "c"],
        "x = 1\r\nb\r\nc\r\ny\r\n",
    ),
}


@pytest.mark.parametrize("old, number, lines, new", list(STATEMENTS.values()), ids=list(STATEMENTS))
def test_a_statement_becomes_lines(old, number, lines, new):
    program = Program(Source("program.py", old))
    text = Text(program)
    statement = [node for node, _ in program.nodes(ast.stmt)][number]
    text.rewrite_statement(
        statement, lines, edits.is_block_emptied(program, statement, [statement])
    )
    assert text.changed() == new


def test_comments_stand_above_the_innermost_statement():
    old = "@f\ndef g():\n    if x: y(\n        1)\n\tz\n".replace("\tz", "    z")
    text = Text(Program(Source("program.py", old)))
    assert [text.comment_above(line, "# new") for line in (2, 4, 4, 5)] == [1, 3, None, 5]
    assert text.comment_above(5, "# other") == 5
    assert text.changed() == (
        "# new\n@f\ndef g():\n    # new\n    if x: y(\n        1)\n    # new\n    # other\n    z\n"
    )


def test_imports_are_written_and_joined():
    program = Program(
        Source("program.py", "from a import b as c, d\nimport e as f, g\nfrom h import i\n")
    )
    first, second, third = program.source.tree.body
    assert edits.import_with(first, first.names) == "from a import b as c, d"
    assert edits.import_with(first, first.names[1:]) == "from a import d"
    assert edits.import_with(second, second.names[:1]) == "import e as f"
    assert edits.import_of("a.b", "c") == "from a import b as c"
    assert edits.import_of("a.b", "b") == "from a import b"
    assert edits.import_of("a", "a") == "import a"
    lines = ["from a import b", "import a", "from c import d", "from a import e", "import a"]
    assert edits.join_imports(lines) == ["from a import b, e", "import a", "from c import d"]
    text = Text(program)
    text.make_relative(third)
    assert text.changed().endswith("\nfrom .h import i\n")


@pytest.mark.parametrize(
    "text, end", [("a\nb\r\nc\r\n", "\r\n"), ("a\nb\n", "\n"), ("a\rb\r", "\r"), ("a", "\n")]
)
def test_new_lines_end_as_most_others(text, end):
    assert edits.newline_of(text) == end


def test_a_block_is_empty_if_all_of_it_goes():
    program = Program(Source("program.py", "a\nif x:\n    b\n    c\nelse:\n    d\n"))
    statements = [node for node, _ in program.nodes(ast.stmt)]
    a, _, b, c, d = statements
    emptied = [node for node in (a, b, c, d) if edits.is_block_emptied(program, node, statements)]
    assert emptied == [b, d]
    assert not edits.is_block_emptied(program, b, [a, b])


def test_two_statements_of_a_line_become_others():
    program = Program(
        Source("program.py", "if x:\n    import a; from b import (  # why\n  c); d\n")
    )
    text = Text(program)
    _, first, second, _ = [node for node, _ in program.nodes(ast.stmt)]
    text.rewrite_statement(first, ["import e"], False)
    text.rewrite_statement(second, ["import f"], False)
    assert text.changed() == "if x:\n    # why\n    import e; import f; d\n"
