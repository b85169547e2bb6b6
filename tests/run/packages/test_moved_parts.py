"""Tests that modules which a compiled package of today has elsewhere are served to
old code, and to no other.
"""

import sys

import pytest

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
