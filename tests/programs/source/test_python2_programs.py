"""Tests what the text of Python 2 means, and which of its files are run from the
folder that they are in.
"""

import ast

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.programs.source import comprehension_variables, files, python2_programs, python2_syntax
from tf1grad.programs.source.local_modules import LocalModules
from tf1grad.programs.source.program import Program

# The text, and what its names are afterwards in Python 2.
STAYING = {
    "read after it": ("y = [x * 2 for x in (1, 2)]\nlast = x", {"y": [2, 4], "last": 2}),
    "two of a tuple": ("[0 for a, b in ((1, 2), (3, 4))]\nsums = a + b", {"sums": 7}),
    "a condition": ("y = [x for x in (1, 2, 3) if x < 3]\nlast = x", {"y": [1, 2], "last": 3}),
    "two loops": ("y = [(i, j) for i in (1, 2) for j in (3, 4)]\nlast = j", {"last": 4}),
    "in a function": ("def f():\n    [0 for x in (1, 2)]\n    return x\nlast = f()", {"last": 2}),
    "inside another": ("y = [[x for x in (1, 2)] for _ in (0,)]\nlast = x", {"last": 2}),
}


@NEEDS_PYTHON_3_8
@pytest.mark.parametrize("text, expected", list(STAYING.values()), ids=list(STAYING))
def test_a_variable_of_a_comprehension_stays_where_it_is_read(text, expected):
    tree = ast.parse(text)
    comprehension_variables.keep(tree)
    found = {}
    exec(compile(tree, "program.py", "exec"), found)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\ny = [x for x in (2, 3)]",
        "y = [x for x in (2, 3)]\nz = [x for x in (4, 5)]",
        "y = {x for x in (2, 3)}\nprint(x)",
    ],
    ids=["not read after it", "read in another", "a set"],
)
def test_other_comprehensions_stay_as_they_are(text):
    tree = ast.parse(text)
    before = ast.dump(tree)
    comprehension_variables.keep(tree)
    assert ast.dump(tree) == before and not list(comprehension_variables.find_kept(tree))


@pytest.mark.parametrize("kind", [str, str.encode], ids=["text", "bytes"])
def test_names_that_became_keywords_are_read(kind):
    text = "async = 1\ndef await(nonlocal=2):\n    return async + nonlocal\n"
    found = {}
    exec(
        compile(
            python2_syntax.parse_with_old_names(kind(text), "program.py"), "program.py", "exec"
        ),
        found,
    )
    assert found["async"] == 1 and found["await"]() == 3
    for wrong in ("x = =\n", "async = =\n"):
        with pytest.raises(SyntaxError):
            python2_syntax.parse_with_old_names(kind(wrong), "program.py")


def test_files_of_a_package_that_a_started_file_imports_by_bare_names_run_from_their_folder(
    tmp_path,
):
    texts = {
        "__init__.py": "",
        "train.py": "import layers, inner\nprint 1\nif __name__ == '__main__':\n    main()\n",
        "layers.py": "print 2\n",
        "inner/__init__.py": "print 3\n",
        "alone.py": "print 4\n",
        "python3.py": "print(5)\n",
    }
    found = {}
    for name, text in texts.items():
        path = tmp_path / "pack" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        found[name] = Program(files.read(str(path)))
    programs = list(found.values())
    inside = python2_programs.in_package(programs, LocalModules(programs))
    assert sorted(name for name in found if found[name] in inside) == [
        "alone.py",
        "inner/__init__.py",
    ]


def test_a_started_file_of_python_2_decides_for_the_modules_that_it_reaches(tmp_path):
    texts = {
        "train.py": "from pack import lib, new\nxrange(3)\nif __name__ == '__main__':\n    main()\n",
        "pack/__init__.py": "",
        "pack/lib.py": "x = 1\n",
        "pack/new.py": "async def f(): pass\n",
        "other/alone.py": "x = 1\n",
    }
    programs = []
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        programs.append(Program(files.read(str(path))))
    found = python2_programs.translate_programs(programs)
    assert [name for name, each in zip(texts, found) if python2_programs.is_python_2(each)] == [
        "train.py",
        "pack/__init__.py",
        "pack/lib.py",
    ]
