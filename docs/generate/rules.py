"""The pages of the rules of `tf1grad check`, from the rules' own data."""

from tf1grad.old_programs import rules
from tf1grad.old_programs.rules import rule_help

SEVERITIES = {"error": "the program does not run on TensorFlow 2", "warning": "it runs, and may do something else than "
              "it says", "note": "nothing is wrong; tf1grad has a call for it"}


def index():
    """The table of all rules."""
    rows = ["| rule | name | severity | what |", "|---|---|---|---|"]
    rows += [f"| [{rule.id}]({rule.id}.md) | {rule.name} | {rule.severity} | {rule.summary} |" for rule in rules.all()]
    return "\n".join(rows)


def pages():
    """Path and Markdown of the page of each rule: what `check --explain` prints, and how to silence it."""
    for rule in rules.all():
        severity = f"\n`{rule.name}`, {rule.severity}: {SEVERITIES[rule.severity]}.\n"
        title, _, rest = rule_help.markdown(rule).partition("\n")
        yield f"rules/{rule.id}.md", title + "\n" + severity + rest + _SILENCE.replace("TFG", rule.id)


_SILENCE = """
To silence it on a line: `# tf1grad: ignore[TFG]`. Everywhere: `tf1grad check --ignore TFG PATH`.
"""
