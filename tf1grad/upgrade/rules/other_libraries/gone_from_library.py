"""A name is gone from Python, NumPy or another library.

Old programs stop at these more often than at TensorFlow: `np.float`, `time.clock`,
`collections.Mapping`, `scipy.misc.imread`, `sklearn.cross_validation`, Python 2's `cPickle`.
`tf1grad run` serves them while the program runs; `upgrade` writes today's name, where that is the
same thing, and else a function of `tf1grad.migrate.dropped_functions`. Other names are in recorded
lists, such as the modules that Python 3.13 dropped. Nothing stands for these.
"""

from __future__ import annotations

import ast
import builtins
import os

from tf1grad.programs.names import other_libraries
from tf1grad.programs.names.numpy_rows import RETURNED
from tf1grad.programs.names.rows import Row, does_nothing, written_by_upgrade
from tf1grad.programs.source.entry_points import imported_names
from tf1grad.programs.source.guards import is_guarded
from tf1grad.programs.source.name_resolution import ImportStatement, Use
from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import dotted
from tf1grad.upgrade.edits import remedies
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.edits.remedies import NameUse
from tf1grad.upgrade.edits.text import import_of, join_imports, with_alias
from tf1grad.upgrade.rules import Verdict

ID = "TFG401"
NAME = "moved-elsewhere"
SEVERITY = "error"
SUMMARY = "A name is gone from Python, NumPy, SciPy, Matplotlib, pandas, Pillow or scikit-learn."
EXAMPLE = """
  import time
  import numpy as np

- started = time.clock()
- x = np.zeros(3, dtype=np.float)
+ started = time.process_time()
+ x = np.zeros(3, dtype=float)
"""


def judge(use: NameUse) -> Verdict:
    """Judges a name by its row, unless the program guards the use by a handler of its error."""
    row = None if use.name.startswith("tensorflow.") else other_libraries.row_of(use.name)
    if row is None or is_guarded(use.program, use.node) or _is_own(use.program, use.name):
        return None
    installed = use.program.installed
    if row.old in RETURNED and installed.has(row.old) is not False:
        return None
    if row.since.startswith("deprecated in ") and installed.has(row.old):
        return None
    if use.name != row.old and "." not in row.old and not use.is_import:
        return None  # the import of a module that is gone is said once
    message = f"{row.old} is gone from {other_libraries.library_of(row)}."
    helper = written_by_upgrade(row) if row.upgrade == "helper" else None
    written = f" `tf1grad upgrade` writes {helper}." if helper else ""
    return message, row.remedy + written, row.requirement


def _is_own(program: Program, name: str) -> bool:
    """Returns True for a name below a module of the program that has the name of one that
    is gone, such as `parser`.
    """
    root = name.split(".")[0]
    place = os.path.join(os.path.dirname(program.source.path), root)
    is_beside = os.path.isfile(place + ".py") or os.path.isdir(place)
    return is_beside or bool(program.together.modules.named(program, root, 0))


def rewrite(plan: Plan) -> None:
    """Writes today's name where a program writes the old one out (`np.float`),
    and in import statements.
    """
    for use in plan.program.names.uses:
        row = other_libraries.row_of(use.name) if isinstance(use.node, ast.Attribute) else None
        if row is not None and not is_guarded(plan.program, use.node):
            _rewrite_use(plan, use, row)
    for node, _ in plan.program.names.imports:
        if is_guarded(plan.program, node):
            continue
        lines = _imports(node)
        if lines is None and len(node.names) == 1:
            lines = _without_submodule(plan.program, node)
        if lines is not None:
            plan.statements[node] = lines


def _rewrite_use(plan: Plan, use: Use, row: Row) -> None:
    owner, root = row.old.rpartition(".")[0], _written_owner(plan, use, row.old)
    call, new = remedies.find_call(plan.program, use.node), written_by_upgrade(row)
    if root is None:
        return
    if not new and not does_nothing(row.upgrade):
        template = row.upgrade.replace("{module}", root).replace("{arguments}", "{inside}")
        if "{inside}" not in template:
            plan.text.replace(use.node, template)
        elif call:
            plan.text.rewrite(call, template)
    elif new and new.startswith(owner + ".") and new.count(".") == use.name.count("."):
        plan.text.replace(use.node, root + new[len(owner) :])
    elif new and use.scope.owner_of(new.split(".")[0]) in (None, use.scope.module):
        module, _, last = new.rpartition(".")
        written = plan.name_of(module, use.scope) if module else None
        plan.text.replace(use.node, f"{written}.{last}" if written else new)
        if module and not written:
            plan.add_import("import " + module)


def _written_owner(plan: Plan, use: Use, old: str) -> str | None:
    """Returns the text before the last part of `old` in a use, such as `np`;
    None where an import gives the name.
    """
    node: ast.expr = use.node
    for _ in range(use.name.count(".") - old.count(".")):
        node = getattr(node, "value", node)
    if not isinstance(node, ast.Attribute):
        return None
    name = other_libraries.canonical(plan.program.names.resolve(node.value, use.scope) or "")
    return dotted(node.value) if name == old.rpartition(".")[0] else None


def _imports(node: ImportStatement) -> list[str] | None:
    """Returns the new lines for an import statement with a name that is gone; None to leave it."""
    names = imported_names(node)
    rows = [other_libraries.row_of(name) for name in names]
    new = [
        row and (row.new if isinstance(node, ast.Import) else written_by_upgrade(row))
        for row in rows
    ]
    if not any(new) or any(alias.name == "*" for alias in node.names):
        return None
    lines = []
    for alias, name, today in zip(node.names, names, new):
        if isinstance(node, ast.Import):  # uses of a module in a package are renamed separately
            local = alias.asname or (alias.name if "." not in alias.name and today else None)
            lines.append("import " + with_alias(today or name, local))
        elif today in vars(builtins):
            lines.append(f"{alias.asname or alias.name} = {today}")
        else:
            lines.append(import_of(today or name, alias.asname or alias.name))
    return join_imports(sorted(lines, key=lambda line: not line.startswith("from ")))


def _without_submodule(program: Program, node: ImportStatement) -> list[str] | None:
    """Returns what is left of the import of a submodule that is gone;
    None if the program still needs it.
    """
    row = other_libraries.row_of(next(iter(imported_names(node)), ""))
    if row is None or row.kind != "submodule" or row.new:
        return None
    package = row.old.rpartition(".")[0]
    needs_package = False
    for use in program.names.uses:
        if (use.name + ".").startswith(row.old + "."):
            if not _is_written(use.name) or is_guarded(program, use.node):
                return None
        elif use.root == package:
            needs_package = isinstance(node, ast.Import) and not node.names[0].asname
    return ["import " + package] if needs_package else []


def _is_written(name: str) -> bool:
    row = other_libraries.row_of(name)
    return row is not None and written_by_upgrade(row) is not None
