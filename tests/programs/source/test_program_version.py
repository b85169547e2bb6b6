"""Tests which program is Python 2: what a file shows, what it imports,
and what stands beside it.
"""

import pytest

from tf1grad.programs.process import ownership
from tf1grad.programs.source import program_version

PYTHON_2, PYTHON_3, NEITHER = "xrange(3)\n", "print(f'{x}')\n", "x = 1\n"
ONLY_3 = "async def f(): pass\n"


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """Returns a function that writes files, and returns why the first one is Python 2."""
    monkeypatch.setattr(ownership, "_files", ownership.Files((), str(tmp_path)))

    def found(**texts):
        paths = {name: tmp_path.joinpath(*name.split("__")).with_suffix(".py") for name in texts}
        for name, text in texts.items():
            paths[name].parent.mkdir(parents=True, exist_ok=True)
            paths[name].write_text(text, encoding="latin-1")
        program_version._read.cache_clear()
        return program_version.mark_of_file(str(paths[next(iter(texts))]))

    return found


# The files, the started one first; why the program is Python 2.
PROGRAMS = {
    "its own mark": ({"a": PYTHON_2, "b": PYTHON_3}, "line 1: xrange"),
    "its own sign of 3": ({"a": PYTHON_3 + "import b\n", "b": PYTHON_2}, None),
    "what it imports": ({"a": "import b\n", "b": PYTHON_2}, "b.py, line 1: xrange"),
    "what that imports": (
        {"a": "import b\n", "b": "import c.d\n", "c__d": PYTHON_2},
        "d.py, line 1: xrange",
    ),
    "a relative import": (
        {"p__a": "from . import b\n", "p__b": PYTHON_2, "b": PYTHON_3},
        "b.py, line 1: xrange",
    ),
    "two levels": (
        {"p__q__a": "from ..b import x\n", "p__b": PYTHON_2, "p__q__b": PYTHON_3},
        "b.py, line 1: xrange",
    ),
    "what it imports before what is beside it": (
        {"a": "import b\n", "b": PYTHON_2, "z": ONLY_3},
        "b.py, line 1: xrange",
    ),
    "what is beside it": ({"a": NEITHER, "b": PYTHON_2, "c": NEITHER}, "b.py, line 1: xrange"),
    "both beside it": ({"a": NEITHER, "b": PYTHON_2, "c": ONLY_3}, None),
    "nothing": ({"a": NEITHER, "b": NEITHER}, None),
    "another folder": ({"a": NEITHER, "p__b": PYTHON_2}, None),
    "a file that nobody reads": ({"a": "import b\n", "b": "x = (\n"}, None),
    "bytes that are not UTF-8": ({"a": NEITHER, "b": "x = 1\ny = '\xe9'\n"}, None),
    "a condition": ({"a": "if x:\n    xrange(3)\n"}, "line 2: xrange"),
    "a branch for a version": (
        {"a": "import sys\nif sys.version_info < (3,):\n    xrange(3)\n"},
        None,
    ),
    "null bytes": ({"a": "import b\n", "b": "x = '\0'\n"}, None),
}


@pytest.mark.parametrize("files, reason", list(PROGRAMS.values()), ids=list(PROGRAMS))
def test_a_program_is_python_2_for_a_reason(mark, files, reason):
    assert mark(**files) == reason


def test_an_import_of_a_neighbour_in_a_package_is_a_sign(mark, tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "__init__.py").write_text("")
    package = {"p__near": NEITHER}
    found = mark(p__a="import near\n", **package)
    assert found == "line 1: import near, which is beside it"
    assert mark(p__a="import json, near\n", **package) == found
    in_function = "def load():\n    import near\n"  # it is called in the user's package
    assert mark(p__a=in_function, **package) == found.replace("line 1", "line 2")
    for text in (
        "from . import near\n",
        "import json\n",
        "try:\n    import near\nexcept ImportError:\n    from . import near\n",
        ONLY_3 + "import near\n",
    ):
        assert mark(p__a=text, **package) is None
    assert mark(q__a="import near\n", q__near=NEITHER) is None  # not a package


def test_only_python_3_is_told(tmp_path):
    for text, expected in ((ONLY_3, True), (PYTHON_2, False), (NEITHER, False)):
        program_version._read.cache_clear()
        (tmp_path / "a.py").write_text(text)
        assert program_version.is_only_3(str(tmp_path / "a.py")) is expected
    assert program_version.is_only_3(str(tmp_path / "absent.py")) is False
