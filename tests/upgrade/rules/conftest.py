"""Fixtures that check programs by the rules alone."""

import re
import textwrap

import pytest

from tf1grad.programs.source import files
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rules import engine

HEADER = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"


@pytest.fixture
def findings_in():
    """Returns a function that finds what the rules say of one program of TensorFlow 1."""

    def findings(text, installed=None):
        program = Program(files.Source("program.py", text))
        return engine.findings([program], installed or InstalledNames(ask=False), tf1=True)

    return findings


@pytest.fixture
def check_announced(findings_in):
    """Returns a function that compares findings with the comments `#! TFG101 TFG102` at
    the ends of their lines.
    """

    def check(text):
        text = HEADER + textwrap.dedent(text)
        expected = {
            (number, rule)
            for number, line in enumerate(text.split("\n"), 1)
            if "#!" in line
            for rule in re.findall(r"TFG\d+", line.split("#!")[1])
        }
        assert {(finding.line, finding.rule.id) for finding in findings_in(text)} == expected

    return check


@pytest.fixture
def rules_in():
    """Returns a function that gives the ids of the rules that find something
    in files of one program.
    """

    def rules(texts):
        programs = [Program(files.Source(f"p{index}.py", text)) for index, text in enumerate(texts)]
        return {finding.rule.id for finding in engine.findings(programs, InstalledNames(ask=False))}

    return rules
