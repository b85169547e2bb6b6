"""Tests notebooks: run as programs, as exports, and in a kernel after `%load_ext tf1grad`."""

import importlib.util
import json
import os
import sys

import pytest

from paths import ROOT
from script_folder import printed
from tf1grad.old_programs import _compat
from tf1grad.old_programs.cli import run
from tf1grad.old_programs.emulation import ipython_shell, notebook_script, startup


def a_notebook(*cells, **metadata):
    """Returns the text of a notebook with these code cells, and a cell of text before each."""
    described = []
    for number, cell in enumerate(cells):
        described.append({"cell_type": "markdown", "metadata": {}, "source": [f"# {number}"]})
        described.append(
            {
                "cell_type": "code",
                "metadata": {},
                "outputs": [],
                "execution_count": None,
                "source": cell.splitlines(True),
            }
        )
    return json.dumps(
        {"cells": described, "metadata": metadata, "nbformat": 4, "nbformat_minor": 2}
    )


CELLS = {
    "%matplotlib inline\nx = 1": "get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1",
    "if x:\n    !ls -l 'a b' | wc\n    y = 2": "if x:\n    get_ipython().system(\"ls -l 'a b' | wc\")\n    y = 2",
    "files = !ls *.py": "files = get_ipython().getoutput('ls *.py')",
    "%time y = f(1)\n%timeit -n 10 g()": "y = f(1)\ng()",
    "%%time -q\ny = 1\n%cd x": "#%%time -q\ny = 1\nget_ipython().run_line_magic('cd', 'x')",
    "%%bash\nls\npwd": "get_ipython().run_cell_magic('bash', '', 'ls\\npwd')\n",
    "tf.concat?\n?tf\nx = 1": "pass  # tf.concat?\npass  # ?tf\nx = 1",
    "s = '''\n%magic\n!ls\n'''": "s = '''\n%magic\n!ls\n'''",
    "print('%d'\n%x)\ny = a \\\n%b": "print('%d'\n%x)\ny = a \\\n%b",
    "!echo \"it's (\n%cd x": "get_ipython().system('echo \"it\\'s (')\nget_ipython().run_line_magic('cd', 'x')",
    "x = 'a\\'b'\n!!ls": "x = 'a\\'b'\nget_ipython().system('ls')",
}


@pytest.mark.parametrize("cell", sorted(CELLS))
def test_a_cell_as_python(cell):
    assert notebook_script.translated(cell) == CELLS[cell]


def test_cells_and_their_lines():
    found = notebook_script.NotebookScript(a_notebook("x = 1\ny = 2", "z = 3"))
    assert found.source == "# In[1]:\nx = 1\ny = 2\n\n# In[2]:\nz = 3\n\n"
    places = [found.place(line) for line in (2, 3, 6)]
    assert places == [(1, 1), (1, 2), (2, 1)] and found.mark is None
    of_python_2 = a_notebook("", language_info={"version": "2.7.12"})
    assert notebook_script.NotebookScript(of_python_2).mark == "its kernel is Python 2"
    with pytest.raises(ValueError):
        notebook_script.NotebookScript('{"cells": [1]}')


def test_a_magic_may_stand_before_an_import_from_future():
    text = a_notebook(
        "%matplotlib inline\nfrom __future__ import division  # of Python 3\nx = 1",
        "from __future__ import (print_function,\n                        division)\ny = 2",
    )
    source = notebook_script.NotebookScript(text).source
    namespace = {"get_ipython": lambda: ipython_shell.Shell({}, compile)}
    exec(compile(source, "notebook", "exec"), namespace)
    assert (namespace["x"], namespace["y"]) == (1, 2) and source.split("\n").index("y = 2") == 8
    assert source.startswith("from __future__ import division, print_function  # In[1]:\n")


MAGICS = [
    "import sys, os\n%matplotlib inline\n%load_ext tf1grad\n!pip install nothing\n%unknown magic",
    "word = 'one'\n!echo {word} $word\nlines = !echo two; echo\nprint(lines, sys.argv, os.path.basename(__file__))",
    "%%writefile helper.py\nprint('helper')\nvalue = 3",
    "%run helper.py\nprint(value)\n%env NAME=x\n%time z = value * 2\ndisplay(z, os.environ['NAME'])",
]
PRINTED = ["one one", "['two', ''] ['train.ipynb', 'a'] train.ipynb", "helper", "3", "6 x"]


def test_a_notebook_runs_as_a_program(folder):
    folder.write("train.ipynb", a_notebook(*MAGICS))
    code, output, errors = folder.run("train.ipynb", "a", env={"TF1GRAD_OFFLINE": "1"})
    assert (code, output.splitlines()) == (0, PRINTED), errors
    installed = "the packages of {} are the installed ones, since TF1GRAD_OFFLINE is set"
    told = [line for line in errors.splitlines() if installed.format("matplotlib") not in line]
    assert told == [f"tf1grad: {installed.format('train.ipynb')}"] * (
        not _compat.is_version_1()
    ) + [
        "tf1grad: !pip install nothing is left out: `tf1grad doctor` shows what run brings",
        "tf1grad: %unknown is left out",
    ]


