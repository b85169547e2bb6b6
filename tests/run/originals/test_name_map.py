"""Tests the table of names that originals import: each has one row, and what rows name is there."""

import ast
import pathlib
import re

import pytest

from tf1grad._compat import VERSION
from tf1grad.programs import _compat
from tf1grad.programs.period import folder
from tf1grad.run import op_layer, originals
from tf1grad.run.originals import modules_from_1_15, name_map, rewritten_code

TABLES = ("NOW", "MODULES", "REEXPORTED_MODULES", "CHANGES")


def _keys():
    """Returns the keys of the tables by their names, also keys that stand twice."""
    with open(name_map.__file__, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found = {}
    for node in ast.walk(tree):
        target = getattr(node, "target", None) or getattr(node, "targets", [None])[0]
        if getattr(target, "id", None) in TABLES:
            found[target.id] = [ast.literal_eval(key) for key in node.value.keys]
    return found


def test_each_name_has_one_row():
    keys = _keys()
    assert set(keys) == set(TABLES)
    for table in keys.values():
        assert len(table) == len(set(table))
    listed = set(keys["NOW"])
    declared = _declared()
    assert len(declared) == len(set(declared))
    assert not listed & set(declared)
    assert not (listed | set(declared)) & set(keys["MODULES"])
    assert name_map.CHANGED <= listed | set(declared)


def _declared():
    """Returns the names that modules declare stand-ins for, also those that are declared twice."""
    found = []
    for package in (originals, op_layer):
        for path in sorted(pathlib.Path(package.__file__).parent.glob("**/*.py")):
            text = path.read_text(encoding="utf-8")
            for call in re.findall(r"(?:stands_in_for|\bdeclare)\(([^()]*?)\)\n", text):
                found += re.findall(r'"(python\.[\w.]+)"', call)
    return found


@pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has the names where they were")
def test_what_modules_declare_is_in_the_map():
    ours = [name for name, now in name_map.rows().items() if now.startswith("tf1grad.")]
    assert sorted(ours) == sorted(_declared())


def test_rows_of_names_are_sorted_by_module():
    names = _keys()["NOW"]
    assert names == sorted(names, key=lambda name: (name.rpartition(".")[0], name))


@pytest.mark.period
def test_no_row_is_overridden_by_a_module_of_1_15():
    assert set(name_map.MODULES) & modules_from_1_15.paths() == set()


@pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has the names where they were")
def test_what_a_row_names_is_there():
    missing = {}
    for path, now in name_map.rows().items():
        try:
            if now != name_map.ORIGINAL:
                _compat.resolve(now)
        except (ImportError, AttributeError) as error:
            missing[path] = str(error)
    assert missing == {}


@pytest.mark.period
@pytest.mark.parametrize("name", rewritten_code.CORRECTIONS)
def test_each_corrected_text_stands_in_its_original(name):
    root = pathlib.Path(folder.find_originals())
    originals = [root / "tensorflow_core" / name, root / name]
    text = next(each for each in originals if each.exists()).read_text("utf-8")
    assert [old for old in rewritten_code.CORRECTIONS[name] if old not in text] == []
