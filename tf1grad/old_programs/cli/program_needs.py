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
from tf1grad.old_programs.cli.optional_parts import Remedy
from tf1grad.old_programs.names import library_releases, other_libraries, packages
from tf1grad.old_programs.source import files, library_text

FILES = ("requirements.txt", "setup.py", "environment.yml", "environment.yaml")
_UNCHANGED = ("numpy", *packages.TENSORFLOW)
_SKIPPED = ("google", "pkg_resources", "tensorflow", "tensorflow_core", "tf1grad")
_LIBRARY_NAMES = {library.name for library in library_releases.LIBRARIES}
# Python 2's modules, which `run` serves.
_GONE = {row.old.partition(".")[0] for row in other_libraries.of_kind("module")
         if other_libraries.library_of(row) == "Python"}


class Need(NamedTuple):
    """Describes a package that a program needs."""

    name: str  # the name that pip knows
    pin: str  # the version that the program asks for, such as "==2.2.4", or ""
    place: str  # where the program asks for it

    def library(self) -> Optional[library_releases.Library]:
        """Returns the library for TensorFlow 1 that it is, or None; the index is asked where it is not installed."""
        known, key = library_releases.library_of(self.name), packages.normalized(self.name)
        is_plain = self.place in _LIBRARY_NAMES or packages.is_of_today(key) or self.is_compiled()
        if known or self.brought() or is_plain or self._is_installed():
            return known
        return index_releases.library_of(key, self._version())

    def _version(self) -> str:
        """Returns the version that the program pins, or ""."""
        match = re.match(r"={2,3}\s*([\d.]+)$", self.pin)
        return match.group(1) if match else ""

    def _is_installed(self) -> bool:
        return installed_version(self.name) is not None or is_installed(packages.package_of(self.name).module)

    def brought(self) -> Optional[str]:
        """Returns what `tf1grad run` brings in its place, or None."""
        version = _compat.installed_version() or (2, 0)
        return library_releases.IN_LAYER.get(packages.normalized(self.name)) if version >= (2, 0) else None

    def is_there(self) -> bool:
        """Says whether it is installed, or `run` brings it; a library for TensorFlow 1 not in a release for 2."""
        if self.brought():
            return True
        library = self.library()
        if library is None:
            return self._is_installed()
        return is_installed(library.module) and not is_for_version_2(library.name)

    def requirement(self) -> str:
        """Returns what pip is asked for: a library in the release that the program pins, if that is not for 2."""
        library, pinned = self.library(), self._version()
        if library is None:
            return self.name
        is_early = pinned and packages.numbers(pinned) <= packages.numbers(library.version)
        return f"{library.name}=={pinned}" if is_early else library.requirement()

    def is_compiled(self) -> bool:
        """Says whether its installation compiles it, so that the line leaves it out."""
        return packages.normalized(self.name) in packages.COMPILED


def needs_of(path: str) -> List[Need]:
    """Returns the packages that the program at `path`, a file or a folder, needs, each once, sorted by name."""
    folder = _folder_of(path)
    found: Dict[str, Need] = {}
    for need in [*_required(folder), *_imported(path, folder)]:
        key = packages.normalized(need.name)
        if not packages.is_left_out(need.name):
            found.setdefault(key, need)
    return [found[key] for key in sorted(found)]


def left_out(path: str) -> List[str]:
    """Returns the requirements of the program at `path` that would damage the environment, sorted."""
    return sorted({need.name + need.pin for need in _required(_folder_of(path)) if packages.is_left_out(need.name)})


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
    plain: Dict[str, str] = {}
    old: Dict[str, str] = {}
    needs = list(needs)
    inner = {packages.normalized(each.name): each for need in needs for each in _needs_of_library(need) if each.pin}
    for need in needs:
        if not need.is_compiled():
            _add(need if need.pin else inner.get(packages.normalized(need.name), need), plain, old)
    installed = [(name, installed_version(name)) for name in _UNCHANGED]
    unchanged = [f"{name}=={version}" for name, version in installed if version]  # pip fails where it would change
    lines = [Remedy("pip", [*_sorted(plain), *unchanged])] * bool(plain)
    options = list(index_releases.ALONE)
    if any(name in library_releases.NEED_OLD_SETUPTOOLS for entry in old.items() for name in entry):
        lines.append(Remedy("pip", ["setuptools<70", "wheel"]))
        options.append("--no-build-isolation")
    return lines + [Remedy("pip", [*options, *_sorted(old)])] * bool(old)


