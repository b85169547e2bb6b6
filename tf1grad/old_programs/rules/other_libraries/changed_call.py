"""A function or method takes its arguments by other names today, or goes by another name.

`newshape=` of `np.reshape`, `normed=` of histograms, `axisbg=` of axes, methods such as `thread.isAlive()`: they are
there, and are called otherwise. `tf1grad run` translates such calls while the program runs; `upgrade` writes them anew.
"""

import ast
from typing import Iterator, Tuple

from tf1grad.old_programs.rules import Found
from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.source.program import Call, Program, argument

ID = "TFG402"
SEVERITY = "error"
SUMMARY = "A function or method of another library is called otherwise today."
REMEDY = "Write what it is called today; `tf1grad upgrade` does it."
BAD = """
import numpy as np

flat = np.reshape([[1, 2]], newshape=[-1])
"""
GOOD = """
import numpy as np

flat = np.reshape([[1, 2]], shape=[-1])
"""
# function or method -> {argument: what it is called today}
_KEYWORDS = {
    "numpy.reshape": {"newshape": "shape"}, "numpy.histogram": {"normed": "density"},
    "numpy.percentile": {"interpolation": "method"}, "numpy.quantile": {"interpolation": "method"},
    "numpy.nanpercentile": {"interpolation": "method"}, ".hist": {"normed": "density"}, ".grid": {"b": "visible"},
    ".semilogx": {"basex": "base", "subsx": "subs", "nonposx": "nonpositive"},
    ".semilogy": {"basey": "base", "subsy": "subs", "nonposy": "nonpositive"},
    ".add_subplot": {"axisbg": "facecolor"}, ".add_axes": {"axisbg": "facecolor"},
    ".TSNE": {"n_iter": "max_iter"}, ".OneHotEncoder": {"sparse": "sparse_output"},
}
_DROPPED = {"matplotlib.use": "warn", ".savefig": "frameon"}
# method -> the number of its arguments, and what it is called today
_METHODS = {"isAlive": (0, "is_alive"), "as_matrix": (0, "to_numpy"), "get_values": (0, "to_numpy"),
            "tostring": (0, "tobytes"), "applymap": (1, "map"), "set_axis_bgcolor": (1, "set_facecolor"),
            "set_window_title": (1, "manager.set_window_title")}


def findings(program: Program) -> Iterator[Found]:
    """The calls."""
    for call, old, new in _keywords(program):
        yield call.node, f"{old}= is gone from {call.method}.", f"Use {new}=."
    for call, new in _methods(program):
        yield call.node, f"The method {call.method} is gone.", f"Use {new}."
    for call, old in _dropped(program):
        yield call.node, f"{old}= is gone from {call.method}.", "Leave it out."


def rewrite(plan: Plan) -> None:
    """Writes all of them as they are asked for today."""
    for call, old, new in _keywords(plan.program):
        plan.text.rename_keyword(call.node, old, new)
    for call, new in _methods(plan.program):
        plan.text.replace(call.node.func, f"{call.owner}.{new}")
    for call, old in _dropped(plan.program):
        plan.text.drop_argument(call.node, old)


def _keywords(program: Program) -> Iterator[Tuple[Call, str, str]]:
    """(call, old name, new name) of every argument that is called otherwise today."""
    for call in program.calls:
        known = _KEYWORDS.get(call.name or "") or _KEYWORDS.get(f".{call.method}", {})
        for keyword in call.node.keywords:
            if keyword.arg in known and not (call.name or "").startswith("tensorflow."):
                yield call, keyword.arg, known[keyword.arg]


def _methods(program: Program) -> Iterator[Tuple[Call, str]]:
    """(call, new name) of every method that is called otherwise today."""
    for call in program.calls:
        count, new = _METHODS.get(call.method or "", (None, ""))
        if len(call.node.args) == count and call.name is None and call.owner and not _is_new(call.node.func):
            yield call, new


def _is_new(function: ast.expr) -> bool:
    """True for `canvas.manager.set_window_title`."""
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Attribute) and \
        function.value.attr == "manager"


def _dropped(program: Program) -> Iterator[Tuple[Call, str]]:
    """(call, argument) of every argument that is there no more."""
    for call in program.calls:
        old = _DROPPED.get(call.name or "") or _DROPPED.get(f".{call.method}")
        if old and argument(call.node, None, old) is not None:
            yield call, old
