"""Tests the reports: SARIF against its specification, and the last line,
which says what to install.
"""

import json
import re
import shlex

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad._compat import VERSION
from tf1grad.cli import main
from tf1grad.programs import _installers
from tf1grad.programs.period import folder
from tf1grad.upgrade import rules
from tf1grad.upgrade.edits import installed_packages
from tf1grad.upgrade.rules import requirements

PROGRAM = (
    "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\ny = tf.contrib.layers.flatten(x)\n"
    "z = tf.contrib.crf.crf_decode(y)\ntf.mul(y, z)\nr = tf.layers.dense(x, 3)\n"
)
# Of "SARIF Version 2.1.0", OASIS Standard: property -> its type; the properties that must be there
# are in capitals.
LOG = {"VERSION": str, "RUNS": list, "$schema": str}
RUN = {
    "TOOL": dict,
    "results": list,
    "columnKind": ("utf16CodeUnits", "unicodeCodePoints"),
    "originalUriBaseIds": dict,
    "properties": dict,
}
DRIVER = {"NAME": str, "version": str, "rules": list}
RULE = {
    "ID": str,
    "name": str,
    "shortDescription": dict,
    "fullDescription": dict,
    "help": dict,
    "defaultConfiguration": dict,
}
RESULT = {
    "MESSAGE": dict,
    "ruleId": str,
    "ruleIndex": int,
    "level": ("none", "note", "warning", "error"),
    "locations": list,
}
REGION = {"startLine": int, "startColumn": int}

KERAS_2 = "'tf_keras=={}.{}.*'".format(*VERSION) if VERSION >= (2, 16) else "tf_keras"


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "old \u00fc.py"
    path.write_text(PROGRAM)
    return path


def _fits(value, shape):
    required = {name.lower() for name in shape if name.isupper()}
    allowed = {name.lower() if name.isupper() else name: kind for name, kind in shape.items()}
    assert required <= set(value) <= set(allowed)
    for name, kind in allowed.items():
        if name in value:
            assert value[name] in kind if isinstance(kind, tuple) else isinstance(value[name], kind)


def test_sarif_is_what_the_specification_asks_for(program, capsys, monkeypatch):
    monkeypatch.chdir(str(program.parent))
    notebook = program.parent / "old.ipynb"
    notebook.write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": PROGRAM}], "metadata": {}})
    )
    assert main.main(["check", "--no-tensorflow", ".", "--format", "sarif"]) == 1
    log = json.loads(capsys.readouterr().out)
    _fits(log, LOG)
    assert log["version"] == "2.1.0" and len(log["runs"]) == 1
    run = log["runs"][0]
    _fits(run, RUN)
    _fits(run["tool"]["driver"], DRIVER)
    listed = run["tool"]["driver"]["rules"]
    for rule in listed:
        _fits(rule, RULE)
        assert re.match(r"^[A-Z][A-Za-z0-9]+$", rule["name"]) and set(rule["help"]) == {
            "text",
            "markdown",
        }
        assert (
            rule["shortDescription"]["text"]
            and rule["fullDescription"]["text"]
            and rule["help"]["text"]
        )
    assert len({rule["id"] for rule in listed}) == len(listed)
    assert all(re.match("^file://.*/$", base["uri"]) for base in run["originalUriBaseIds"].values())
    assert len(run["results"]) >= 8
    places = [
        result["locations"][0]["physicalLocation"]["artifactLocation"] for result in run["results"]
    ]
    assert {"uri": "old%20%C3%BC.py", "uriBaseId": "ROOT"} in places
    for result in run["results"]:
        _check_result(result, listed, run["originalUriBaseIds"])


def _check_result(result, listed, bases):
    _fits(result, RESULT)
    assert listed[result["ruleIndex"]]["id"] == result["ruleId"] and result["message"]["text"]
    (place,) = [location["physicalLocation"] for location in result["locations"]]
    artifact = place["artifactLocation"]
    assert re.match(r"^[^\s\\]+$", artifact["uri"]) and artifact.get("uriBaseId", "ROOT") in bases
    if artifact["uri"].endswith(".ipynb"):
        assert "region" not in place and result["message"]["text"].startswith("Cell 1, line ")
    else:
        _fits(place["region"], REGION)
        assert min(place["region"].values()) >= 1


