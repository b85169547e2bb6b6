"""Passes every dotted name that a program imports or uses to the rules that judge names."""

import ast
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple, Union

from tf1grad.old_programs.names import provisions
from tf1grad.old_programs.rules import NameUse, Rule
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.scopes import canonical, constant

Node = Union[ast.expr, ast.stmt]
Judged = Tuple[Any, ...]  # node, message, remedy, and the requirement where a rule knows it


def judged(program: Program,
           judges: Iterable[Tuple[Rule, Callable[..., Any]]]) -> List[Tuple[Rule, Judged]]:
    """Yields (rule, (node, message, remedy, requirement)) for each name that a judge rejects, once for each place."""
    found: Dict[Tuple[int, int, str], Tuple[Rule, Judged]] = {}
    for node, name in _names(program):
        for rule, judge in judges:
            verdict = judge(NameUse(program, node, name))
            if verdict is not None:
                found.setdefault((node.lineno, node.col_offset, verdict[0]), (rule, (node, *verdict)))
                break
    return list(found.values())


def _names(program: Program) -> Iterator[Tuple[Node, str]]:
    for node, _ in program.names.imports:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, canonical(alias.name)
        elif node.module and not node.level:
            for alias in node.names:
                yield node, canonical(node.module if alias.name == "*" else f"{node.module}.{alias.name}")
    for use in program.names.uses:
        if use.name and not _is_module_alias(program, use.node, use.name):
            yield use.node, use.name
    for call in program.calls:
        if call.name in ("importlib.import_module", None) and call.method in ("import_module", "__import__"):
            name = constant(call.node.args[0]) if call.node.args else None
            if isinstance(name, str):
                yield call.node, canonical(name)


def _is_module_alias(program: Program, node: Node, name: str) -> bool:
    """Returns True for `tf.contrib.slim` in `slim = tf.contrib.slim`, since each use of `slim` is judged."""
    parent = program.parents[node]
    return isinstance(parent, ast.Assign) and parent.value is node and provisions.is_module(name) and \
        isinstance(parent.targets[0], ast.Name)
