"""Tests the table of names that originals import: each has one row, and what rows name is there."""

import ast
import glob
import os
import pathlib

import pytest

from tf1grad._compat import VERSION
from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import name_map, rewritten_code
from tf1grad.old_programs.period import folder


def _keys(name):
    """Returns the keys of the dict literals that the source assigns to `name`, also those that stand twice."""
    with open(name_map.__file__, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    return [
        ast.literal_eval(key)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == name
        for key in node.value.keys
    ]


def test_each_name_has_one_row():
    names = [
        key
        for group in ("_FOR_ORIGINALS", "_FOR_ALL", "_IF_MISSING", "_OF_OP_LAYER")
        for key in _keys(group)
    ]
    names += [
        f"python.ops.{module}.{name}"
        for module, listed in name_map.DISPATCHED.items()
        for name in listed.split()
    ]
    assert len(names) == len(set(names)) == len(name_map.ROWS) > 100
    for modules in ("MODULES", "REEXPORTED_MODULES", "CHANGES"):
        keys = _keys(modules)
        assert len(keys) == len(set(keys))


@pytest.mark.period
@pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has no op layer over it")
def test_no_row_is_overridden_by_a_module_of_the_op_layer():
    from tf1grad.old_programs.op_layer import modules_from_1_15

    assert set(name_map.MODULES) & modules_from_1_15.paths() == set()


@pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has the names where they were")
@pytest.mark.parametrize("group", ["_FOR_ORIGINALS", "_FOR_ALL", "_OF_OP_LAYER"])
def test_what_a_row_names_is_there(group):
    missing = {}
    for path in vars(name_map)[group]:
        try:
            _compat.resolve(name_map.ROWS[path].now)
        except (ImportError, AttributeError) as error:
            missing[path] = str(error)
    assert missing == {}


@pytest.mark.period
def test_each_corrected_text_stands_in_an_original():
    files = glob.glob(os.path.join(folder.find_originals(), "*", "**", "*.py"), recursive=True)
    sources = [pathlib.Path(file).read_bytes() for file in files]
    unused = [
        old
        for old in rewritten_code._CORRECTED
        if not any(old.encode() in source for source in sources)
    ]
    assert unused == []
