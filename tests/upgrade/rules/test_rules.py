"""The rules: each is one file whose examples are true, and whose page says what a reader needs."""

import ast

import pytest

from tf1grad.cli import main
from tf1grad.upgrade import rules
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rules import engine, requirements, rule_help


class _Has:
    """What is installed, as far as the examples go."""

    version = "9.9"

    def has(self, name):
        """Whether the name is there."""
        return name != "tensorflow.train.AdamOptimiser"  # as the example misspells it


def _found(tmp_path, text, installed):
    path = tmp_path / "program.py"
    path.write_text(text)
    programs, found = engine.read_programs([str(path)])
    return {finding.rule.id for finding in found + engine.findings(programs, installed)}


@pytest.mark.parametrize("rule", rules.all_rules(), ids=lambda rule: rule.id)
def test_the_examples_of_a_rule(rule, tmp_path):
    if rule.id == "TFG002":
        pytest.importorskip("fissix", reason="Python 2 is read with fissix")
    installed = _Has() if rule.id == "TFG104" else InstalledNames(ask=False)
    assert rule.id in _found(tmp_path, rule.bad, installed)
    assert rule.id not in _found(tmp_path, rule.good, installed)
    ast.parse(rule.good)


@pytest.mark.parametrize("rule", rules.all_rules(), ids=lambda rule: rule.id)
def test_a_rule_says_what_a_reader_needs(rule):
    assert (
        rule.severity in rules.SEVERITIES
        and rule.summary.endswith(".")
        and not rule.title.endswith(".")
    )
    assert rule.id == "TFG001" or {"findings", "findings_across", "judge"} & set(vars(rule.module))
    assert rule.remedy.endswith(".") or "judge" in vars(rule.module)


def test_a_deprecated_name_that_is_installed_is_no_finding(tmp_path):
    text = "import scipy.misc\nimport tensorflow as tf\ntf.Session()\n"
    assert "TFG401" not in _found(tmp_path, text, _Has())
    assert "TFG401" in _found(tmp_path, text, InstalledNames(ask=False))


def test_upgrade_reports_rules_that_rewrite_and_those_that_say_so():
    reported = {rule.id for rule in rules.all_rules() if rule.is_reported_by_upgrade}
    assert {"TFG002", "TFG101", "TFG102", "TFG104", "TFG106", "TFG109", "TFG401"} <= reported
    assert not {"TFG001", "TFG103", "TFG107", "TFG301"} & reported


def test_ids_never_change():
    ids = [rule.id for rule in rules.all_rules()]
    assert ids == sorted(set(ids)) and {"TFG001", "TFG101", "TFG303", "TFG401"} <= set(ids)
    assert rules.find_rule("TFG303") is rules.find_rule("prefix-scope")
    assert rules.find_rule("TFG999") is None


def test_rules_are_listed_and_explained(capsys):
    assert main.main(["check", "--list-rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [rule.id for rule in rules.all_rules()]
    assert main.main(["check", "--explain", "TFG303,leaked-handle"]) == 0
    shown = capsys.readouterr().out
    for rule in (rules.find_rule("TFG303"), rules.find_rule("leaked-handle")):
        assert rule.id in shown and rule.title in shown and rule.remedy in shown
        assert all("    " + line in shown for line in rule.bad.split("\n") if line)
    with pytest.raises(SystemExit):
        main.main(["check", "--explain", "TFG999"])
    assert main.main(["check"]) == 2


def test_the_page_of_a_rule_shows_its_programs_as_code():
    for rule in rules.all_rules()[:3]:
        page = rule_help.markdown(rule)
        assert page.startswith(f"# {rule.id}: {rule.title}\n\n{rule.text[:20]}")
        assert f"```python\n{rule.bad}```" in page and page.endswith(f"{rule.good}```\n")


def test_packages_that_are_missing_are_named_in_a_sentence():
    assert requirements.sentence([]) is None
    said = requirements.sentence([], ["absent_package_of_a_test"])
    assert said.startswith("To install for the upgraded program: ")
    assert "absent_package_of_a_test" in said.replace("-", "_")
