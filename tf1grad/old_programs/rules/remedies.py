"""What to write for a name of TensorFlow 1: the one answer that `check` gives as a remedy and `upgrade` writes."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Optional

from tf1grad.old_programs.names import pre_1_0, provisions

if TYPE_CHECKING:
    from tf1grad.old_programs.rules import NameUse
    from tf1grad.old_programs.rules.installed_packages import Installed
    from tf1grad.old_programs.source.program import Program

REMOVED = re.compile(r"tensorflow\.(contrib|estimator|examples|models|python\.ops\.seq2seq)\b")
XAVIER = ["tensorflow.contrib.layers.xavier_initializer", "tensorflow.contrib.layers.xavier_initializer_conv2d",
          "tensorflow.contrib.slim.xavier_initializer"]
GLOROT = "tensorflow.compat.v1.initializers.glorot_uniform"


def of(name: str, call: Optional[ast.Call] = None,
       installed: Optional[Installed] = None) -> Optional[provisions.Provision]:
    """What replaces a name.

    Args:
        name: a dotted name, from `tensorflow` on.
        call: the `ast.Call` that calls it, if one does.
        installed: answers `has(name)`, None where it does not know; what it says is not there is not given.

    Returns:
        A `symbols.Provision`; None for a name that is none of TensorFlow 1's public ones.
    """
    if name in XAVIER and call is not None and _is_glorot(call):
        return provisions.Provision("tensorflow", GLOROT, None, f"Use {GLOROT}, which draws the same.")
    old = pre_1_0.entry_of(name)
    if old is not None and old.recognized_by is None:
        name = "tensorflow." + old.target
    found = provisions.provision_of(name)
    if found is None or not _is_missing(found, installed):
        return found
    original = provisions.original_of(name)
    if original is not None and not _is_missing(original, installed):
        return original
    return provisions.Provision("gone", None, None, f"{found.target} is not in what is installed.")


def of_use(use: NameUse) -> Optional[provisions.Provision]:
    """What replaces the name of a `rules.NameUse`."""
    return of(use.name, caller(use.program, use.node), use.program.installed)


def is_removed(use: NameUse) -> bool:
    """True for a name of a part of TensorFlow 1 that is gone; of `tf.estimator` where it is not installed."""
    if not REMOVED.match(use.name) or pre_1_0.is_gone(use.name):
        return False
    return not (use.name + ".").startswith("tensorflow.estimator.") or use.program.installed.has(use.name) is not True


def caller(program: Program, node: ast.AST) -> Optional[ast.Call]:
    """The call that `node` is the function of, or None."""
    parent = program.parents.get(node)
    return parent if isinstance(parent, ast.Call) and parent.func is node else None


def _is_missing(provision: provisions.Provision, installed: Optional[Installed]) -> bool:
    """True for what an installed package has not; what only waits for tf_keras is not missing."""
    return installed is not None and provision.target is not None and provision.requirement != "tf_keras" and \
        installed.has(provision.target) is False


def _is_glorot(call: ast.Call) -> bool:
    return not call.args and all(keyword.arg in ("seed", "dtype") for keyword in call.keywords)
