"""Brings packages when they are imported: well-known ones that are missing,
and compiled ones that are too new.

A well-known package is brought if the program, or a package that was brought for it, imports it,
and it is neither installed nor declared, nor a module of the program's own tree. An import in a
`try` is left alone: the program can do without it. A call in a `try` that needs a package brings
it. An installed package that was compiled against NumPy gives way to a release of this Python's
first months, which goes with the NumPy of the layer.

Threads may import at the same time: the layer's lock lets one of them fetch.
"""

from __future__ import annotations

import ast
import functools
import linecache
import os
import sys
import warnings
from importlib.machinery import PathFinder
from typing import Mapping

from tf1grad.programs import _compat
from tf1grad.programs._errors import UsageError
from tf1grad.programs.names import known_modules, recorded_names
from tf1grad.programs.period import folder, layer
from tf1grad.programs.period.numpy_1_behavior import OPTION
from tf1grad.programs.process import finder, messages, ownership, patches, raised_errors
from tf1grad.run.packages import (
    COMPILED_TITLE,
    NO_DATE,
    fetching,
    installed,
    late_scipy,
    own_tree,
    stored,
)
from tf1grad.run.packages.declaring_files import DeclaringFile
from tf1grad.run.packages.fetching import Wanted

UNKNOWN = (
    "{0} is imported, but it is not installed, and no requirement names what brings it. Write its package into "
    "requirements.txt beside the program, such as `{1}` if that is its name on the package index (it was not looked up)"
)
BRINGS = "missing packages are brought"
IN_TREE = "{0} is imported, and {1} is in the program's tree, where the import does not find it: put {2} on PYTHONPATH"
OTHER_NAME = (
    "{0} is imported, and {1} is in the program's tree. An import does not find that name: rename it to {0}, or make a "
    "link, and put {2} on PYTHONPATH if that is not the script's folder"
)
IF_MEANT = ". If the package {} is meant, write that into requirements.txt beside the program"
MISSING = "{0} is imported, and `{1}`, which the program declares, cannot be had: {2}. Install it yourself"
# Modules of the program's tree in the place of which no package was brought, and where they are.
_in_tree: dict[str, str] = {}
_NEEDED_BY_KERAS = ("scipy",)
OTHER_RELEASES = (
    "{0} was brought for the program. Where its release does not fit, `--date all` takes all pure packages as of the "
    "program's date, and `--date none` takes today's"
)
KNOWN = "{0} is not installed. `tf1grad run` brings {1} unless {2}"
NOT_BROUGHT = "{0} is not installed. `tf1grad run` brings {1}; for other commands, install {1}"


def install(wanted: Wanted, position: int) -> None:
    """Lets imports of well-known modules bring their packages, at this `position` in `sys.path`."""
    late_scipy.install()
    bring = functools.partial(_bring_missing, wanted, position)
    finder.call_before(known_modules.MODULES, bring, reason=BRINGS)
    finder.call_before(["IPython"], _bring_ipython, reason=BRINGS)
    finder.call_before(
        ["pkg_resources"], _bring_pkg_resources, reason="today's setuptools does not have it"
    )


def replace_compiled(numpy: str, position: int) -> None:
    """Lets imports of packages that were compiled against the installed NumPy bring
    releases for the layer's.
    """
    packages = installed.built_on_numpy(installed.find_installed())
    late_scipy.install()
    finder.call_before(
        packages,
        functools.partial(_bring_replacement, packages, numpy, position),
        reason=f"packages compiled for another NumPy are replaced (left out by {OPTION})",
    )
    # SciPy of the first months of Python 3.10 names the newest NumPy of then, at each start.
    warnings.filterwarnings("ignore", "A NumPy version >=.* is required for this version of SciPy")


