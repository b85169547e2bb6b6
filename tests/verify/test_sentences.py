"""Tests that docs/verdicts.md has the sentences of the commands on programs
and models, and no others.
"""

import ast
import os
import pathlib
import re

from other_pythons import NEEDS_PYTHON_3_8
from paths import ROOT

pytestmark = NEEDS_PYTHON_3_8  # its syntax trees have constants

FOLDER = pathlib.Path(ROOT, "tf1grad")
FILES = [
    *sorted(FOLDER.glob("verify/*.py")),
    *sorted(FOLDER.glob("cli/upgrade*.py")),
    *(FOLDER / "cli" / f"{name}.py" for name in ("doctor", "model_report", "pinned_requirements")),
    FOLDER / "cli" / "report_formats.py",
    *(
        FOLDER / "upgrade" / "rewriting" / f"{name}.py"
        for name in ("followed_imports", "program_kinds")
    ),
    FOLDER / "upgrade" / "rewriting" / "upgraded_programs.py",
    FOLDER / "upgrade" / "rules" / "requirements.py",
    FOLDER / "upgrade" / "rules" / "files" / "missing_from_file.py",
    *(FOLDER / "model" / f"{name}.py" for name in ("checking", "conversion")),
]
# No part of a report: errors of usage, progress, a table's cells.
OTHERS = re.compile(
    r"verify/(interpreters|plot|record|training_ops|observed_sessions|external_evaluations|differences|"
    r"fresh_folder)\.py"
)
NOT_SAID = [
    "tf1grad verify:",
    "Running the",
    "does not begin with a script that exists",
    "the other interpreter",
    "Traceback (most recent call last)",
    "No module named",
    "the script ended",
    "the script was not done",
    "is missing there. Install the script's packages",
    "old program under `tf1grad run`",
    ", with values perturbed by one ulp",
    "under two interpreters",
    # Marks of a diff, names of parts, notes inside of the process, and the example of a rule.
    "No newline at end of file",
    "scipy.sparse order of entries",
    "what sessions return is recorded",
    "run, verify, import tf1grad.v1",
    "check, upgrade, run: Python 2 programs",
    "upgraded programs with",
    "more (--variables lists all",
    "graph with variables",
    "program.py, which imports itself",
]
_ERRORS = ("UsageError", "ModelError")
WORDS = 3  # a shorter text is a part of a sentence


def normalized(text):
    return " ".join(text.split()).strip(" ,.;:()")


def of_usage(tree):
    """Yields the parts of errors, of help texts and of regular expressions."""
    for node in ast.walk(tree):
        is_help = isinstance(node, ast.keyword) and node.arg == "help"
        is_epilog = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "EPILOG"
        is_pattern = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
        error = node.exc if isinstance(node, ast.Raise) else None
        is_usage = isinstance(error, ast.Call) and ast.unparse(error.func) in _ERRORS
        if is_help or is_epilog or is_pattern or is_usage:
            yield from ast.walk(node)


def said():
    """Yields the constant parts of the texts in the code that are no docstrings."""
    for path in FILES:
        if OTHERS.search(path.as_posix()):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and isinstance(node.body[0], ast.Expr)
        }
        unsaid = docstrings | set(map(id, of_usage(tree)))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if id(node) not in unsaid:
                    for part in re.split(r"\{[^}]*\}", node.value):
                        yield os.path.basename(str(path)), normalized(part)


def page():
    return pathlib.Path(ROOT, "docs", "verdicts.md").read_text(encoding="utf-8")


def test_each_sentence_that_the_code_says_is_on_the_page():
    text = normalized(page())
    missing = [
        (file, part)
        for file, part in said()
        if len(part.split()) >= WORDS
        and part not in text
        and not any(other in part for other in map(normalized, NOT_SAID))
    ]
    assert missing == []


def test_each_sentence_on_the_page_is_said_by_the_code():
    texts = sorted({part for _, part in said() if part}, key=len, reverse=True)
    rows = re.findall(r"^\| (.+?) \| .+ \|$", page(), re.M)
    assert len(rows) > 40
    for row in rows:
        for part in map(normalized, re.split(r"\.\.\.|:", row)):
            # A part is made of texts of the code, the longest first.
            rest = part
            for text in texts:
                rest = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", " ", rest)
            if len(part.split()) > WORDS and not any(part in text for text in texts):
                assert normalized(rest) == "", part
