"""An argument value that old versions accepted is now rejected.

Examples are rows of different lengths in `np.array`, pickled objects in `np.load`, lists of lines of LaTeX in
Matplotlib's preambles, and `gca(projection="3d")`. `tf1grad run` translates such calls while the program runs;
`upgrade` writes the form that is accepted today. Some values only a run shows, such as an array of one number in
`"%f" % array`, or rows that a function gets: `tf1grad run --record FILE` notes them for `tf1grad upgrade --from FILE`.
If a run showed rows of different lengths, `upgrade` writes `tf1grad.migrate.arrays.array`, which accepts even ones too.
"""

import ast
import re
from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Sequence

from tf1grad.old_programs.names import other_libraries
from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.source.program import Call, Program, argument, literal
from tf1grad.old_programs.source.scopes import constant, dotted, index_of

ID = "TFG403"
SEVERITY = "error"
REMEDY = "Write what is accepted today; `tf1grad upgrade` does it."
EXAMPLE = """
  import numpy as np

- rows = np.array([[1, 2], [3]])
+ rows = np.array([[1, 2], [3]], dtype=object)
"""
ARRAYS = "tf1grad.migrate.arrays"
_MAKERS = ("numpy.array", "numpy.asarray")
_PREAMBLES = ("pgf.preamble", "text.latex.preamble")
_STACKING = tuple(
    f"numpy.{name}" for name in ("column_stack", "dstack", "hstack", "stack", "vstack")
)
_ROWS = {row.run: row for row in other_libraries.of_kind("value")}


def findings(program: Program) -> Findings:
    for fix in _REFUSED:
        row = _ROWS[fix]
        for each in _nodes(program, fix):
            name = each.name if isinstance(each, Call) and each.name in _STACKING else None
            old = row.old.replace("numpy.stack", name) if name else row.old
            yield _node(each), f"{row.since.replace('by ', '')} rejects {old}.", row.remedy


def rewrite(plan: Plan) -> None:
    for fix, refused in _REFUSED.items():
        for each in _nodes(plan.program, fix):
            refused.rewrite(plan, each)


def _pickled(program: Program) -> List[ast.Call]:
    """Returns the `numpy.load(...)` of `numpy.load(...).item()`: such a file holds a pickled object."""
    loads = set(_loads(program))
    owners = [
        call.node.func.value
        for call in program.calls
        if call.method == "item"
        and not call.node.args
        and isinstance(call.node.func, ast.Attribute)
    ]
    return [owner for owner in owners if isinstance(owner, ast.Call) and owner in loads]


def _preambles(program: Program) -> List[ast.List]:
    """Returns the lists given as a preamble, in a dict or by an assignment."""
    found: List[ast.expr] = []
    for node, _ in program.nodes(ast.Dict):
        found += [
            value for key, value in zip(node.keys, node.values) if constant(key) in _PREAMBLES
        ]
    for assignment, _ in program.nodes(ast.Assign):
        target = assignment.targets[0]
        if isinstance(target, ast.Subscript) and constant(index_of(target)) in _PREAMBLES:
            found.append(assignment.value)
    return [value for value in found if isinstance(value, ast.List)]


def _rewrite_projection(plan: Plan, call: Call) -> None:
    if call.owner:
        shown = "subplot" if call.name == "matplotlib.pyplot.gca" else "add_subplot"
        plan.text.replace(call.node.func, f"{call.owner}.{shown}")


def _rewrite_ragged(plan: Plan, call: Call) -> None:
    if call.name not in _MAKERS:
        return
    if call in _ragged(plan.program):
        plan.text.add_argument(call.node, "dtype=object")
    else:  # a run showed it, and another may not
        _rewrite_too_large(plan, call)


def _nothing(program: Program) -> List[Call]:
    return []


def _stacks(program: Program) -> List[Call]:
    return [call for call in program.calls if call.name in _STACKING and call.node.args]


def _makers(program: Program) -> List[Call]:
    return [call for call in program.calls if _makes_untyped(call, _MAKERS)]