def _add(need: Need, plain: Dict[str, str], old: Dict[str, str]) -> None:
    """Adds what is missing of a package and of what it needs, also where the package itself is there."""
    name = packages.normalized(need.name)
    if need.library() is None:
        if not need.is_there():
            plain.setdefault(name, need.name + need.pin if need.place in _LIBRARY_NAMES else need.requirement())
    elif name not in old:
        if not need.is_there():
            old[name] = need.requirement()
        for inner in _needs_of_library(need):
            _add(inner, plain, old)


def _needs_of_library(need: Need) -> List[Need]:
    """Returns what a library for TensorFlow 1 needs, with the pin in requirements such as `networkx<3`."""
    library = need.library()
    return [Need(each.name, each.bounds, library.name) for each in packages.read(library.needs)] if library else []


def _sorted(requirements: Dict[str, str]) -> List[str]:
    return [requirements[name] for name in sorted(requirements)]


def _required(folder: str) -> Iterator[Need]:
    """Yields what the files of a program require."""
    for file in FILES:
        text = library_text.text_of(folder, file)
        lines = _setup_lines(text) if file == "setup.py" else text.splitlines()
        if file.startswith("env"):
            lines = [item for item in re.findall(r"^\s*- +(.*)", text, re.M) if item not in ("defaults", "conda-forge")]
        for each in packages.read(lines):
            pin = re.sub(r"^=([\d.]+).*", r"==\1", each.bounds)  # conda writes one equals sign
            yield Need(packages.package_of(each.name).name, pin, file)


def _setup_lines(text: str) -> List[str]:
    """Returns the strings that a setup.py gives as `install_requires`, or in a list of such a name."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    values = [keyword.value for node in ast.walk(tree) if isinstance(node, ast.Call) for keyword in node.keywords
              if keyword.arg == "install_requires"]
    values += [node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)
               for target in node.targets if isinstance(target, ast.Name) and "require" in target.id.lower()]
    return [part.value for value in values for part in ast.walk(value)
            if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _imported(path: str, folder: str) -> Iterator[Need]:
    """Yields the packages whose modules the program imports."""
    try:
        sources = files.python_files([path])
    except UsageError:  # a folder without a Python file
        return
    own = {os.path.splitext(part)[0] for file in sources
           for part in os.path.relpath(os.path.abspath(file), os.path.abspath(folder)).split(os.sep)}
    own |= {os.path.splitext(name)[0] for name in os.listdir(folder)}
    for file in sources:
        for module, line in _modules(file):
            if module not in own and not _is_python(module) and module not in _SKIPPED:
                library = library_releases.library_of_module(module)
                name = library.name if library else packages.package_of(module).name
                why = "; TensorFlow 1.15 brought it" if module in packages.CAME_WITH_TENSORFLOW else ""
                yield Need(name, "", f"{os.path.relpath(file, folder)}, line {line}{why}")


def _modules(file: str) -> Iterator[Tuple[str, int]]:
    """Yields the first part of each module that a file imports, with the line; nothing for files that do not parse."""
    try:
        tree = files.read(file).tree
    except (files.SourceError, OSError):
        return
    guarded = {id(node) for each in ast.walk(tree) if isinstance(each, ast.Try) for node in ast.walk(each)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and id(node) not in guarded:
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level and id(node) not in guarded:
            yield node.module.partition(".")[0], node.lineno


def _is_python(module: str) -> bool:
    """Says whether a module is Python's own, or was."""
    if module in _GONE or module in sys.builtin_module_names:
        return True
    if sys.version_info >= (3, 10):
        return module in sys.stdlib_module_names
    return PathFinder.find_spec(module, [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]) is not None
