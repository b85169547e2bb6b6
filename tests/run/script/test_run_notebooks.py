"""Tests notebooks: run as programs, as exports, and in a kernel after `%load_ext tf1grad`."""

import importlib.util
import json
import os
import sys
import types

import pytest

from paths import ROOT
from script_folder import printed
from tf1grad.cli import run
from tf1grad.programs.process import patches
from tf1grad.programs.source.notebooks import Notebook
from tf1grad.run.script import user_modules
from tf1grad.run.start.options import Options

# Without Matplotlib, IPython refuses it, and TensorFlow 1.15's Python gets no packages.
INLINE = "%matplotlib inline" if importlib.util.find_spec("matplotlib") else "# without Matplotlib"
RAISES = "raise ValueError('wanted')"  # in a cell with this tag


def a_notebook(*cells, **metadata):
    """Returns the text of a notebook with these code cells, and cells of text before each."""
    described = []
    for number, cell in enumerate(cells):
        for kind in ("markdown", "raw"):
            described.append({"cell_type": kind, "metadata": {}, "source": [f"# {number}"]})
        described.append(
            {
                "cell_type": "code",
                "metadata": {"tags": ["raises-exception"]} if cell == RAISES else {},
                "outputs": [],
                "execution_count": None,
                "source": cell.splitlines(True),
            }
        )
    return json.dumps(
        {"cells": described, "metadata": metadata, "nbformat": 4, "nbformat_minor": 2}
    )


WIDGET = """class Slider:
    def _repr_mimebundle_(self, **kwargs):
        view = "application/vnd.jupyter.widget-view+json"
        return {"text/plain": "Slider(value=3)", view: {"model_id": "1", "version_major": 2}}

"""


# Cells, and the lines that each prints.
CELLS = [
    ("import os, sys\n" + INLINE + "\n%load_ext tf1grad", []),
    (
        "print(sys.argv, '__file__' in globals(), os.path.basename(os.getcwd()))",
        ["['inner/train.ipynb', 'a'] False inner"],
    ),
    (
        "word = 'one'\n!echo {word} $word\nlines = !echo two; echo\nlines",
        ["one one", "['two', '']"],
    ),
    ("i = 7", []),
    ("%%bash\nfor i in 1 2; do echo $i; done\npip install nothing", ["1", "2"]),
    (
        "%%writefile s.py\nimport sys\nprint(sys.argv, value)\nvalue = 3\nsys.exit()",
        ["Writing s.py"],
    ),
    ("value = 1\n%run -i s.py a b\nvalue", ["['s.py', 'a', 'b'] 1", "3"]),
    ("%%writefile other.py\nimport numpy as np\nnumber = np.float(4)", ["Writing other.py"]),
    ("%run other\nnumber", ["4.0"]),
    ("%%writefile wrong.py\nraise SystemExit(3)", ["Writing wrong.py"]),
    ("%run wrong.py\nprint('goes on')", ["goes on"]),
    ("%%capture kept\nprint('captured')", []),
    ("kept.stdout", ["'captured\\n'"]),
    ("%env NAME=x\ndisplay(value, os.environ['NAME'])", ["env: NAME=x", "3", "'x'"]),
    ("%timeit -n 1 -r 1 print('timed')\n%time y = 1", ["timed", "TIME", "TIME", "TIME"]),
    ("os.getcwd?\n?os\nx = 5;\nx;", []),
    ("def f(name):\n    !echo $name\n\nf('local')", ["local"]),
    ("from IPython.display import HTML, clear_output\nclear_output()", []),
    ("HTML('<b>')", ["<IPython.core.display.HTML object>"]),
    (WIDGET + "Slider()", ["Slider(value=3)"]),
    ("display(Slider())", ["Slider(value=3)"]),
    ('print("%d"\n%(3))\ns = """\n%magic\n!ls\n"""\nlen(s)', ["3", "12"]),
    (
        "import tensorflow as tf\nprint(tf.__version__, tf.placeholder(tf.int32).op.type)",
        ["1.15.5 Placeholder"],
    ),
    ("input()", ["'typed'"]),
    (RAISES, []),
    ("!pip install nothing\n%conda install x", []),
]
TIME = ("CPU times: ", "Wall time: ")