def test_sarif_explains_a_rule_in_the_words_of_the_rule(program, capsys):
    main.main(["check", "--no-tensorflow", str(program), "--format", "sarif"])
    described = json.loads(capsys.readouterr().out)["runs"][0]["tool"]["driver"]["rules"]
    assert len(described) == len(rules.all_rules())
    for rule, shown in zip(rules.all_rules(), described):
        assert (
            rule.text in shown["help"]["text"]
            and "```python\n" + rule.bad in shown["help"]["markdown"]
        )


@NEEDS_PYTHON_3_8
def test_the_last_line_says_what_to_install(program, capsys, monkeypatch):
    for is_there in (True, False):
        monkeypatch.setattr(requirements, "is_installed", lambda name, is_there=is_there: is_there)
        monkeypatch.setattr(
            folder, "find_originals", lambda is_there=is_there: "there" if is_there else None
        )
        main.main(["check", "--no-tensorflow", str(program)])
        assert ("To install" not in capsys.readouterr().out) is is_there
    expected = "To install for the upgraded program: pip install tf_slim; tf1grad period install"
    assert main.main(["check", "--no-tensorflow", str(program)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == expected
    assert main.main(["upgrade", "--no-tensorflow", str(program)]) == 1
    assert "To install" not in capsys.readouterr().err  # TensorFlow 1.15 has all that it uses
    program.write_text(
        "import tensorflow as tf\nx = tf.contrib.layers.flatten(tf.placeholder('float'))\n"
    )
    assert main.main(["upgrade", "--no-tensorflow", str(program)]) == 1
    # Without a look at TensorFlow it may be one with Keras 3, where tf_slim needs tf_keras.
    expected = expected.partition(";")[0] + "; pip install --no-deps " + KERAS_2
    assert capsys.readouterr().err.splitlines()[-1] == expected


@pytest.mark.skipif(VERSION < (2, 16), reason="there is no Keras 3")
def test_other_tools_bring_the_old_keras_too(monkeypatch):
    monkeypatch.setattr(requirements, "is_installed", lambda name: False)
    for tool, line in [("uvx", "uvx --with"), ("pipx", "pipx inject tf1grad")]:
        for module in (requirements, _installers):
            monkeypatch.setattr(module, "environment_tool", lambda tool=tool: tool)
        (command,) = requirements.find_commands([], ["tf_keras"])
        assert command.startswith(f"{line} {KERAS_2}") and "pip install" not in command


@NEEDS_PYTHON_3_8
@pytest.mark.skipif(VERSION < (2, 16), reason="there is no Keras 3")
def test_layers_need_keras_where_only_keras_3_is_installed(program, capsys, monkeypatch):
    monkeypatch.setattr(installed_packages, "KERAS", installed_packages.KERAS[-1:])
    monkeypatch.setattr(requirements, "is_installed", lambda name: name != "tf_keras")
    program.write_text("import tensorflow as tf\ny = tf.layers.dense(tf.placeholder('float'), 2)\n")
    assert main.main(["check", str(program)]) == 1
    output = capsys.readouterr().out
    expected = f"To install for the upgraded program: pip install --no-deps {KERAS_2}"
    assert "tensorflow.layers.dense is missing from TensorFlow" in output
    assert output.splitlines()[-1].startswith(expected)
    assert main.main(["upgrade", str(program)]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith(expected)
    running = ["upgrade", "--write", "--by-running", shlex.quote(str(program)), str(program)]
    assert main.main(running) == 2
    assert f"the upgraded program needs pip install --no-deps {KERAS_2}" in capsys.readouterr().err


@NEEDS_PYTHON_3_8
@pytest.mark.skipif(VERSION < (2, 16), reason="there is no Keras 3")
@pytest.mark.parametrize(
    "lines",
    ["tf.keras.layers.Dense(2)", "from tensorflow.keras.layers import Dense", "import keras"],
)
def test_every_use_of_the_old_keras_needs_tf_keras(program, capsys, monkeypatch, lines):
    monkeypatch.setattr(requirements, "is_installed", lambda name: name != "tf_keras")
    program.write_text(f"import tensorflow as tf\n{lines}\ntf.placeholder('float')\n")
    expected = f"To install for the upgraded program: pip install --no-deps {KERAS_2}"
    for options in ([], ["--write"], []):  # the last finds it upgraded
        main.main(["upgrade", *options, str(program)])
        assert capsys.readouterr().err.splitlines()[-1] == expected
    running = ["upgrade", "--write", "--by-running", shlex.quote(str(program)), str(program)]
    assert main.main(running) == 2
    assert f"the upgraded program needs pip install --no-deps {KERAS_2}" in capsys.readouterr().err
