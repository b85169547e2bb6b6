"""Tests what a program declares: each form of each file, and what is left out."""

import json

import pytest

from tf1grad.old_programs.packages import declared, declaring_files, plan

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
    "setup.cfg": ("[options]\ninstall_requires =\n  gym==0.10\n  tqdm\n", ["gym==0.10", "tqdm"]),
    "pyproject.toml": (
        "[project]\ndependencies = ['gym==0.10', 'numpy']\n[tool.poetry.dependencies]\npython = '^3.6'\n"
        "tqdm = '^4.1'\nplain = {version = '*'}\nexact = '1.2'\n",
        ["gym==0.10", "tqdm>=4.1", "plain", "exact==1.2"],
    ),
    "environment.yml": (
        "name: x\nchannels:\n  - defaults\ndependencies:\n  - python=3.6\n  - h5py=2.8.0=py36\n  - six=1.14.0=py_0\n"
        "  - tk=8.6.8=ha441bb4_0\n  - mkl=2019.4=233\n  - pip:\n    - joblib==0.13\n    - tqdm>=4\n",
        ["h5py==2.8.0", "six==1.14.0", "joblib==0.13", "tqdm>=4"],
    ),
    "Pipfile": ("[packages]\ngym = '==0.10'\ntqdm = '*'\n", ["gym==0.10", "tqdm"]),
}


def requirements(path):
    """Returns what a program declares, as text without conditions."""
    found = plan.own_requirements(declared.read(declaring_files.of_program(path)))
    return [str(each).partition(";")[0] for each in found]


@pytest.mark.parametrize("name", FILES)
def test_each_form(program, name):
    text, expected = FILES[name]
    assert sorted(requirements(program({name: text}))) == sorted(expected)


def test_a_notebook_declares_what_its_cells_install(program):
    cells = [{"cell_type": "code", "source": ["!pip install -q gym==0.10 'tqdm'\n", "import gym"]}]
    path = program({"a.ipynb": json.dumps({"cells": cells}), "requirements.txt": "six\n"})
    assert requirements(f"{path}/a.ipynb") == ["gym==0.10", "tqdm", "six"]


def test_files_that_requirements_include_stay_in_the_folder(program):
    path = program(
        {
            "in/requirements.txt": "-r more/base.txt\n-r ../outside.txt\n",
            "in/more/base.txt": "six\n-r ../requirements.txt\n",
            "outside.txt": "gym\n",
        }
    )
    assert requirements(f"{path}/in") == ["six"]


def test_the_nearest_folder_up_to_the_repository_declares(program):
    path = program({".git/HEAD": "", "requirements.txt": "six\n", "a/b/c/train.py": ""})
    assert requirements(f"{path}/a/b/c/train.py") == ["six"]
    program({"a/b/setup.cfg": "[options]\ninstall_requires = gym\n"})
    assert requirements(f"{path}/a/b/c/train.py") == ["gym"]


def test_without_a_repository_only_the_folder_above_is_looked_at(program):
    path = program({"requirements.txt": "six\n", "a/b/train.py": ""})
    assert requirements(f"{path}/a") == ["six"] and requirements(f"{path}/a/b") == []


@pytest.mark.parametrize(
    "line",
    [
        "--index-url http://evil",
        "-e git+https://host/x.git#egg=x",
        "x @ https://host/x.whl",
        "six;rm -rf x",
        "-rx",
    ],
)
def test_lines_that_are_no_package_with_a_version_are_refused(program, line):
    path = program({"requirements.txt": f"gym\n{line}\n"})
    found = declared.read(declaring_files.of_program(path))
    assert [each.name for each in found.requirements] == ["gym"]
    assert found.refused == [f"{line} (requirements.txt)"]