@pytest.mark.slow
@pytest.mark.each_release
@pytest.mark.period(on_1_15=True)
def test_cells_mean_what_they_mean_in_jupyter(folder):
    folder.write("inner/train.ipynb", a_notebook(*(cell for cell, _ in CELLS)))
    code, output, errors = folder.run("inner/train.ipynb", "a", stdin="typed\n")
    assert code == 0, (output, errors)
    lines = [
        "TIME" if line.startswith(TIME) or " per loop " in line else line
        for line in output.splitlines()
        if line and not line.startswith("WARNING:tensorflow:")  # 1.15 logs on stdout in a shell
    ]
    assert lines == [line for _, printed in CELLS for line in printed]
    shown = ("left out", "Exit", "wanted")
    told = [line for line in errors.splitlines() if any(word in line for word in shown)]
    left_out = "tf1grad: !{} is left out: `tf1grad doctor` shows what run brings"
    assert told == [
        left_out.format("pip install nothing"),
        "SystemExit: 3",
        f"    {RAISES}",
        "ValueError: wanted",
        left_out.format("pip install nothing"),
        left_out.format("conda install x"),
    ]


ENDS = {
    "import sys\nsys.exit()": (1, "SystemExit"),
    "import sys\nsys.exit(7)": (7, "SystemExit: 7"),
    "quit()": (1, "SystemExit"),
    "import tensorflow as tf\ntf.app.run(lambda argv: print(argv))": (1, "SystemExit"),
}


@pytest.mark.slow
@pytest.mark.period(on_1_15=True)
@pytest.mark.parametrize("cell", ENDS)
def test_an_exit_in_a_cell_ends_the_notebook_and_is_told(folder, cell):
    folder.write("train.ipynb", a_notebook("print('before')", cell, "print('after')", "1"))
    code, output, errors = folder.run("train.ipynb")
    expected, shown = ENDS[cell]
    assert code == expected and "before" in output and "after" not in output
    assert errors.splitlines()[-2:] == [
        shown,
        "tf1grad: train.ipynb: SystemExit in cell 2 ended the notebook, as in Jupyter; 2 cells after it did not run",
    ]


WRONG = {
    f"{INLINE}\nf()": ("cell 1", "    return 1 / 0"),
    "This is prose.": ("cell 2", "SyntaxError: "),
    "%unknown magic": ("cell 2", "UsageError: Line magic function `%unknown` not found."),
    "%%bash\nexit 3": ("cell 2", "CalledProcessError: "),
    "%run inner.ipynb": ("inner.ipynb:cell 2", "NameError: "),
}


@pytest.mark.slow
@pytest.mark.period(on_1_15=True)
@pytest.mark.parametrize("cell", WRONG)
def test_an_error_names_the_cell_and_shows_its_line(folder, cell):
    folder.write("inner.ipynb", a_notebook("1 + 1\nprint('inner')", "missing"))
    folder.write("train.ipynb", a_notebook("def f():\n    return 1 / 0\n", cell, "print('after')"))
    code, output, errors = folder.run("train.ipynb")
    place, shown = WRONG[cell]
    assert code == 1 and output == "inner\n" * ("inner" in cell)
    assert f'{place}", line ' in errors and shown in errors, errors
    assert "tf1grad/" not in errors and f"{os.sep}IPython{os.sep}" not in errors


