"""A name is gone from Python, NumPy or another library.

Old programs stop at these more often than at TensorFlow: `np.float`, `time.clock`, `collections.Mapping`,
`scipy.misc.imread`, `sklearn.cross_validation`, Python 2's `cPickle`. `tf1grad run` serves them while the program runs;
`upgrade` writes what they are called today, where that is the same thing.
"""

import ast
import builtins
from typing import Dict, List, Optional

from tf1grad.old_programs.names import other_libraries
from tf1grad.old_programs.names.other_libraries import Row
from tf1grad.old_programs.rules import NameUse, Verdict, remedies
from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.source.name_resolution import ImportStatement, Use
from tf1grad.old_programs.source.scopes import dotted
from tf1grad.old_programs.source.training_steps import is_tried

ID = "TFG401"
NAME = "moved-elsewhere"
SEVERITY = "error"
SUMMARY = "A name is gone from Python, NumPy, SciPy, Matplotlib, pandas, Pillow or scikit-learn."
BAD = """
import time
import numpy as np

started = time.clock()
x = np.zeros(3, dtype=np.float)
"""
GOOD = """
import time
import numpy as np

started = time.process_time()
x = np.zeros(3, dtype=float)
"""


def judge(use: NameUse) -> Verdict:
    """A name that went, and was not only asked for."""
    row = None if use.name.startswith("tensorflow.") else other_libraries.find(use.name)
    if row is None or is_tried(use.program, use.node):
        return None
    if row.old in other_libraries.BACK and use.program.installed.has(row.old) is not False:
        return None
    if use.name != row.old and row.old.count(".") == 0 and not isinstance(use.node, (ast.Import, ast.ImportFrom)):
        return None  # the import of a module that is gone is said once
    return f"{row.old} is gone from {other_libraries.package(row.old)}.", row.remedy


def rewrite(plan: Plan) -> None:
    """Writes what a name is called today, where it is written out (`np.float`), and in import statements."""
    for use in plan.program.names.uses:
        row = other_libraries.find(use.name) if use.name and isinstance(use.node, ast.Attribute) else None
        if use.name and row is not None and not is_tried(plan.program, use.node):
            _rewrite_use(plan, use, use.name, row)
    for node, _ in plan.program.names.imports:
        lines = None if is_tried(plan.program, node) else _imports(node)
        if lines is not None:
            plan.statements[node] = lines


def _rewrite_use(plan: Plan, use: Use, name: str, row: Row) -> None:
    owner, root = row.old.rpartition(".")[0], _written_owner(plan, use, name, row.old)
    call = remedies.caller(plan.program, use.node)
    if root is None:
        return
    if row.call and call:
        plan.text.wrap(call, *[part.format(root) for part in row.call])
    elif row.old == "numpy.NINF":
        plan.text.replace(use.node, f"(-{root}.inf)")
    elif row.new and row.new.startswith(owner + ".") and row.new.count(".") == name.count("."):
        plan.text.replace(use.node, root + row.new[len(owner):])
    elif row.new and use.scope.owner_of(row.new.split(".")[0]) in (None, use.scope.module):
        plan.text.replace(use.node, row.new)
        if "." in row.new:
            plan.add_import("import " + row.new.rpartition(".")[0])


def _written_owner(plan: Plan, use: Use, name: str, old: str) -> Optional[str]:
    """The text before the last part of `old` in a use of it, such as `np`; None where an import gives the name."""
    node: ast.expr = use.node
    for _ in range(name.count(".") - old.count(".")):
        if isinstance(node, ast.Attribute):
            node = node.value
    if not isinstance(node, ast.Attribute) or \
            plan.program.names.resolve(node.value, use.scope) != old.rpartition(".")[0]:
        return None
    return dotted(node.value)


def _imports(node: ImportStatement) -> Optional[List[str]]:
    """The lines for an import statement that names something that is gone; None to leave it."""
    if isinstance(node, ast.Import):
        rows = [(alias, other_libraries.find(alias.name)) for alias in node.names]
        if not any(row and row.new for _, row in rows):
            return None
        return [_import(alias, row) for alias, row in rows]
    if node.level or any(alias.name == "*" for alias in node.names):
        return None
    found = [(alias, other_libraries.find(f"{node.module}.{alias.name}")) for alias in node.names]
    if not any(row and row.new for _, row in found):
        return None
    froms: Dict[str, List[str]] = {}
    lines = []
    for alias, row in found:
        new = row.new if row and row.new else f"{node.module}.{alias.name}"
        module, _, name = new.rpartition(".")
        local = alias.asname or alias.name
        if module:
            froms.setdefault(module, []).append(name if name == local else f"{name} as {local}")
        elif name in vars(builtins):
            lines.append(f"{local} = {name}")
        else:
            lines.append("import " + (name if name == local else f"{name} as {local}"))
    return [f"from {module} import {', '.join(names)}" for module, names in froms.items()] + lines


def _import(alias: ast.alias, row: Optional[Row]) -> str:
    """The line for one name of `import a, b as c`; uses of a module of a package are renamed."""
    new = row.new if row and row.new else alias.name
    local = alias.asname or (alias.name if "." not in alias.name and new != alias.name else None)
    return f"import {new} as {local}" if local and local != new else "import " + new
