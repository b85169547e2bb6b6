"""Tests the decoding of files and the text of notebooks,
the positions in their cells, and the way back.
"""

import json
import os
import subprocess
import sys

import pytest

from tf1grad.programs.source import files, python2_syntax
from tf1grad.programs.source.notebooks import Notebook, cell_and_line
from tf1grad.programs.source.program import KnownNames
from tf1grad.upgrade.rules import engine

REMEDY = "Write its encoding in the first line, such as `# -*- coding: latin-1 -*-`"
NO_TEXT = "it is no text, but a picture, a model or the like"
DECODED = {
    "UTF-8": (b"x = '\xc3\xa9'\n", "utf-8", "x = 'é'\n"),
    "latin-1 before CR": (
        b"# coding: latin-1\rx = '\xe9'\r",
        "iso-8859-1",
        "# coding: latin-1\rx = 'é'\r",
    ),
    "cp1252 in line 2": (
        b"#!p\n# coding: cp1252\nx = '\x80'\n",
        "cp1252",
        "#!p\n# coding: cp1252\nx = '€'\n",
    ),
    "BOM": (b"\xef\xbb\xbfx = '\xc3\xa9'\n", "utf-8-sig", "x = 'é'\n"),
    "CRLF and LF": (b"x = 1\r\ny = 2\nz = 3\r\n", "utf-8", "x = 1\r\ny = 2\nz = 3\r\n"),
}
UNDECODABLE = {
    "below line 2": (b"x = 1\ny = 2\nz = '\xe9'\n", f"it is not utf-8 (byte 0xe9). {REMEDY}", 3),
    "not the named encoding": (
        b"# coding: ascii\nx = 1\ny = '\xe9'\n",
        f"it is not ascii (byte 0xe9). {REMEDY}",
        3,
    ),
    "random bytes": (b"x = 1\n\x89\xd2\x05\n", NO_TEXT, 1),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", NO_TEXT, 1),
    "UTF-16": ("x = 1".encode("utf-16"), f"it is {python2_syntax.UTF_16}", 1),
    "in line 1": (
        b"x = '\xe9'\n",
        f"it cannot be decoded: invalid or missing encoding declaration. {REMEDY}",
        1,
    ),
}


@pytest.mark.parametrize("data, encoding, text", list(DECODED.values()), ids=list(DECODED))
def test_a_file_is_decoded_with_its_line_ends(tmp_path, data, encoding, text):
    (tmp_path / "program.py").write_bytes(data)
    source = files.read(str(tmp_path / "program.py"))
    assert (source.encoding, source.text, source.original) == (encoding, text, text)


@pytest.mark.parametrize("data, message, line", list(UNDECODABLE.values()), ids=list(UNDECODABLE))
def test_an_undecodable_file_is_an_error_with_a_remedy(tmp_path, data, message, line):
    (tmp_path / "program.py").write_bytes(data)
    with pytest.raises(files.SourceError) as raised:
        files.read(str(tmp_path / "program.py"))
    assert (str(raised.value), raised.value.line) == (message, line)


def test_a_notebook_keeps_its_byte_order_mark(tmp_path):
    data = b'\xef\xbb\xbf{"cells": [{"cell_type": "code", "source": ["x = 1"]}], "nbformat": 4}'
    (tmp_path / "notebook.ipynb").write_bytes(data)
    source = files.read(str(tmp_path / "notebook.ipynb"))
    assert "x = 1" in source.text and source.original.encode(source.encoding) == data


def test_a_notebook_whose_code_stays_is_written_as_it_was(tmp_path):
    original = '{"cells": [{"cell_type":"code","source":["x = 1"]}],"nbformat":4}'
    (tmp_path / "notebook.ipynb").write_text(original)
    source = files.read(str(tmp_path / "notebook.ipynb"))
    assert source.written(source.text) == original
    changed = source.written(source.text.replace("x = 1", "x = 2"))
    assert json.loads(changed) == json.loads(original.replace("x = 1", "x = 2"))


def test_a_notebook_in_another_encoding_is_an_error_with_a_remedy(tmp_path):
    (tmp_path / "notebook.ipynb").write_bytes(b'{"cells": "\xe9"}')
    with pytest.raises(
        files.SourceError, match=r"it is not utf-8 \(byte 0xe9\)\. Save the notebook as UTF-8"
    ):
        files.read(str(tmp_path / "notebook.ipynb"))


def test_python_2_is_read_where_no_cache_can_be_written(tmp_path):
    pytest.importorskip("fissix", reason="Python 2 is read with fissix")
    (tmp_path / "cache").write_text("a file, so that no folder can be made below it")
    program = "from tf1grad.programs.source import python2_syntax; print(python2_syntax.translate_text('print 1'))"
    environment = dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "cache"))
    process = subprocess.run(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, check=True
    )
    assert process.stdout.strip() == b"print(1)"