def test_what_is_no_notebook_of_python():
    r = a_notebook("x <- 1", language_info={"name": "R"})
    julia = a_notebook("x", kernelspec={"name": "julia-1.6", "language": "julia"})
    for text, reason in {
        '{"cells": [': "it is not JSON .*. Save it again",
        "{}": "it has no cells of version 4. If it is an older notebook: jupyter nbconvert",
        '{"cells": [1]}': "it has no cells of version 4",
        r: "it is not a Python notebook: its language is R",
        julia: "it is not a Python notebook: its language is julia",
    }.items():
        with pytest.raises(ValueError, match=reason):
            Notebook(text)
    assert Notebook(a_notebook("x", kernelspec={"name": "python3"})).python_2_mark is None


@pytest.mark.slow
def test_the_refusal_of_another_language(folder):
    folder.write("train.ipynb", a_notebook("x <- 1", kernelspec={"name": "ir", "language": "R"}))
    code, _, errors = folder.run("train.ipynb")
    told = "it is not a Python notebook: its language is R"
    assert code == 2
    assert errors == f"tf1grad run: 'train.ipynb' cannot be run as a notebook: {told}\n"


@pytest.mark.slow
@pytest.mark.period(on_1_15=True)
def test_the_export_of_a_notebook_and_one_in_python_2(folder):
    pytest.importorskip("fissix", reason="fissix reads Python 2")
    folder.write(
        "export.py",
        """
        # coding: utf-8
        # In[1]:
        get_ipython().magic(u'env NAME=x')
        get_ipython().system(u'echo shell')
        # In[2]:
        get_ipython().run_cell_magic('time', '', 'x = 3\\nprint(x / 2)')
        from IPython.display import clear_output, HTML, Latex, Math
        display("x is", x)
    """,
    )
    lines = [line for line in folder.lines("export.py") if not line.startswith(TIME)]
    assert lines == ["env: NAME=x", "shell", "1.5", "'x is'", "3"]
    folder.write("half.py", "half = 7 / 2")
    folder.write(
        "old.ipynb",
        a_notebook(
            INLINE + "\nfrom __future__ import print_function\nprint('one', 3 / 2)",
            "%time y = 5 / 2\ny",
            "%run half.py\nhalf",
            "print {}.has_key('k'), map(str, range(2))",
        ),
    )
    lines = [line for line in folder.lines("old.ipynb") if not line.startswith(TIME)]
    assert lines == ["one 1", "2", "3", "False ['0', '1']"]


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
    assert run.options_from_environment() == Options(script_folder=os.getcwd(), program=os.getcwd())
    monkeypatch.setenv(
        "TF1GRAD_OPTIONS", "--exclude first --exclude=second --kernels eigen --no-dropped-names"
    )
    given = {"exclude": ["first", "second"], "kernels": "eigen", "dropped_names": False}
    assert run.options_from_environment() == Options(
        script_folder=os.getcwd(), program=os.getcwd(), **given
    )
    for wrong in ("train.py", "--explain", "--kernels 'eigen"):
        monkeypatch.setenv("TF1GRAD_OPTIONS", wrong)
        with pytest.raises(ValueError, match="TF1GRAD_OPTIONS="):
            run.options_from_environment()


@pytest.mark.parametrize("release", [8, 9])
def test_files_that_a_magic_executes_are_compiled_as_old_code(release, tmp_path, monkeypatch):
    """IPython 8 executes them in `py3compat`, and IPython 9 in the module of the shell."""
    text = "def execute(file):\n    return compile(open(file).read(), file, 'exec')\n"
    executing, shell = types.ModuleType("py3compat"), types.ModuleType("interactiveshell")
    if release == 8:
        shell.py3compat = executing
    else:
        executing = shell
    exec(text, vars(executing))
    path = tmp_path / "s.py"
    path.write_text("print 7 / 2")
    compiled = types.SimpleNamespace(main=lambda source, file: (source, os.path.basename(file)))
    monkeypatch.setattr(user_modules, "is_users_file", lambda file: file == str(path))
    before = len(patches.changes())
    user_modules.compile_files_of_shell(shell, compiled)
    assert executing.execute(str(path)) == ("print 7 / 2", "s.py")
    patches.undo(before)
