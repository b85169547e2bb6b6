"""Lists what to install for the names that a program uses: the last line of a report."""

from typing import Iterable, List, Optional

from tf1grad.old_programs import originals
from tf1grad.old_programs._compat import is_installed
from tf1grad.old_programs.names.provisions import ORIGINALS
from tf1grad.old_programs.rules import Finding

# With its dependencies it would bring the full tensorflow, even where tensorflow-cpu is installed.
KERAS = "pip install --no-deps tf_keras"
_MODULES = {"pillow": "PIL"}  # where the package has another name


def of(findings: Iterable[Finding]) -> List[str]:
    """Returns the commands that install the requirements of findings, as far as they are missing."""
    required = {finding.requirement for finding in findings if finding.requirement}
    missing = [name for name in sorted(required - {ORIGINALS}) if not is_installed(_module(name))]
    plain = [package for package in missing if package != "tf_keras"]
    commands = (["pip install " + " ".join(plain)] if plain else []) + ([KERAS] if plain != missing else [])
    return commands + ([ORIGINALS] if ORIGINALS in required and not originals.is_installed() else [])


def sentence(findings: Iterable[Finding]) -> Optional[str]:
    """Returns the same as a line; None where everything is installed."""
    commands = of(findings)
    return f"To install for this program: {'; '.join(commands)}" if commands else None


def _module(package: str) -> str:
    return _MODULES.get(package, package.replace("-", "_"))
