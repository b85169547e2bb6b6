"""Makes pages of the project's own texts: the changelog, CONTRIBUTING, SECURITY,
and the examples' index.
"""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEXTS = {
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
    "examples.md": "legacy_examples/README.md",
}


def pages():
    """Yields path and Markdown of each text that exists;
    links into the checkout become plain text.
    """
    for page, source in TEXTS.items():
        path = os.path.join(ROOT, source)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                yield page, re.sub(r"!?\[([^\]]+)\]\((?!https?:|#)[^)]*\)", r"\1", file.read())


def repository():
    """Returns the address of the repository that setup.py names, or ""."""
    with open(os.path.join(ROOT, "setup.py"), encoding="utf-8") as file:
        return re.search(r'^REPOSITORY = "(.*)"', file.read(), re.MULTILINE).group(1)