def _typed_makers(program: Program) -> List[Call]:
    calls = _calls_of(program, _MAKERS)
    return [call for call in calls if argument(call.node, 1, "dtype") is not None]


def _makes_untyped(call: Call, functions: Sequence[str]) -> bool:
    """Returns True for a call of one of the functions with one argument, and without a `dtype`."""
    if call.name not in functions or len(call.node.args) != 1:
        return False
    return argument(call.node, None, "dtype") is None


def _calls_of(program: Program, functions: Sequence[str]) -> List[Call]:
    """Returns the calls of functions by their dotted names."""
    return [call for call in program.calls if call.name in functions]


def _copying(program: Program) -> List[Call]:
    """Returns the calls of `numpy.array` with `copy=False`."""
    calls = _calls_of(program, ["numpy.array"])
    return [
        call
        for call in calls
        if call.owner and constant(argument(call.node, None, "copy"), True) is False
    ]


def _binary_texts(program: Program) -> List[Call]:
    """Returns the calls of `numpy.fromstring` that read binary data."""
    calls = _calls_of(program, ["numpy.fromstring"])
    return [call for call in calls if call.owner and argument(call.node, 3, "sep") is None]


def _seaborn_styles(program: Program) -> List[Call]:
    calls = [call for call in program.calls if (call.name or "").endswith("style.use")]
    return [
        call
        for call in calls
        if len(call.node.args) == 1
        and re.match("seaborn(?!-v0_8)", str(constant(call.node.args[0])))
    ]


def _yaml_without_loader(program: Program) -> List[Call]:
    calls = _calls_of(program, ["yaml.load", "yaml.load_all"])
    return [call for call in calls if call.owner and argument(call.node, 1, "Loader") is None]


def _projections(program: Program) -> List[Call]:
    calls = [call for call in program.calls if call.method == "gca"]
    return [
        call
        for call in calls
        if isinstance(call.node.func, ast.Attribute)
        and argument(call.node, None, "projection") is not None
    ]


def _iterating(program: Program) -> List[Call]:
    """Returns the calls of NumPy's functions that stack, with a generator or an iterator that is made there."""
    return [
        call
        for call in _stacks(program)
        if isinstance(call.node.args[0], ast.GeneratorExp)
        or isinstance(call.node.args[0], ast.Call)
        and isinstance(call.node.args[0].func, ast.Name)
        and call.node.args[0].func.id in ("filter", "map", "zip")
    ]


def _ragged(program: Program) -> Iterator[Call]:
    makers = (*_MAKERS, "numpy.ndim", "numpy.shape", "numpy.unique")
    for call in program.calls:
        if _makes_untyped(call, makers):
            value = program.value(call.node.args[0])
            elements = value.elts if isinstance(value, (ast.List, ast.Tuple)) else []
            rows = [row.elts for row in elements if isinstance(row, (ast.List, ast.Tuple))]
            starred = any(isinstance(element, ast.Starred) for row in rows for element in row)
            if len(rows) == len(elements) and not starred and len({len(row) for row in rows}) > 1:
                yield call


def _rewrite_load(plan: Plan, load: ast.Call) -> None:
    plan.text.add_argument(load, "allow_pickle=True")


def _rewrite_too_large(plan: Plan, call: Call) -> None:
    plan.text.replace(call.node.func, _helper(plan, "array"))


def _rewrite_binary(plan: Plan, call: Call) -> None:
    plan.text.rewrite(call.node, f"{call.owner}.frombuffer({{inside}}).copy()")


def _rewrite_yaml(plan: Plan, call: Call) -> None:
    plan.text.add_argument(call.node, f"Loader={call.owner}.FullLoader")


def _rewrite_preamble(plan: Plan, lines: ast.List) -> None:
    plan.text.rewrite(lines, '"\\n".join({whole})')


def _rewrite_copying(plan: Plan, call: Call) -> None:
    plan.text.drop_argument(call.node, "copy")
    plan.text.replace(call.node.func, f"{call.owner}.asarray")


