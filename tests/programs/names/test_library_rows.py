"""Each row about another library is true: of the installed library, and of `run`, `check`,
`upgrade` and the remedy.
"""

import json
import pathlib
import re
import sys
import warnings

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from script_folder import printed
from tf1grad.migrate import dropped_functions
from tf1grad.programs.names import numpy_rows, other_libraries, python_rows
from tf1grad.programs.names.rows import (
    does_nothing,
    function_of,
    keyword_of,
    last_name,
    written_by_upgrade,
)
from tf1grad.programs.source import files
from tf1grad.programs.source.program import Program
from tf1grad.run import dropped_names
from tf1grad.run.dropped_names import numpy_2_errors, served_modules
from tf1grad.run.python2 import builtin_functions, meaning
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rewriting.upgraded_programs import upgrade
from tf1grad.upgrade.rules import engine

ROWS = other_libraries.ROWS
FIXES = "".join(
    file.read_text() for file in pathlib.Path(dropped_names.__file__).parent.glob("*.py")
)
NAMES = other_libraries.select_rows("name", "module", "submodule")
SEEN = [row for row in ROWS if not does_nothing(row.check)]
PACKAGES = {
    "NumPy": "numpy",
    "SciPy": "scipy",
    "Matplotlib": "matplotlib",
    "pandas": "pandas",
    "Pillow": "PIL",
    "scikit-learn": "sklearn",
    "gast": "gast",
}
MANAGER = "matplotlib.backend_bases.FigureManagerBase.set_window_title"  # `canvas.manager` is one

# Says of each (old, new), and of each (function, old keyword, new keyword), whether the installed
# libraries have them; None where a package is not installed. Then it runs each program as `tf1grad
# run` does, and says what it raises.
FACTS = """
import importlib, inspect, json, sys, warnings
warnings.simplefilter("ignore")
names, keywords, programs = json.loads(sys.stdin.read())

def find(name):
    parts = name.split(".")
    if parts[0] == "dict" and parts[1:]:
        return getattr(dict, parts[1])
    if parts[:2] == ["numpy", "ndarray"] and parts[2:]:  # NumPy 2.0 to 2.3 have properties that raise
        return getattr(find("numpy.zeros")(1), parts[2])
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    return getattr(importlib.import_module("builtins"), name)

def has(name):
    try:
        find(name)
    except AttributeError:
        return False
    except RuntimeError:  # numpy.core.umath_tests, which NumPy 1.22 to 1.26 have and refuse to load
        return None
    return True

def parameters(function):
    try:
        return [str(each).split("=")[0].split(":")[0] for each in inspect.signature(find(function)).parameters.values()]
    except (AttributeError, ValueError, TypeError):
        return None

facts = {"names": {name: has(name) for name in names}, "keywords": {name: parameters(name) for name in keywords}}
from tf1grad.run import dropped_names
from tf1grad.programs.process import ownership
dropped_names.install()
facts["errors"] = {}
for old, code in programs.items():
    ownership.remember_file(old, is_python_2=True)
    try:
        exec(dropped_names.compile_module(code, old), {"__name__": "__main__", "find": find, "installed": facts["names"]})
    except Exception as error:
        facts["errors"][old] = repr(error)
print(json.dumps(facts))
"""


