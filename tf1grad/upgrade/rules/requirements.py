"""Lists what to install for the names that a program uses: the last line of a report."""

from __future__ import annotations

from typing import Iterable

from tf1grad.programs import _compat
from tf1grad.programs._compat import is_installed
from tf1grad.programs._installers import PIP, environment_tool, install_line
from tf1grad.programs.names.packages import package_of, pinned
from tf1grad.programs.names.provisions import ORIGINALS
from tf1grad.programs.period import folder
from tf1grad.upgrade.rules import Finding


def find_commands(findings: Iterable[Finding], more: Iterable[str] = ()) -> list[str]:
    """Returns the commands that install what is missing of the requirements of
    findings and `more` packages.
    """
    findings = list(findings)
    needs_originals = any(finding.requirement == ORIGINALS for finding in findings)
    commands = find_pip_commands(findings, more)
    if needs_originals and folder.find_originals() is None:
        commands.append(ORIGINALS)
    return commands


def find_pip_commands(findings: Iterable[Finding], more: Iterable[str] = ()) -> list[str]:
    """Returns the commands of pip among them, and those for `more` packages."""
    required = {finding.requirement for finding in findings if finding.requirement}
    required.update(more)
    wanted = [package_of(name) for name in sorted(required - {ORIGINALS})]
    missing = [package for package in wanted if not is_installed(package.module)]
    version = _compat.installed_version()
    has_options = environment_tool() == PIP  # other tools resolve what they add
    plain = [package for package in missing if not (package.options and has_options)]
    commands = [install_line([pinned(package.name, version) for package in plain])] if plain else []
    return commands + [
        install_line([pinned(package.name, version)], package.options)
        for package in missing
        if package not in plain
    ]


def sentence(findings: Iterable[Finding], more: Iterable[str] = ()) -> str | None:
    """Returns the same as a line; None where everything is installed."""
    commands = find_commands(findings, more)
    return f"To install for the upgraded program: {'; '.join(commands)}" if commands else None
