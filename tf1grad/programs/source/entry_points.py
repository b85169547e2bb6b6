"""Tells which files of a program are started, which are only imported,
and which are written for TensorFlow 1.
"""

from __future__ import annotations

import ast
import collections
import re
from typing import DefaultDict, Iterator, List, Optional, Sequence, Tuple

from tf1grad.programs.names import keras_names, pre_1_0
from tf1grad.programs.names.version_names import is_new, is_old, is_old_keyword
from tf1grad.programs.source.guards import is_guarded_call
from tf1grad.programs.source.name_resolution import ImportStatement, Use
from tf1grad.programs.source.old_calls import calls_in_old_order
from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import Scope, call_name, canonical, dotted

TF2_NAMES = re.compile(
    r"tensorflow\.(GradientTape|function|keras\.(Model|layers|optimizers|Sequential)|compat\.v2|"
    r"config\.(set|list|get)_|optimizers\.[A-Z]\w+|random\.set_seed|reduce_\w+_v2|"
    r"saved_model\.(save|load)$|summary\.(create_file_writer|trace_\w+))\b"
)
# TensorFlow 2 takes logits and labels by position as well.
_ORDERS_OF_BOTH = ("by position", "labels last")
LINE = "tf1grad.v1"  # the module whose import gives a process TensorFlow 1.15
# Names of compat.v1 that raise in eager execution, or need the Keras of TensorFlow 1.
OF_GRAPHS = re.compile(
    r"tensorflow\.(placeholder|sparse_placeholder|layers\.\w+|nn\.rnn_cell\.\w+|"
    r"train\.import_meta_graph)$"
)
SESSIONS = ("Session", "InteractiveSession", "MonitoredSession", "MonitoredTrainingSession")
_MAKE_SESSIONS = {f"tensorflow.{name}" for name in SESSIONS}
# By the name of a function, the calls of it and their files.
Callers = DefaultDict[Optional[str], List[Tuple[Program, ast.Call]]]
SWITCHES = ("tensorflow.disable_v2_behavior", "tensorflow.disable_eager_execution")
GRAPHS = "tf1grad.migrate.models.install"
HARMLESS = re.compile(
    r"(print|(sys\.path|os\.environ|os\.putenv|warnings|logging|tensorflow\.logging|matplotlib|"
    r"numpy\.random\.seed|numpy\.set_printoptions|random\.seed|tensorflow\.(app\.)?flags\.\w+|"
    r"tensorflow\.disable_\w+|tensorflow\.compat\.\w+|tf1grad\.migrate)\b.*)$"
)


def uses_tf1_names(program: Program) -> bool:
    """Returns True if a file uses, or only imports, TensorFlow 1 names from plain `tensorflow`,
    or names of Keras 2.

    Keywords and orders of arguments that only TensorFlow 1 takes count as well.

    `tf.estimator` and `tensorflow.python.keras` were in TensorFlow 2 as well, up to 2.15: they
    count only if nothing else indicates version 2.
    """
    names = _imported_by(program)
    names += [use.name for use in program.names.uses if use.name and not spells_compat(use)]
    if any(map(_is_of_version_1, names)) or _has_old_arguments(program):
        return True
    if is_tf2(program):
        return False
    has_inner_keras = any(name.startswith("tensorflow.python.keras.") for name in names)
    return has_inner_keras or _uses_estimator(program)


def _has_old_arguments(program: Program) -> bool:
    """Returns True if a call that is not spelled `tf.compat.v1.X` has arguments that
    TensorFlow 2 does not take.
    """
    found = [
        call
        for call in program.calls
        for keyword in call.node.keywords
        if is_old_keyword(call.name or "", keyword.arg or "")
    ]
    found += [
        call
        for call, old in calls_in_old_order(program)
        if old.recognized_by not in _ORDERS_OF_BOTH
    ]
    for call in found:
        is_compat = _spells_compat(dotted(call.node.func) or "", call.scope)
        if not is_compat and not is_guarded_call(program, call.node):
            return True
    return False


def _is_of_version_1(name: str) -> bool:
    return is_old(name) or bool(pre_1_0.find_gone(name)) or keras_names.is_version_2(name)


def _uses_estimator(program: Program) -> bool:
    return any(use.name.startswith("tensorflow.estimator.") for use in program.names.uses)


def is_tf2(program: Program) -> bool:
    """Returns True if a file uses names that exist, or have this meaning, only in TensorFlow 2."""
    return any(
        TF2_NAMES.match(use.name) or is_new(use.name) for use in program.names.uses if use.name
    )


def belongs_to_tf1(program: Program) -> bool:
    """Returns False for a file of a TensorFlow 1 program that is itself written for TensorFlow 2.

    In such a program a file that uses `tf.estimator` is not, though TensorFlow 2 had it too, up to
    2.15. Nor is one that makes a session: TensorFlow 1.13 to 1.15 had `tf.keras.Sequential` and
    `tf.compat.v1.Session`.
    """
    return (
        uses_tf1_names(program)
        or _imports_compat(program)
        or not is_tf2(program)
        or _uses_estimator(program)
        or switches(program)
        or any(call.name in _MAKE_SESSIONS for call in program.calls)
    )


def compat_files(programs: Sequence[Program]) -> Iterator[Program]:
    """Yields the files that import TensorFlow 1 names, or Keras, from compat.v1,
    or build graphs by `tf.compat.v1.X`.

    A `with` statement of a session makes its graph the default one, also for the functions that are
    called there. Estimators do the same for theirs.
    """
    callers: Callers = collections.defaultdict(list)
    for program in programs:
        for call in program.calls:
            callers[call.method].append((program, call.node))
    for program in programs:
        if _imports_compat(program):
            yield program
        elif not _uses_estimator(program) and any(
            spells_compat(use)
            and OF_GRAPHS.match(use.name)
            and not _is_in_session(program, use.node, callers, set())
            for use in program.names.uses
        ):
            yield program


