"""Writes the rules as text: `check --list-rules`, `check --explain TFG303`, and the help in a SARIF report."""

import textwrap

from tf1grad.old_programs import rules
from tf1grad.old_programs.rules import Rule


def rule_list() -> str:
    """Returns one line for each rule."""
    return "".join(f"{rule.id}  {rule.severity:<7}  {rule.name:<20}  {rule.summary}\n" for rule in rules.all_rules())


def text(rule: Rule) -> str:
    """Returns a rule's page as plain text."""
    parts = [f"{rule.id} {rule.name} ({rule.severity})", rule.title + ".", rule.text]
    parts += ["What to do: " + rule.remedy] if rule.remedy else []
    parts += ["Found in:\n\n" + _indented(rule.bad), "Instead:\n\n" + _indented(rule.good)]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def markdown(rule: Rule) -> str:
    """Returns a rule's page as Markdown."""
    parts = [f"# {rule.id}: {rule.title}", rule.text]
    parts += ["**What to do:** " + rule.remedy] if rule.remedy else []
    parts += ["Found in:\n\n" + _fenced(rule.bad), "Instead:\n\n" + _fenced(rule.good)]
    return "\n\n".join(parts) + "\n"


def _indented(program: str) -> str:
    return textwrap.indent(program, "    ")


def _fenced(program: str) -> str:
    return f"```python\n{program}```"
