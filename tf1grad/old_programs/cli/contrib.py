"""`tf1grad contrib`: shows, installs or removes TensorFlow 1.15's own tf.contrib, which `run` serves."""

import argparse
import signal
import sys
from typing import Optional

from tf1grad.old_programs import _compat
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.originals import folder, manifest, wheel_sources
from tf1grad.old_programs.originals.installation import SourceIn, install, remove

NOT_NEEDED = "TensorFlow 1.15 is installed here, with its own tf.contrib: nothing more is needed."
NO_ESTIMATOR = " It does not have tensorflow-estimator, for tf.estimator; to add it: tf1grad contrib install"
EPILOG = """\
`tf1grad contrib` without an action shows what is installed. `install` downloads the official wheels of TensorFlow %s
(110 MB) and of the tensorflow-estimator that it requires, checks them, and keeps their Python files (32 MB) in this
environment's share folder, or in the user's data folder if the former cannot be written. The environment variable
%s names another folder. The command neither installs TensorFlow nor executes any of it.

exit codes: 0 installed, not needed, or removed; 1 not installed, or the action failed; 2 wrong usage (no such file, a
Python without TensorFlow 1.15); 130 interrupted. An action that fails or is interrupted leaves nothing behind.
""" % (folder.RELEASE, folder.VARIABLE)  # noqa: UP031 - the lines are as wide as they are shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options to `parser`."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    adding = actions.add_parser("install", help="install it", description="Install TensorFlow 1.15's own tf.contrib.")
    source = adding.add_mutually_exclusive_group()
    source.add_argument("--wheel", metavar="FILE",
                        help=f"install from this file, {wheel_sources.WHEEL}, and from "
                        f"{wheel_sources.ESTIMATOR_WHEEL} in the same folder, without a network")
    source.add_argument("--from", dest="python", metavar="PYTHON", help="install from a Python with TensorFlow 1.15")
    actions.add_parser("remove", help="remove it", description="Remove what `install` installed.")


def main(arguments: argparse.Namespace) -> int:
    """Does the action, and returns the exit code."""
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if arguments.action == "remove":
            return _remove()
        return _install(arguments) if arguments.action else _show()
    except wheel_sources.WrongSource as error:
        raise UsageError(str(error)) from error
    except wheel_sources.Failed as error:
        return _complain(str(error), 1)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    finally:
        signal.signal(signal.SIGTERM, previous)


def _show() -> int:
    found = _found()
    if _is_version_1():
        print(NOT_NEEDED)
    elif found is None:
        print(f"TensorFlow 1.15's own tf.contrib is not installed (looked in {', '.join(folder.places())}). To install "
              "it: tf1grad contrib install")
        return 1
    elif not found.whole:
        print(f"{_described(found)}. Files are missing or changed; to repair them: tf1grad contrib install")
        return 1
    else:
        print(f"{_described(found)}.{'' if found.estimator else NO_ESTIMATOR}")
    return 0


def _install(arguments: argparse.Namespace) -> int:
    if _is_version_1():
        print(NOT_NEEDED)
        return 0
    found = _found()
    if found is not None and found.whole and found.estimator:
        print(f"Already installed: {_described(found)}.")
        return 0
    installed = install(_source_in(arguments), _progress_bar if sys.stderr.isatty() else lambda done, total: None)
    print(f"Installed: {_described(installed)}.{'' if installed.estimator else NO_ESTIMATOR}")
    return 0


def _source_in(arguments: argparse.Namespace) -> SourceIn:
    """Returns the function that takes a working folder and returns the chosen `Source`, as a context manager."""
    if arguments.wheel is not None:
        return lambda workshop: wheel_sources.wheel(arguments.wheel)
    if arguments.python is not None:
        return lambda workshop: wheel_sources.interpreter(arguments.python)
    return wheel_sources.index


def _remove() -> int:
    removed = remove()
    for place in removed:
        print(f"Removed {place}.")
    if not removed:
        print(f"Nothing to remove (looked in {', '.join(folder.places())}).")
    return 0


def _found() -> Optional[manifest.Contents]:
    return next(filter(None, map(manifest.contents, folder.places())), None)


def _is_version_1() -> bool:
    return (_compat.installed_version() or (2,)) < (2,)


def _described(contents: manifest.Contents) -> str:
    return (f"tf.contrib of TensorFlow {contents.version or '1.15'}, with its dependencies, in {contents.place}: "
            f"{contents.files} files, {contents.bytes / 1e6:.1f} MB")


def _progress_bar(done: int, total: int) -> None:
    """Prints the progress, on a line that the next output overwrites."""
    if done * 100 // total > (done - 1) * 100 // total:
        text = f"Keeping {done} of {total} files"
        sys.stderr.write((text if done < total else " " * len(text)) + "\r")
        sys.stderr.flush()


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"tf1grad contrib: {message}\n")
    return code
