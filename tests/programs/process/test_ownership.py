"""Tests whose a file is, and whose code asks: the user's, a library's or tf1grad's."""

import os
import sys
import sysconfig
import types

import pytest

from tf1grad.programs.process import ownership


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Writes a program beside an installation, and returns what decides."""
    for name in (
        "here/train.py",
        "here/lib/site-packages/own.py",
        "env/site-packages/pack/inner/a.py",
        "env/site-packages/single.py",
        "wheels/other/b.py",
        "wheels/other-1.0.dist-info/METADATA",
        "elsewhere/c.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    found = ownership.Files(["single"], str(tmp_path / "here"), [str(tmp_path / "served")])
    monkeypatch.setattr(ownership, "_files", found)
    monkeypatch.setattr(ownership, "_compiled", set())
    return found


def test_a_file_is_the_users_or_of_a_package(files, tmp_path):
    def package(name):
        found = files.package_of(str(tmp_path / name))
        return os.path.relpath(found, str(tmp_path)) if isinstance(found, str) else found

    assert package("here/train.py") is True
    own = os.path.join("here", "lib", "site-packages", "own.py")
    assert package(own) == own  # an environment inside the program's folder
    assert package("elsewhere/c.py") is True
    assert package("env/site-packages/pack/inner/a.py") == os.path.join(
        "env", "site-packages", "pack"
    )
    assert package("env/site-packages/single.py") == os.path.join(
        "env", "site-packages", "single.py"
    )
    assert package("wheels/other/b.py") == os.path.join("wheels", "other")
    assert package("served/d.py") is False
    assert files.package_of(ownership.__file__) is False
    assert files.package_of(os.path.join(sysconfig.get_path("stdlib"), "json", "x.py")) is False


def test_included_packages_are_the_users(files, tmp_path):
    single = str(tmp_path / "env" / "site-packages" / "single.py")
    inner = str(tmp_path / "env" / "site-packages" / "pack" / "inner" / "a.py")
    assert ownership.is_users_file(single) and not ownership.is_users_file(inner)
    assert ownership.is_installed_file(single) and ownership.is_installed_file(inner)
    assert not ownership.is_installed_file(str(tmp_path / "here" / "train.py"))
    assert not ownership.is_installed_file("<stdin>")
    assert ownership.package_of(str(tmp_path / "here" / "train.py")) is None
    assert ownership.name_of_package(ownership.package_of(single)) == "single"
    ownership.include_package_of(None)
    ownership.include_package_of({"__file__": str(tmp_path / "here" / "train.py")})
    assert not ownership.is_users_file(inner)
    ownership.include_package_of({"__file__": inner})
    assert ownership.is_users_file(inner)


def test_code_that_was_compiled_as_the_users_is_the_users(files, tmp_path):
    old = str(tmp_path / "env" / "site-packages" / "old.py")
    assert not ownership.is_users_file("<cell 1>") and not ownership.is_users_file(old)
    ownership.remember_file("<cell 1>")
    ownership.remember_file(old, is_python_2=True)
    assert ownership.is_users_file("<cell 1>") and ownership.is_users_file(old)
    assert ownership.is_python_2_file(old) and not ownership.is_python_2_file("<cell 1>")


ASKING = """
def ask(question, *arguments):
    return question(*arguments)
