"""Notebooks under `check` and `upgrade`: cell by cell, with magics,
outputs and the layout of the file kept.
"""

import json

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.cli import main

pytestmark = NEEDS_PYTHON_3_8

CELLS = [
    ("markdown", "# Title\n`tf.contrib`"),
    (
        "code",
        "%matplotlib inline\n!pip install \\\n  tensorflow\nimport tensorflow as tf\nimport numpy as np",
    ),
    ("code", ""),
    ("code", "%%bash\nls tf.contrib"),
    ("code", "%%time\nx = tf.placeholder(tf.float32)\nfiles = !ls\nif files:\n    %cd ..\ntf.nn?"),
    ("code", "y = tf.mul(x, np.float(2))\nz = tf.contrib.gan.GANModel(y)  # é"),
]
NEW = [
    CELLS[0][1],
    "%matplotlib inline\n!pip install \\\n  tensorflow\nimport tensorflow.compat.v1 as tf\n"
    "import numpy as np\n\ntf.disable_v2_behavior()",
    CELLS[2][1],
    CELLS[3][1],
    CELLS[4][1],
    "y = tf.multiply(x, float(2))\n# tf1grad: TFG102 tensorflow.contrib.gan.GANModel is gone from TensorFlow.\n"
    "z = tf.contrib.gan.GANModel(y)  # é",
]


def _notebook(texts, as_list=True):
    cells = []
    for (kind, _), text in zip(CELLS, texts):
        cell = {
            "cell_type": kind,
            "metadata": {"tags": ["a"]},
            "source": text.splitlines(True) if as_list else text,
        }
        if kind == "code":
            cell.update(
                execution_count=3,
                outputs=[{"output_type": "stream", "name": "stdout", "text": ["tf.mul\n"]}],
            )
        cells.append(cell)
    return {
        "cells": cells,
        "metadata": {"kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 2,
    }


@pytest.mark.parametrize("as_list", [True, False])
@pytest.mark.parametrize("indentation", [1, 4])
def test_upgrade_changes_code_cells_and_nothing_else(tmp_path, capsys, as_list, indentation):
    def written(texts):
        content = _notebook(texts, as_list)
        return json.dumps(content, indent=indentation, ensure_ascii=False) + "\n"

    path = tmp_path / "tutorial.ipynb"
    path.write_text(written([text for _, text in CELLS]), encoding="utf-8")
    for _ in range(2):
        assert main.main(["upgrade", "--no-tensorflow", "--write", str(tmp_path)]) == 1
        assert path.read_text(encoding="utf-8") == written(NEW)
    assert "tutorial.ipynb:cell 5:3:5: TFG102" in capsys.readouterr().err


def test_check_names_the_cell(tmp_path, capsys):
    path = tmp_path / "tutorial.ipynb"
    path.write_text(json.dumps(_notebook([text for _, text in CELLS])))
    assert main.main(["check", "--no-tensorflow", str(path), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [(each["rule"], each["cell"], each["line"], each["column"]) for each in found] == [
        ("TFG103", 1, 4, 1),
        ("TFG109", 5, 1, 5),
        ("TFG401", 5, 1, 15),
        ("TFG102", 5, 2, 5),
    ]
    assert main.main(["check", "--no-tensorflow", str(path)]) == 1
    assert "tutorial.ipynb:cell 5:1:5: error TFG109" in capsys.readouterr().out


def test_a_notebook_in_python_2(tmp_path):
    pytest.importorskip("fissix", reason="Python 2 is translated with fissix")
    path = tmp_path / "old.ipynb"
    texts = [text for _, text in CELLS[:4]] + ["print tf.Session()\n%time x", "print 'b'"]
    path.write_text(json.dumps(_notebook(texts)))
    assert main.main(["upgrade", "--no-tensorflow", "--write", "--no-backup", str(path)]) == 0
    cells = json.loads(path.read_text())["cells"]
    assert ["".join(cell["source"]) for cell in cells[4:]] == [
        "print(tf.Session())\n%time x",
        "print('b')",
    ]


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"worksheets": []}', '{"cells": [{"cell_type": "code"}]}']
)
def test_what_is_no_notebook(tmp_path, capsys, text):
    (tmp_path / "bad.ipynb").write_text(text)
    assert main.main(["check", "--no-tensorflow", str(tmp_path)]) == 1
    assert "It cannot be read as a notebook" in capsys.readouterr().out


PROSE = "The loss falls, as expected.\n\nIt isn't (always"


def test_a_cell_of_prose_leaves_the_others_read(tmp_path, capsys):
    path = tmp_path / "old.ipynb"
    texts = ["", "import tensorflow as tf", PROSE, "x = tf.mul(1, 2)", "tf.contrib.gan.GANModel(x)"]
    path.write_text(json.dumps(_notebook(texts)))
    assert main.main(["check", "--no-tensorflow", str(path), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert ("TFG001", 2, 3) in [(each["rule"], each["cell"], each["line"]) for each in found]
    assert ("TFG109", 3, 1) in [(each["rule"], each["cell"], each["line"]) for each in found]
    assert main.main(["upgrade", "--no-tensorflow", "--write", "--no-backup", str(path)]) == 1
    told = capsys.readouterr().err
    assert "old.ipynb:cell 2:3:1: TFG001" in told and "so this cell is not read." in told
    cells = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
    assert cells[2:4] == [PROSE, "x = tf.multiply(1, 2)"]


def test_a_notebook_of_prose_alone_cannot_be_read(tmp_path, capsys):
    (tmp_path / "old.ipynb").write_text(json.dumps(_notebook(["", PROSE, "", "also prose"])))
    assert main.main(["check", "--no-tensorflow", str(tmp_path)]) == 1
    assert "not valid Python" in capsys.readouterr().out


def test_an_upgraded_notebook_has_a_kernel_of_python_3(tmp_path):
    path = tmp_path / "old.ipynb"
    content = _notebook(["", "import tensorflow as tf", "tf.mul(1, 2)"])
    content["metadata"] = {
        "kernelspec": {"display_name": "Python 2", "language": "python", "name": "python2"},
        "language_info": {"name": "python", "version": "2.7.12"},
        "toc": {},
    }
    path.write_text(json.dumps(content))
    for _ in range(2):
        main.main(["upgrade", "--no-tensorflow", "--write", "--no-backup", str(path)])
        assert json.loads(path.read_text())["metadata"] == {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "toc": {},
        }


def test_the_lines_of_a_cell_in_python_2(tmp_path, capsys):
    pytest.importorskip("fissix", reason="Python 2 is translated with fissix")
    path = tmp_path / "old.ipynb"
    texts = ["", "import tensorflow as tf", "def f((a, b)):\n    return a\ntf.mul(f((1, 2)), 3)"]
    path.write_text(json.dumps(_notebook(texts)))
    main.main(["check", "--no-tensorflow", str(path), "--format", "json"])
    found = json.loads(capsys.readouterr().out)["findings"]
    lines = [(each["cell"], each["line"]) for each in found if each["rule"] == "TFG109"]
    assert lines == [(2, 3)]
