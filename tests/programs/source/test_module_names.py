"""Tests which names the text of a package shows to exist."""

from tf1grad.programs.source.module_names import ModuleNames

FILES = {
    "__init__.py": "from p.inner import *\nfrom .other import one as renamed\n",
    "inner.py": "a = 1\nfrom . import other\nfrom .deep import *\n",
    "deep.py": "from .inner import *\nb = 2\n",
    "other.py": "one = 1\n",
    "lazy.py": "def __getattr__(name):\n    return name\n",
}


def test_names_come_through_imports_with_and_without_a_star(tmp_path):
    (tmp_path / "p").mkdir()
    for name, text in FILES.items():
        (tmp_path / "p" / name).write_text(text)
    names = ModuleNames([str(tmp_path)])
    for name, expected in {
        "p.a": True,
        "p.b": True,
        "p.renamed": True,
        "p.other.one": True,
        "p.one": False,
        "p.inner.absent": False,
        "p.lazy.any": None,
        "q.any": None,
    }.items():
        assert names.has(name) is expected, name
