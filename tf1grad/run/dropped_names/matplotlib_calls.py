"""Translates calls that Matplotlib refuses today, and chooses its backend."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from typing import TYPE_CHECKING, Any, Callable

from tf1grad.programs import _systems
from tf1grad.programs.process import patches
from tf1grad.programs.process.patches import Function
from tf1grad.run.dropped_names.fix_messages import warn_once

if TYPE_CHECKING:
    from types import ModuleType

# The backends that need no display.
_WRITERS = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")
_OF_BROWSERS = ("ipympl", "nbagg", "notebook", "widget")

_forced: str | None = None  # the backend that the command line chose


def choose_backend(backend: str | None) -> None:
    """Sets `MPLBACKEND`, which Matplotlib reads when it is imported;
    None means "agg" where nothing can be shown.
    """
    global _forced
    _forced = backend
    if backend is not None:
        os.environ["MPLBACKEND"] = backend
    elif "MPLBACKEND" not in os.environ and not _systems.has_display():
        os.environ["MPLBACKEND"] = "agg"


def choose_inline(matplotlib: ModuleType) -> None:
    """Lets figures of a notebook be shown as text, with the cell that makes them,
    unless the command line chose.
    """
    if _forced is None:
        matplotlib.rcParams["backend"] = "module://matplotlib_inline.backend_inline"


def backend_of_magic(gui: str | None) -> str | None:
    """Returns the backend for `%matplotlib gui`:
    inline in the place of one that a browser or a display would show.
    """
    shows = gui in _OF_BROWSERS or gui not in _WRITERS and not _systems.has_display()
    return _forced or ("inline" if shows else gui)


def _patch_matplotlib(matplotlib: ModuleType) -> None:
    if _forced is not None:
        _choose_forced(matplotlib, _forced)
    validators = dict(matplotlib.RcParams.validate)
    for key in ("pgf.preamble", "text.latex.preamble"):
        if key in validators:
            validators[key] = functools.partial(_preamble, validators[key])
    patches.patch(matplotlib.RcParams, "validate", validators, reason="")


def _hide_forced(unused_rcsetup: ModuleType) -> None:
    """Keeps Matplotlib from reading the backend of the command line,
    whose wrong name would be an error of its own.
    """
    if _forced is not None:
        os.environ.pop("MPLBACKEND", None)


def _choose_forced(matplotlib: ModuleType, backend: str) -> None:
    """Takes the backend of the command line, or ends the run if this
    Matplotlib has none of its name.
    """
    try:
        matplotlib.rcParams["backend"] = backend
    except ValueError as error:
        raise SystemExit(f"tf1grad run: --matplotlib: {error}") from None
    os.environ["MPLBACKEND"] = backend  # for child processes


def _preamble(validate: Callable[[Any], Any], value: object) -> Any:
    if isinstance(value, (list, tuple)):  # some versions silently take its text, brackets included
        warn_once("matplotlib preamble", "joins a list of lines of LaTeX")
        value = "\n".join(value)
    return validate(value)


def _use(use: Function, backend: str, *args: object, **kwargs: object) -> Any:
    known = inspect.signature(use).parameters
    if args or set(kwargs) - set(known):
        warn_once("matplotlib.use", "leaves out arguments that Matplotlib dropped")
        kwargs = {key: value for key, value in kwargs.items() if key in known}
    shows = backend.lower() not in _WRITERS and not backend.startswith("module://")
    unforced = "agg" if shows and not _systems.has_display() else backend
    chosen = _forced or unforced
    if chosen.lower() != backend.lower():
        warn_once(
            "matplotlib backend",
            "figures go to another backend than the one that the script selects",
        )
    return use(chosen, **kwargs)


def _gca(gca: Function, figure: Any, **kwargs: Any) -> Any:
    if not kwargs or len(inspect.signature(gca).parameters) > 1:
        return gca(figure, **kwargs)
    warn_once("matplotlib gca(projection)", "replaced by add_subplot")
    return gca(figure) if figure.axes else figure.add_subplot(**kwargs)


def _pyplot_gca(unused_gca: Function, **kwargs: object) -> Any:
    return sys.modules["matplotlib.pyplot"].gcf().gca(**kwargs)


def _use_style(use: Callable[[Any], None], style: object) -> None:
    use(
        list(map(_style_of_today, style))
        if isinstance(style, (list, tuple))
        else _style_of_today(style)
    )


def _style_of_today(style: object) -> Any:
    known = sys.modules["matplotlib.style"].library
    if not isinstance(style, str) or not style.startswith("seaborn") or style in known:
        return style
    warn_once("matplotlib style seaborn", "replaced by seaborn-v0_8")
    return style.replace("seaborn", "seaborn-v0_8", 1)


# module, function -> what is called instead, with the function itself as its first argument
CALLS = (
    ("matplotlib", "use", _use),
    ("matplotlib.figure", "Figure.gca", _gca),
    ("matplotlib.pyplot", "gca", _pyplot_gca),
    ("matplotlib.style", "use", _use_style),
)
PATCHES: dict[str, Callable[[Any], None]] = {
    "matplotlib.rcsetup": _hide_forced,  # it is imported before `MPLBACKEND` is read
    "matplotlib": _patch_matplotlib,
}
