"""Tests what a program tells of its nodes."""

import ast

from tf1grad.programs.source.files import Source
from tf1grad.programs.source.program import Program


def test_columns_are_characters_from_1():
    program = Program(Source("a.py", "x = '\u00e9\u03c0', name\n"))
    columns = {each.id: program.column(each) for each, _ in program.nodes(ast.Name)}
    assert columns == {"x": 1, "name": 11}
    assert program.column(SyntaxError("wrong", ("a.py", 1, 4, "x = = 1"))) == 4
    assert program.column(SyntaxError("wrong")) == 1
