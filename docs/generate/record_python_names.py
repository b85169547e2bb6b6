"""Writes `python_names.txt` in tf1grad/programs/names:
what left Python, by the first version without it.

The source is typeshed, which says for each module, name and method in which versions it is. A
release of typeshed leaves out the versions that are no longer maintained, so several are read:
those that come with mypy.

    pip install --no-deps --target old mypy==0.910
    pip install --no-deps --target later mypy==1.4.1
    pip install mypy
    python docs/generate/record_python_names.py old later

The Python that runs it removes the names that it still has, which an old stub may have described
wrongly.
"""

import ast
import functools
import importlib
import pathlib
import re
import sys
import warnings

import mypy

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE.parents[1] / "tf1grad" / "programs" / "names" / "python_names.txt"
NOT_OF_USERS = ("typing_extensions", "xxlimited")
FIRST, LAST = 7, 15  # minor versions of Python 3
# What typeshed has wrong: (module, name) -> the first version without it.
CORRECTED = {
    ("pdb", "Pdb.execRcLines"): 13,
    ("sqlite3", "OptimizedUnicode"): 12,
    ("sqlite3.dbapi2", "OptimizedUnicode"): 12,
}


def main():
    """Writes the file from the folders with a mypy that the arguments name,
    and from the installed mypy.
    """
    folders = [pathlib.Path(name, "mypy") for name in sys.argv[1:]]
    folders.append(pathlib.Path(mypy.__file__).parent)
    gone = {}
    for folder in folders:
        gone.update(_gone_from(folder / "typeshed" / "stdlib"))
    still_there = _names_in(folders[-1] / "typeshed" / "stdlib", LAST)
    gone = {key: CORRECTED.get(key, since) for key, since in gone.items() if key not in still_there}
    lines = {}
    for (module, name), since in gone.items():
        parents = [module] if name else []
        parents += [module[:end] for end, letter in enumerate(module) if letter == "."]
        goes_with_another = any(gone.get((parent, ""), LAST + 1) <= since for parent in parents)
        if goes_with_another or module in NOT_OF_USERS or name and _is_private(module):
            continue
        # What a later version lacks cannot be tried here, and a method may have moved to a base
        # class.
        is_here = since <= sys.version_info.minor
        if not name or not (_exists(module, name) if is_here else "." in name):
            lines.setdefault((since, module), []).append(name)
    with open(FILE, "w", encoding="ascii") as file:
        for (since, module), names in sorted(lines.items()):
            listed = " ".join(sorted(names)).strip()
            file.write(f"3.{since} {module}" + (f": {listed}" if listed else "") + "\n")


def _gone_from(stubs):
    """Returns {(module, name): the first minor version without it} as a typeshed says."""
    gone = {}
    before = _names_in(stubs, FIRST)
    for version in range(FIRST + 1, LAST + 1):
        now = _names_in(stubs, version)
        gone.update((key, version) for key in before - now)
        before = now
    return gone


@functools.lru_cache(maxsize=None)
def _names_in(stubs, version):
    """Returns the public (module, name) in a version of Python 3;
    the name is "" for the module itself.
    """
    found = set()
    for line in (stubs / "VERSIONS").read_text().splitlines():
        module, _, versions = line.partition("#")[0].strip().partition(": ")
        if module:
            first, _, last = versions.partition("-")
            if _minor(first, 0) <= version <= _minor(last, LAST):
                found.update((each, name) for each in _below(stubs, module) for name in [""])
    for module, _ in list(found):
        found.update((module, name) for name in _names_of(stubs, module, version))
    absent = _absent(stubs, version)
    return {key for key in found if not any(_is_below(key[0], module) for module in absent)}


def _absent(stubs, version):
    """Returns the modules that VERSIONS says are not in a version."""
    absent = set()
    for line in (stubs / "VERSIONS").read_text().splitlines():
        module, _, versions = line.partition("#")[0].strip().partition(": ")
        first, _, last = versions.partition("-")
        if module and not _minor(first, 0) <= version <= _minor(last, LAST):
            absent.add(module)
    return absent


def _is_below(module, other):
    return (module + ".").startswith(other + ".")


def _minor(text, default):
    major, _, minor = text.partition(".")
    return default if not minor else int(minor) if major == "3" else 0


def _is_private(name):
    return any(part.startswith("_") for part in name.split("."))


def _below(stubs, module):
    """Yields a module and the public modules in it."""
    yield module
    folder = stubs.joinpath(*module.split("."))
    for file in folder.glob("**/*.pyi") if folder.is_dir() else ():
        parts = file.relative_to(stubs).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not _is_private(name):
            yield name


def _file(stubs, module):
    place = stubs.joinpath(*module.split("."))
    return next(
        (each for each in (place.with_suffix(".pyi"), place / "__init__.pyi") if each.exists()),
        None,
    )


@functools.lru_cache(maxsize=None)
def _names_of(stubs, module, version):
    """Returns the public names that a module has in a version, with the methods of its classes."""
    file = _file(stubs, module)
    if file is None:
        return frozenset()
    package = module if file.name == "__init__.pyi" else module.rpartition(".")[0]
    found = set()
    for node in _statements(_tree(file).body, version):
        if isinstance(node, ast.ImportFrom):
            origin = _origin(node, package)
            for alias in node.names:
                if alias.name == "*" and origin != module:
                    found |= _names_of(stubs, origin, version)
                elif alias.asname == alias.name or alias.name in _all(stubs, module):
                    found.add(alias.name)
                    found |= _members(_file(stubs, origin), alias.name, version)
        found.update(_bound(node))
        found |= _members(file, node.name, version) if isinstance(node, ast.ClassDef) else set()
    return frozenset(name for name in found if not _is_private(name))


@functools.lru_cache(maxsize=None)
def _tree(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def _members(file, name, version):
    """Returns the methods and attributes of a class that a file defines,
    with those of its bases there.
    """
    found = set()
    for node in _statements(_tree(file).body, version) if file else ():
        if isinstance(node, ast.ClassDef) and node.name == name:
            members = [each for part in _statements(node.body, version) for each in _bound(part)]
            found.update(f"{name}.{member}" for member in members)
            for base in node.bases:
                if isinstance(base, ast.Name) and base.id != name:
                    inherited = _members(file, base.id, version)
                    found.update(f"{name}.{each.partition('.')[2]}" for each in inherited)
    return found


def _all(stubs, module):
    """Returns the names that a module lists in `__all__`."""
    text = _file(stubs, module).read_text(encoding="utf-8")
    listed = re.findall(r"^ *__all__ \+?= \[(.*?)\]", text, re.M | re.S)
    return set(re.findall(r"\w+", " ".join(listed)))


def _statements(body, version):
    """Yields the statements that a version of Python sees; those for any platform."""
    for node in body:
        if isinstance(node, ast.If):
            known = _result(node.test, version)
            if known is not False:
                yield from _statements(node.body, version)
            if known is not True:
                yield from _statements(node.orelse, version)
        else:
            yield node


def _result(test, version):
    text = ast.unparse(test)
    if "sys.version_info" not in text or "platform" in text:
        return None
    return bool(eval(text.replace("sys.version_info", f"(3, {version})")))


def _origin(node, package):
    parents = package.split(".")
    start = parents[: len(parents) - node.level + 1] if node.level else []
    return ".".join([*start, *filter(None, [node.module])])


def _bound(node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _exists(module, name):
    """Says whether the running Python has a name."""
    try:
        found = importlib.import_module(module)
    except ImportError:
        return False
    for part in name.split("."):
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
