"""Tells which tool made this environment, and writes the line by which that tool adds packages.

An environment of uvx lies in uv's cache: what pip installs there is gone with the next start. pipx
and `uv tool` rebuild theirs from their own list of packages.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shlex
import sys
from typing import Sequence

UVX, UV_TOOL, PIPX, PIPX_RUN, PIP = "uvx", "uv tool", "pipx", "pipx run", "pip"
TEMPORARY = (UVX, PIPX_RUN)  # each start may have another environment

# The folders of uv's cache that hold environments of `uvx` and of `uv run --with`.
_CACHED = ("archive-v", "builds-v", "environments-v")

_PIPS_ALONE = "--ignore-requires-python"  # uv has no such option


def environment_tool() -> str:
    """Returns the tool that made this environment."""
    return tool_of(sys.prefix)


@functools.lru_cache(maxsize=None)
def tool_of(prefix: str) -> str:
    """Returns the tool that made the environment at `prefix`,
    by the files that uv and pipx leave there.
    """
    if os.path.isfile(os.path.join(prefix, "pipx_metadata.json")):
        return PIPX_RUN if _has_marker(prefix) else PIPX
    if os.path.isfile(os.path.join(prefix, "uv-receipt.toml")):
        return UV_TOOL
    parent = os.path.basename(os.path.dirname(os.path.realpath(prefix)))
    return UVX if parent.startswith(_CACHED) and _has_marker(prefix) else PIP


def _has_marker(prefix: str) -> bool:
    """Says whether the folder is marked as a cache,
    as uv and pipx mark each environment that they may remove.
    """
    return os.path.isfile(os.path.join(prefix, "CACHEDIR.TAG"))


def lacks_pip() -> bool:
    """Says whether this Python has no pip, as in the environments that `uv venv` makes."""
    return importlib.util.find_spec("pip") is None


@functools.lru_cache(maxsize=None)
def is_made_by_uv(prefix: str) -> bool:
    """Says whether `uv venv` made the environment at `prefix`, or another command of uv."""
    try:
        with open(os.path.join(prefix, "pyvenv.cfg"), encoding="utf-8") as file:
            return any(line.partition("=")[0].strip() == "uv" for line in file)
    except OSError:
        return False


def python_line(commands: Sequence[Sequence[str]]) -> str:
    """Returns the shell line that runs modules in this Python,
    each with its arguments, one after another.

    Where one is pip and this Python has none, uv takes its place if it made the environment and has
    all the options. Otherwise the line installs pip first.
    """
    python = [sys.executable, "-m"]
    wants_pip = lacks_pip() and any(words[0] == "pip" for words in commands)
    is_pips_alone = any(_PIPS_ALONE in words for words in commands)
    if wants_pip and is_made_by_uv(sys.prefix) and not is_pips_alone:
        lines = [
            ["uv", *words[:2], "--python", sys.executable, *words[2:]]
            if words[0] == "pip"
            else [*python, *words]
            for words in commands
        ]
    else:
        before = [["ensurepip"]] if wants_pip else []
        lines = [[*python, *words] for words in [*before, *commands]]
    return " && ".join(map(_joined, lines))


def install_line(packages: Sequence[str], options: Sequence[str] = ()) -> str:
    """Returns the shell line that adds packages to this environment. `options` are pip's;
    other tools do without.
    """
    tool = environment_tool()
    if tool == PIP:
        command = ["pip", "install", *options, *packages]
        return python_line([command]) if lacks_pip() else _joined(command)
    if tool == PIPX:
        return _joined(["pipx", "inject", "tf1grad", *packages])
    options = [word for package in packages for word in ("--with", package)]
    if tool == UV_TOOL:
        return _joined(["uv", "tool", "install", *options, _origin() or "tf1grad"])
    command, option = (["uvx"], "--from") if tool == UVX else (["pipx", "run"], "--spec")
    source = [option, _origin()] if _origin() else []
    return _joined([*command, *options, *source, "tf1grad"])


def _origin() -> str:
    """Returns the address or folder that tf1grad was installed from;
    "" where it came from an index.
    """
    if sys.version_info < (3, 8):
        return ""
    import json
    from importlib import metadata

    try:
        recorded = metadata.distribution("tf1grad").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return ""
    if not recorded:
        return ""
    found = json.loads(recorded)
    version_control = found.get("vcs_info", {}).get("vcs", "")
    return f"{version_control}+{found['url']}" if version_control else str(found["url"])


def _joined(words: Sequence[str]) -> str:
    return " ".join(map(shlex.quote, words))
