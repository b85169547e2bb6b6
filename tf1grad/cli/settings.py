"""Reads the settings of `check` from the table `[tool.tf1grad]` of the project's pyproject.toml."""

from __future__ import annotations

import argparse
import pathlib
from typing import Any, Callable, Iterator

from tf1grad.programs._errors import UsageError
from tf1grad.programs._suggestions import meant
from tf1grad.run.packages import toml_files

FILE = "pyproject.toml"
TABLE = "tool.tf1grad"


def apply(parser: argparse.ArgumentParser, names: tuple[str, ...]) -> None:
    """Makes the settings the defaults of a parser's options,
    so that the command line comes before them.

    `names` are the options that may be set, as in `[tool.tf1grad] ignore = ["TFG204"]`. The file is
    the nearest one above the current folder that has the table.
    """
    for path in _files():
        table = _table(path)
        if table is not None:
            parser.set_defaults(**_checked(path, table, parser, names))
            return


def _files() -> Iterator[str]:
    folder = pathlib.Path.cwd()
    for each in (folder, *folder.parents):
        if (each / FILE).is_file():
            yield str(each / FILE)


def _table(path: str) -> dict[str, Any] | None:
    """Returns the table, or None; a file without its name is not parsed."""
    text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    if TABLE not in text:
        return None
    try:
        contents = toml_files.read(text)
    except ImportError as error:
        raise UsageError(
            f"{path} has [{TABLE}], which Python 3.11 reads, and an older one with tomli: pip install tomli"
        ) from error
    except ValueError as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    found = contents.get("tool", {}).get("tf1grad")
    return found if found is None or isinstance(found, dict) else {}


def _checked(
    path: str, table: dict[str, Any], parser: argparse.ArgumentParser, names: tuple[str, ...]
) -> dict[str, Any]:
    actions = {action.dest: action for action in parser._actions if action.dest in names}
    found = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in actions:
            suggestion = meant(key, [each.replace("_", "-") for each in names])
            raise UsageError(f"{path}: [{TABLE}] has no setting {key!r}.{suggestion}")
        found[name] = _converted(path, key, value, actions[name])
    return found


def _converted(path: str, key: str, value: Any, action: argparse.Action) -> Any:
    """Returns a setting as the command line would give it."""
    text = ",".join(value) if isinstance(value, list) and all(map(_is_text, value)) else value
    if not _is_text(text):
        raise UsageError(f"{path}: {key} = {value!r} must be a text or a list of texts")
    if action.choices is not None and text not in action.choices:
        raise UsageError(
            f"{path}: {key} = {value!r} must be one of {', '.join(map(str, action.choices))}"
        )
    convert: Callable[[str], Any] = action.type if callable(action.type) else str
    try:
        return convert(text)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{path}: {key} = {value!r}: {error}") from error


def _is_text(value: object) -> bool:
    return isinstance(value, str)
