"""Tests which files of a folder are read, what is left of notebooks with prose,
and signs in the text of packages.
"""

import json
import os
import re
import subprocess

import pytest

from tf1grad.programs._errors import UsageError
from tf1grad.programs.source import files, library_text


@pytest.fixture
def write(tmp_path):
    """Returns a function that writes files below a folder."""

    def written(**texts):
        for name, text in texts.items():
            path = tmp_path.joinpath(*name.split("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return written


def _found(folder, *paths, exclude=()):
    found = files.python_files([str(folder / path) for path in paths] or [str(folder)], exclude)
    return sorted(os.path.relpath(path, str(folder)).replace(os.sep, "/") for path in found)


def test_all_python_files_below_a_folder_are_found_once(write, tmp_path):
    names = "a.py b.pyw c.ipynb inner/d.py e.txt .hidden.py .git/f.py build/g.py env/pyvenv.cfg env/h.py"
    write(**dict.fromkeys(names.split(), ""))
    expected = ["a.py", "b.pyw", "c.ipynb", "inner/d.py"]
    assert _found(tmp_path) == expected
    assert _found(tmp_path, "a.py", "inner", "a.py") == ["a.py", "inner/d.py"]
    # Who names a file means it.
    assert _found(tmp_path, "e.txt", ".hidden.py") == [".hidden.py", "e.txt"]
    try:
        os.symlink(str(tmp_path / "e.txt"), str(tmp_path / "link.py"))
    except OSError:
        pytest.skip("this user may not make links")
    assert _found(tmp_path) == expected


def test_excluded_files_and_folders_are_left_out(write, tmp_path):
    write(**dict.fromkeys("a.py a_pb2.py lib/b.py lib/deep/c.py other/b.py".split(), ""))
    assert _found(tmp_path, exclude=["*_pb2.py", "deep"]) == ["a.py", "lib/b.py", "other/b.py"]
    assert _found(tmp_path, exclude=["lib/"]) == ["a.py", "a_pb2.py", "other/b.py"]
    assert _found(tmp_path, exclude=["lib/b.py"]) == [
        "a.py",
        "a_pb2.py",
        "lib/deep/c.py",
        "other/b.py",
    ]
    with pytest.raises(UsageError, match="no Python file in this folder but what --exclude leaves"):
        _found(tmp_path, exclude=["*"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no Python file in this folder$"):
        _found(tmp_path, "empty", exclude=["*"])
    with pytest.raises(UsageError, match="no such file or folder"):
        _found(tmp_path, "absent")


def test_what_git_ignores_is_left_out(write, tmp_path):
    write(**{"a.py": "", "ignored.py": "", "data/b.py": "", ".gitignore": "ignored.py\ndata/\n"})
    try:
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    except OSError:
        pytest.skip("git is not here")
    assert _found(tmp_path) == ["a.py"]
    assert _found(tmp_path, "data") == ["data/b.py"]  # who names such a folder means it


def _notebook(path, *cells):
    path.write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": source} for source in cells]})
    )
    return files.read(str(path))


def test_a_cell_of_prose_is_not_read_and_its_line_is_told(tmp_path):
    source = _notebook(tmp_path / "a.ipynb", "x = 1", "Now we train:\ntrain()", "y = 2")
    assert "x = 1" in source.text and "y = 2" in source.text
    (error,) = source.unread
    assert "so this cell is not read" in str(error) and source.place(error.lineno) == (2, 1)
    lines = source.text.split("\n")
    assert "Now we train:" not in lines and "train()" not in lines  # they are comments there
    whole = _notebook(tmp_path / "b.ipynb", "x = 1", "y = 2")
    assert whole.unread == [] and whole.place(len(whole.text.split("\n")) - 1) == (2, 1)
    with pytest.raises(files.SourceError, match="it is not valid Python"):
        _notebook(tmp_path / "c.ipynb", "Now we train:", "And then we test:")


def test_long_and_deep_files_are_errors(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_CHARACTERS", 20)
    (tmp_path / "a.py").write_text("x = 1\n" * 3)
    assert files.read(str(tmp_path / "a.py")).text == "x = 1\n" * 3
    (tmp_path / "a.py").write_text("x = 1\n" * 4)
    with pytest.raises(files.SourceError, match="it has more than 20 characters of code"):
        files.read(str(tmp_path / "a.py"))


def test_columns_are_of_characters(tmp_path):
    (tmp_path / "a.py").write_text("é = 'π'; x\ny = x\n", encoding="utf-8")
    source = files.read(str(tmp_path / "a.py"))
    third = source.tree.body[1]
    assert third.col_offset == 11 and source.column(1, third.col_offset) == 9
    assert source.column(2, 4) == 4 and source.column(1, 99) == 10


V1 = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
V2 = "import tensorflow as tf\ntape = tf.GradientTape()\n"
# The files of a package, whether it uses TensorFlow, and whether it is for version 2.
PACKAGES = {
    "nothing": ({"__init__.py": "import numpy\n"}, False, False),
    "version 1": ({"__init__.py": V1}, True, False),
    "version 2": ({"__init__.py": V2}, True, True),
    "more of version 1": ({"__init__.py": V2, "a.py": V1}, True, False),
    "more of version 2": ({"__init__.py": V2, "a.py": V1, "inner/b.py": V2}, True, True),
    "its tests": ({"__init__.py": V1, "tests/a.py": V2, "examples/b.py": V2}, True, False),
    "compat.v1": ({"__init__.py": V2 + "import tensorflow.compat.v1 as tf1\n"}, True, False),
    "a guard": (
        {"__init__.py": "import tensorflow as tf\nif hasattr(tf, 'x'):\n    tf.GradientTape()\n"},
        True,
        False,
    ),
    "a comparison": (
        {"__init__.py": "import tensorflow as tf\nassert tf.__version__ >= '2.3'\n"},
        True,
        True,
    ),
    "Keras": ({"__init__.py": "from keras import layers\n"}, True, False),
}


@pytest.mark.parametrize("texts, uses, is_2", list(PACKAGES.values()), ids=list(PACKAGES))
def test_the_text_of_a_package_tells_its_tensorflow(write, tmp_path, texts, uses, is_2):
    write(**{f"pack/{name}": text for name, text in texts.items()})
    assert library_text.read_signs(str(tmp_path / "pack")) == (uses, is_2)


def test_the_first_files_of_a_package_are_read(write, tmp_path, monkeypatch):
    write(
        **{
            "pack/z.py": "first = 1\n",
            "pack/inner/a.py": "second = 2\n",
            "single.py": "third = 3\n",
        }
    )
    patterns = [re.compile(b"first"), re.compile(b"second"), re.compile(b"third")]
    folder, single = str(tmp_path / "pack"), str(tmp_path / "single.py")
    assert library_text.has(folder, patterns) == [True, True, False]
    assert library_text.has(single, patterns) == [False, False, True]
    monkeypatch.setattr(library_text, "LIMIT", 10)  # those of outer folders first
    assert library_text.has(folder, patterns) == [True, False, False]
    assert library_text.text_in_file(folder, "z.py") == "first = 1\n"
    assert library_text.text_in_file(folder, "absent.py") == ""


def test_dropped_names_of_a_package(write, tmp_path):
    write(
        **{
            "pack/__init__.py": "import numpy as np\nx = np.float(1)\ny = np.float64(1)\n",
            "pack/a.py": "import scipy.misc\nscipy.misc.imresize(x)\nfrom collections import (Mapping,\n  deque)\n",
            "pack/b.py": "import numpy as np\ntry:\n    np.bool(1)\nexcept AttributeError:\n    pass\n",
            "pack/c.py": "int = np.int(1)\nimport imp\n",
        }
    )
    found = library_text.find_dropped_names(str(tmp_path / "pack"))
    assert {"numpy.float", "collections.Mapping", "imp"} <= set(found)
    assert not {"numpy.float64", "numpy.bool", "numpy.int", "collections.deque"} & set(found)
    assert found == sorted(found)
