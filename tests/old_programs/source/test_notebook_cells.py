"""Tests the text of a notebook, the positions in its cells, and the way back into the file."""

import json

import pytest

from tf1grad.old_programs.source.notebooks import Notebook, cell_and_line

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
FORMAT_3 = ('{"worksheets": [{"cells": [{"cell_type": "code", "input": ["import os\\n", "x = 1"]}]}, '
            '{"cells": [{"cell_type": "heading", "source": "y = 2"}, {"cell_type": "code", "input": ["y = 2"]}]}]}')
TEXTS = FORMAT_3.replace('["import os\\n", "x = 1"]', '"import os\\nx = 1"').replace('["y = 2"]', '"y = 2"')
FILES = [(FORMAT_4, FORMAT_4.replace('"y = 2"', '"y = 3\\nz"')),
         (FORMAT_3, FORMAT_3.replace('["y = 2"]', '["y = 3\\n", "z"]')),
         (TEXTS, TEXTS.replace('"input": "y = 2"', '"input": "y = 3\\nz"'))]
MAGICS = {
    "line magic": ("if x:\n    %cd ..", "if x:\n    pass  # IPython: %cd .."),
    "shell": ("files = !ls", "pass  # IPython: files = !ls"),
    "shell, to an attribute": ("opt.n = !nproc", "pass  # IPython: opt.n = !nproc"),
    "help, with stars": ("tf.*conv*?", "pass  # IPython: tf.*conv*?"),
    "help": ("tf.nn?", "pass  # IPython: tf.nn?"),
    "continued": ("!pip \\\n  tf\nx", "pass  # IPython: !pip \\\npass  # IPython:   tf\nx"),
    "other language": ("%%bash\nls\n\ncd", "pass  # IPython: %%bash\npass  # IPython: ls\n\npass  # IPython: cd"),
    "timed Python": ("%%time\nx = 1", "pass  # IPython: %%time\nx = 1"),
    "remainder": ("x = 5 % 2", "x = 5 % 2"),
    "remainder on the next line": ("x = (a\n  % b)\ny = a \\\n    % b", "x = (a\n  % b)\ny = a \\\n    % b"),
    "text": ("x = '''\n%magic\n'''", "x = '''\n%magic\n'''"),
}


@pytest.mark.parametrize("data, changed", FILES, ids=["format 4", "format 3", "format 3 with texts"])
def test_the_text_has_the_code_and_goes_back_into_its_cells(data, changed):
    notebook = Notebook(data)
    assert notebook.text() == TEXT
    assert notebook.written("# --- cell 1\nimport os\nx = 1\n# --- cell 2\ny = 3\nz\n") == changed != data
    assert notebook.written(TEXT) == data


@pytest.mark.parametrize("line, position", [(2, (1, 1)), (3, (1, 2)), (5, (2, 1))], ids=["first", "second", "cell 2"])
def test_a_line_has_its_cell_and_its_line_there(line, position):
    assert cell_and_line(TEXT.split("\n"), line) == position


@pytest.mark.parametrize("code, python", list(MAGICS.values()), ids=list(MAGICS))
def test_magics_are_comments_in_the_text_and_magics_in_the_file(code, python):
    notebook = Notebook(json.dumps({"cells": [{"cell_type": "code", "source": code}]}))
    assert notebook.text() == f"# --- cell 1\n{python}\n"
    written = json.loads(notebook.written(f"# --- cell 1\n{python}\nlast = 1\n"))
    assert written["cells"][0]["source"] == code + "\nlast = 1"


@pytest.mark.parametrize("text", ["x", "# --- cell 1\n", "# --- cell 2\n# --- cell 1\n"], ids=["none", "one", "order"])
def test_a_text_with_other_cells_is_an_error(text):
    with pytest.raises(ValueError, match="^the boundaries of the cells are lost$"):
        Notebook(FORMAT_4).written(text)