def advise(error: BaseException) -> str | None:
    """Returns a sentence on the package of a module that the program imports and
    that is missing, or None.

    Beside TensorFlow 1 `run` brings no packages, and says nothing.
    """
    if _compat.is_version_1_on_path():
        return None
    module = (getattr(error, "name", None) or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or not module or _is_there(module):
        return None
    files_named = [file for file, _ in raised_errors.places(error.__traceback__)]
    # A "<string>" is the program of `python -c`.
    if (
        not files_named
        or not files_named[-1].startswith("<")
        and not ownership.is_users_file(files_named[-1])
    ):
        return None
    package = known_modules.package_of_module(module)
    missing = fetching.find_missing(package or module)
    if missing is not None:
        return MISSING.format(module, *missing)
    own = _in_tree.get(module) or own_tree.place_of(module, _folder_of_code(files_named[-1]))
    if own is not None:
        around, name = os.path.split(own)
        text = IN_TREE if name.partition(".")[0] == module else OTHER_NAME
        return text.format(module, own, around) + (IF_MEANT.format(package) if package else "")
    if package is None:
        dropped = advise_on_dropped(module)
        if dropped:
            return dropped
        return UNKNOWN.format(module, known_modules.package_often_meant(module))
    if not any(BRINGS in change.reason for change in patches.changes()):
        return NOT_BROUGHT.format(module, package)
    return KNOWN.format(module, package, f"TF1GRAD_OFFLINE or `{fetching.OPTION}` forbids it")


def advise_on_dropped(module: str, place: str = "") -> str | None:
    """Returns a sentence on a module that Python dropped, imported at a `place`;
    None for any other module.
    """
    row = recorded_names.row_of(module)
    where = f" ({place})" if place else ""
    return row and f"{module} is imported{where}, and Python dropped it. {row.remedy}"


def _folder_of_code(file: str) -> str:
    """Returns the folder of a file as code objects name it;
    the current one for code without a file.
    """
    return os.getcwd() if file.startswith("<") else os.path.dirname(os.path.abspath(file))


def advise_on_releases(error: BaseException, files: list[str]) -> str | None:
    """Returns a sentence on the options that bring other releases, or None;
    `files` are those of the traceback.

    It is for names that are missing in a package that `run` brought, or for it. No option changes
    TensorFlow's.
    """
    if isinstance(error, ImportError):
        lacking, owner = error.name, error.path
    elif isinstance(error, AttributeError):
        module = getattr(error, "obj", None)
        lacking, owner = getattr(module, "__name__", ""), getattr(module, "__file__", None)
    else:
        return None
    if str(lacking).partition(".")[0] == "tensorflow":
        return None
    for file in filter(None, [owner, *reversed(files)]):
        package = ownership.package_of(file)
        if package is not None and fetching.has_pure(package):
            return OTHER_RELEASES.format(ownership.name_of_package(package))
    return None


def _bring_missing(wanted: Wanted, position: int, module: str) -> None:
    package = known_modules.package_of_module(module)
    if package is None or _is_there(module):
        return
    late_scipy.refuse_now(module)
    if not _is_needed(module):
        return
    own = own_tree.place_of(module, wanted.folder)
    if own is not None:
        _in_tree[module] = own
        return
    compiled = _compiled(package, wanted.numpy)
    if fetching.lock_of(compiled):
        _bring(compiled, position)
        return
    date = wanted.date or fetching.date_of(fetching.lock_of(wanted))
    texts = [DeclaringFile(f"import {module}", package)]
    of_date = Wanted(texts, wanted.folder, date, "", wanted.numpy, is_declared=False)
    _bring(of_date, position)
    lock = fetching.lock_of(of_date)
    if lock and all(each.section == COMPILED_TITLE for each in stored.in_lock(lock)):
        fetching.keep(compiled, lock)  # for programs of every date


def _bring_replacement(packages: Mapping[str, str], numpy: str, position: int, module: str) -> None:
    late_scipy.refuse_now(module)
    if module not in sys.modules and not _is_of_layer(module):
        _bring(_compiled(packages[module], numpy), position)


def _compiled(package: str, numpy: str) -> Wanted:
    """Returns what is wanted for a compiled package: one release for all programs."""
    return Wanted([DeclaringFile(package, package)], "", NO_DATE, "", numpy)


def _bring_pkg_resources(module: str) -> None:
    if not _is_there(module):
        layer.add_readers()


def _bring_ipython(module: str) -> None:
    if not _is_there(module) and _is_needed(module):
        try:
            layer.add_ipython()
        except UsageError as error:
            messages.warn_once(module, str(error))


def _bring(wanted: Wanted, position: int) -> None:
    try:
        for served in fetching.put_on_path(wanted, position):
            ownership.include(served)
    except UsageError as error:
        messages.warn_once(wanted.title, str(error))


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    return PathFinder.find_spec(module) is not None


def _is_of_layer(module: str) -> bool:
    found = PathFinder.find_spec(module)
    if found is None:
        return False
    places = [found.origin or "", *(found.submodule_search_locations or ())]
    return any(map(folder.is_inside, places))


def _is_needed(module: str) -> bool:
    """Says whether a module is needed now by code that is served, or by the layer's Keras.

    That is code of the program, and of what the layer brought for it. An import in a `try` needs
    nothing.
    """
    place = ownership.place_of_asker()
    if place is None:
        return False
    if ownership.is_installed_file(place[0]):
        if not folder.is_inside(place[0]):
            return False
        if module in _NEEDED_BY_KERAS:
            return True
    from tf1grad.programs.source import files
    from tf1grad.run.packages import imported

    if not os.path.exists(place[0]):  # a cell of a notebook, or code without a file
        lines = linecache.getlines(place[0])
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError:  # Python 2
            return True
        return bool(lines) and place[1] not in imported.lines_of_guarded_imports(tree)
    try:
        tree = files.read(place[0]).tree
    except files.SourceError:
        return True
    return place[1] not in imported.lines_of_guarded_imports(tree)
