"""Writes `library_names.txt` in tf1grad/programs/names:
what the newest releases of libraries have lost.

It compares what Python finds in three environments: two with releases of the time of TensorFlow 1,
one with the newest. `list` runs for each library in each environment.

    python docs/generate/record_library_names.py list LIBRARY > FOLDER/LIBRARY.json
    python docs/generate/record_library_names.py compare NEW_FOLDER OLD_FOLDER ...

A name is what a public module, or a class in one, has. A keyword is a parameter of a public
function that still exists.
"""

import importlib
import inspect
import json
import pathlib
import pkgutil
import sys
import types
import warnings

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE.parents[1] / "tf1grad" / "programs" / "names" / "library_names.txt"
TITLES = {
    "numpy": "NumPy",
    "pandas": "pandas",
    "scipy": "SciPy",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "matplotlib": "Matplotlib",
    "PIL": "Pillow",
}
# The classes of others have many methods, and their objects come from functions.
WITH_METHODS = ("pandas", "PIL")
NOT_OF_USERS = ("tests", "testing", "setup", "conftest", "compat", "core", "externals", "distutils")


def list_names(library):
    """Prints the version of a library, its public names, and the parameters of its functions."""
    root = importlib.import_module(library)
    names = {}
    for module in _modules(root):
        names[module.__name__] = None
        names.update(_names_in(module, module.__name__, library))
    print()  # behind what the modules print
    print(json.dumps({"version": root.__version__, "names": names}))


def _modules(root):
    """Yields a package and the public modules below it that can be imported."""
    yield root
    for info in pkgutil.walk_packages(root.__path__, root.__name__ + ".", onerror=lambda _: None):
        parts = info.name.split(".")
        if any(part.startswith("_") or part in NOT_OF_USERS for part in parts):
            continue
        try:
            yield importlib.import_module(info.name)
        except Exception:  # a part that needs another package
            continue


def _names_in(module, start, library):
    """Yields (dotted name, parameters or None) of what a module and its classes have."""
    for name in dir(module):
        if name.startswith("_"):
            continue
        try:
            value = getattr(module, name)
        except Exception:
            continue
        if isinstance(value, types.ModuleType):
            if value.__name__.split(".")[0] == library:
                yield f"{start}.{name}", None
            continue
        yield f"{start}.{name}", _parameters(value)
        if isinstance(value, type) and value.__module__.split(".")[0] == library:
            for member in dir(value):
                if not member.startswith("_"):
                    yield f"{start}.{name}.{member}", _parameters(getattr(value, member, None))


def _parameters(value):
    """Returns the names of a function's parameters;
    None for anything else, and where it takes any keyword.
    """
    if not callable(value):
        return None
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters]


def compare(new, olds):
    """Writes what the old lists have and the new one lacks."""
    with open(FILE, "w", encoding="utf-8") as file:
        for library, title in TITLES.items():
            listed = _listed(new, library)
            today = listed["names"]
            version = ".".join(listed["version"].split(".")[:2])
            file.write(f"= {title} {version}\n")
            lost = {}
            for old in olds:
                for name, parameters in _listed(old, library)["names"].items():
                    owner, _, last = name.rpartition(".")
                    if name not in today and owner in today:
                        lost.setdefault(owner, set()).add(last)
                    elif parameters and today.get(name) is not None:
                        gone = [each for each in parameters if each not in today[name]]
                        if gone and _takes_keywords(gone):
                            lost.setdefault(name + "()", set()).update(gone)
            for owner, names in sorted(lost.items()):
                kept = [name for name in names if not _has_shorter(owner, name, lost)]
                if kept and (library in WITH_METHODS or not _is_class(owner)):
                    file.write(f"{owner}: {' '.join(sorted(kept))}\n")


def _listed(folder, library):
    """Returns the list of a library; an empty one where it could not be imported whole."""
    lines = (folder / f"{library}.json").read_text().splitlines()
    return json.loads(lines[-1]) if lines else {"names": {}}


def _has_shorter(owner, name, lost):
    """Says whether an outer module has lost the same: users import it from there."""
    parts = owner.split(".")
    shorter = (
        ".".join(parts[:end] + parts[-length:])
        for length in (1, 2)
        for end in range(1, len(parts) - length)
    )
    outer = (".".join(parts[:end]) for end in range(1, len(parts)))
    return any(name in lost.get(each, ()) for each in (*shorter, *outer))


def _is_class(owner):
    """Says whether an owner is a class, or a method of one."""
    parts = owner.split(".")
    last = parts[-2] if owner.endswith("()") else parts[-1]
    return last[0].isupper()


def _takes_keywords(names):
    return all(len(name) > 1 and not name.startswith("_") for name in names)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "list":
        list_names(sys.argv[2])
    else:
        folders = [pathlib.Path(name) for name in sys.argv[2:]]
        compare(folders[0], folders[1:])
