"""What the README and the documentation's pages show runs as it stands,
from a page's first snippet to its last.
"""

import ast
import functools
import glob
import importlib
import os
import re
import shlex
import sys
import textwrap
import types

import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from paths import ROOT
from tf1grad._compat import VERSION
from tf1grad.cli import main
from tf1grad.run.gone_ops.signatures import signatures

DOCS = os.path.join(ROOT, "docs")
PAGES = sorted(
    os.path.relpath(path, ROOT)
    for folder in ("", "recipes", "commands")
    for path in glob.glob(os.path.join(DOCS, folder, "*.md"))
)
MESSAGES = "docs/troubleshooting.md"


def _text(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def _snippets(page, language):
    """The code of a page in a language, with what MkDocs includes in it."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```$", _text(page), re.DOTALL | re.MULTILINE)
    return [re.sub(r'--8<-- "(.*)"\n', _included, textwrap.dedent(code)) for _, code in found]


def _included(match):
    return _text(os.path.join("docs", "snippets", match.group(1)))


def test_the_pages_are_found():
    assert os.path.join("docs", "recipes", "accumulation.md") in PAGES and len(PAGES) > 20
    assert sum(len(_snippets(page, "python")) for page in PAGES) > 30


@pytest.mark.parametrize("page", [page for page in PAGES if _snippets(page, "python")])
def test_snippets_run_one_after_another(page):
    if VERSION < (2,):
        from tensorflow.contrib import seq2seq  # noqa: F401  registers the op of docs/ops.md
    names = {}
    with tf.Graph().as_default():
        for snippet in _snippets(page, "python"):
            exec(compile(snippet, page, "exec"), names)
    assert names["tf"] is tf


def test_the_readme_prints_the_mean_of_its_losses(graph, capsys):
    names = {}
    for snippet in _snippets("README.md", "python"):
        exec(compile(snippet, "README.md", "exec"), names)
    # Four samples of loss 25 and two of loss 0: what the first snippets print.
    assert float(capsys.readouterr().out.split()[0]) == pytest.approx(4 * 25 / 6)


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in ["README.md"] + PAGES
        if "\ntf1grad " in "".join("\n" + code for code in _snippets(page, "sh"))
    ],
)
def test_command_lines_are_understood(page):
    code = "".join(_snippets(page, "sh")).replace("\\\n", "")
    lines = [line for line in code.splitlines() if line.startswith("tf1grad ")]
    for line in lines:
        command = re.sub(r" [<>] .*", "", line)  # the shell takes the redirections
        arguments = shlex.split(command, comments=True)[1:]
        parsed = main.make_parser(arguments).parse_args(arguments)
        assert parsed.command == arguments[0]


@pytest.mark.parametrize(
    "page", ["README.md", os.path.join("legacy_examples", "README.md"), *PAGES]
)
def test_code_lines_fit_80_columns(page):
    """The two commands of the README that CI runs are exempt: each must stay on one line."""
    blocks = re.findall(r"^( *)```\w+\n(.*?)^\1```$", _text(page), re.DOTALL | re.MULTILINE)
    # With what MkDocs includes.
    code = [textwrap.dedent(code) for _, code in blocks] + _snippets(page, "python")
    lines = [line for each in code for line in each.splitlines()]
    assert [
        line for line in lines if len(line) > 80 and not line.startswith("python3 -m venv")
    ] == []


def test_programs_that_pages_start_are_there():
    for page in ["README.md"] + PAGES:
        for path in re.findall(r"(?:legacy_examples|tests/benchmarks)/\w+\.py", _text(page)):
            assert os.path.exists(os.path.join(ROOT, path)), (page, path)


def test_messages_of_the_troubleshooting_page_are_those_of_the_sources():
    sources = glob.glob(os.path.join(ROOT, "tf1grad", "**", "*.py"), recursive=True)
    written = [constant for source in sources for constant in _strings(source)]
    own, _, _ = _text(MESSAGES).partition("\n## Messages of pip, ")
    messages = re.findall(r"^### `(.+)`$", own, re.MULTILINE)
    assert len(messages) > 10
    for message in messages:
        parts = [part.strip() for part in message.split("...") if part.strip()]
        assert any(all(part in constant for part in parts) for constant in written), message


def _strings(source):
    """The strings of a source, those of an f-string with `...` between;
    those that follow one another are one.
    """
    with open(source, encoding="utf-8") as file:
        nodes = list(ast.walk(ast.parse(file.read())))
    formatted = [
        filter(None, map(_string, node.values)) for node in nodes if isinstance(node, ast.JoinedStr)
    ]
    return list(map("...".join, formatted)) + list(filter(None, map(_string, nodes)))


def _string(node):
    # Python 3.7 has ast.Str.
    value = getattr(node, "value" if isinstance(node, ast.Constant) else "s", None)
    return value if isinstance(value, str) else None


def test_each_command_has_a_page():
    assert {
        os.path.basename(page) for page in PAGES if os.path.dirname(page).endswith("commands")
    } == {command + ".md" for command in main.COMMANDS}


@pytest.fixture
def generators(monkeypatch):
    """Imports the modules that make pages, which are its attributes;
    MkDocs itself is not needed.
    """
    monkeypatch.syspath_prepend(os.path.join(DOCS, "generate"))
    monkeypatch.setenv("COLUMNS", "80")  # restores what the import of `commands` sets
    names = (
        "commands",
        "contrib",
        "gallery",
        "ops",
        "other_libraries",
        "project",
        "reference",
        "rules",
    )
    for name in names:  # Python 2 had a module `commands` too, which stands in for old programs
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield types.SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    for name in names:
        sys.modules.pop(name, None)


def test_generated_pages(generators):
    of = generators
    assert "usage: tf1grad run [options]" in of.commands.help_text("run")
    names = of.contrib.table()
    assert '"tf.contrib.opt.ScipyOptimizerInterface"></a>`Scipy' in names
    assert "`ScipyOptimizerInterface` | `tf1grad.ScipyOptimizerInterface` |" in names
    assert "`crf_decode` | TensorFlow 1.15 alone; or write the forward" in names
    assert (
        f"| **all** | **{sum(map(len, of.contrib.recorded().values()))}** |" in of.contrib.summary()
    )
    ops = of.ops.table()
    assert (
        "| `GatherTree` | a function of tf1grad |" in ops and "`KafkaDataset` | It was an op" in ops
    )
    assert f"| **all** | **{sum(map(len, of.ops.recorded().values()))}** |" in of.ops.summary()
    assert (
        "| `numpy.trapz` | `numpy.trapezoid` | NumPy 2.4 | yes | yes | yes |"
        in of.other_libraries.tables()
    )
    assert "`pandas.read_csv(delim_whitespace=)`" in of.other_libraries.recorded()
    assert dict(of.project.pages())["changelog.md"].startswith("# Changelog")
    rooms = of.reference.rooms()
    assert sorted(name for names in rooms.values() for name in names) == sorted(tf1grad.__all__)
    pages = glob.glob(os.path.join(DOCS, "reference", "*.md"))
    assert {os.path.basename(path)[: -len(".md")] for path in pages} == set(rooms)
    pages = dict(of.rules.pages())
    assert "rules/TFG312.md" in pages and all(
        f"[{path[6:12]}]({path[6:]})" in of.rules.index() for path in pages
    )


def test_the_gallery_has_the_picture_of_each_example(generators):
    names = [name for name, *_ in generators.gallery.examples()]
    assert sorted(os.listdir(os.path.join(DOCS, "gallery"))) == sorted(
        name + ".png" for name in names
    )
    for name in names:
        assert os.path.exists(os.path.join(ROOT, generators.gallery.command(name)[1]))
        assert f"](gallery/{name}.png)" in generators.gallery.text()


@pytest.mark.skipif(
    not tf.__version__.startswith("2.21"), reason="the record is that of TensorFlow 2.21"
)
def test_the_record_of_ops_is_that_of_tensorflow_2(generators):
    import record_ops

    registered, kernels = record_ops.registered(), record_ops.with_kernels()
    gone = {
        name
        for names in generators.ops.recorded().values()
        for name in names
        if name not in registered
    }
    assert gone <= set(signatures()) and "GatherTree" in gone
    assert kernels.isdisjoint(signatures()) and "Conv2D" in kernels


@pytest.mark.skipif(
    not tf.__version__.startswith("1."),
    reason="asks TensorFlow 1.15 for its ops and for tf.contrib",
)
def test_the_records_are_those_of_tensorflow_1_15(generators):
    import record_contrib_names
    import record_ops
    import record_v1_names

    assert _text("tf1grad/v1.pyi").splitlines() == record_v1_names.text().splitlines()
    assert set(generators.ops.recorded()["core"]) <= set(record_ops.registered())
    for module in ("eager", "layers", "opt", "rnn", "summary", "training"):
        assert generators.contrib.recorded()[module] == record_contrib_names.names(module)
