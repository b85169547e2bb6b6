"""Formats findings as text, JSON or SARIF 2.1.0."""

from __future__ import annotations

import collections
import json
import os
from typing import Any, Callable, Sequence
from urllib.request import pathname2url

import tf1grad
from tf1grad.old_programs import rules
from tf1grad.old_programs.process.messages import counted
from tf1grad.old_programs.rules import SEVERITIES, Finding, Rule, requirements, rule_help
from tf1grad.old_programs.rules.installed_packages import Installed

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


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


def _said(finding: Finding) -> tuple[str, str, str]:
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


def sarif(findings: Sequence[Finding], count: int, installed: Installed) -> str:
    """Returns a SARIF log with one run, all rules and a result per finding; its paths are relative."""
    identifiers = [rule.id for rule in rules.all_rules()]
    run = {
        "tool": {
            "driver": {
                "name": "tf1grad",
                "version": tf1grad.__version__,
                "rules": [_sarif_rule(rule) for rule in rules.all_rules()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"uri": f"file://{pathname2url(os.getcwd()).rstrip('/')}/"}},
        "results": [
            _sarif_result(finding, identifiers.index(finding.rule.id)) for finding in findings
        ],
        "properties": {"files": count, "tensorflow": installed.version},
    }
    return json.dumps({"$schema": SARIF, "version": "2.1.0", "runs": [run]}, indent=2)


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.text},
        "help": {"text": rule_help.text(rule), "markdown": rule_help.markdown(rule)},
        "defaultConfiguration": {"level": rule.severity},
    }


def _sarif_result(finding: Finding, index: int) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": _location(finding.path)}
    if finding.cell is None:
        where["region"] = {"startLine": finding.line, "startColumn": finding.column}
    message = f"{finding.message} {finding.remedy}"
    if finding.cell is not None:
        message = f"Cell {finding.cell}, line {finding.line}: {message}"
    return {
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "level": finding.rule.severity,
        "message": {"text": message},
        "locations": [{"physicalLocation": where}],
    }


def _location(path: str) -> dict[str, str]:
    inside = os.path.relpath(path)
    if inside.startswith(os.pardir):
        return {"uri": "file://" + pathname2url(os.path.abspath(path))}
    return {"uri": pathname2url(inside), "uriBaseId": "ROOT"}


FORMATS: dict[str, Callable[[Sequence[Finding], int, Installed], str]] = {
    "text": text,
    "json": as_json,
    "sarif": sarif,
}