def _rewrite_style(plan: Plan, call: Call) -> None:
    style = str(constant(call.node.args[0])).replace("seaborn", "seaborn-v0_8", 1)
    plan.text.rearrange(call.node, [(None, repr(style))])


def _rewrite_iterating(plan: Plan, call: Call) -> None:
    is_alone = (
        len(call.node.args) + len(call.node.keywords) == 1
    )  # it may have the call's parentheses
    part = "inside" if is_alone else "0"
    plan.text.rewrite(call.node, f"list({{{part}}})", part)


def _nodes(program: Program, fix: str) -> List[Any]:
    """Returns the calls or nodes that need the fix, as the text shows or a recorded run."""
    refused = _REFUSED[fix]
    found = list(refused.search(program))
    known = {id(_node(each)) for each in found}
    return found + [
        each
        for each in refused.shown_by_runs(program)
        if id(_node(each)) not in known and program.was_repaired(_node(each), fix)
    ]


def _node(each: Any) -> Any:
    return each.node if isinstance(each, Call) else each


def _loads(program: Program) -> List[ast.Call]:
    return [
        call.node
        for call in program.calls
        if call.name == "numpy.load"
        and len(call.node.args) == 1
        and argument(call.node, None, "allow_pickle") is None
    ]


def _needing_numbers(program: Program) -> List[Any]:
    operations = [node for node, _ in program.nodes(ast.BinOp) if isinstance(node.op, ast.Mod)]
    formats = [node for node in operations if isinstance(literal(program, node.left), str)]
    conversions = [
        call
        for call in program.calls
        if call.node.args
        and (
            (call.name or "").startswith("math.")
            or call.owner is None
            and call.method in ("float", "int", "complex")
        )
    ]
    elements = [
        node
        for node, _ in program.nodes(ast.Assign)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript)
    ]
    return [*(formats or operations), *conversions, *elements]


def _helper(plan: Plan, name: str) -> str:
    plan.add_import("import " + ARRAYS)
    return f"{ARRAYS}.{name}"


def _rewrite_one_number(plan: Plan, each: Any) -> None:
    if isinstance(each, ast.BinOp):
        plan.text.rewrite(each, f"{_helper(plan, 'operand')}({{right}})", "right")
    elif isinstance(each, Call):
        for position, given in enumerate(each.node.args):
            if not isinstance(given, (ast.Constant, ast.Starred)):
                plan.text.rewrite(
                    each.node, f"{_helper(plan, 'number')}({{{position}}})", str(position)
                )
    elif dotted(each.targets[0].value) is not None:
        plan.text.rewrite(
            each, f"{_helper(plan, 'element')}({{right}}, {dotted(each.targets[0].value)})", "right"
        )


class _Refused(NamedTuple):
    """Holds how to find and rewrite what a library refuses."""

    # Gives the calls or nodes of which the text shows it.
    search: Callable[[Program], Iterable[Any]]
    # Rewrites one of them.
    rewrite: Callable[[Plan, Any], None]
    # Gives those that a run may show.
    shown_by_runs: Callable[[Program], Iterable[Any]] = _nothing


_REFUSED = {
    "numpy.load": _Refused(_pickled, _rewrite_load, _loads),
    "numpy.array(copy=False)": _Refused(_copying, _rewrite_copying),
    "numpy.stack of a generator": _Refused(_iterating, _rewrite_iterating, _stacks),
    "numpy.fromstring": _Refused(_binary_texts, _rewrite_binary),
    "matplotlib style seaborn": _Refused(_seaborn_styles, _rewrite_style),
    "yaml.load": _Refused(_yaml_without_loader, _rewrite_yaml),
    "numpy.array of rows of different lengths": _Refused(_ragged, _rewrite_ragged, _makers),
    "numpy numbers too large": _Refused(_nothing, _rewrite_too_large, _typed_makers),
    "numpy array of one number": _Refused(_nothing, _rewrite_one_number, _needing_numbers),
    "matplotlib gca(projection)": _Refused(_projections, _rewrite_projection),
    "matplotlib preamble": _Refused(_preambles, _rewrite_preamble),
}
