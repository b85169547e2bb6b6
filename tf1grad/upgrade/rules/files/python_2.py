"""A file is Python 2.

Python 3 cannot parse it (`print x`, tabs among spaces), or it uses names that Python 3 dropped
(`xrange`, `unicode`, `cPickle`). The other findings of `check` come from the translation by fissix,
which `upgrade` writes. Pickles are read and written by functions of `tf1grad.migrate.python2`:
Python 3 refuses files of text, and misreads strings of bytes.
"""

from __future__ import annotations

import ast
from typing import Iterator

from tf1grad.programs.names import other_libraries
from tf1grad.programs.names.python_rows import RENAMED_METHODS
from tf1grad.programs.names.rows import Row, last_name
from tf1grad.programs.source import python2_programs
from tf1grad.programs.source.guards import is_guarded
from tf1grad.programs.source.name_resolution import Use
from tf1grad.programs.source.program import Call, Program
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.edits.text import newline_of, with_alias
from tf1grad.upgrade.rules import Findings, python_2_meaning

ID = "TFG002"
SEVERITY = "error"
REMEDY = "`tf1grad upgrade` translates it to Python 3."
EXAMPLE = """
- for i in xrange(3):
-     print i
+ for i in range(3):
+     print(i)
"""
HELPERS = "tf1grad.migrate.python2"
_BUILTINS = {row.old: row for row in other_libraries.select_rows("builtin")}
_METHODS = {
    last_name(row): row
    for row in other_libraries.select_rows("method")
    if row.old.startswith("dict.")
}


def findings(program: Program) -> Findings:
    """Yields the first syntax error of Python 3, or every name that only Python 2 has."""
    keyword = program.source.keyword
    if keyword is not None:
        yield keyword, "A name is a keyword since Python 3.7. `tf1grad upgrade` adds an underscore."
    error = program.source.python2
    if error is not None:
        yield (
            error,
            f"It is Python 2 ({error.msg}). The other findings are about its translation to Python 3.",
        )
        return
    for use in _names(program):
        row = _BUILTINS[use.root]
        is_written = row.new and use.scope.owner_of(row.new) is None
        yield use.node, f"{use.text} is Python 2.", REMEDY if is_written else row.remedy
    for call, _ in _methods(program):
        yield call.node, f"The method {call.method} is Python 2."


def _names(program: Program) -> Iterator[Use]:
    for use in program.names.uses:
        if (
            use.root in _BUILTINS
            and use.scope.owner_of(use.root) is None
            and not is_guarded(program, use.node)
        ):
            yield use


def _methods(program: Program) -> Iterator[tuple[Call, Row]]:
    for call in program.calls:
        row = _METHODS.get(call.method or "")
        if (
            row is not None
            and isinstance(call.node.func, ast.Attribute)
            and call.name is None
            and len(call.node.args) == row.arguments
            and not is_guarded(program, call.node)
            and not program.functions(call.method)
            and program.class_of(call.node.func.value) is None
        ):
            yield call, row


def _pickles(program: Program) -> Iterator[tuple[Call, str]]:
    """Yields the calls that read or write pickles, and the names of their functions."""
    for call in program.calls if python2_programs.is_python_2(program) else ():
        module, _, name = (call.name or "").rpartition(".")
        if module in ("cPickle", "pickle") and name in ("dump", "load", "loads"):
            yield call, name


def rewrite(plan: Plan) -> None:
    """Writes Python 3's names in a file that Python 3 can parse.
    Other files are translated before.
    """
    for call, name in _pickles(plan.program):
        plan.text.replace(call.node.func, plan.helper(HELPERS, name + "_pickle"))
    for use in _names(plan.program):
        new = _BUILTINS[use.text].new if use.text in _BUILTINS else None
        if new and use.scope.owner_of(new) is None:
            plan.text.replace(use.node, new)
            if "." in new:
                plan.add_import("import " + new.split(".")[0])
    for call, row in _methods(plan.program):
        if row.new:
            plan.text.rewrite(call.node, row.new, "method")
        else:
            plan.text.rewrite(call.node, "({inside} in {owner})")  # has_key
    if python2_programs.is_python_2(plan.program):
        _add_renamed_methods(plan)
        python_2_meaning.rewrite(plan)
    if plan.program.source.python2 is not None:
        _rewrite_translation(plan)
    if plan.program.is_in_package:
        _rewrite_package_imports(plan)


def _add_renamed_methods(plan: Plan) -> None:
    """Writes `__next__ = next` at the end of a class with a method `next`, and the like."""
    for node, _ in plan.program.nodes(ast.ClassDef):
        methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        new_line = newline_of(plan.program.source.text) + " " * node.body[-1].col_offset
        aliases = [
            f"{new_line}{new} = {old}"
            for old, new in RENAMED_METHODS.items()
            if old in methods and new not in methods
        ]
        if aliases:
            plan.text.rewrite(node.body[-1], "{whole}" + "".join(aliases))


def _rewrite_translation(plan: Plan) -> None:
    """Writes `import pickle` for `import pickle as pickle`, and `print(x)` for `print((x))`,
    which fissix writes.
    """
    for node, _ in plan.program.names.imports:
        if isinstance(node, ast.Import) and any(alias.asname == alias.name for alias in node.names):
            plan.statements[node] = [
                "import " + with_alias(alias.name, alias.asname) for alias in node.names
            ]
    for call in plan.program.calls:
        if (
            call.method == "print"
            and len(call.node.args) == 1
            and not call.node.keywords
            and not isinstance(call.node.args[0], (ast.Tuple, ast.Yield, ast.Starred))
        ):
            plan.text.drop_parentheses(call.node)


def _rewrite_package_imports(plan: Plan) -> None:
    """Makes the imports of modules in the same folder relative;
    `import a.b` binds `a`, which has no such form.
    """
    for node, _ in plan.program.names.imports:
        if isinstance(node, ast.ImportFrom):
            if not node.level and python2_programs.is_beside(plan.program, node.module or ""):
                plan.text.make_relative(node)
            continue
        lines = []
        for alias in node.names:
            parent, dot, name = alias.name.rpartition(".")
            is_relative = (alias.asname or not dot) and python2_programs.is_beside(
                plan.program, alias.name
            )
            lines.append(
                f"from .{parent} import {with_alias(name, alias.asname)}"
                if is_relative
                else "import " + with_alias(alias.name, alias.asname)
            )
        if any(line.startswith("from") for line in lines):
            plan.statements[node] = lines
