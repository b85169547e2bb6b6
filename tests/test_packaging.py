"""Tests what installing the package brings:
all that it imports, and with any extra no TensorFlow.
"""

import ast
import configparser
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import types
import venv
from unittest import mock

import pytest

import tf1grad
from paths import ROOT
from tf1grad.cli import main

STANDARD = getattr(sys, "stdlib_module_names", ())  # from Python 3.10 on


def metadata_of_setup():
    """Returns what setup.py gives to setuptools."""
    metadata = {}
    setuptools = types.ModuleType("setuptools")
    setuptools.__version__ = "82.0.1"
    setuptools.find_packages = lambda **options: []
    setuptools.setup = lambda **options: metadata.update(options)
    with mock.patch.dict(sys.modules, {"setuptools": setuptools}):
        runpy.run_path(os.path.join(ROOT, "setup.py"))
    return metadata


def test_no_extra_asks_for_tensorflow():
    """tf_keras asks for the full tensorflow, whatever is installed;
    tensorflow-estimator and tf_slim ask for none.
    """
    metadata = metadata_of_setup()
    extras = metadata["extras_require"]
    requirements = sum(extras.values(), metadata["install_requires"])
    names = {re.match(r"[\w-]+", requirement).group().lower() for requirement in requirements}
    of_tensorflow = {name for name in names if name.startswith(("tensorflow", "tf"))}
    assert {name.replace("_", "-") for name in of_tensorflow} == {"tensorflow-estimator", "tf-slim"}
    assert "numpy" in names and {"examples", "test"} <= set(extras)
    assert metadata["install_requires"] == list(main.REQUIREMENTS)


def test_the_description_of_the_package_has_no_link_into_the_checkout():
    description = metadata_of_setup()["long_description"]
    assert "docs/" not in re.sub(r"```.*?```", "", description, flags=re.DOTALL)
    assert "![" not in description and "tf1grad run train.py" in description


COMMANDS_WITHOUT_TENSORFLOW = [
    (["check", "train.py"], 1, "error TFG103"),
    (["upgrade", "train.py"], 1, "1 file would change"),
    (["doctor"], 1, "-m pip install tensorflow-cpu"),
    (["doctor", "train.py"], 0, "The program declares no package"),
    (["period"], 1, "missing"),
    (["run", "train.py"], 2, "tf1grad run: TensorFlow is missing in this Python"),
    (["model", "inspect", "graph.pb"], 2, "which is missing here: pip install tensorflow-cpu"),
    (["verify", "--against", sys.executable, "train.py"], 3, "TensorFlow is missing"),
    (["upgrade", "--write", "--by-running", "train.py", "train.py"], 1, "TensorFlow is missing"),
]
COMMANDS_WITH_NUMPY_ALONE = [
    (["doctor"], 1, "-m pip install tensorflow-cpu"),
    (["doctor", "train.py"], 2, "packaging is missing in this Python: pip install packaging"),
    (["check", "train.py"], 0, "Nothing found in 1 file"),  # `upgrade` has rewritten it
    (["upgrade", "train.py"], 0, "0 files would change"),
    (["run", "train.py"], 2, "TensorFlow is missing in this Python"),
    (["model", "inspect", "graph.pb"], 2, "which is missing here: pip install tensorflow-cpu"),
    (["verify", "--against", sys.executable, "train.py"], 3, "TensorFlow is missing"),
]
COMMANDS_WITHOUT_NUMPY = [
    (["doctor"], 2, "numpy is missing in this Python: pip install numpy"),
    (["check", "train.py"], 0, "Nothing found in 1 file"),
    (["upgrade", "train.py"], 2, "numpy is missing"),
    (["run", "train.py"], 2, "TensorFlow is missing in this Python"),
    (["model", "inspect", "graph.pb"], 2, "which is missing here: pip install tensorflow-cpu"),
    (["verify", "--against", sys.executable, "train.py"], 2, "numpy is missing"),
]


