"""Writes what Python 2 meant where Python 3 reads the same text otherwise:
for `upgrade`, in translated files.
"""

from __future__ import annotations

import ast

from tf1grad.programs.source import comprehension_variables
from tf1grad.programs.source.program import Call, Program
from tf1grad.upgrade.edits.edit_plan import Plan

HELPERS = "tf1grad.migrate.python2"
_CMP_TO_KEY = "functools.cmp_to_key({whole})"


def rewrite(plan: Plan) -> None:
    """Writes comparisons by `cmp=`, `round`, `map(None, ...)`,
    `__cmp__` and variables of list comprehensions.
    """
    for call in plan.program.calls:
        if call.method in ("sort", "sorted"):
            _compare_by_key(plan, call)
        elif _is_builtin(call, "round") and len(call.node.args) == 1 and not call.node.keywords:
            plan.text.replace(call.node.func, plan.helper(HELPERS, "round_half_away"))
        elif _is_builtin(call, "map") and _is_none(call.node.args[:1]):
            plan.text.replace(call.node.func, plan.helper(HELPERS, "map_to_list"))
    for node, _ in plan.program.nodes(ast.ClassDef):
        if any(getattr(each, "name", "") == "__cmp__" for each in node.body):
            helper = plan.helper(HELPERS, "compare_by_cmp")
            plan.text.rewrite(node, f"@{helper}\n{' ' * node.col_offset}{{whole}}")
    for generator, names in comprehension_variables.find_kept(plan.program.source.tree):
        _keep_variables(plan, generator, names)


def _is_builtin(call: Call, name: str) -> bool:
    is_named = isinstance(call.node.func, ast.Name) and call.node.func.id == name
    return is_named and call.scope.owner_of(name) is None


def _is_none(arguments: list[ast.expr]) -> bool:
    return any(isinstance(each, ast.Constant) and each.value is None for each in arguments)


def _compare_by_key(plan: Plan, call: Call) -> None:
    """Writes `key=functools.cmp_to_key(f)` for a function that compares,
    if there is no other key.
    """
    named = {keyword.arg: keyword.value for keyword in call.node.keywords}
    position = 0 if call.method == "sort" else 1
    given = call.node.args[position : position + 1]
    if "key" in named:
        return
    if "cmp" in named:
        plan.text.rename_keyword(call.node, "cmp", "key")
        plan.text.rewrite(named["cmp"], _CMP_TO_KEY)
    elif len(call.node.args) == position + 1 and _compares(plan.program, given[0]):
        plan.text.rewrite(given[0], "key=" + _CMP_TO_KEY)
    else:
        return
    plan.add_import("import functools")


def _compares(program: Program, node: ast.expr) -> bool:
    """Says whether an expression is a function of two elements, by its text."""
    functions = program.functions(node.id) if isinstance(node, ast.Name) else [node]
    return any(
        isinstance(each, (ast.Lambda, ast.FunctionDef)) and len(each.args.args) == 2
        for each in functions
    )


def _keep_variables(plan: Plan, generator: ast.comprehension, names: list[ast.Name]) -> None:
    """Writes `for x_ in y if [x := x_]` for `for x in y`."""
    for name in names:
        plan.text.replace(name, name.id + "_")
    assigned = ", ".join(f"{name.id} := {name.id}_" for name in names)
    plan.text.rewrite(generator.iter, f"{{whole}} if [{assigned}]")
