"""Tests the breaks that `mutations.py` plants."""

import ast

import mutations
from other_pythons import NEEDS_PYTHON_3_8


@NEEDS_PYTHON_3_8
def test_each_kind_of_break_changes_one_place():
    text = (
        "def f(x):\n"
        "    'π is two bytes'; g('π'); h(x)\n"
        "    if x and (\n"
        "        x > 1\n"
        "    ):\n"
        "        return x + 1\n"
        "    return None\n"
    )
    expected = [
        text.replace("g('π')", "pass"),
        text.replace("h(x)", "pass"),
        text.replace("x and (\n        x > 1\n    )", "(not (x and (\n        x > 1\n    )))"),
        text.replace("return x + 1", "return None"),
    ]
    changes = [mutations.change_of(node, text) for node in ast.walk(ast.parse(text))]
    found = [mutations.replaced(text, each[0], each[2]) for each in changes if each]
    assert sorted(found) == sorted(expected)


@NEEDS_PYTHON_3_8
def test_breaks_of_a_source_are_told_apart_without_their_lines():
    found = mutations.breaks("tools", "tests/tools/mutations.py")
    assert len(found) > 20
    assert len({each.identity() for each in found}) == len(found)
