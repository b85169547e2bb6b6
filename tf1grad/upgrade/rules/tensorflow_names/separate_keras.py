"""`import keras` now means Keras 3.

A program of TensorFlow 1 imported Keras 2. Keras 3 lacks its inner modules and most functions of
its backend, and its layers do not build graphs for sessions. The Keras of TensorFlow 1 is
`tensorflow.compat.v1.keras`, which needs tf_keras from TensorFlow 2.16 on.
"""

from __future__ import annotations

import ast

from tf1grad.programs.names import keras_names
from tf1grad.programs.names.provisions import COMPAT
from tf1grad.programs.source.entry_points import imported_names, supports_both_versions
from tf1grad.programs.source.guards import is_guarded
from tf1grad.programs.source.name_resolution import ImportStatement
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.edits.remedies import KERAS, NameUse
from tf1grad.upgrade.edits.text import import_of, join_imports, with_alias
from tf1grad.upgrade.rules import Verdict

ID = "TFG110"
SEVERITY = "error"
OF_TENSORFLOW_2 = True
EXAMPLE = """
- import tensorflow as tf
- from keras.layers.core import Dense
+ import tf1grad.migrate.legacy  # before TensorFlow
+ import tensorflow.compat.v1 as tf

- scores = Dense(2)(tf.placeholder(tf.float32, [None, 3]))
+ tf.disable_v2_behavior()
+ scores = tf.keras.layers.Dense(2)(tf.placeholder(tf.float32, [None, 3]))
"""


MERGE = "keras.layers.merge"  # the function of Keras 1, which the module of Keras 2 that has this name replaced


def judge(use: NameUse) -> Verdict:
    """Reports the imports of Keras in a program of TensorFlow 1,
    and the uses of names that only Keras 2 had.
    """
    if (
        not use.program.is_tf1
        or (use.name + ".")[:6] != "keras."
        or is_guarded(use.program, use.node)
    ):
        return None
    target = _target(use.name, use.program)
    if target is not None:
        return (
            (f"{use.name} now means Keras 3.", f"Use {target}.", "tf_keras")
            if use.is_import
            else None
        )
    if use.name == MERGE:
        return (
            f"{use.name} is a function of Keras 1.",
            "Use add, multiply, average or concatenate of keras.layers.",
        )
    if keras_names.is_only_in_version_1(use.name):
        return (
            f"{use.name} is in Keras 1 only.",
            "A line `keras<2` in requirements.txt lets `tf1grad run` bring Keras 1; today's Keras needs another name.",
        )
    return (
        f"{use.name} is in Keras 2 only.",
        "Keep the program under `tf1grad run`, or write it with today's names.",
    )


def rewrite(plan: Plan) -> None:
    """Writes imports from `tensorflow.compat.v1.keras`,
    and its public names in the place of inner ones.
    """
    for node, _ in plan.program.names.imports:
        if not is_guarded(plan.program, node) and not supports_both_versions(plan.program, node):
            _rewrite_import(plan, node)
    for use in plan.program.names.uses:
        root, _, rest = use.text.partition(".")
        if rest and use.name.startswith("keras."):
            bound, name = _public(use.name[: -len(rest) - 1]), _public(use.name)
            if name.startswith(bound + "."):
                plan.text.replace(use.node, root + name[len(bound) :])


def _public(name: str) -> str:
    return f"keras.{keras_names.public_name(name.partition('.')[2])}".rstrip(".")


def _target(name: str, program: Program) -> str | None:
    """Returns the dotted name of TensorFlow's Keras for a name of Keras 2;
    None where it is known to be missing.
    """
    if name == MERGE and any(use.name == MERGE for use in program.names.uses):
        return None
    if keras_names.is_only_in_version_1(name):
        return None
    target = f"{COMPAT}.{_public(name)}"
    return None if program.installed.has(target) is False else target


def _rewrite_import(plan: Plan, node: ImportStatement) -> None:
    lines: list[str] = []
    names = imported_names(node)
    targets = [
        _target(name.replace(".*", ""), plan.program) if (name + ".").startswith("keras.") else None
        for name in names
    ]
    for alias, name, target in zip(node.names, names, targets):
        if isinstance(node, ast.ImportFrom) or target and alias.asname:
            new = name if target is None else target + (".*" if alias.name == "*" else "")
            lines.append(import_of(new, alias.asname or alias.name))
        else:
            lines.append(
                import_of(KERAS, "keras")
                if target
                else "import " + with_alias(alias.name, alias.asname)
            )
    if any(targets):
        plan.statements[node] = join_imports(dict.fromkeys(lines))
        plan.needs.add(KERAS)
