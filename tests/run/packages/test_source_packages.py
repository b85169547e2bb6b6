"""Tests what is kept of an unpacked source package, without a build."""

import os

import pytest

from tf1grad.run.packages import source_packages
from tf1grad.run.packages.releases import NoSolution, Release

RELEASE = Release("our-package", "1.2", "2018-05-01", 1000, False, ())
INFO = "Metadata-Version: 1.0\nName: Our-Package\nVersion: 1.2\nRequires-Python: >=3\n\nA text\n"
FILES = {
    "PKG-INFO": INFO,
    "setup.py": "setup()\n",
    "src/ours/__init__.py": "",
    "src/ours/data/words.txt": "words",
    "src/other.py": "",
    "tests/test_ours.py": "",
    "ours.egg-info/top_level.txt": "ours\nother\n",
    "ours.egg-info/requires.txt": "six>=1.0\n\n[:python_version<'3']\nfutures\n\n[plot]\nmatplotlib\n",
}
REQUIRED = ["six>=1.0", "futures; (python_version<'3')", 'matplotlib; extra == "plot"']
IN_A_FOLDER = {f"our-package-1.2/{name}": text for name, text in FILES.items()}
WITHOUT_LISTS = {
    "PKG-INFO": INFO,
    "setup.py": "setup()\n",
    "ours/__init__.py": "",
    "plain.py": "",
    "docs/a.txt": "",
}


@pytest.fixture
def kept(tmp_path):
    """Returns a function that writes the files of an archive,
    and returns what is kept: modules, METADATA.
    """

    def written(files, is_kept=lambda top: True):
        for name, text in files.items():
            path = tmp_path.joinpath("source", *name.split("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        target = tmp_path / "target"
        source_packages.keep(RELEASE, str(tmp_path / "source"), str(target), is_kept)
        names = [
            os.path.relpath(os.path.join(folder, name), str(target)).replace(os.sep, "/")
            for folder, _, found in os.walk(str(target))
            for name in found
        ]
        info = target / "our_package-1.2.dist-info"
        modules = sorted(name for name in names if not name.startswith(info.name))
        return modules, (info / "METADATA").read_text().splitlines()

    return written


@pytest.mark.parametrize("files", [FILES, IN_A_FOLDER], ids=["flat", "in a folder"])
def test_the_listed_modules_are_kept_with_their_data_and_requirements(kept, files):
    modules, metadata = kept(files)
    assert modules == ["other.py", "ours/__init__.py", "ours/data/words.txt"]
    assert metadata[1:] == [
        "Name: our-package",
        "Version: 1.2",
        "Requires-Python: >=3",
        *(f"Requires-Dist: {each}" for each in REQUIRED),
    ]


def test_without_a_list_all_packages_and_modules_at_the_top_are_kept(kept):
    assert kept(WITHOUT_LISTS)[0] == ["ours/__init__.py", "plain.py"]


def test_a_module_that_the_program_has_itself_is_left_out(kept):
    assert kept(WITHOUT_LISTS, lambda top: top != "plain")[0] == ["ours/__init__.py"]


def test_what_must_be_compiled_or_is_another_package_is_refused(kept):
    compiled = {"setup.py": "setup(ext_modules=cythonize('a.pyx'))\n", "ours/a.pyx": ""}
    with pytest.raises(NoSolution, match="compile"):
        kept({**FILES, **compiled})
    with pytest.raises(NoSolution, match="not of our-package==1.2"):
        kept({**FILES, "setup.py": "", "PKG-INFO": INFO.replace("1.2", "1.3")})
