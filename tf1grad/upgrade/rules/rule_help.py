"""Writes the rules as text: `check --list-rules`, `check --explain TFG303`,
and the help in a SARIF report.
"""

import textwrap
from typing import Callable

from tf1grad.upgrade import rules
from tf1grad.upgrade.rules import Rule


def rule_list() -> str:
    """Returns one line for each rule."""
    return "".join(
        f"{rule.id}  {rule.severity:<7}  {rule.name:<20}  {rule.summary}\n"
        for rule in rules.all_rules()
    )


def text(rule: Rule) -> str:
    """Returns a rule's page as plain text."""
    heading = f"{rule.id} {rule.name} ({rule.severity})\n\n{rule.title}."
    return _page(rule, heading, "What to do:", lambda program: textwrap.indent(program, "    "))


def markdown(rule: Rule) -> str:
    """Returns a rule's page as Markdown."""
    return _page(
        rule,
        f"# {rule.id}: {rule.title}",
        "**What to do:**",
        lambda program: f"```python\n{program}```",
    )


def _page(rule: Rule, heading: str, label: str, shown: Callable[[str], str]) -> str:
    remedy = [f"{label} {rule.remedy}"] if rule.remedy else []
    parts = [
        heading,
        rule.text,
        *remedy,
        "Found in:",
        shown(rule.bad),
        "Instead:",
        shown(rule.good),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"