@pytest.mark.slow
@pytest.mark.period  # it needs the package index too
def test_without_tensorflow_each_command_says_what_is_missing(tmp_path):
    """The environment has what `pip install .` brings, then NumPy alone, then nothing,
    as after `--no-deps`.
    """
    python = install_alone(tmp_path)
    (tmp_path / "train.py").write_text("import tensorflow as tf\nx = tf.placeholder(tf.float32)\n")
    (tmp_path / "graph.pb").touch()
    ends_as_said(python, tmp_path, COMMANDS_WITHOUT_TENSORFLOW)
    remove = [python, "-m", "pip", "uninstall", "-q", "-y"]
    subprocess.run([*remove, "packaging"], check=True)
    ends_as_said(python, tmp_path, COMMANDS_WITH_NUMPY_ALONE)
    subprocess.run([*remove, "numpy"], check=True)
    ends_as_said(python, tmp_path, COMMANDS_WITHOUT_NUMPY)


def ends_as_said(python, folder, commands):
    """Runs the commands in `folder`: each has the exit code and the words of
    its row, and no traceback.
    """
    for arguments, code, words in commands:
        done = subprocess.run(
            [python, "-m", "tf1grad", *arguments],
            cwd=folder,
            env={**os.environ, "TF1GRAD_PERIOD": str(folder / "period")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert (done.returncode, words in done.stdout) == (code, True), (arguments, done.stdout)
        assert "Traceback" not in done.stdout, done.stdout


def install_alone(folder):
    """Installs a copy of the package into a new environment below `folder`,
    and returns its Python.
    """
    copy = folder / "copy"
    copy.mkdir()
    for name in ("setup.py", "README.md", "LICENSE", "MANIFEST.in", "pyproject.toml"):
        shutil.copy(os.path.join(ROOT, name), copy)
    shutil.copytree(
        os.path.join(ROOT, "tf1grad"),
        copy / "tf1grad",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    venv.create(folder / "environment", with_pip=True)
    binaries = "Scripts" if os.name == "nt" else "bin"
    python = str(folder / "environment" / binaries / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", str(copy)], check=True)
    return python


@pytest.mark.skipif(not STANDARD, reason="this Python does not list its standard library")
def test_every_import_of_another_package_is_declared():
    """A package that a module imports when it is itself imported must be there
    after `pip install tf1grad`.
    """
    allowed = {*metadata_of_setup()["install_requires"], "tensorflow", "google"}  # protobuf
    undeclared = {
        (str(path), name)
        for path in pathlib.Path(ROOT, "tf1grad").rglob("*.py")
        for name in imported_at_the_top(path)
        if name not in allowed
        and path.name not in ("cross_validation.py", "ipython_shell.py")  # a part of scikit-learn
    }
    assert not undeclared


def imported_at_the_top(path):
    """Yields the first names of what a module imports outside of functions,
    the standard library's left out.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    pending = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, functions) or _is_for_type_checkers(node):
            continue
        pending.extend(ast.iter_child_nodes(node))
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        for name in names:
            first = name.split(".")[0]
            if first != "tf1grad" and first not in STANDARD:
                yield first


def _is_for_type_checkers(node):
    return isinstance(node, ast.If) and getattr(node.test, "id", None) == "TYPE_CHECKING"


def test_citation_names_the_version():
    text = pathlib.Path(ROOT, "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", text, re.MULTILINE).group(1) == tf1grad.__version__


def test_workflow_runs_environments_and_commands_that_exist():
    """What `.ci/run` tests on one machine, the workflow tests on several."""
    workflow = pathlib.Path(ROOT, ".github/workflows/tests.yml").read_text(encoding="utf-8")
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(os.path.join(ROOT, "tox.ini"), encoding="utf-8")
    named = {word.strip() for word in tox["tox"]["env_list"].split(",")}
    named |= {section[8:] for section in tox.sections() if section.startswith("testenv:")}
    used = set(re.findall(r"environment: (\w+)", workflow)) | set(
        re.findall(r"tox -e (\w+)", workflow)
    )
    assert used == {"lint", "types", "docs", "publish", "newest", "tf215", "tf115"}
    assert used <= named
    readme = pathlib.Path(ROOT, "README.md").read_text(encoding="utf-8")
    lines = [line for line in readme.splitlines() if line.startswith("python3 -m venv")]
    assert len(lines) == workflow.count("grep '^python3 -m venv' README.md | sed -n") == 2
