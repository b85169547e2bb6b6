"""Tests `tf1grad doctor PATH` on libraries without a row: pip gets them from an index in a folder."""

import os
import sys

import pytest

import fake_wheels
from tf1grad.old_programs.cli import index_releases
from tf1grad.old_programs.names.library_releases import Library
from tf1grad.old_programs.period import sources

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 8), reason="its pip cannot install for another Python's version"
)
OLD = b"import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
METADATA = """Metadata-Version: 2.1
Name: of-1
Version: {}
Requires-Dist: scipy (>=1.0)
Requires-Dist: networkx==2.3
Requires-Dist: numpy==1.16
Requires-Dist: sklearn
Requires-Dist: tensorflow (>=1.4,<2)
Requires-Dist: enum34; python_version < "3.4"
Requires-Dist: sphinx; extra == "docs"
"""
PYTHONS = {
    "of_1-0.4-py3-none-any.whl": ' data-requires-python="&gt;=3.7"',
    "old-1.0-py3-none-any.whl": ' data-requires-python="&gt;=3.5,&lt;3.7"',
}
NEEDS = ("scipy", "networkx==2.3", "scikit-learn")


@pytest.fixture(autouse=True)
def index(tmp_path, monkeypatch):
    """Lets pip ask an index in a folder alone. It has of-1 in two releases, the newer one for a newer Python."""
    fake_wheels.write(
        tmp_path,
        {
            "of_1-0.3-py3-none-any.whl": {
                "of_1/__init__.py": OLD,
                "of_1-0.3.dist-info/METADATA": METADATA.format("0.3"),
            },
            "of_1-0.4-py3-none-any.whl": {
                "of_1/__init__.py": OLD,
                "of_1-0.4.dist-info/METADATA": METADATA.format("0.4") + "Requires-Python: >=3.7\n",
            },
            "of_3-1.0-py3-none-any.whl": {
                "of_3.py": b"import keras, os\nfrom cv2 import imread\nimport unknown, horovod\n"
                b"import torch\nif 0:\n    import scipy\n"
            },
            "old-1.0-py3-none-any.whl": {
                "old.py": OLD,
                "old-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: old\nVersion: 1.0\nRequires-Python: >=3.5,<3.7\n",
            },
            "of_2-2.0-py3-none-any.whl": {"of_2.py": b"import tensorflow as tf\nx = tf.function\n"},
            "other-1.0-py3-none-any.whl": {"other/__init__.py": b"import os\n"},
        },
    )
    for wheel in tmp_path.glob("*.whl"):
        page = tmp_path / "simple" / wheel.name.split("-")[0].replace("_", "-") / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        with page.open("a") as file:
            file.write(
                f'<a href="{wheel.as_uri()}"{PYTHONS.get(wheel.name, "")}>{wheel.name}</a>\n'
            )
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    index_releases.library_of.cache_clear()
    yield
    index_releases.library_of.cache_clear()


def test_a_pinned_release_is_read(capfd):
    assert index_releases.library_of("of-1", "0.4") == Library("of-1", "of_1", "0.4", NEEDS)
    assert capfd.readouterr() == ("", "Asking the package index about of-1==0.4\n")


def test_a_release_that_excludes_the_installed_python_is_read():
    assert index_releases.library_of("old", "1.0") == Library("old", "old", "1.0", ())


def test_known_packages_that_a_library_imports_are_needed():
    needs = ("opencv-python", "keras")
    assert index_releases.library_of("of-3", "1.0") == Library("of-3", "of_3", "1.0", needs)


def test_without_a_pin_it_is_the_newest_release_for_python_3_6():
    assert index_releases.library_of("of-1", "") == Library("of-1", "of_1", "0.3", NEEDS)


@pytest.mark.parametrize(
    "name, version", [("of-2", "2.0"), ("other", ""), ("of-1", "0.5"), ("nothing", "")]
)
def test_other_packages_are_no_libraries_for_tensorflow_1(name, version):
    assert index_releases.library_of(name, version) is None


def test_a_user_who_forbids_to_fetch_is_obeyed(monkeypatch, capfd):
    monkeypatch.setenv(sources.OFFLINE, "1")
    assert index_releases.library_of("of-1", "0.3") is None
    assert capfd.readouterr().err == ""
