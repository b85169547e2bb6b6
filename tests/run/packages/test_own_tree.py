"""Tests where a program's own tree is searched for a module."""

import pytest

from tf1grad.programs.names import known_modules
from tf1grad.programs.process import ownership
from tf1grad.run.packages import missing_imports, own_tree

REPOSITORY = {".git/HEAD": ""}


@pytest.mark.parametrize(
    "file", ["here/rl.py", "here/rl/a.py", "here/deep/down/rl/a.py", "rl.py", "lib/rl/a.py"]
)
def test_the_whole_repository_is_searched(program, file):
    top = program({**REPOSITORY, file: "", "here/train.py": ""})
    assert own_tree.place_of("rl", f"{top}/here") is not None


@pytest.mark.parametrize(
    "file, is_found",
    [("here/rl.py", True), ("here/lib/rl/a.py", True), ("rl/a.py", True), ("lib/rl/a.py", False)],
)
def test_without_a_repository_what_lies_beside_the_folder_is_seen(program, file, is_found):
    top = program({file: "", "here/train.py": ""})
    assert (own_tree.place_of("rl", f"{top}/here") is not None) == is_found


@pytest.mark.parametrize(
    "file",
    [
        "data/rl/picture.png",
        "rl.txt",
        "lib/rl_tools/a.py",
        ".tox/rl/a.py",
        "node_modules/rl/a.py",
        "env/lib/python3.7/site-packages/rl/a.py",
    ],
)
def test_other_files_are_no_module(program, file):
    top = program({**REPOSITORY, file: "", "env/pyvenv.cfg": "", "here/train.py": ""})
    assert own_tree.place_of("rl", f"{top}/here") is None


def test_a_large_tree_has_an_end(program, monkeypatch):
    monkeypatch.setattr(own_tree, "MOST_FOLDERS", 3)
    folders = {f"data/{number}/x.txt": "" for number in range(9)}
    top = program({**REPOSITORY, **folders, "z/rl/a.py": "", "here/train.py": ""})
    assert own_tree.place_of("rl", f"{top}/here") is None


@pytest.mark.parametrize("module", ["params", "rl", "art", "vis", "tcn"])
def test_common_words_are_no_well_known_modules(module):
    assert known_modules.package_of_module(module) is None
    assert module not in known_modules.MODULES


def test_the_name_itself_counts_more_than_one_with_hyphens(program):
    """As keras-adversarial, a repository with the package keras_adversarial."""
    top = program(
        {"deep-rl/.git/HEAD": "", "deep-rl/examples/train.py": "", "deep-rl/setup.py": ""}
    )
    folder = f"{top}/deep-rl/examples"
    assert own_tree.place_of("deep_rl", folder) == f"{top}/deep-rl"
    program({"deep-rl/deep_rl/__init__.py": ""})
    assert own_tree.place_of("deep_rl", folder) == f"{top}/deep-rl/deep_rl"


@pytest.mark.parametrize("name, module", [("rl", "rl"), ("deep-rl", "deep_rl")])
def test_the_folder_around_is_a_module(program, name, module):
    top = program({f"{name}/a.py": "", f"{name}/examples/train.py": ""})
    assert own_tree.place_of(module, f"{top}/{name}/examples") == f"{top}/{name}"


@pytest.mark.parametrize(
    "name, remedy", [("tool_box", "put {} on PYTHONPATH"), ("tool-box", "rename it to tool_box")]
)
def test_the_remedy_for_a_module_of_the_tree_is_its_path(program, name, remedy, monkeypatch):
    """A message never proposes a package of that name."""
    top = program({**REPOSITORY, f"lib/{name}/a.py": "", "here/train.py": "import tool_box\n"})
    monkeypatch.setattr(ownership, "_compiled", {f"{top}/here/train.py"})
    monkeypatch.setattr(missing_imports._compat, "is_version_1_on_path", lambda: False)
    with pytest.raises(ModuleNotFoundError) as raised:
        exec(compile("import tool_box", f"{top}/here/train.py", "exec"), {})
    told = missing_imports.advise(raised.value)
    assert (
        f"{top}/lib/{name} is in the program's tree" in told and remedy.format(f"{top}/lib") in told
    )
    assert "requirements.txt" not in told
