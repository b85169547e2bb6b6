"""Helpers shared by the examples: argparse types, a progress line, Ctrl-C handling, and plots."""

import argparse
import contextlib
import importlib.util
import math
import os
import re
import sys
import tempfile
import time

INTERRUPTED = 130  # the exit status that a shell reports after Ctrl-C
PICTURES = (".png", ".pdf", ".svg")
# Log lines of the level "I" (information), with the time before or after it, and the warning that
# precedes them.
ABOUT_THE_MACHINE = (
    r"I\d{4} |\d{4}-\d\d-\d\d [\d:.]+: I |WARNING: All log messages before absl::InitializeLog"
)


def parser(doc, output):
    """Returns an argument parser with the docstring `doc` as help,
    and `--output` with the default file `output`.
    """
    made = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument(
        "--output",
        type=picture,
        default=output,
        metavar="PICTURE",
        help=f"file for the plot, in {', '.join(PICTURES)}, or none (default: {output})",
    )
    return made


def parse(made, argv=None):
    """Parses the command line or the list `argv`; exits if an argument is wrong."""
    arguments = made.parse_args(argv)
    # It hides TensorFlow's messages about this machine.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    return arguments


def require(package):
    """Exits if a package that the program imports later is not installed."""
    if importlib.util.find_spec(package) is None:
        sys.exit(
            f"{package} is not installed: in the checkout, pip install -e '.[examples]' brings it"
        )


@contextlib.contextmanager
def quiet():
    """Hides the messages about this machine that TensorFlow prints during its import,
    but not its warnings.
    """
    with tempfile.TemporaryFile() as said:
        sys.stderr.flush()
        stderr = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(stderr, 2)
            os.close(stderr)
            said.seek(0)
            for line in said.read().decode("utf-8", "replace").splitlines():
                if not re.match(ABOUT_THE_MACHINE, line):
                    print(line, file=sys.stderr)


def count(text):
    """Converts an argument to a whole number of at least 1 (argparse type)."""
    return _number(int, text, lambda value: value >= 1, "a whole number from 1 on")


def natural(text):
    """Converts an argument to a whole number of at least 0 (argparse type)."""
    return _number(int, text, lambda value: value >= 0, "a whole number from 0 on")


def positive(text):
    """Converts an argument to a number above 0 (argparse type)."""
    return _number(float, text, lambda value: 0 < value < math.inf, "a number above 0")


def percentage(text):
    """Converts an argument to a number from 0 to 100 (argparse type)."""
    return _number(float, text, lambda value: 0 <= value <= 100, "a number from 0 to 100")


def number(text):
    """Converts an argument to any finite number (argparse type)."""
    return _number(float, text, lambda value: abs(value) < math.inf, "a number")


def _number(kind, text, accepts, wanted):
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not accepts(value):
        raise argparse.ArgumentTypeError(f"expected {wanted}; got {text!r}")
    return value


def picture(path):
    """Checks that an argument is a writable file for a plot;
    returns None for `none` (argparse type).
    """
    if path is None or path == "none":
        return None
    folder = os.path.dirname(path) or "."
    if not path.endswith(PICTURES):
        problem = f"a picture ends in {', '.join(PICTURES)}; got {path!r}"
    elif os.path.isdir(path) or os.path.exists(path) and not os.access(path, os.W_OK):
        problem = f"{path!r} cannot be written"
    elif not os.path.isdir(folder):
        problem = f"there is no folder {folder!r}"
    elif not os.access(folder, os.W_OK):
        problem = f"nothing can be written into {folder!r}"
    else:
        return path
    raise argparse.ArgumentTypeError(problem)


class Progress:
    """A context manager for a progress line: overwritten on a terminal;
    in a file, a new line every `seconds`.
    """

    def __init__(self, seconds=20.0):
        self._terminal, self._seconds = sys.stdout.isatty(), seconds
        self._shown, self._first, self._last, self._width = time.time(), None, 0.0, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._clear()

    def show(self, text, done=None):
        """Shows `text`, and the remaining time if every call passes the completed share as `done`.

        A smaller share than before begins another work. The time before its first call is not
        counted.
        """
        now = time.time()
        if self._first is None or (done or 0.0) < self._last:
            self._first = now, done
        first, done_first = self._first
        self._last = done or 0.0
        if now - self._shown < (0.1 if self._terminal else self._seconds):
            return
        self._shown = now
        if done and done > done_first:
            text += f", {_minutes((now - first) * (1 - done) / (done - done_first))} left"
        if self._terminal:
            sys.stdout.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def say(self, text):
        """Prints a line that is not overwritten."""
        self._clear()
        print(text, flush=True)

    def _clear(self):
        if self._width:
            sys.stdout.write("\r" + " " * self._width + "\r")
            self._width = 0


def _minutes(seconds):
    minutes, rest = divmod(int(seconds + 0.5), 60)
    return f"{minutes}:{rest:02d}"


class Interruptible:
    """A context manager that Ctrl-C leaves, so that results so far are kept;
    `interrupted` tells whether it did.
    """

    interrupted = False

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        if self.interrupted:
            print("\ninterrupted: what was reached is kept", flush=True)
        return self.interrupted


def subplots(*args, **kwargs):
    """Calls `pyplot.subplots` without a display."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(*args, **kwargs)


def save(figure, path):
    """Writes the figure and prints the path."""
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"the picture is in {path}")


def spread(values, form="%.3f"):
    """Formats median and range."""
    ordered = sorted(values)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return f"median {form % middle} (from {form % ordered[0]} to {form % ordered[-1]})"
