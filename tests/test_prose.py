"""Tests that no sentence of the documentation and no docstring opens like a question that it does not ask."""

import ast
import glob
import os
import re

import pytest

from paths import ROOT

OPENER = re.compile(r"^(What|Whose|Who|Which|Where|How|Whether)\b")
PAGES = sorted(
    glob.glob(os.path.join(ROOT, "*.md"))
    + glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)
)


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _docstrings():
    """Yields the place and the text of each docstring of the package."""
    for path in sorted(glob.glob(os.path.join(ROOT, "tf1grad", "**", "*.py"), recursive=True)):
        for node in ast.walk(ast.parse(_read(path))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text:
                    yield f"{os.path.relpath(path, ROOT)}:{getattr(node, 'lineno', 1)}", text


def test_no_docstring_opens_like_a_question():
    docstrings = list(_docstrings())
    assert len(docstrings) > 1000
    assert [place for place, text in docstrings if OPENER.match(text)] == []


def _prose(text):
    """Returns the paragraphs, list items and table cells of Markdown outside code and comments."""
    text = re.sub(
        r"^( *)```.*?^\1```$|<!--.*?-->|`[^`\n]*`", "CODE", text, flags=re.DOTALL | re.MULTILINE
    )
    return [
        part.strip(" *#-")
        for block in re.split(r"\n\s*\n|\n *[-*|] ", text)
        for part in block.split("|")
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: os.path.relpath(page, ROOT))
def test_no_sentence_of_a_page_opens_like_a_question(page):
    sentences = [
        sentence for part in _prose(_read(page)) for sentence in re.split(r"(?<=[.!:]) ", part)
    ]
    assert [
        sentence for sentence in sentences if OPENER.match(sentence) and not sentence.endswith("?")
    ] == []
