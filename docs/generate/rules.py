"""Generates the pages of the rules of `tf1grad check` from the data of the rules."""

from tf1grad.upgrade import rules
from tf1grad.upgrade.rules import rule_help

SEVERITIES = {
    "error": "the program does not run on TensorFlow 2",
    "warning": "the program runs, but may do something other than it says",
    "note": "nothing is wrong, and tf1grad has a call for it",
}


def index():
    """Returns the table of all rules."""
    rows = ["| rule | name | severity | summary |", "|---|---|---|---|"]
    rows += [
        f"| [{rule.id}]({rule.id}.md) | {rule.name} | {rule.severity} | {rule.summary} |"
        for rule in rules.all_rules()
    ]
    return "\n".join(rows)


def pages():
    """Yields path and Markdown of each rule's page:
    the output of `check --explain`, and how to silence the rule.
    """
    for rule in rules.all_rules():
        severity = f"\n`{rule.name}`, {rule.severity}: {SEVERITIES[rule.severity]}.\n"
        title, _, rest = rule_help.markdown(rule).partition("\n")
        yield (
            f"rules/{rule.id}.md",
            title + "\n" + severity + rest + _SILENCE.replace("TFG", rule.id),
        )


_SILENCE = """
To silence this rule on a line, add `# tf1grad: ignore[TFG]`. To silence it everywhere, run
`tf1grad check --ignore TFG PATH`.
"""
