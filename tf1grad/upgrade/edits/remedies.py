"""Finds the replacement of a TensorFlow 1 name:
the one answer that `check` recommends and `upgrade` writes.
"""

from __future__ import annotations

import ast
import functools
import os
import re
from typing import NamedTuple

import tf1grad
from tf1grad.programs.names import pre_1_0, provisions, tensorflow_rows
from tf1grad.programs.period import folder
from tf1grad.programs.source.program import KnownNames, Program
from tf1grad.upgrade.edits.installed_packages import PUBLIC_IN_1_15, TensorFlowNames

REMOVED_PARTS = re.compile(
    r"tensorflow\.(contrib|estimator|examples|models|python\.ops\.seq2seq|python\.estimator)\b"
)
KERAS = provisions.COMPAT + ".keras"
NEEDS_OLD_KERAS = re.compile(
    r"(tf_slim|tensorflow_estimator|"
    r"tensorflow\.compat\.v1\.(layers|keras|nn\.rnn_cell))\b"
)
# An attribute of the package; the module has a longer name.
PUBLIC_ESTIMATOR = "tensorflow_estimator.estimator"
XAVIER = [
    "tensorflow.contrib.layers.xavier_initializer",
    "tensorflow.contrib.layers.xavier_initializer_conv2d",
    "tensorflow.contrib.slim.xavier_initializer",
]
_OF_LEGACY_KERAS = "tensorflow.compat.v1.layers.dense"  # only Keras 2 has it
GLOROT = "tensorflow.compat.v1.initializers.glorot_uniform"

LOST_BEFORE = (
    "TensorFlow 1.15 did not have it any more. Write the program with names that it had, or run it with the "
    "TensorFlow of its time."
)


class NameUse(NamedTuple):
    """One use of a dotted name, written from its root."""

    program: Program
    node: ast.expr | ast.stmt
    name: str

    @property
    def is_import(self) -> bool:
        """True where an import statement names it."""
        return isinstance(self.node, (ast.Import, ast.ImportFrom))


def find_replacement(
    name: str, call: ast.Call | None, installed: KnownNames
) -> provisions.Provision | None:
    """Returns the `Provision` that replaces a name, or None;
    names that `installed` lacks are not recommended.
    """
    if (
        name in XAVIER
        and call is not None
        and not call.args
        and all(keyword.arg in ("seed", "dtype") for keyword in call.keywords)
    ):
        return provisions.Provision(
            "tensorflow", GLOROT, None, f"Use {GLOROT}, which draws the same."
        )
    old = pre_1_0.find_gone(name)
    if old is not None:
        name = "tensorflow." + old.target
    if not name.startswith("tensorflow."):
        return None
    found = provisions.provision_of(name)
    if call is not None and not _takes(name, call):
        return provisions.by_1_15(name)
    if found is not None and found.kind == "original" and _is_lost_public_name(name):
        return provisions.Provision("gone", None, None, LOST_BEFORE)
    is_gone = installed.has(name) is False if found is None else _is_missing(found, installed)
    if not is_gone:
        return found
    is_original = provisions.original_of(name) is not None or is_in_1_15(name)
    if is_original:
        return provisions.by_1_15(name)
    if found is None:
        return None
    missing = f"The installed packages do not have {found.target}. `tf1grad run` serves what TensorFlow 1.15 had."
    return provisions.Provision("gone", None, None, missing if is_original is None else LOST_BEFORE)


def _is_lost_public_name(name: str) -> bool:
    """Says whether 1.15 lacks a name right in a module of contrib, such as
    `tf.contrib.seq2seq.dynamic_rnn_decoder`.

    Of deeper modules, `run` serves also what 1.15's files have elsewhere.
    """
    return name.count(".") == 3 and is_in_1_15(name) is False


def is_in_1_15(name: str) -> bool | None:
    """Says whether TensorFlow 1.15's files have a name;
    None where they are missing or do not tell.
    """
    home = folder.find_originals()
    return None if home is None else _names_in(home).has(name)


@functools.lru_cache(maxsize=None)
def _names_in(home: str) -> TensorFlowNames:
    """Returns the names of the TensorFlow 1.15 in the folder `home`; its files do not change."""
    return TensorFlowNames([home], PUBLIC_IN_1_15)


def module_of(name: str) -> str:
    """Returns the module to import for a dotted name in tf1grad or in a library."""
    parts = name.split(".")
    if parts[0] != "tf1grad":
        return parts[0]
    checkout = os.path.dirname(os.path.dirname(os.path.abspath(tf1grad.__file__)))
    for length in range(len(parts), 1, -1):
        place = os.path.join(checkout, *parts[:length])
        if os.path.isdir(place) or os.path.exists(place + ".py"):
            return ".".join(parts[:length])
    return parts[0]


def replacement_of(use: NameUse) -> provisions.Provision | None:
    """Returns the `Provision` that replaces the name of a `NameUse`."""
    return find_replacement(use.name, find_call(use.program, use.node), use.program.installed)


def is_removed(use: NameUse) -> bool:
    """Returns True for a name in a removed part of TensorFlow 1;
    for `tf.estimator` only if it is not installed.
    """
    if not REMOVED_PARTS.match(use.name) or pre_1_0.find_gone(use.name):
        return False
    return (
        not (use.name + ".").startswith("tensorflow.estimator.")
        or use.program.installed.has(use.name) is not True
    )


def find_call(program: Program, node: ast.AST) -> ast.Call | None:
    """Returns the call that `node` is the function of, or None."""
    parent = program.parents.get(node)
    return parent if isinstance(parent, ast.Call) and parent.func is node else None


def _takes(name: str, call: ast.Call) -> bool:
    """Returns False for a call with arguments that only the name of TensorFlow 1.15 takes."""
    taken = tensorflow_rows.TAKEN.get(name.partition(".")[2])
    return taken is None or (
        len(call.args) < 2 and all(keyword.arg in taken for keyword in call.keywords)
    )


def _is_missing(provision: provisions.Provision, installed: KnownNames) -> bool:
    """Returns True if the installed package lacks the target;
    without tf_keras, its names are not missing.
    """
    if provision.target is None or installed.has(provision.target) is not False:
        return False
    return provision.requirement != "tf_keras" or installed.has(_OF_LEGACY_KERAS) is True
