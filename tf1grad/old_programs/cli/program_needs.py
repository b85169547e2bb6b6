"""Finds the packages that a program needs: by its imports, and by its requirements.txt, setup.py or environment.yml.

Nothing of the program is imported or executed. The package index is asked about packages without a row in `names/`.
"""

import ast
import os
import re
import sys
import sysconfig
from importlib.machinery import PathFinder
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from tf1grad.old_programs import _compat
from tf1grad.old_programs._compat import is_installed
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli import index_releases
from tf1grad.old_programs.names import library_releases, other_libraries, packages
from tf1grad.old_programs.source import files, library_text

FILES = ("requirements.txt", "setup.py", "environment.yml", "environment.yaml")
_UNCHANGED = ("numpy", *packages.TENSORFLOW)
_SKIPPED = ("google", "pkg_resources", "tensorflow", "tensorflow_core", "tf1grad")
_LIBRARY_NAMES = {library.name for library in library_releases.LIBRARIES}
# Python 2's modules, which `run` serves.
_GONE = {
    row.old.partition(".")[0]
    for row in other_libraries.of_kind("module")
    if other_libraries.library_of(row) == "Python"
}
# The name, pin and place of a `Need`.
_Asked = Tuple[str, str, str]


class Remedy(NamedTuple):
    """Names a program, "pip" or "tf1grad", and its arguments."""

    program: str
    arguments: List[str]


class Need:
    """A package that a program needs: pip's `name`, the `pin` such as "==2.2.4", or "", and the `place` that asks.

    brought: what `tf1grad run` brings in its place, or None.
    library: the library for TensorFlow 1 that it is, or None. The index is asked about a package that is not installed.
    is_there: True if it is installed, or `run` brings it. A library for TensorFlow 1 must not be a release for 2.
    is_compiled: True if its installation compiles it, so that the line leaves it out.
    requirement: what pip is asked for: a library in the release that the program pins, if that is not for 2.
    """

    def __init__(self, name: str, pin: str, place: str) -> None:
        self.name, self.pin, self.place = name, pin, place
        key, is_of_library = packages.normalized(name), place in _LIBRARY_NAMES
        is_on_1 = (_compat.installed_version() or (2, 0)) < (2, 0)
        self.brought = None if is_on_1 else library_releases.IN_LAYER.get(key)
        self.is_compiled = key in packages.COMPILED
        version_here, limit = installed_version(name), packages.TOO_NEW.get(key)
        is_here = version_here is not None or is_installed(packages.package_of(name).module)
        match = re.match(r"={2,3}\s*([\d.]+)$", pin)
        version = match.group(1) if match else ""
        library = library_releases.library_of(name)
        is_known = (
            self.brought
            or self.is_compiled
            or is_of_library
            or packages.is_of_today(key)
            or is_here
        )
        if library is None and not is_known:
            library = index_releases.library_of(key, version)
        self.requirement = name + pin if is_of_library else name
        if limit is not None:
            self.requirement = f"{name}<{limit}"
            is_here = version_here is not None and packages.numbers(version_here)[0] < limit
        if library is not None:
            is_here = is_installed(library.module) and not is_for_version_2(library.name)
            is_early = version and packages.numbers(version) <= packages.numbers(library.version)
            self.requirement = f"{library.name}=={version}" if is_early else library.requirement()
        self.library = library
        self.is_there = bool(self.brought) or is_here


def needs_of(path: str) -> List[Need]:
    """Returns the packages that the program at `path`, a file or a folder, needs, each once, sorted by name."""
    folder = _folder_of(path)
    found: Dict[str, _Asked] = {}
    for asked in [*_required(folder), *_imported(path, folder)]:
        if not packages.is_left_out(asked[0]):
            found.setdefault(packages.normalized(asked[0]), asked)
    return [Need(*found[key]) for key in sorted(found)]


def left_out(path: str) -> List[str]:
    """Returns the requirements of the program at `path` that would damage the environment, sorted."""
    return sorted(
        {name + pin for name, pin, _ in _required(_folder_of(path)) if packages.is_left_out(name)}
    )


def _folder_of(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))


def installed_version(name: str) -> Optional[str]:
    """Returns the version of an installed package, or None."""
    found = _distribution(name)
    return found and str(found.version)


def is_for_version_2(name: str) -> bool:
    """Says whether the metadata of an installed package show that it is written for TensorFlow 2."""
    found = _distribution(name)
    headers = (found and found.read_text("METADATA") or "").partition("\n\n")[0]
    return found is not None and packages.shows_version_2(name, found.version, headers) is True


