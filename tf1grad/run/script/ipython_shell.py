"""Executes notebooks, and the magics of scripts that were exported from one,
in IPython's own shell.

Importing this module imports IPython, which `layer.add_ipython` brings where it is not installed. A
cell means what it means in a kernel. These things are the program's: outputs are printed as text,
nothing is installed, and an error in a cell ends the program, as it ends `jupyter nbconvert
--execute`.
"""

from __future__ import annotations

import atexit
import os
import pathlib
import re
import sys
import tempfile
import traceback
import warnings
from types import ModuleType
from typing import Any

from IPython.core import interactiveshell
from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils import process

from tf1grad.programs.process import finder, messages, ownership, patches
from tf1grad.programs.source.notebooks import Notebook
from tf1grad.run import python2
from tf1grad.run.dropped_names import matplotlib_calls
from tf1grad.run.script import cell_rewriter, tracebacks, user_modules

CELL = "{}:cell {}"  # the file of a cell's code, as tracebacks and messages name it
INSTALLERS = ("pip", "conda", "mamba", "uv")
_INSTALLER = re.compile(
    r"\s*(sudo\s+)?(\S*python\S*\s+-m\s+)?(pip[\d.]*|conda|mamba|uv|apt|apt-get|easy_install)\b"
)
_CELL_OF_SHELL = re.compile(r"\s*%%(bash|sh)\b")

# What IPython says of prompts, and of what it does not need here.
_NOT_SAID = (
    "To exit: use 'exit', 'quit', or Ctrl-D",
    "This is now an optional IPython functionality, setting dhist",
)


class _Compiler(CachingCompiler):  # type: ignore[misc]
    """IPython's compiler; `title` names the cell that is compiled."""

    title = ""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        """Returns the name of a cell's code."""
        name = self.title or super().get_code_name(raw_code, transformed_code, number)
        ownership.remember_file(name)
        return str(name)


class _DisplayHook(DisplayHook):  # type: ignore[misc]
    """Prints the value of a cell without the prompt `Out[1]:`."""

    prompt_end_newline = True

    def write_output_prompt(self) -> None:
        """Writes nothing."""


class _DisplayPublisher(DisplayPublisher):  # type: ignore[misc]
    """Prints what a cell displays."""

    def clear_output(self, wait: bool = False) -> None:
        """Does nothing: what was printed stays."""