def _version(title):
    if title == "Python":
        return tuple(sys.version_info[:2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip(PACKAGES[title], reason=f"{title} is not installed")
    version = getattr(module, "__version__", "0.2")  # gast 0.2 has no number
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def _is_gone(row):
    """Says whether the installed release should lack the old name;
    None where the row does not know.
    """
    is_late, title, number = re.fullmatch(r"(by |deprecated in |)(.+) ([\d.]+)", row.since).groups()
    if is_late == "deprecated in " or title == "pyDOE" or row.old in numpy_rows.RETURNED:
        return None
    gone = _version(title) >= tuple(map(int, number.split(".")))
    return None if is_late and not gone else gone


def _new_name(row):
    if row.kind != "method" or row.new is None or "." in row.new:
        return MANAGER if row.new == "manager.set_window_title" else row.new
    return f"{row.old.rpartition('.')[0]}.{row.new}"


def _use(row):
    """Returns a program that uses the row, and refuses another meaning
    than that of the new name.
    """
    owner = row.old.rpartition(".")[0]
    if row.kind == "module":
        return f"import {row.old}\n"
    if row.kind == "name" and row.upgrade == "rename":
        return (
            f"import {owner}\nassert installed[{row.old!r}] or {row.old} in [find({row.new!r})]\n"
        )
    return f"import {owner}\n{row.old}\n"


@pytest.fixture(scope="module")
def facts():
    names = {
        name
        for row in ROWS
        if row.kind not in ("keyword", "value")
        for name in (row.old, _new_name(row))
        if name
    }
    keywords = {function_of(row) for row in other_libraries.select_rows("keyword")}
    programs = {row.old: _use(row) for row in NAMES if not does_nothing(row.run)}
    questions = json.dumps([sorted(names), sorted(keywords), programs])
    return json.loads(printed("-c", FACTS, stdin=questions).splitlines()[-1])


def _id(row):
    return row.old.replace(" ", "-")


def test_a_fact_has_one_row():
    assert len({row.old for row in ROWS}) == len(ROWS) > 300
    assert python_rows.MARKS <= {row.old for row in ROWS}


def test_the_columns_are_filled():
    for row in ROWS:
        assert row.run and row.upgrade and row.remedy.endswith((".", ")")), row
        assert row.new is None or row.new.rpartition(".")[2] in row.remedy, row
        assert row.new or row.upgrade != "rename", row


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.kind not in ("keyword", "value")], ids=_id
)
def test_the_installed_library_lacks_the_old_name_and_has_the_new(row, facts):
    gone = _is_gone(row)
    if gone is None:
        pytest.skip(f"{row.since}: the installed release may have it")
    assert facts["names"][row.old] is not gone
    assert not gone or row.new is None or row.requirement or facts["names"][_new_name(row)]


@pytest.mark.parametrize("row", other_libraries.select_rows("keyword"), ids=_id)
def test_the_installed_library_lacks_the_old_keyword(row, facts):
    if _is_gone(row) is not True:
        pytest.skip(f"the installed release has it until {row.since}")
    found = facts["keywords"][function_of(row)]
    assert found and keyword_of(row) not in found
    assert row.new is None or row.new in found or any(name.startswith("**") for name in found)


@pytest.mark.parametrize("row", [row for row in ROWS if not does_nothing(row.run)], ids=_id)
def test_run_serves_the_row(row, facts):
    if row.kind == "builtin":
        assert row.old in builtin_functions.FUNCTIONS or row.old == "execfile"
    elif row.old.startswith("dict."):
        assert last_name(row) in meaning.METHODS
    elif row.kind in ("method", "keyword", "value"):
        is_served = row.old in served_modules.METHODS or row.new and row.kind == "keyword"
        assert (
            is_served
            or re.search(rf'\(\s*"{re.escape(row.run)}",\s', FIXES)
            or row.run in [each.name for each in numpy_2_errors.REFUSALS]
        )
    else:
        package = PACKAGES.get(other_libraries.library_of(row))
        for name in filter(None, [package, row.requirement]):
            pytest.importorskip({"pillow": "PIL"}.get(name, name.replace("-", "_")))
        if row.old in facts["names"] and facts["names"][row.old] is None:
            pytest.skip("the installed release has it and refuses to load it")
        assert row.old not in facts["errors"]