def _distribution(name: str) -> Any:
    if sys.version_info >= (3, 8):
        from importlib import metadata

        return next(iter(metadata.distributions(name=name)), None)
    return None


def remedies(needs: Iterable[Need]) -> List[Remedy]:
    """Returns the installs of what is missing: packages of today without old pins, then libraries for TensorFlow 1.

    Libraries for TensorFlow 1 are installed without their dependencies, which would ask for TensorFlow 1; those that
    they need are listed by themselves.
    """
    chosen: Dict[str, Need] = {}
    todo = [need for need in needs if not need.is_compiled]
    for need in todo:  # what libraries need is added to it
        key = packages.normalized(need.name)
        if key not in chosen or need.pin and not chosen[key].pin:
            chosen[key] = need
            todo += (
                [
                    Need(each.name, each.bounds, need.library.name)
                    for each in packages.read(need.library.needs)
                ]
                if need.library
                else []
            )
    missing = [(key, chosen[key]) for key in sorted(chosen) if not chosen[key].is_there]
    plain = [need.requirement for _, need in missing if need.library is None]
    old = {key: need.requirement for key, need in missing if need.library is not None}
    installed = [(name, installed_version(name)) for name in _UNCHANGED]
    # With these pins pip fails where it would change them.
    unchanged = [f"{name}=={version}" for name, version in installed if version]
    lines = [Remedy("pip", [*plain, *unchanged])] * bool(plain)
    options = list(index_releases.ALONE)
    if library_releases.NEED_OLD_SETUPTOOLS.intersection([*old, *old.values()]):
        lines.append(Remedy("pip", ["setuptools<70", "wheel"]))
        options.append("--no-build-isolation")
    return lines + [Remedy("pip", [*options, *old.values()])] * bool(old)


def _required(folder: str) -> Iterator[_Asked]:
    """Yields what the files of a program require."""
    for file in FILES:
        text = library_text.text_of(folder, file)
        lines = _setup_lines(text) if file == "setup.py" else text.splitlines()
        if file.startswith("env"):
            lines = [
                item
                for item in re.findall(r"^\s*- +(.*)", text, re.M)
                if item not in ("defaults", "conda-forge")
            ]
        for each in packages.read(lines):
            pin = re.sub(r"^=([\d.]+).*", r"==\1", each.bounds)  # conda writes one equals sign
            yield packages.package_of(each.name).name, pin, file


def _setup_lines(text: str) -> List[str]:
    """Returns the strings that a setup.py gives as `install_requires`, or in a list of such a name."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    values = [
        keyword.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "install_requires"
    ]
    values += [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and "require" in target.id.lower()
    ]
    return [
        part.value
        for value in values
        for part in ast.walk(value)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def _imported(path: str, folder: str) -> Iterator[_Asked]:
    """Yields the packages whose modules the program imports."""
    try:
        sources = files.python_files([path])
    except UsageError:  # a folder without a Python file
        return
    own = {
        os.path.splitext(part)[0]
        for file in sources
        for part in os.path.relpath(os.path.abspath(file), os.path.abspath(folder)).split(os.sep)
    }
    own |= {os.path.splitext(name)[0] for name in os.listdir(folder)}
    for file in sources:
        for module, line in _modules(file):
            if module not in own and not _is_python(module) and module not in _SKIPPED:
                library = library_releases.library_of_module(module)
                name = library.name if library else packages.package_of(module).name
                why = (
                    "; TensorFlow 1.15 brought it"
                    if module in packages.CAME_WITH_TENSORFLOW
                    else ""
                )
                yield name, "", f"{os.path.relpath(file, folder)}, line {line}{why}"


def _modules(file: str) -> Iterator[Tuple[str, int]]:
    """Yields the first part of each module that a file imports, with the line; nothing for files that do not parse."""
    try:
        tree = files.read(file).tree
    except (files.SourceError, OSError):
        return
    guarded = {
        id(node) for each in ast.walk(tree) if isinstance(each, ast.Try) for node in ast.walk(each)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and id(node) not in guarded:
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module
            and not node.level
            and id(node) not in guarded
        ):
            yield node.module.partition(".")[0], node.lineno


def _is_python(module: str) -> bool:
    """Says whether a module is Python's own, or was."""
    if module in _GONE or module in sys.builtin_module_names:
        return True
    if sys.version_info >= (3, 10):
        return module in sys.stdlib_module_names
    return (
        PathFinder.find_spec(
            module, [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
        )
        is not None
    )