class Shell(InteractiveShell):  # type: ignore[misc]
    """IPython's shell for a program."""

    def __init__(self, compiler: python2.Compiler, **options: object) -> None:
        folder = tempfile.TemporaryDirectory(prefix="tf1grad-ipython-")
        atexit.register(folder.cleanup)  # after IPython has left it
        super().__init__(
            ipython_dir=folder.name,
            compiler_class=_Compiler,
            displayhook_class=_DisplayHook,
            display_pub_class=_DisplayPublisher,
            **options,
        )
        self.display_formatter.active_types = ["text/plain"]
        self.set_hook("show_in_pager", lambda *shown, **options: None, 0)
        for name in INSTALLERS:
            self.register_magic_function(_installer(name), magic_name=name)
        self.input_transformers_cleanup.append(_without_installers)
        for said in _NOT_SAID:
            warnings.filterwarnings("ignore", said)
        cell_rewriter.install(self, compiler)
        user_modules.compile_files_of_shell(interactiveshell, compiler)
        finder.call_now_and_after(
            "matplotlib", matplotlib_calls.choose_inline, reason="figures belong to their cells"
        )

    def init_history(self) -> None:
        """Keeps the history of this process alone."""
        self.config.HistoryManager.hist_file = ":memory:"
        super().init_history()

    def init_virtualenv(self) -> None:
        """Leaves `sys.path` alone: another environment may be activated."""

    def enable_gui(self, gui: str | None = None) -> None:
        """Does nothing: there is no event loop between cells."""

    def enable_matplotlib(self, gui: str | None = None) -> Any:
        """Chooses the backend for `%matplotlib gui`;
        Matplotlib is brought as for an import in the cell.
        """
        title = self.compile.title
        self.execute("__import__('matplotlib.pyplot')", "<%matplotlib>", is_silent=True)
        self.compile.title = title
        return super().enable_matplotlib(matplotlib_calls.backend_of_magic(gui))

    def magic(self, arg_s: str) -> Any:
        """Executes a line magic with its arguments, as exports of before 2018 call it."""
        name, _, line = arg_s.lstrip("%").partition(" ")
        return self.run_line_magic(name, line)

    def system(self, cmd: str) -> None:
        """Runs a shell command, unless it installs packages, and prints what it prints."""
        if not _is_left_out(cmd):
            sys.stdout.flush()
            self.user_ns["_exit_code"] = process.system(self.var_expand(cmd, depth=1))

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> Any:
        """Returns the lines that a shell command prints; none of one that installs packages."""
        return [] if _is_left_out(cmd) else super().getoutput(cmd, split, depth + 1)

    def ask_exit(self) -> None:
        """Ends the program at `exit` and `quit`."""
        raise SystemExit

    def safe_execfile_ipy(
        self, fname: Any, shell_futures: bool = False, raise_exceptions: bool = False
    ) -> None:
        """Executes another notebook, for `%run other.ipynb`;
        the first error in it ends the cell that asked.
        """
        if not str(fname).endswith(".ipynb"):
            super().safe_execfile_ipy(fname, shell_futures, raise_exceptions)
            return
        text = pathlib.Path(fname).read_text(encoding="utf-8-sig")
        title = self.compile.title
        for number, code in enumerate(Notebook(text).cells, 1):
            self.execute(code, CELL.format(os.path.abspath(fname), number), is_silent=True)
        self.compile.title = title

    def execute(self, code: str, title: str, is_silent: bool = False) -> None:
        """Executes a cell, and raises its error."""
        self.compile.title = title
        result = self.run_cell(code, store_history=not is_silent, silent=is_silent)
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            raise error

    def showtraceback(
        self,
        exc_tuple: object = None,
        *unused: object,
        exception_only: bool = False,
        running_compiled_code: bool = False,
        **options: object,
    ) -> None:
        """Shows on stderr the error of a script that `%run` executes, after which the cell goes on.

        The error of a cell itself is shown by Python, when it ends the program.
        """
        kind, error, where = self._get_exc_info(exc_tuple)
        if exception_only:
            print(f"{kind.__name__}: {error}".rstrip(": "), file=sys.stderr)
        elif not running_compiled_code and exc_tuple is None:
            self.sys_excepthook(kind, error, where)

    def showsyntaxerror(self, *unused: object, **options: object) -> None:
        """Shows nothing: the error ends the program."""

    showindentationerror = showsyntaxerror


def run(notebook: Notebook, path: str, compiler: python2.Compiler) -> None:
    """Runs the cells of a notebook in its folder, as Jupyter does;
    the first error ends the program.

    `sys.exit` in a cell does so too. It ends with the exit code 1 where it is called without one.
    """
    file = os.path.abspath(path)
    compiler.begin_cells(notebook.python_cells(), file, notebook.python_2_mark)
    # Before Python 3.13 its own hook reads lines from files alone.
    patches.patch(
        sys,
        "excepthook",
        traceback.print_exception,
        reason="tracebacks show lines of the notebook's cells",
    )
    tracebacks.hide_own_frames(are_first=True)
    main = ModuleType("__main__")
    shell = Shell.instance(compiler=compiler, user_module=main)
    os.chdir(os.path.dirname(file))
    for number, code in enumerate(notebook.cells, 1):
        try:
            shell.execute(code, CELL.format(file, number))
        except (Exception, SystemExit) as error:
            if number in notebook.may_raise:
                sys.excepthook(type(error), error, error.__traceback__)
                continue
            if not isinstance(error, SystemExit):
                raise
            messages.say(
                f"{path}: SystemExit in cell {number} ended the notebook, as in Jupyter; "
                f"{messages.counted(len(notebook.cells) - number, 'cell')} after it did not run"
            )
            raise SystemExit(error.code or 1) from None


def make_for_export(main: ModuleType, compiler: python2.Compiler) -> Shell:
    """Returns the shell of a script that was exported from a notebook; `main` is its module."""
    return Shell.instance(compiler=compiler, user_module=main)


def _installer(name: str) -> Any:
    def left_out(line: str) -> None:
        _is_left_out(f"{name} {line}")

    return left_out


def _without_installers(lines: list[str]) -> list[str]:
    """Returns the lines of a cell without those of `%%bash` that install packages."""
    if not (lines and _CELL_OF_SHELL.match(lines[0])):
        return lines
    return [line for line in lines if not _is_left_out(line)]


def _is_left_out(command: str) -> bool:
    """Returns True, with a message, for a command that installs packages."""
    if _INSTALLER.match(command):
        messages.say(f"!{command.strip()} is left out: `tf1grad doctor` shows what run brings")
        return True
    return False