# What makes an object of a class; an object of any other class comes from outside.
MAKERS = {
    "pandas.DataFrame": "import pandas\nx = pandas.read_csv('a')",
    "pandas.Index": "import pandas\nx = pandas.Index([1])",
    "pandas.Series": "import pandas\nx = pandas.Series([1])",
    "numpy.ndarray": "import numpy as np\nx = np.zeros(3)",
    "array.array": "import array\nx = array.array('B')",
    "PIL.ImageDraw.ImageDraw": "from PIL import ImageDraw\nx = ImageDraw.Draw(1)",
    "PIL.ImageFont.FreeTypeFont": "from PIL import ImageFont\nx = ImageFont.truetype('a')",
    "PIL.Image.Image": "from PIL import Image\nx = Image.open('a')",
    "threading.Thread": "import threading\nx = threading.Thread()",
    "unittest.TestCase": "import unittest\nx = unittest.TestCase()",
    "dict": "x = {}",
}
VALUES = {
    "numpy.load": "import numpy as np\nnp.load(f).item()",
    "numpy.array(copy=False)": "import numpy as np\nnp.array(x, copy=False)",
    "numpy.stack of a generator": "import numpy as np\nnp.stack(map(f, x))",
    "numpy.fromstring": "import numpy as np\nnp.fromstring(x)",
    "matplotlib preamble": "rc['pgf.preamble'] = ['a']",
    "yaml.load": "import yaml\nyaml.load(f)",
}


def _program(row):
    """Returns a program that uses the row, as short as can be."""
    owner, name = function_of(row).rpartition(".")[0], last_name(row)
    if row.kind == "value":
        return VALUES[row.run] + "\n"
    if row.kind == "builtin":
        return f"{row.old}(1)\n"
    if row.kind == "method":
        start = MAKERS.get(owner, "x = made_elsewhere()")
        return f"{start}\nx.{name}({', '.join('1' * (row.arguments or 0))})\n"
    if row.kind == "keyword" and owner.rpartition(".")[2][0].isupper():
        return f"x.{name}(1, {keyword_of(row)}=2)\n"
    if row.kind == "keyword":
        return f"import {owner}\n{owner}.{name}(1, {keyword_of(row)}=2)\n"
    called = "(1)" if "{arguments}" in row.upgrade else ""
    return f"import {row.old}\n" if row.kind == "module" else f"import {owner}\n{row.old}{called}\n"


class _Without:
    """Answers for a NumPy that lacks every name."""

    def has(self, name):
        """Says that the name is missing."""
        return False


@pytest.mark.parametrize("row", SEEN, ids=_id)
def test_check_finds_the_row(row):
    installed = _Without() if row.old in numpy_rows.RETURNED else InstalledNames(ask=False)
    found = engine.findings([Program(files.Source("old.py", _program(row)))], installed)
    assert found, _program(row)
    assert (
        any(finding.remedy.startswith(row.remedy) for finding in found)
        or row.kind == "builtin"
        or row.old.startswith("dict.")
    )
    assert row.requirement in [finding.requirement for finding in found]


@NEEDS_PYTHON_3_8
@pytest.mark.slow
@pytest.mark.parametrize("row", SEEN, ids=_id)
def test_upgrade_rewrites_the_row(row):
    if row.old == "execfile":
        pytest.skip("a whole file of Python 2 is translated by fissix")
    program = "import tensorflow.compat.v1 as tf\ntf.Session\n" + _program(row)
    texts, left, *_ = upgrade([Program(files.Source("old.py", program))])
    if does_nothing(row.upgrade):
        assert left and _program(row).splitlines()[-1] in texts["old.py"]
    else:
        assert [finding for finding in left if finding.remedy == row.remedy] == [] and texts[
            "old.py"
        ] != program
        new = (row.new or "").rpartition(".")[2]
        if row.new == "scipy.misc":  # an import of it alone goes too
            new = ""
        if row.upgrade == "helper":
            new = (
                written_by_upgrade(row)
                if row.kind == "name"
                else "tf1grad.migrate.dropped_methods."
            )
            assert row.kind != "name" or hasattr(dropped_functions, new.rpartition(".")[2])
        assert new in texts["old.py"]
