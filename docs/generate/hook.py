"""MkDocs hooks that add generated pages and figures, and replace markers by generated text.

A line `<!-- generate: NAME ARGUMENTS -->` in a page is replaced by the Markdown that
`TEXTS[NAME](*ARGUMENTS)` returns.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [ROOT, HERE]

from mkdocs.structure.files import File  # noqa: E402

import commands  # noqa: E402, importable because of the line above
import contrib  # noqa: E402
import gallery  # noqa: E402
import ops  # noqa: E402
import other_libraries  # noqa: E402
import papers  # noqa: E402
import project  # noqa: E402
import reference  # noqa: E402
import rules  # noqa: E402

MARKER = re.compile(r"^<!-- generate: (.+) -->$", re.MULTILINE)
TEXTS = {
    "help": commands.help_text,
    "contrib-summary": contrib.summary,
    "contrib-table": contrib.table,
    "gallery": gallery.text,
    "ops-summary": ops.summary,
    "ops-table": ops.table,
    "other-libraries": other_libraries.tables,
    "recorded-names": other_libraries.recorded,
    "papers": papers.whole,
    "papers-few": papers.few,
    "papers-notes": papers.notes,
    "papers-versions": papers.versions,
    "reference": reference.group,
    "rules": rules.index,
}

# How much more than others the search counts what a page has, by the first folder or page that
# fits. A page that explains comes before those that mention its subject.
WEIGHTS = {
    "recipes/": 3,
    "commands/check.md": 3,
    "commands/": 2,
    "contrib.md": 2,
    "troubleshooting.md": 3,
    "installation.md": 2,
    "packages.md": 3,
    "gpu.md": 3,
    "rules/TFG": 0.2,
    "behaviour.md": 0.2,
    "changelog.md": 0.2,
    "contributing.md": 0.2,
    "security.md": 0.5,
    "reference/": 0.7,
}


def on_config(config):
    """Draws the figures once per process, into a temporary folder that is
    deleted when the process ends.

    Pages link to the repository once setup.py has its address.
    """
    config["repo_url"] = project.repository() or None
    if not hasattr(on_config, "figures"):
        on_config.figures = tempfile.TemporaryDirectory(prefix="tf1grad-figures-")
        subprocess.run(
            [sys.executable, os.path.join(HERE, "figures.py"), "--output", on_config.figures.name],
            check=True,
        )
    return config


def on_files(files, config):
    """Adds the rule pages, the project's own texts, and the figures."""
    pages = dict(rules.pages())
    pages.update(project.pages())
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for name in sorted(os.listdir(on_config.figures.name)):
        files.append(
            File.generated(
                config, "figures/" + name, abs_src_path=os.path.join(on_config.figures.name, name)
            )
        )
    return files


def on_page_markdown(markdown, page, **_):
    """Replaces the markers of a page, and gives it its weight in the search."""
    weight = next((WEIGHTS[path] for path in WEIGHTS if page.file.src_uri.startswith(path)), 1)
    page.meta["search"] = {"boost": weight}
    return filled(markdown)


def on_post_build(config, **_):
    """Adds the names of tf.contrib to the search, which has written its index already."""
    file = os.path.join(config["site_dir"], "search", "search_index.json")
    with open(file, encoding="utf-8") as opened:
        index = json.load(opened)
    index["docs"] += contrib.search_entries()
    with open(file, "w", encoding="utf-8") as opened:
        json.dump(index, opened, separators=(",", ":"))


def filled(markdown):
    """Returns `markdown` with each marker replaced by its text."""

    def text(match):
        name, *arguments = match.group(1).split()
        return TEXTS[name](*arguments)

    return MARKER.sub(text, markdown)
