"""Translates calls that Matplotlib refuses today, and chooses its backend."""

import functools
import inspect
import os
import shutil
import sys
from typing import Any, Callable, Dict, List, Optional

from tf1grad.old_programs.era.fix_messages import say

_WRITERS = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")  # the backends that need no display
_BACKEND = ("matplotlib backend", "figures go to another backend than the one that the script selects")
_PREAMBLE = ("matplotlib preamble", "joins a list of lines of LaTeX")
_USETEX = ("matplotlib text.usetex", "left off, because latex is not installed")
_USE = ("matplotlib.use", "leaves out arguments that Matplotlib dropped")
_GCA = ("matplotlib gca(projection)", "replaced by add_subplot")
_AXISBG = ("matplotlib axisbg", "replaced by facecolor")
_FRAMEON = ("matplotlib savefig(frameon)", "left out")
_STYLE = ("matplotlib style seaborn", "replaced by seaborn-v0_8")

_forced: List[str] = []  # the backend that the command line chose


def choose_backend(backend: Optional[str]) -> None:
    """Sets `MPLBACKEND`, which Matplotlib reads when it is imported; None means "agg" where nothing can be shown."""
    if backend is not None:
        os.environ["MPLBACKEND"] = backend
        _forced[:] = [backend]
    elif "MPLBACKEND" not in os.environ and not _has_display():
        os.environ["MPLBACKEND"] = "agg"


def _has_display() -> bool:
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _patch_matplotlib(matplotlib: Any) -> None:
    validators = dict(matplotlib.RcParams.validate)
    for key in ("pgf.preamble", "text.latex.preamble"):
        if key in validators:
            validators[key] = functools.partial(_preamble, validators[key])
    if "text.usetex" in validators:
        validators["text.usetex"] = functools.partial(_usetex, validators["text.usetex"])
    matplotlib.RcParams.validate = validators
    matplotlib.use = _using(matplotlib.use)


def _preamble(validate: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, (list, tuple)):  # some versions silently take its text, brackets included
        say(*_PREAMBLE)
        value = "\n".join(value)
    return validate(value)


def _usetex(validate: Callable[[Any], bool], value: Any) -> bool:
    wanted = validate(value)
    if wanted and shutil.which("latex") is None:
        say(*_USETEX)
        return False
    return wanted


def _using(use: Callable[..., Any]) -> Callable[..., Any]:
    known = inspect.signature(use).parameters

    @functools.wraps(use)
    def use_known(backend: str, *args: Any, **kwargs: Any) -> Any:
        if args or set(kwargs) - set(known):
            say(*_USE)
            kwargs = {key: value for key, value in kwargs.items() if key in known}
        chosen = _forced[0] if _forced else "agg" if _shows(backend) and not _has_display() else backend
        if chosen.lower() != backend.lower():
            say(*_BACKEND)
        return use(chosen, **kwargs)
    return use_known


def _shows(backend: str) -> bool:
    return backend.lower() not in _WRITERS and not backend.startswith("module://")


def _patch_figure(module: Any) -> None:
    figure = module.Figure
    gca = figure.gca
    if list(inspect.signature(gca).parameters) == ["self"]:
        figure.gca = _gca(gca)
    figure.savefig = _without_frameon(figure.savefig)


def _without_frameon(savefig: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(savefig)
    def save(*args: Any, **kwargs: Any) -> Any:
        try:
            return savefig(*args, **kwargs)
        except TypeError as error:  # from the writer of the format, before it has written
            if "'frameon'" not in str(error):
                raise
        say(*_FRAMEON)
        del kwargs["frameon"]
        return savefig(*args, **kwargs)
    return save


def _gca(gca: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(gca)
    def gca_or_add(figure: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return gca(figure)
        say(*_GCA)
        return gca(figure) if figure.axes else figure.add_subplot(**kwargs)
    return gca_or_add


def _patch_axes(module: Any) -> None:
    if not hasattr(module.Axes, "set_axis_bgcolor"):  # a function: Matplotlib looks at all that begin with "set_"
        module.Axes.set_axis_bgcolor = _axis_bgcolor


def _axis_bgcolor(axes: Any, color: Any) -> None:
    say(*_AXISBG)
    axes.set_facecolor(color)


def _patch_pyplot(module: Any) -> None:
    gca, gcf = module.gca, module.gcf
    if not inspect.signature(gca).parameters:
        module.gca = functools.wraps(gca)(lambda **kwargs: gcf().gca(**kwargs))


def _patch_style(module: Any) -> None:
    use, library = module.use, module.library

    def today(style: Any) -> Any:
        if not isinstance(style, str) or not style.startswith("seaborn") or style in library:
            return style
        say(*_STYLE)
        return style.replace("seaborn", "seaborn-v0_8", 1)

    module.use = functools.wraps(use)(lambda style: use(
        [today(one) for one in style] if isinstance(style, (list, tuple)) else today(style)))


PATCHES: Dict[str, Callable[[Any], None]] = {
    "matplotlib": _patch_matplotlib,
    "matplotlib.figure": _patch_figure,
    "matplotlib.axes": _patch_axes,
    "matplotlib.pyplot": _patch_pyplot,
    "matplotlib.style": _patch_style,
}
