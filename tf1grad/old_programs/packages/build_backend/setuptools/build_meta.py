"""A build backend that packs the files of a source package into a wheel and executes nothing of it.

An installer calls it, in the folder of the unpacked source package, in the place of setuptools. It reads the metadata
that the author's setuptools wrote, in PKG-INFO, requires.txt and top_level.txt; setup.py is not started. It is
standalone, since the installer's process has this folder alone on its path.
"""

from __future__ import annotations

import glob
import os
import re
import sys
import zipfile
from typing import Any

COMPILED = "it has extensions in C, which are compiled on installation"
_SOURCES = re.compile(r"\.(c|cc|cpp|cxx|pyx|f|f90|cu)$")
_EXTENSIONS = re.compile(r"ext_modules|Extension\(|cythonize|add_extension|numpy\.distutils")
_BOUND = r"\s*(===?|>=|<=|!=|~=|<|>)\s*[\w.*+!-]*[\w*]\s*"
_VALID = re.compile(rf"[\w.-]+(\[[\w,. -]+\])?\s*\(?({_BOUND}(,{_BOUND})*)?\)?$")


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Returns what has to be installed before the build: nothing."""
    return []


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None
) -> str:
    """Writes the wheel, and returns the name of its file; ends the process if the package has to be compiled."""
    files = _files()
    if any(map(_SOURCES.search, files)) and _EXTENSIONS.search(_text("setup.py")):
        sys.exit(COMPILED)
    info, headers, lines = _metadata()
    stem = re.sub(r"[-_.]+", "_", headers["Name"]) + "-" + headers["Version"]
    wheel = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as archive:
        for top in _modules(info):
            _add_module(archive, top, os.path.dirname(info), files)
        tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{stem}.dist-info/METADATA", "\n".join([*lines, ""]))
        archive.writestr(f"{stem}.dist-info/WHEEL", tags)
        archive.writestr(f"{stem}.dist-info/top_level.txt", "\n".join(_modules(info)))
        record = "".join(f"{name},,\n" for name in archive.namelist())
        archive.writestr(f"{stem}.dist-info/RECORD", record)
    return wheel


def _files() -> list[str]:
    found = []
    for path, _, names in os.walk("."):
        found += [os.path.normpath(os.path.join(path, name)) for name in names]
    return found


def _text(*parts: str) -> str:
    path = os.path.join(*parts)
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _metadata() -> tuple[str, dict[str, str], list[str]]:
    """Returns the folder of the author's metadata, the headers, and the lines of the wheel's METADATA."""
    infos = sorted(glob.glob("*.egg-info") + glob.glob("*/*.egg-info"), key=len)
    info = infos[0] if infos else ""
    text = (_text(info, "PKG-INFO") or _text("PKG-INFO")).partition("\n\n")[0]
    headers = dict(re.findall(r"^(Name|Version): *(\S+)", text, re.M))
    lines = ["Metadata-Version: 2.1", *(f"{name}: {value}" for name, value in headers.items())]
    lines += re.findall(r"^(?:Requires-Dist|Requires-Python|Classifier): .*", text, re.M)
    return info, headers, lines + _requires(_text(info, "requires.txt"))


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


def _modules(info: str) -> list[str]:
    """Returns the names of the modules to pack; some packages also bring Python 3's own to Python 2."""
    tops = _text(info, "top_level.txt").split()
    if not tops:
        tops = [os.path.dirname(file) for file in glob.glob("*/__init__.py")]
        tops += [file[:-3] for file in glob.glob("*.py") if file != "setup.py"]
    return sorted(set(tops) - set(sys.stdlib_module_names))


def _add_module(archive: zipfile.ZipFile, top: str, around: str, files: list[str]) -> None:
    for base in (around, "", "src", "lib"):
        path = os.path.normpath(os.path.join(base, *top.split("/")))
        found = [file for file in files if file == path + ".py" or file.startswith(path + os.sep)]
        for file in found:
            archive.write(file, os.path.relpath(file, base or "."))
        if found:
            return


# uv asks for this one where a package names no backend. Without it the real setuptools would be taken.
__legacy__ = sys.modules[__name__]