@pytest.mark.slow
def test_an_error_names_the_cell_and_shows_its_line(folder):
    folder.write(
        "train.ipynb",
        a_notebook("x = 1", "def f():\n    return 1 / 0\n", "%matplotlib inline\nf()"),
    )
    code, _, errors = folder.run("train.ipynb")
    assert code == 1 and "the error is in cell 2, line 2" in errors and "    return 1 / 0" in errors
    assert "tf1grad/old_programs" not in errors
    folder.write("train.ipynb", "{}")
    code, _, errors = folder.run("train.ipynb")
    assert code == 2 and "'train.ipynb' is not a notebook: it has no cells" in errors


@pytest.mark.slow
def test_the_export_of_a_notebook_and_one_in_python_2(folder):
    pytest.importorskip("fissix", reason="fissix reads Python 2")
    folder.write(
        "export.py",
        """
        # coding: utf-8
        # In[1]:
        get_ipython().magic(u'matplotlib inline')
        get_ipython().system(u'echo shell')
        # In[2]:
        get_ipython().run_cell_magic('time', '', 'x = 3\\nprint(x / 2)')
        from IPython.display import clear_output, HTML, Latex, Math
        print("x is", x)
    """,
    )
    assert folder.lines("export.py") == ["shell", "1.5", "x is 3"]
    folder.write(
        "old.ipynb",
        a_notebook(
            "print('one', 3 / 2)", "%time y = 5 / 2\nprint(y)", kernelspec={"name": "python2"}
        ),
    )
    assert folder.lines("old.ipynb") == ["one 1", "2"]


def _has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


IN_A_KERNEL = [
    "%load_ext tf1grad\n%tensorflow_version 1.x",
    "import tensorflow as tf\nprint(tf.__version__, tf.contrib.__name__)",
    "import numpy as np\nprint('%.1f' % np.array([1.5]), np.float(2))\nfrom fractions import gcd",
    "x = tf.placeholder(tf.float32, [])\nprint(tf.Session().run(tf.mul(x, 3), {x: 2}))",
    "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', 'import sys, fractions\\n"
    'print("tf1grad" in sys.modules, fractions.gcd(4, 6))\']).decode())',
]
PYTHON_2_IN_A_KERNEL = {
    "print(7 / 2)": "3.5",
    "print 'old', 7 / 2": "old 3",
    "x = map(str, xrange(2))\nprint(x, {}.has_key('k'), 7 / 2)": "['0', '1'] False 3",
    "from __future__ import division\nprint 7 / 2": "3.5",
    "print 8 / 3 > 2": "True",
}


@pytest.mark.skipif(
    not _has("ipykernel", "nbclient", "nbformat"), reason="ipykernel and nbclient are not installed"
)
def test_load_ext_in_a_kernel(tmp_path):
    import nbclient
    import nbformat

    python2 = PYTHON_2_IN_A_KERNEL if _has("fissix") else {}
    text = nbformat.reads(a_notebook(*(IN_A_KERNEL + list(python2))), 4)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))
    nbclient.NotebookClient(
        text, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    printed = [
        "".join(output["text"] for output in cell.outputs if output.get("name") == "stdout").strip()
        for cell in text.cells
        if cell.cell_type == "code"
    ]
    assert printed[:5] == ["", "1.15.5 tensorflow.contrib", "1.5 2.0", "6.0", "True 2"]
    assert printed[5:] == list(python2.values())


def test_load_ext_after_tensorflow_says_what_to_do(monkeypatch):
    import tf1grad

    shell = type("Shell", (), {"ast_transformers": []})
    with pytest.raises(ImportError, match="Restart the kernel, and put %load_ext tf1grad before"):
        tf1grad.load_ipython_extension(shell)
    monkeypatch.setenv("TF1GRAD_OPTIONS", "--kernels eigen --exclud")
    message = "TF1GRAD_OPTIONS='--kernels eigen --exclud': argument --exclude: expected one"
    with pytest.raises(ValueError, match=message):
        tf1grad.load_ipython_extension(shell)
    assert shell.ast_transformers == [] and "tensorflow" in sys.modules
    printed("-c", "import tf1grad; tf1grad.load_ipython_extension")


def test_options_of_a_kernel_and_of_pytest_are_in_the_environment(monkeypatch):
    monkeypatch.delenv("TF1GRAD_OPTIONS", raising=False)
    assert run.options_from_environment() == dict(
        startup.OPTIONS, script_folder=os.getcwd(), program=os.getcwd()
    )
    monkeypatch.setenv(
        "TF1GRAD_OPTIONS", "--exclude first --exclude=second --kernels eigen --no-dropped-names"
    )
    given = {"exclude": ["first", "second"], "kernels": "eigen", "dropped_names": False}
    assert run.options_from_environment() == dict(
        startup.OPTIONS, script_folder=os.getcwd(), program=os.getcwd(), **given
    )
    for wrong in ("train.py", "--explain"):
        monkeypatch.setenv("TF1GRAD_OPTIONS", wrong)
        with pytest.raises(ValueError, match="TF1GRAD_OPTIONS="):
            run.options_from_environment()