def _is_in_session(program: Program, node: ast.AST, callers: Callers, seen: set[str]) -> bool:
    """Returns True in a `with` statement of a session,
    and in a function or class that one calls by its name.
    """
    for outer in program.above(node):
        if isinstance(outer, ast.With):
            if any(call_name(item.context_expr) in SESSIONS for item in outer.items):
                return True
        elif isinstance(outer, (ast.FunctionDef, ast.ClassDef)) and outer.name not in seen:
            seen.add(outer.name)
            if any(_is_in_session(*caller, callers, seen) for caller in callers[outer.name]):
                return True
    return False


def spells_compat(use: Use) -> bool:
    """Returns True for a name that is written as `tf.compat.v1.X`,
    or as `tf1.X` after `tf1 = tf.compat.v1`.
    """
    return _spells_compat(use.text, use.scope)


def _spells_compat(text: str, scope: Scope) -> bool:
    root, part = text.split(".")[0], ".compat.v1"
    owner = scope.owner_of(root)
    return part in text or owner is not None and owner.is_assigned_part(root, part)


def _imports_compat(program: Program) -> bool:
    imports = [name for name in _imported_by(program) if name.startswith("tensorflow.compat.v1")]
    return any(name.startswith("tensorflow.compat.v1.keras") for name in imports) or (
        bool(imports) and any(use.name and is_old(use.name) for use in program.names.uses)
    )


def tensorflow_imports(program: Program) -> list[ImportStatement]:
    """Returns the import statements that name tensorflow, or `tf1grad.v1`, in source order."""
    return framework_imports(program, ("tensorflow",))


def shares_tensorflow(program: Program) -> bool:
    """Returns True if a file uses TensorFlow or Keras, and is not written for TensorFlow 2."""
    names = [use.name.split(".")[0] for use in program.names.uses]
    is_user = bool(framework_imports(program)) or "tensorflow" in names
    return is_user and belongs_to_tf1(program)


def framework_imports(
    program: Program, frameworks: Sequence[str] = ("tensorflow", "keras")
) -> list[ImportStatement]:
    """Returns the import statements that name a framework, in source order."""
    nodes = [
        node
        for node, _ in program.names.imports
        if any(canonical(name).split(".")[0] in frameworks for name in imported_names(node))
    ]
    return sorted(nodes, key=lambda node: node.lineno)


def has_line(program: Program) -> bool:
    """Returns True if a file has the line `import tf1grad.v1 as tf`,
    or imports that module differently.
    """
    return any((name + ".").startswith(LINE + ".") for name in _imported_by(program))


def _imported_by(program: Program) -> list[str]:
    return [name for node, _ in program.names.imports for name in imported_names(node)]


def imported_names(node: ast.AST) -> list[str]:
    """Returns the dotted names that an import statement imports;
    none for a relative import, and for other nodes.
    """
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def switches(program: Program) -> bool:
    """Returns True if a file switches TensorFlow 2 to TensorFlow 1 behavior."""
    return any(call.name in SWITCHES for call in program.calls)


def supports_both_versions(program: Program, node: ast.AST) -> bool:
    """Returns True for an import in a `try` that also imports compat.v1,
    or a package that keeps contrib.
    """
    for outer in program.above(node):
        if isinstance(outer, ast.Try):
            names = [name for inner in ast.walk(outer) for name in imported_names(inner)]
            return any(
                name.startswith(("tensorflow.compat.v1", "tf_slim", "tf1grad")) for name in names
            )
    return False


def is_main(program: Program) -> bool:
    """Returns True if a file has `if __name__ == "__main__":`."""
    return any(map(is_main_part, program.source.tree.body))


def is_import(node: ast.stmt) -> bool:
    """Returns True for an import statement, and for a `try` or `if` that contains one
    and no function, apart from `if __name__ == "__main__":`.
    """
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return True
    inside = list(ast.walk(node))
    return (
        isinstance(node, (ast.Try, ast.If, ast.With))
        and not is_main_part(node)
        and any(isinstance(inner, (ast.Import, ast.ImportFrom)) for inner in inside)
        and not any(isinstance(inner, (ast.FunctionDef, ast.ClassDef)) for inner in inside)
    )


def is_main_part(node: ast.AST) -> bool:
    """Returns True for `if __name__ == "__main__":`."""
    return isinstance(node, ast.If) and any(
        dotted(part) == "__name__" for part in ast.walk(node.test)
    )


def runs_at_import(program: Program) -> bool:
    """Returns True if importing a file calls TensorFlow, Keras or its own functions,
    apart from flags and logging.
    """
    own = {
        node.name
        for node in program.source.tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    for call in program.calls:
        name = call.name or dotted(call.node.func) or ""
        if is_at_top(program, call.node) and not HARMLESS.match(name):
            if name.startswith(("tensorflow.", "keras.")) or name in own:
                return True
    return False


def is_started(program: Program) -> bool:
    """Returns True if a file is started, as far as its text shows:
    it has a main part, or calls TensorFlow.
    """
    return is_main(program) or runs_at_import(program)


def is_at_top(program: Program, node: ast.AST) -> bool:
    """Returns True for code that runs whenever the file is imported,
    not only when it is started.
    """
    for outer in program.above(node):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return False
        if is_main_part(outer):
            return False
    return True