TEXT = "# --- cell 1\nimport os\nx = 1\n# --- cell 2\ny = 2\n"
FORMAT_4 = """{
 "cells": [
  {
   "cell_type": "markdown"
  },
  {
   "cell_type": "code",
   "source": "import os\\nx = 1"
  },
  {
   "cell_type": "code",
   "source": "y = 2"
  }
 ]
}
"""
MAGICS = {
    "line magic": ("if x:\n    %cd ..", "if x:\n    pass  # IPython: %cd .."),
    "shell": ("files = !ls", "pass  # IPython: files = !ls"),
    "help": ("tf.nn?", "pass  # IPython: tf.nn?"),
    "continued": ("!pip \\\n  tf\nx", "pass  # IPython: !pip \\\npass  # IPython:   tf\nx"),
    "other language": (
        "%%bash\nls\n\ncd",
        "pass  # IPython: %%bash\npass  # IPython: ls\n\npass  # IPython: cd",
    ),
    "timed Python": ("%%time\nx = 1", "pass  # IPython: %%time\nx = 1"),
    "remainder": ("x = 5 % 2", "x = 5 % 2"),
    "remainder on the next line": (
        "x = (a\n  % b)\ny = a \\\n    % b",
        "x = (a\n  % b)\ny = a \\\n    % b",
    ),
    "text": ("x = '''\n%magic\n'''", "x = '''\n%magic\n'''"),
}


def test_the_text_has_the_code_and_goes_back_into_its_cells():
    notebook = Notebook(FORMAT_4)
    assert notebook.text() == TEXT and notebook.written(TEXT) == FORMAT_4
    changed = TEXT.replace("y = 2", "y = 3\nz")
    assert notebook.written(changed) == FORMAT_4.replace('"y = 2"', '"y = 3\\nz"')
    assert notebook.written("import re\n" + TEXT) == FORMAT_4.replace(
        "import os", "import re\\nimport os"
    )


@pytest.mark.parametrize(
    "line, position", [(2, (1, 1)), (3, (1, 2)), (5, (2, 1))], ids=["first", "second", "cell 2"]
)
def test_a_line_has_its_cell_and_its_line_there(line, position):
    assert cell_and_line(TEXT.split("\n"), line) == position


@pytest.mark.parametrize("code, python", list(MAGICS.values()), ids=list(MAGICS))
def test_magics_are_comments_in_the_text_and_magics_in_the_file(code, python):
    notebook = Notebook(json.dumps({"cells": [{"cell_type": "code", "source": code}]}))
    assert notebook.text() == f"# --- cell 1\n{python}\n"
    written = json.loads(notebook.written(f"# --- cell 1\n{python}\nlast = 1\n"))
    assert written["cells"][0]["source"] == code + "\nlast = 1"


@pytest.mark.parametrize(
    "text", ["x", "# --- cell 1\n", "# --- cell 2\n# --- cell 1\n"], ids=["none", "one", "order"]
)
def test_a_text_with_other_cells_is_an_error(text):
    with pytest.raises(ValueError, match="^the boundaries of the cells are lost$"):
        Notebook(FORMAT_4).written(text)


PYTHON_2 = """import tensorflow as tf
def f((a, b), c):
    print a
def g((a, (b, c))):
    # sums
    return a + b

print '''two
  lines'''
x = tf.mul(1, 2)  #!
"""


def test_findings_in_python_2_have_the_lines_of_the_file(tmp_path):
    pytest.importorskip("fissix", reason="Python 2 is translated with fissix")
    path = tmp_path / "old.py"
    path.write_text(PYTHON_2)
    programs, _ = engine.read_programs([str(path)])
    found = engine.findings(programs, KnownNames())
    lines = {finding.rule.id: finding.line for finding in found}
    assert lines["TFG109"] == 1 + PYTHON_2[: PYTHON_2.index("#!")].count("\n")
    assert lines["TFG002"] == 2


@pytest.mark.parametrize(
    "mark, line", [("line 3: xrange", 3), ("other.py, line 3: xrange", 1)], ids=["own", "other"]
)
def test_a_file_that_is_python_2_shows_the_line_of_its_own_sign(mark, line):
    pytest.importorskip("fissix", reason="Python 2 is translated with fissix")
    text = "import os\n\nx = xrange(3)\n"
    error = files.Source("old.py", text).as_python_2(mark).python2
    assert (error.msg, error.filename, error.lineno) == (mark, "old.py", line)
