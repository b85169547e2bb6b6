"""What to install for the names that a program uses: the last line of a report."""

import re
from typing import Iterable, List, Optional

from tf1grad.old_programs import originals
from tf1grad.old_programs._compat import is_installed
from tf1grad.old_programs.rules import Finding

_PIP = re.compile(r"pip install ([\w-]+)")
_ORIGINALS = "tf1grad contrib install"
KERAS = "pip install --no-deps tf_keras"  # which would bring the full tensorflow, even where tensorflow-cpu is there


def of(findings: Iterable[Finding]) -> List[str]:
    """The commands that bring what the remedies of findings name, as far as it is not installed."""
    remedies = [finding.remedy for finding in findings]
    packages = sorted({package for remedy in remedies for package in _PIP.findall(remedy)})
    missing = [package for package in packages if not is_installed(package.replace("-", "_"))]
    plain = [package for package in missing if package != "tf_keras"]
    commands = (["pip install " + " ".join(plain)] if plain else []) + ([KERAS] if plain != missing else [])
    if any(_ORIGINALS in remedy for remedy in remedies) and not originals.is_installed():
        commands.append(_ORIGINALS)
    return commands


def sentence(findings: Iterable[Finding]) -> Optional[str]:
    """The same as a line; None where there is nothing to install."""
    commands = of(findings)
    return f"To install for this program: {'; '.join(commands)}" if commands else None