"""


def _caller(file, name="some_module"):
    """Returns a function whose code stands in a file, and which calls another."""
    namespace = {"__name__": name, "__file__": file}
    exec(compile(ASKING, file, "exec"), namespace)
    return namespace["ask"]


@pytest.fixture
def user(files, tmp_path):
    return _caller(str(tmp_path / "here" / "train.py"), "train")


@pytest.fixture
def library(files, tmp_path):
    return _caller(
        str(tmp_path / "env" / "site-packages" / "pack" / "inner" / "a.py"), "pack.inner.a"
    )


@pytest.fixture
def own(files):
    path = os.path.join(ownership.TF1GRAD, "programs", "some.py")
    return _caller(path, "tf1grad.programs.some")


@pytest.fixture
def runner(files):
    """Code that imports for its callers, as importlib does."""
    return _caller(os.path.join(sysconfig.get_path("stdlib"), "importlib", "x.py"), "importlib.x")


def test_the_nearest_code_that_is_not_tf1grads_asks(user, library, own):
    assert user(own, ownership.is_asked_by_user)
    assert not user(library, own, ownership.is_asked_by_user)
    assert library(user, own, ownership.is_asked_by_user)
    assert user(own, ownership.place_of_asker) == (user.__code__.co_filename, 3)
    assert user(library, own, ownership.place_of_asker) is None
    assert user(library, own, ownership.place_of_user_code) == (user.__code__.co_filename, 3)
    assert user(own, ownership.is_asked_by_user_or, "absent")
    assert not user(library, own, ownership.is_asked_by_user_or, "absent")
    assert user(library, own, ownership.is_asked_by_user_or, "ask")
    with ownership.own_act():
        assert user(own, ownership.place_of_asker) is None
        assert user(own, ownership.place_of_user_code) is None
    assert user(own, ownership.is_asked_by_user)


def test_who_imports_a_module(user, library, own, runner):
    assert user(own, ownership.importer) == ("train", (user.__code__.co_filename, 3))
    assert user(runner, own, ownership.importer)[0] == "train"
    assert user(library, ownership.importer)[0] == "pack.inner.a"
    assert user(runner, ownership.namespace_of_importer)["__name__"] == "train"
    assert user(library, ownership.is_called_by_library)
    assert user(library, own, ownership.is_called_by_library)
    assert not library(user, ownership.is_called_by_library)
    assert user(own, ownership.is_imported_by_tf1grad)
    assert not own(user, ownership.is_imported_by_tf1grad)
    assert not own(library, ownership.is_imported_by_tf1grad)


def test_a_namespace_is_the_users_by_its_file_or_by_who_asks(user, library, own, runner):
    assert own(ownership.is_users_namespace, user.__globals__)
    assert not own(ownership.is_users_namespace, library.__globals__)
    # Code without a file belongs to the code around it, and that of `importlib` to its caller.
    assert user(own, ownership.is_users_namespace, {"__name__": "made"})
    assert not library(own, ownership.is_users_namespace, {"__name__": "made"})
    assert user(own, ownership.is_users_namespace, runner.__globals__)
    assert not library(own, ownership.is_users_namespace, runner.__globals__)


def test_a_prompt_and_standard_input_are_the_users(files, own, monkeypatch):
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    exec(compile(ASKING, "<stdin>", "exec"), vars(main))
    assert main.ask(own, ownership.is_asked_by_user)
    assert main.ask(own, ownership.is_users_namespace, vars(main))
    assert main.ask(own, ownership.importer)[0] == "__main__"
    main.__file__ = "<stdin>"
    assert main.ask(own, ownership.is_asked_by_user)


def test_an_included_library_imports(files, user, library, own):
    assert not user(own, ownership.is_asked_by_library)
    assert not user(library, own, ownership.is_asked_by_library)  # the user is the nearest
    ownership.include_package_of({"__file__": library.__code__.co_filename})
    assert user(library, own, ownership.is_asked_by_library)
    assert not library(user, own, ownership.is_asked_by_library)


def test_python_2_asks(files, user, own, tmp_path):
    assert not user(own, ownership.is_asked_by_python_2)
    ownership.remember_file(user.__code__.co_filename, is_python_2=True)
    assert user(own, ownership.is_asked_by_python_2)
    ownership._python_2.discard(user.__code__.co_filename)


def test_a_graph_belongs_to_the_code_that_makes_it(user, library, own):
    class Graph:
        pass

    def owner_is_user(*callers, outer=None, default=lambda code: False):
        graph = Graph()
        first, *rest = [*callers, ownership.remember_graph]
        first(*rest, graph, outer, default)
        return ownership.is_users_graph(graph)

    assert owner_is_user(user)
    assert not owner_is_user(library)
    assert owner_is_user(library, default=lambda code: code.co_name == "ask")
    tensorflow = _caller(library.__code__.co_filename, "tensorflow.python.framework")
    assert owner_is_user(user, tensorflow) and not owner_is_user(library, tensorflow)
    of_library, of_user = Graph(), Graph()
    library(ownership.remember_graph, of_library, None, lambda code: False)
    assert not owner_is_user(user, outer=of_library) and owner_is_user(library, outer=of_user)
