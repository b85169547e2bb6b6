"""Tests the arguments of the examples: help and errors, without TensorFlow and before any work."""

import importlib.util
import os
import re
import runpy
import sys

import pytest

from examples import EXAMPLES, FOLDER, example

# An argument that is refused, and what the refusal says.
WRONG = {
    "adversarial_moons": ("--angle=nan", "expected a number; got 'nan'"),
    "clip_exploding_rnn": ("--lengths=9", "a sequence has at least 10 symbols; got 9"),
    "cluster_digits": ("--batches-per-step=0", "expected a whole number from 1 on; got '0'"),
    "freeze_domain_adaptation": ("--runs=0", "expected a whole number from 1 on; got '0'"),
    "freeze_matrix_factorization": ("--rank=65", "the images have 64 pixels; got 65"),
    "growing_batch_digits": ("--rate=-1", "expected a number above 0; got '-1'"),
    "large_batch_digits": ("--steps=1.5", "expected a whole number from 1 on; got '1.5'"),
    "line_search_molecules": ("--seed=-1", "expected a whole number from 0 on; got '-1'"),
    "pinn_burgers": ("--n-u=457", "the grid has 456 points on the boundary; got 457"),
    "pinn_burgers_identification": ("--noise=101", "expected a number from 0 to 100; got '101'"),
}


@pytest.fixture
def program(monkeypatch, tmp_path, capsys):
    """Runs an example without TensorFlow; returns its status, its output and its errors."""

    def run(name, *arguments):
        path = os.path.join(FOLDER, name + ".py")
        monkeypatch.setattr(sys, "argv", [path] + list(arguments))
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(path, run_name="__main__")
        output, errors = capsys.readouterr()
        return ended.value.code, output, errors

    for module in ("tensorflow", "tensorflow.compat", "tensorflow.compat.v1"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "2")  # which the programs set where it is not
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.chdir(tmp_path)
    return run


def test_every_example_has_a_wrong_argument():
    assert sorted(WRONG) == EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_is_the_docstring(program, name):
    status, output, _ = program(name, "--help")
    with open(os.path.join(FOLDER, name + ".py"), encoding="utf-8") as file:
        docstring = file.read().split('"""')[1]
    assert status == 0 and docstring.strip() in output
    assert f"python legacy_examples/{name}.py" in docstring


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_wrong_argument_is_refused(program, name):
    argument, message = WRONG[name]
    status, _, errors = program(name, argument)
    assert status == 2
    assert f"argument {argument.split('=')[0]}: {message}" in re.sub(r"\s+", " ", errors)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_picture_that_cannot_be_written_is_refused(program, name):
    status, _, errors = program(name, "--output", os.path.join("nowhere", "picture.png"))
    assert status == 2 and "there is no folder 'nowhere'" in errors


def test_the_default_picture_is_looked_at_too(program, tmp_path):
    (tmp_path / "pinn_burgers.png").mkdir()
    status, _, errors = program("pinn_burgers")
    assert status == 2 and "argument --output: 'pinn_burgers.png' cannot be written" in errors


def test_a_picture_has_a_known_ending(program):
    status, _, errors = program("pinn_burgers", "--output", "picture.txt")
    assert status == 2 and "a picture ends in .png, .pdf, .svg; got 'picture.txt'" in errors


@pytest.mark.parametrize(
    "name, package", [("freeze_matrix_factorization", "sklearn"), ("line_search_molecules", "ase")]
)
def test_a_missing_package_is_named_before_any_work(program, monkeypatch, name, package):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda found: None if found == package else find(found)
    )
    status, _, _ = program(name, "--output=none")
    assert (
        status
        == f"{package} is not installed: in the checkout, pip install -e '.[examples]' brings it"
    )


def test_the_index_names_every_example_and_its_commands_are_understood(monkeypatch, tmp_path):
    with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
        index = file.read()
    assert sorted(re.findall(r"^\| \[(\w+)\.py\]\(\1\.py\)", index, re.MULTILINE)) == EXAMPLES
    commands = re.findall(r"python legacy_examples/(\w+)\.py([^`\n]*)", index)
    assert len(commands) > 5
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "2")
    monkeypatch.chdir(tmp_path)
    for name, arguments in commands:
        example(name).parse(arguments.split())
