"""Tests what the rule of Python 2 makes of files, after fissix has translated them."""

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.programs.source import files
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.rewriting.upgraded_programs import upgrade

pytestmark = NEEDS_PYTHON_3_8


@pytest.fixture
def upgraded(tmp_path):
    """Returns a function that writes files, upgrades them, and returns their new texts by name."""
    pytest.importorskip("fissix", reason="Python 2 is translated with fissix")

    def written(texts):
        for name, text in texts.items():
            path = tmp_path.joinpath(*name.split("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = upgrade([Program(files.read(str(tmp_path / name))) for name in texts])
        return {name: done.texts[str(tmp_path / name)] for name in texts}

    return written


def test_what_fissix_repeats_is_written_once(upgraded):
    text = "import cPickle, os\nprint (cPickle.dumps, 1)\nprint (os.name)\nprint (os), 2\n"
    assert upgraded({"train.py": text}) == {
        "train.py": "import pickle, os\nprint((pickle.dumps, 1))\nprint(os.name)\nprint((os), 2)\n"
    }


def test_functions_that_compare_become_keys(upgraded):
    text = "print 1\nx.sort(cmp=f)\ny = sorted(x, lambda a, b: a - b)\nx.sort(key=g)\n"
    assert upgraded({"train.py": text})["train.py"].splitlines() == [
        "import functools",
        "print(1)",
        "x.sort(key=functools.cmp_to_key(f))",
        "y = sorted(x, key=functools.cmp_to_key(lambda a, b: a - b))",
        "x.sort(key=g)",
    ]


def test_pickles_of_python_2_are_read_and_written_as_there(upgraded):
    text = "import pickle\nx = pickle.load(f)\ny = pickle.loads(s)\npickle.dump(x, g)\n"
    assert upgraded({"plot.py": text})["plot.py"] == text  # of Python 3
    new = upgraded({"train.py": text + "print x\n"})["train.py"]
    assert new.endswith("x = load_pickle(f)\ny = loads_pickle(s)\ndump_pickle(x, g)\nprint(x)\n")


def test_imports_of_modules_beside_a_file_of_a_package_are_relative(upgraded):
    texts = {
        "net/__init__.py": "",
        "net/layers.py": "x = 1\n",
        "net/inner/__init__.py": "",
        "net/inner/deep.py": "y = 2\n",
        "net/model.py": "import os, layers\nimport inner.deep as deep\nimport inner.deep\n"
        "from layers import x\nfrom os import path\nprint x, os, path\n",
    }
    assert upgraded(texts)["net/model.py"] == (
        "import os\nfrom . import layers\nfrom .inner import deep\nimport inner.deep\n"
        "from .layers import x\nfrom os import path\nprint(x, os, path)\n"
    )
