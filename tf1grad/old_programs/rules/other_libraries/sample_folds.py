"""The folds of `sklearn.cross_validation` took the samples in the constructor.

Those of `sklearn.model_selection` have the same names. They take the number of folds first, with the default five
instead of three, and the samples in `split`. `tf1grad run` serves the old ones; `upgrade` writes a list of the same
folds.
"""

from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from tf1grad.old_programs.rules import Found
from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.source.edits import Argument, Piece, Span
from tf1grad.old_programs.source.program import Call, Program, is_open
from tf1grad.old_programs.source.scopes import constant, dotted

ID = "TFG404"
SEVERITY = "error"
SUMMARY = "Folds of scikit-learn take the samples in `split` today."
REMEDY = "Give it n_splits, and the samples to its method split."
BAD = """
from sklearn.cross_validation import KFold

for train, test in KFold(10, n_folds=3):
    print(train, test)
"""
GOOD = """
from sklearn.model_selection import KFold

for train, test in KFold(n_splits=3).split(range(10)):
    print(train, test)
"""


class _Folds(NamedTuple):
    """Describes folds of the old module."""

    parameters: str  # their old parameters
    defaults: Dict[str, str]  # the text for an argument that is not given
    samples: Tuple[str, str]  # the text before and after the first argument in the call of `split`


_NUMBER, _CLASSES = ("range(", ")"), ("", ", ")
_FOLDS = {
    "KFold": _Folds("n n_folds shuffle random_state", {"n_folds": "3"}, _NUMBER),
    "StratifiedKFold": _Folds("y n_folds shuffle random_state", {"n_folds": "3"}, _CLASSES),
    "ShuffleSplit": _Folds("n n_iter test_size train_size random_state", {"n_iter": "10", "test_size": "0.1"},
                           _NUMBER),
    "StratifiedShuffleSplit": _Folds("y n_iter test_size train_size random_state",
                                     {"n_iter": "10", "test_size": "0.1"}, _CLASSES),
    "LeaveOneOut": _Folds("n", {}, _NUMBER),
}
_OLD_MODULE, _NEW_MODULE = "sklearn.cross_validation.", "sklearn.model_selection."
_COUNTS = ("n_folds", "n_iter")


def findings(program: Program) -> Iterator[Found]:
    """Yields the calls of the old module, and those of the new one with an argument that only the old one had."""
    for call, name in _calls(program):
        yield call.node, f"{name} takes the samples in split today."


def rewrite(plan: Plan) -> None:
    """Writes the list of the folds, where the arguments are written out."""
    for call, name in _calls(plan.program):
        given = _given(call, _FOLDS[name], plan.text.arguments(call.node))
        if given is not None:
            plan.text.rebuild(call.node, _pieces(call, _FOLDS[name], given))


def _calls(program: Program) -> Iterator[Tuple[Call, str]]:
    """Yields (call, name) of the folds that are made as in the old module."""
    for call in program.calls:
        module, _, name = (call.name or "").rpartition(".")
        keywords = {keyword.arg for keyword in call.node.keywords}
        if name in _FOLDS and (module + "." == _OLD_MODULE or module + "." == _NEW_MODULE and keywords & set(_COUNTS)):
            yield call, name


def _given(call: Call, folds: _Folds, arguments: Optional[List[Argument]]) -> Optional[Dict[str, Span]]:
    """Returns the spans of the arguments by parameter; None if one is not written out, or is unknown."""
    parameters = folds.parameters.split()
    if not arguments or is_open(call.node) or dotted(call.node.func) is None:
        return None
    by_position = [argument.value for argument in arguments if argument.keyword is None]
    given = dict(zip(parameters, by_position))
    given.update((argument.keyword, argument.value) for argument in arguments if argument.keyword is not None)
    fits = len(given) == len(arguments) and set(given) <= set(parameters) and parameters[0] in given
    return given if fits else None


def _pieces(call: Call, folds: _Folds, given: Dict[str, Span]) -> List[Piece]:
    first, *others = folds.parameters.split()
    if "shuffle" in others and not _shuffles(call):
        given.pop("random_state", None)  # rejected without `shuffle`
    pieces: List[Piece] = [f"list({dotted(call.node.func)}("]
    for name in others:
        if name in given or name in folds.defaults:
            separator = ", " if len(pieces) > 1 else ""
            pieces += [separator + ("n_splits" if name in _COUNTS else name) + "=",
                       given[name] if name in given else folds.defaults[name]]
    before, after = folds.samples
    pieces += [").split(" + before, given[first], after]
    return pieces + ([given[first], "))"] if folds.samples is _CLASSES else ["))"])


def _shuffles(call: Call) -> bool:
    position = dict(enumerate(call.node.args)).get(2)
    value = next((keyword.value for keyword in call.node.keywords if keyword.arg == "shuffle"), position)
    return value is not None and constant(value, True) is not False
