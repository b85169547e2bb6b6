"""Measures the English of docstrings and of the documentation against the project's limits."""

import ast
import glob
import os
import re

import pytest

from paths import ROOT

OPENER = re.compile(r"^(What|Whose|Who|Which|Where|How|Whether)\b")
NOUN = re.compile(r"^(The|A|An|True|False)\b")
ODD = re.compile(r"\b(otherwise|no more|as it is|are there|is there|of its own|what is|of before|anew|by itself|lest"
                 r"|be it|none of|is no|are no|has no|have no|surely|whose)\b")
ODD_PER_THOUSAND = 2
NOUN_PHRASES = 0.2
PAGES = sorted(glob.glob(os.path.join(ROOT, "*.md"))
               + glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.fixture(scope="module")
def docstrings():
    """Returns the place, the node and the text of each docstring of the package."""
    return list(_docstrings())


def _docstrings():
    for path in sorted(glob.glob(os.path.join(ROOT, "tf1grad", "**", "*.py"), recursive=True)):
        for node in ast.walk(ast.parse(_read(path))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text:
                    yield f"{os.path.relpath(path, ROOT)}:{getattr(node, 'lineno', 1)}", node, text


def test_no_docstring_opens_like_a_question(docstrings):
    assert len(docstrings) > 1000
    assert [place for place, _, text in docstrings if OPENER.match(text)] == []


def test_docstrings_have_few_odd_turns(docstrings):
    words = sum(len(text.split()) for _, _, text in docstrings)
    odd = [(place, match.group()) for place, _, text in docstrings for match in ODD.finditer(text)]
    assert 1000 * len(odd) / words <= ODD_PER_THOUSAND, odd


def test_functions_are_described_by_verbs(docstrings):
    texts = [text for _, node, text in docstrings if not isinstance(node, ast.Module)]
    assert sum(bool(NOUN.match(text)) for text in texts) <= NOUN_PHRASES * len(texts)


def _prose(text):
    """Returns the paragraphs, list items and table cells of Markdown outside code and comments."""
    text = re.sub(r"^( *)```.*?^\1```$|<!--.*?-->|`[^`\n]*`", "CODE", text, flags=re.DOTALL | re.MULTILINE)
    return [part.strip(" *#-") for block in re.split(r"\n\s*\n|\n *[-*|] ", text) for part in block.split("|")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: os.path.relpath(page, ROOT))
def test_pages_are_plain_english(page):
    sentences = [sentence for part in _prose(_read(page)) for sentence in re.split(r"(?<=[.!:]) ", part)]
    assert [sentence for sentence in sentences if OPENER.match(sentence) and not sentence.endswith("?")] == []
    odd = [match.group() for sentence in sentences for match in ODD.finditer(sentence)]
    words = sum(len(sentence.split()) for sentence in sentences)
    assert len(odd) <= max(1, ODD_PER_THOUSAND * words / 1000), odd
