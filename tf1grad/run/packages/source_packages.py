"""Reads source packages: keeps their modules,
and the metadata that their author's setuptools wrote.

Those are in PKG-INFO, requires.txt and top_level.txt. Neither setup.py nor a build backend is
started.
"""

from __future__ import annotations

import glob
import os
import pathlib
import re
import shutil
from typing import Callable

from tf1grad.programs.source.library_text import text_in_file
from tf1grad.run.packages import releases
from tf1grad.run.packages.releases import NoSolution, Release

COMPILED = "it has extensions in C, which are compiled on installation"
_SOURCES = re.compile(r"\.(c|cc|cpp|cxx|pyx|f|f90|cu)$")
_EXTENSIONS = re.compile(r"ext_modules|Extension\(|cythonize|add_extension|numpy\.distutils")
_BOUND = r"\s*(===?|>=|<=|!=|~=|<|>)\s*[\w.*+!-]*[\w*]\s*"
_VALID = re.compile(rf"[\w.-]+(\[[\w,. -]+\])?\s*\(?({_BOUND}(,{_BOUND})*)?\)?$")


def keep(release: Release, source: str, target: str, is_kept: Callable[[str], bool]) -> None:
    """Writes the modules and the metadata of an unpacked source package into the folder `target`.

    `is_kept` says it of a name at the top. Raises `NoSolution` where the package has to be
    compiled, or is another.
    """
    root = _root(source)
    files = _files(root)
    if any(map(_SOURCES.search, files)) and _EXTENSIONS.search(text_in_file(root, "setup.py")):
        raise NoSolution(COMPILED)
    info, metadata = _metadata(root)
    releases.check_metadata(release, metadata)
    tops = [top for top in _modules(root, info) if is_kept(top.partition("/")[0])]
    for top in tops:
        _copy_module(root, top, os.path.dirname(info), files, target)
    folder = pathlib.Path(target, f"{release.name.replace('-', '_')}-{release.version}.dist-info")
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(
        [*_headers(release, metadata), *_requires(text_in_file(root, info, "requires.txt"))]
    )
    (folder / "METADATA").write_text(text + "\n", encoding="utf-8")
    (folder / "top_level.txt").write_text("\n".join(tops), encoding="utf-8")


def _root(source: str) -> str:
    """Returns the folder of the package's files, which is the only one of an archive."""
    names = os.listdir(source) if os.path.isdir(source) else []
    return os.path.join(source, names[0]) if len(names) == 1 else source


def _files(root: str) -> list[str]:
    found = []
    for path, _, names in os.walk(root):
        found += [os.path.relpath(os.path.join(path, name), root) for name in names]
    return found


def _metadata(root: str) -> tuple[str, str]:
    """Returns the folder of the author's metadata below the root, or "",
    and the text of the headers.
    """
    place = glob.escape(root)
    found = glob.glob(os.path.join(place, "*.egg-info")) + glob.glob(
        os.path.join(place, "*", "*.egg-info")
    )
    info = os.path.relpath(min(found, key=len), root) if found else ""
    text = text_in_file(root, info, "PKG-INFO") or text_in_file(root, "PKG-INFO")
    return info, text.partition("\n\n")[0]


def _headers(release: Release, metadata: str) -> list[str]:
    """Returns the lines of METADATA; of the author's headers only those that are read."""
    lines = ["Metadata-Version: 2.1", f"Name: {release.name}", f"Version: {release.version}"]
    return lines + re.findall(r"^(?:Requires-Dist|Requires-Python|Classifier): .*", metadata, re.M)


def _requires(text: str) -> list[str]:
    """Returns the requirements that requires.txt has, with the conditions of its sections."""
    condition = ""
    lines: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            extra, _, marker = line[1:-1].partition(":")
            parts = [f'extra == "{extra}"'] * bool(extra) + [f"({marker})"] * bool(marker)
            condition = "; " + " and ".join(parts)
        elif line:
            wanted = line.partition(";")[0].strip()
            wanted = wanted if _VALID.match(wanted) else re.sub(r"[^\w.-].*", "", wanted)
            lines.append(f"Requires-Dist: {wanted}{condition}")
    return lines


def _modules(root: str, info: str) -> list[str]:
    """Returns the names of the modules, with slashes where they are in a package."""
    tops = text_in_file(root, info, "top_level.txt").split()
    if not tops:
        place = glob.escape(root)
        packages = glob.glob(os.path.join(place, "*", "__init__.py"))
        tops = [os.path.basename(os.path.dirname(file)) for file in packages]
        modules = map(os.path.basename, glob.glob(os.path.join(place, "*.py")))
        tops += [name[: -len(".py")] for name in modules if name != "setup.py"]
    return sorted({top for top in tops if re.fullmatch(r"\w+(/\w+)*", top)})


def _copy_module(root: str, top: str, around: str, files: list[str], target: str) -> None:
    for base in (around, "", "src", "lib"):
        path = os.path.normpath(os.path.join(base, *top.split("/")))
        found = [file for file in files if file == path + ".py" or file.startswith(path + os.sep)]
        for file in found:
            copy = os.path.join(target, os.path.relpath(file, base or "."))
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(os.path.join(root, file), copy)
        if found:
            return
