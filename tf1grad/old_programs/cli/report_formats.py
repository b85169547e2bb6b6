"""Formats findings as text or JSON."""

import collections
import json
from typing import Sequence, Tuple

import tf1grad
from tf1grad.old_programs.process.messages import counted
from tf1grad.old_programs.rules import SEVERITIES, Finding, requirements
from tf1grad.old_programs.rules.installed_packages import Installed


def text(findings: Sequence[Finding], count: int, installed: Installed) -> str:
    """Returns a line for each message in a file with its remedy below, and the number of findings and files."""
    lines = []
    repeated = collections.Counter(map(_said, findings))
    for finding in findings:
        times = repeated.pop(_said(finding), 0)
        if times:
            repeats = f" ({times} times)" if times > 1 else ""
            lines.append(
                f"{position(finding)}: {finding.rule.severity} {finding.rule.id}: {finding.message}{repeats}"
            )
            lines.append("    " + finding.remedy)
    number = collections.Counter(finding.rule.severity for finding in findings)
    counts = ", ".join(
        counted(number[severity], severity) for severity in SEVERITIES if number[severity]
    )
    lines.append(
        f"{counts or 'Nothing found'} in {counted(count, 'file')}{_lookup_note(installed)}"
    )
    needed = requirements.sentence(findings)
    return "\n".join(lines + ([needed] if needed else []))


def _said(finding: Finding) -> Tuple[str, str, str]:
    return finding.path, finding.message, finding.remedy


def position(finding: Finding) -> str:
    """Returns the position of a finding: `program.py:3:1`, or `notebook.ipynb:cell 2:3:1`."""
    cell = "" if finding.cell is None else f"cell {finding.cell}:"
    return f"{finding.path}:{cell}{finding.line}:{finding.column}"


def _lookup_note(installed: Installed) -> str:
    if installed.version:
        return f"; names were looked up in TensorFlow {installed.version}"
    return "; names were not looked up in an installed TensorFlow"


def as_json(findings: Sequence[Finding], count: int, installed: Installed) -> str:
    """Returns an object with `findings`, `files`, `install`, and `tensorflow`: the version that was asked, or null."""
    return json.dumps(
        {
            "version": tf1grad.__version__,
            "tensorflow": installed.version,
            "files": count,
            "install": requirements.of(findings),
            "findings": [
                {
                    "rule": finding.rule.id,
                    "name": finding.rule.name,
                    "severity": finding.rule.severity,
                    "path": finding.path,
                    "cell": finding.cell,
                    "line": finding.line,
                    "column": finding.column,
                    "message": finding.message,
                    "remedy": finding.remedy,
                }
                for finding in findings
            ],
        },
        indent=2,
    )


FORMATS = {"text": text, "json": as_json}
