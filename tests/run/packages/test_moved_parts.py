"""Tests that modules which a compiled package of today has elsewhere are served to
old code, and to no other.
"""

import importlib
import sys

import pytest

from tf1grad.programs.process import ownership, patches
from tf1grad.run.packages import moved_parts

TAG = "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64".format(*sys.version_info)
MODULES = {
    "fast/__init__.py": "",
    "fast/core/__init__.py": "",
    "fast/core/decorators.py": "jit = 'of core'\n",
    "fast/forest/__init__.py": "",
    "fast/forest/_trees.py": "grow = 'private'\n",
}
TRAIN = """
import fast.forest.trees, old
print(fast.forest.trees.grow, old.jit, fast.forest.trees is sys.modules["fast.forest._trees"])
for name in ("fast.nothing", "fast.core.decorator", "fast.forest._grass"):
    try:
        __import__(name)
    except ImportError as error:
        print(error)
"""


@pytest.mark.slow
def test_a_module_is_found_in_core_and_under_its_private_name(program, folder, index):
    """As the shims of numba 0.49 and scikit-learn 0.22 found them."""
    index.add_wheel(
        "fast", "0.1", "2019-01-01", {"fast.py": ""}, tag="cp37-cp37m-manylinux1_x86_64"
    )
    index.add_wheel("fast", "9.0", "2021-01-01", MODULES, tag=TAG)
    text = "import keras\nfrom fast.decorators import jit\n"
    index.add_wheel("old", "1.0", "2019-01-01", {"old.py": text}, ["fast"])
    program({"requirements.txt": "old\n", "train.py": "import sys\n" + TRAIN})
    assert folder.lines("train.py") == [
        "private of core True",
        "No module named 'fast.nothing'",
        "No module named 'fast.core.decorator'",
        "No module named 'fast.forest._grass'",
    ]


@pytest.fixture
def fast(tmp_path, monkeypatch):
    """Serves what the package `fast`, which is on the path, has elsewhere."""
    for name, text in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = len(patches.changes())
    moved_parts.install(["fast"])
    yield
    patches.undo(before)
    for name in [name for name in sys.modules if name.partition(".")[0] == "fast"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "asked, place",
    [("fast.decorators", "fast.core.decorators"), ("fast.forest.trees", "fast.forest._trees")],
)
def test_the_module_of_another_name_is_served_to_the_program_alone(fast, monkeypatch, asked, place):
    monkeypatch.setattr(ownership, "is_asked_by_user", lambda: False)
    with pytest.raises(ImportError, match=asked):
        importlib.import_module(asked)
    monkeypatch.setattr(ownership, "is_asked_by_user", lambda: True)
    assert importlib.import_module(asked) is importlib.import_module(place)
    for missing in ("fast.nothing", "fast.forest._grass"):
        with pytest.raises(ImportError, match=missing):
            importlib.import_module(missing)
