"""`tf1grad period`: shows, fetches or removes what surrounded TensorFlow 1.15,
which `run` fetches by itself.
"""

import argparse
import contextlib
import functools
import os

from tf1grad.cli.command_line import say
from tf1grad.programs._errors import UsageError
from tf1grad.programs.period import folder, installation, manifest, parts, sources
from tf1grad.programs.process.messages import counted
from tf1grad.run.packages import fetching

EPILOG = f"""\
The period layer is what surrounded TensorFlow 1.15: its own Python files, and those of tensorflow-estimator 1.15.1;
NumPy {parts.NUMPY_1}, or on Python 3.13 NumPy {parts.NUMPY_2}, which computes, prints and sorts as NumPy 1 did; and
{", ".join(parts.LIBRARIES.requirements)};
{", ".join(parts.READERS.requirements)}, which read Python 2 and the files of projects and packages;
and {parts.IPYTHON.requirements[0]}, which executes notebooks.
`tf1grad run` puts it in front of the installed packages, for its own process, and fetches it by itself, once. Nothing
is installed among your packages, and TensorFlow 1.15 is never executed.

The packages that programs declare lie there too: each release in a folder that all programs share, and a lock file for
each program.

`install` fetches it now: for an image of a container, or for a machine without a network.
  --wheels FOLDER  takes the wheels from a folder that `tf1grad period download FOLDER` filled on a machine with a
                   network, the same Python and the same system
  --from PYTHON    takes TensorFlow's files, astor and Keras's libraries from a Python that has TensorFlow 1.15, and
                   nothing else: `run --numpy installed` then needs no network

It lies in the environment's share folder, or in the user's data folder if the former cannot be written. The variable
{folder.VARIABLE} names another folder, or several with {os.pathsep!r} between them; {sources.OFFLINE}=1 never fetches.

exit codes: 0 complete, fetched or removed; 1 incomplete, or the action failed; 2 wrong usage; 130 interrupted. An
action that fails or is interrupted leaves nothing incomplete behind.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options to `parser`."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser(
        "path", help="print each part with its folder (the default)", description="Print the parts."
    )
    adding = actions.add_parser(
        "install", help="fetch what is missing", description="Fetch the missing parts."
    )
    source = adding.add_mutually_exclusive_group()
    source.add_argument(
        "--wheels", metavar="FOLDER", help="take the wheels from this folder, without a network"
    )
    source.add_argument(
        "--from",
        dest="python",
        metavar="PYTHON",
        help="take TensorFlow's own files and what they need from a Python with TensorFlow 1.15, without a network",
    )
    download = actions.add_parser(
        "download",
        help="put the wheels into a folder, for a machine without a network",
        description="Put the wheels of all parts into a folder.",
    )
    download.add_argument("folder", metavar="FOLDER", help="the folder")
    actions.add_parser("remove", help="remove it", description="Remove all parts.")


def main(arguments: argparse.Namespace) -> int:
    """Does the action, and returns the exit code."""
    actions = {"remove": _remove, "install": _install, "download": _download}
    return actions.get(arguments.action, _path)(arguments)


def _path(arguments: argparse.Namespace) -> int:
    complete = True
    for part in parts.every_part():
        found = [manifest.read_contents(place) for place in folder.having(part.name)]
        states = list(map(_state, found))
        print(f"{part.title}: {'; '.join(states) or 'missing'}")
        complete = complete and any(each.damage is None for each in found)
    for place in fetching.every_part():
        print(f"{fetching.title_of(place)}: {_state(manifest.read_contents(place))}")
    if not complete:
        print(
            f"`tf1grad run` fetches what is missing; or: tf1grad period install (into "
            f"{folder.named_places()[0]})"
        )
    return 0 if complete else 1


def _state(found: manifest.Contents) -> str:
    state = f"{found.place} ({counted(found.files, 'file')}, {found.bytes / 1e6:.1f} MB)"
    return f"{state}, damaged: {found.damage}" if found.damage else state


def _install(arguments: argparse.Namespace) -> int:
    source: sources.Source = sources.from_index
    wanted = parts.every_part()
    if arguments.wheels is not None:
        source = sources.from_folder(arguments.wheels)
    elif arguments.python is not None:
        source = sources.from_python(arguments.python)
        wanted = [part for part in wanted if part.folders]
    installation.install(wanted, source, functools.partial(say, "period"))
    _path(arguments)
    return 0


def _download(arguments: argparse.Namespace) -> int:
    with contextlib.suppress(OSError):
        os.makedirs(arguments.folder, exist_ok=True)
    if not os.path.isdir(arguments.folder) or not os.access(arguments.folder, os.W_OK):
        raise UsageError(f"{arguments.folder!r} is not a folder that can be written. Name another")
    for part in parts.every_part():
        say("period", f"{part.title}: {part.download} MB")
        for wheel in sources.download(part, arguments.folder):
            print(wheel)
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    programs = [os.path.basename(place) for place in fetching.every_part()]
    removed = installation.remove([*(part.name for part in parts.every_part()), *programs])
    for path in removed:
        print(f"Removed {path}.")
    if not removed:
        print(f"Nothing to remove (looked in {', '.join(folder.named_places())}).")
    return 0
