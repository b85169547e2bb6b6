"""Shows the packages that `tf1grad run` brings for a program: `tf1grad doctor PATH`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tf1grad.programs import _compat, _installers
from tf1grad.programs._errors import UsageError
from tf1grad.programs.names import packages
from tf1grad.programs.period import installation, layer
from tf1grad.run.packages import fetching

if TYPE_CHECKING:
    from tf1grad.run.packages.choices import Choice, PackagePlan

NOTHING = "The program declares no package beside TensorFlow and NumPy"
# Old releases may exclude today's Python; what they need is in the line.
PIP = ("pip", "install", "--no-deps", "--ignore-requires-python")
UNKNOWN = "{0} is imported ({1}), but no requirement names what brings it: write its package into requirements.txt"


def show(path: str) -> int:
    """Prints what is taken for each package of the program at `path`, and why;
    returns 1 if anything is missing.
    """
    if not os.path.exists(path):
        raise UsageError(f"{path!r} does not exist")
    if not os.access(path, os.R_OK):
        raise UsageError(f"{path!r} cannot be read: no permission")
    if _compat.is_version_1_on_path():
        raise UsageError(
            "beside TensorFlow 1, `tf1grad run` brings no packages: pip installs what it declares"
        )
    from tf1grad.run.packages import (
        choices,
        declared,
        declaring_files,
        imported,
        missing_imports,
        plan,
        resolver,
        toml_files,
    )

    texts = declaring_files.find_declaring_files(path)
    found = declared.read(texts)
    lacks = False
    pins: list[str] = []
    brought: set[str] = set()
    if plan.own_requirements(found):
        uv = resolver.find_uv()
        toml_files.add_reader()
        with installation.scratch_folder() as scratch:
            asking = resolver.Resolver(uv, scratch)
            made = plan.make(
                found, declaring_files.folder_of(path), None, layer.numpy_version("layer"), asking
            )
            brought = _modules_of(made)
        print(f"{declaring_files.title_of(texts)}, as of {made.date.text} ({made.date.why}):")
        print("\n".join(_table(made.choices)))
        lacks = any(choice.kind == choices.NONE for choice in made.choices)
        pins = [each.pin for each in made.releases(choices.THEN, choices.TODAY)]
        # Compiled for the layer's NumPy: an upgraded program has the installed one, and the newest
        # wheel for this Python, which the option that ignores the Python that a release requires
        # would pass over.
        compiled = [each.name for each in made.releases(choices.COMPILED)]
        pins += [f"--only-binary={','.join(compiled)}", *compiled] if compiled else []
    else:
        print(f"{NOTHING}.")
    for note in found.notes:
        print(f"  {note}")
    for missing in imported.find_missing(path, brought):
        place = missing.place(declaring_files.folder_of(path))
        if missing.package:
            print(f"  {missing.module} is imported ({place}): `run` brings {missing.package}")
            continue
        lacks = True
        dropped = missing_imports.advise_on_dropped(missing.module, place)
        print("  " + (dropped or UNKNOWN.format(missing.module, place)))
    if pins:
        print("To install them among your packages, for an upgraded program:")
        print(f"  {_line_of(pins)}")
    print("Something is missing." if lacks else "`tf1grad run` brings what is not installed.")
    return 1 if lacks else 0


def _line_of(pins: list[str]) -> str:
    if _installers.environment_tool() == _installers.PIP:
        return _installers.python_line([[*PIP, *pins]])
    return _installers.install_line([pin for pin in pins if not pin.startswith("--")])


def _modules_of(plan: PackagePlan) -> set[str]:
    """Returns the modules that a plan brings, as far as the packages were read;
    of others their names.
    """
    found: set[str] = set()
    for choice in plan.choices:
        folder = plan.read.get(choice.name)
        named = [packages.package_of(choice.name).module]
        found.update(fetching.modules(folder) if folder else named)
    return found


def _table(choices: list[Choice]) -> list[str]:
    """Returns a line for each choice: package, wanted, taken, why."""
    rows = [("package", "wanted", "taken", "why")]
    rows += [
        (each.name, each.wanted or "any", each.version or "none", each.why) for each in choices
    ]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
