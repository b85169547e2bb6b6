"""`import keras` now means Keras 3.

A program of TensorFlow 1 imported Keras 2. Keras 3 lacks its inner modules and most functions of its backend, and its
layers do not build graphs for sessions. The Keras of TensorFlow 1 is `tensorflow.compat.v1.keras`, which needs tf_keras
from TensorFlow 2.16 on.
"""

import ast
from typing import Dict, List, Optional

from tf1grad.old_programs.names import keras_names
from tf1grad.old_programs.rules import NameUse, Verdict
from tf1grad.old_programs.rules.edit_plan import Plan
from tf1grad.old_programs.rules.remedies import COMPAT
from tf1grad.old_programs.source.edits import with_alias
from tf1grad.old_programs.source.entry_points import supports_both_versions
from tf1grad.old_programs.source.program import KnownNames
from tf1grad.old_programs.source.training_steps import is_tried

ID = "TFG110"
SEVERITY = "error"
EXAMPLE = """
- import tensorflow as tf
- from keras.layers.core import Dense
+ import tf1grad.migrate.legacy  # before TensorFlow
+ import tensorflow.compat.v1 as tf

- scores = Dense(2)(tf.placeholder(tf.float32, [None, 3]))
+ tf.disable_v2_behavior()
+ scores = tf.keras.layers.Dense(2)(tf.placeholder(tf.float32, [None, 3]))
"""
KERAS = COMPAT + ".keras"


def judge(use: NameUse) -> Verdict:
    """Reports the imports of Keras in a program of TensorFlow 1, and the uses of names that only Keras 2 had."""
    if not use.program.is_tf1 or (use.name + ".")[:6] != "keras." or is_tried(use.program, use.node):
        return None
    is_import = isinstance(use.node, (ast.Import, ast.ImportFrom))
    target = _target(use.name, use.program.installed)
    if target is not None:
        return (f"{use.name} now means Keras 3.", f"Use {target}.", "tf_keras") if is_import else None
    return f"{use.name} is in Keras 2 only.", "Keep the program under `tf1grad run`, or write it with today's names."


def rewrite(plan: Plan) -> None:
    """Writes imports from `tensorflow.compat.v1.keras`, and its public names in the place of inner ones."""
    for node, _ in plan.program.names.imports:
        if is_tried(plan.program, node) or supports_both_versions(plan.program, node):
            continue
        if isinstance(node, ast.Import):
            _rewrite_import(plan, node)
        elif not node.level and ((node.module or "") + ".").startswith("keras."):
            _rewrite_from(plan, node)
    for use in plan.program.names.uses:
        root, _, rest = use.text.partition(".")
        if rest and (use.name or "").startswith("keras."):
            bound, name = _public(use.name[:-len(rest) - 1]), _public(use.name)
            if name.startswith(bound + "."):
                plan.text.replace(use.node, root + name[len(bound):])


def _public(name: str) -> str:
    return f"keras.{keras_names.public_name(name.partition('.')[2])}".rstrip(".")


def _target(name: str, installed: KnownNames) -> Optional[str]:
    """Returns the dotted name of TensorFlow's Keras for a name of Keras 2; None where it is known to be missing."""
    target = f"{COMPAT}.{_public(name)}"
    return None if installed.has(target) is False else target


def _rewrite_import(plan: Plan, node: ast.Import) -> None:
    lines: List[str] = []
    for alias in node.names:
        target = _target(alias.name, plan.program.installed) if (alias.name + ".").startswith("keras.") else None
        if target is None:
            lines.append("import " + with_alias(alias.name, alias.asname))
        elif alias.asname is None:
            lines.append(f"from {COMPAT} import keras")
        else:
            parent, _, last = target.rpartition(".")
            lines.append(f"from {parent} import {with_alias(last, alias.asname)}")
    if any(line.startswith("from") for line in lines):
        plan.statements[node] = list(dict.fromkeys(lines))
        plan.needs.add(KERAS)


def _rewrite_from(plan: Plan, node: ast.ImportFrom) -> None:
    froms: Dict[str, List[str]] = {}
    for alias in node.names:
        name = f"{node.module}.{alias.name}"
        target = _target(name if alias.name != "*" else node.module or "", plan.program.installed)
        parent, _, last = (target or name).rpartition(".")
        if alias.name == "*" and target is not None:
            parent, last = target, "*"
        froms.setdefault(parent, []).append(with_alias(last, alias.asname or (alias.name if last != "*" else None)))
    if set(froms) != {node.module}:
        plan.statements[node] = [f"from {module} import {', '.join(names)}" for module, names in froms.items()]
        plan.needs.add(KERAS)
