"""Formats findings as text, JSON, SARIF 2.1.0, or commands of GitHub's workflows.

Each format is a generator: it takes the findings of one file after the other, and yields texts as
they are complete.
"""

from __future__ import annotations

import collections
import json
import os
import sys
from typing import Any, Callable, Iterable, Iterator, Sequence
from urllib.request import pathname2url

import tf1grad
from tf1grad.cli import colors
from tf1grad.programs.process.messages import counted
from tf1grad.upgrade import rules
from tf1grad.upgrade.edits.installed_packages import InstalledNames
from tf1grad.upgrade.rules import SEVERITIES, Finding, Rule, requirements, rule_help

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


Files = Iterable[Sequence[Finding]]


def text(files: Files, count: int, installed: InstalledNames) -> Iterator[str]:
    """Yields a line for each message in a file with its remedy below,
    and the number of findings and files.
    """
    all_findings: list[Finding] = []
    for findings in files:
        all_findings += findings
        repeated = collections.Counter(map(_said, findings))
        for finding in findings:
            times = repeated.pop(_said(finding), 0)
            if times:
                repeats = f" ({times} times)" if times > 1 else ""
                yield f"{_headline(finding)}{repeats}\n    {finding.remedy}\n"
    yield _counts(all_findings, count, installed)
    needed = requirements.sentence(all_findings)
    if needed:
        yield needed + "\n"


def concise(files: Files, count: int, installed: InstalledNames) -> Iterator[str]:
    """Yields a line for each finding, without its remedy, and the number of findings and files."""
    all_findings: list[Finding] = []
    for findings in files:
        all_findings += findings
        for finding in findings:
            yield _headline(finding) + "\n"
    yield _counts(all_findings, count, installed)


def _headline(finding: Finding) -> str:
    place, severity = position(finding), finding.rule.severity
    if colors.are_shown(sys.stdout):
        place, severity = colors.painted(place, "place"), colors.painted(severity, severity)
    return f"{place}: {severity} {finding.rule.id}: {finding.message}"


def _counts(findings: Sequence[Finding], count: int, installed: InstalledNames) -> str:
    number = collections.Counter(finding.rule.severity for finding in findings)
    counts = ", ".join(
        counted(number[severity], severity) for severity in SEVERITIES if number[severity]
    )
    return f"{counts or 'Nothing found'} in {counted(count, 'file')}{_lookup_note(installed)}\n"


def _said(finding: Finding) -> tuple[str, str]:
    return finding.message, finding.remedy


def github(files: Files, count: int, installed: InstalledNames) -> Iterator[str]:
    """Yields a workflow command for each finding, which GitHub shows beside the line."""
    levels = {"error": "error", "warning": "warning", "note": "notice"}
    for findings in files:
        for finding in findings:
            cell = "" if finding.cell is None else f"Cell {finding.cell}, line {finding.line}: "
            line = finding.line if finding.cell is None else 1
            properties = (
                f"file={_escaped(finding.path, ',:')},line={line},col={finding.column},"
                f"title={finding.rule.id}"
            )
            message = _escaped(f"{cell}{finding.message} {finding.remedy}")
            yield f"::{levels[finding.rule.severity]} {properties}::{message}\n"


def _escaped(text: str, more: str = "") -> str:
    """Returns a text as workflow commands write it; `more` are characters that end a property."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def position(finding: Finding) -> str:
    """Returns the position of a finding: `program.py:3:1`, or `notebook.ipynb:cell 2:3:1`."""
    cell = "" if finding.cell is None else f"cell {finding.cell}:"
    return f"{finding.path}:{cell}{finding.line}:{finding.column}"


def _lookup_note(installed: InstalledNames) -> str:
    if installed.version:
        return f"; names were looked up in TensorFlow {installed.version}"
    return "; names were not looked up in an installed TensorFlow"


def as_json(files: Files, count: int, installed: InstalledNames) -> Iterator[str]:
    """Yields an object with `findings`, `files`, `install`, and `tensorflow`:
    the version that was asked, or null.
    """
    findings = [finding for found in files for finding in found]
    report = json.dumps(
        {
            "version": tf1grad.__version__,
            "tensorflow": installed.version,
            "files": count,
            "install": requirements.find_commands(findings),
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
    yield report + "\n"


def sarif(files: Files, count: int, installed: InstalledNames) -> Iterator[str]:
    """Yields a SARIF log with one run, all rules and a result per finding;
    its paths are relative.
    """
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
            _sarif_result(finding, identifiers.index(finding.rule.id))
            for found in files
            for finding in found
        ],
        "properties": {"files": count, "tensorflow": installed.version},
    }
    yield json.dumps({"$schema": SARIF, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


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


FORMATS: dict[str, Callable[[Files, int, InstalledNames], Iterator[str]]] = {
    "text": text,
    "concise": concise,
    "json": as_json,
    "sarif": sarif,
    "github": github,
}
