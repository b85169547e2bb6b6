"""Plans the changes to one file: its names, its import statements, and the lines to add."""

from __future__ import annotations

import ast
import collections
from typing import Counter, Sequence

from tf1grad.programs.names import pre_1_0, tensorflow_rows
from tf1grad.programs.names.provisions import COMPAT
from tf1grad.programs.source import entry_points
from tf1grad.programs.source.lazy import lazy
from tf1grad.programs.source.name_resolution import Use
from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import Scope, bound_names
from tf1grad.upgrade.edits import module_bindings
from tf1grad.upgrade.edits.module_bindings import Binding
from tf1grad.upgrade.edits.remedies import (
    NEEDS_OLD_KERAS,
    PUBLIC_ESTIMATOR,
    REMOVED_PARTS,
    find_call,
    find_replacement,
    module_of,
)
from tf1grad.upgrade.edits.text import Text

WHOLE = "tensorflow.contrib"
LEGACY = "tf1grad.migrate.legacy"


class Plan:
    """The changes to one `Program`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.belongs_to_tf1 = entry_points.belongs_to_tf1(program)
        # Of a program that writes `tf.compat.v1.X`: `tf.X` has the meaning of TensorFlow 2.
        self.keeps_imports = not (program.is_tf1 or program.is_on_1_15)
        self.text = Text(program)
        # The lines that replace each statement; an empty list removes it.
        self.statements: dict[ast.stmt, list[str]] = {}
        self.first: list[str] = []  # before all other imports
        self.imports: list[str] = []  # after the first import of TensorFlow
        self.calls: list[str] = []  # after the imports
        self.needs: set[str] = set()  # the dotted names that the program will use, from any package
        self.bindings = [
            binding
            for binding in module_bindings.bindings_in(program)
            if self._is_moved(binding.name) and not self.keeps_imports
        ]
        self._binding_by_use: dict[int, Binding] = {}
        assigned = []
        for binding in self.bindings:
            self._replace_module(binding)
            for use in binding.uses:
                self._binding_by_use.setdefault(id(use), binding)
            if isinstance(binding.node, ast.Assign):
                assigned.append(binding.node.value)
        for use in program.names.uses:
            # The value of `slim = tf.contrib.slim` is rewritten with its statement.
            if REMOVED_PARTS.match(use.name) and use.node not in assigned:
                if self._is_moved(use.name):
                    self._move(use)

    def _is_moved(self, name: str) -> bool:
        """Returns False for a name that TensorFlow 1.15 has itself,
        if the program has TensorFlow 1.15.
        """
        return not self.program.is_on_1_15 or bool(pre_1_0.find_gone(name))

    def needs_legacy(self) -> bool:
        """Returns True if a name needs TensorFlow's old Keras."""
        used = {
            COMPAT + use.name[len("tensorflow") :]
            for use in self.program.names.uses
            if use.name.startswith("tensorflow.") and not REMOVED_PARTS.match(use.name)
        }
        return any(map(NEEDS_OLD_KERAS.match, self.needs | used))

    def import_first(self, module: str) -> None:
        """Plans the import of a module before all others, unless the program already has it."""
        if not self.imports_module(module):
            self.first = [f"import {module}  # before TensorFlow"]

    def _replace_module(self, binding: Binding) -> None:
        """Finds the module that can replace the bound one: the one that most of its uses need.

        Where none can, the statement stays if the module is used as a whole, or if nothing replaces
        one of its uses.
        """
        if binding.kind == "module":
            binding.module = self._module(binding)
            binding.is_kept = binding.module is None and any(
                use.name == binding.name or self.target_of(use) is None for use in binding.uses
            )

    def _module(self, binding: Binding) -> str | None:
        if binding.name == WHOLE:
            return None  # its modules are in different packages
        is_taken = {binding.local, "*"}.intersection(self.program.taken)
        if (
            binding.alias
            and binding.scope is self.program.names.module
            and (is_taken or not binding.uses and not entry_points.is_main(self.program))
        ):
            return self.target(binding.name)  # another file may import it from here
        votes: Counter[str] = collections.Counter()
        for use in binding.uses:
            rest, new = use.name[len(binding.name) :], self.target_of(use)
            # A module can stand for the bound one only where the rest of the name is the same.
            # Names of compat.v1 are written by the program's name for TensorFlow.
            if rest and new and new.endswith(rest) and not new.startswith(COMPAT + "."):
                votes[new[: -len(rest)]] += 1
        return votes.most_common(1)[0][0] if votes else None

    def target(self, name: str, call: ast.Call | None = None) -> str | None:
        """Returns the dotted name that replaces one of TensorFlow 1,
        which `call` calls, or None.
        """
        # 1.15 has its own contrib, and lacks only what was dropped before it.
        if self.program.is_on_1_15:
            old = pre_1_0.find_gone(name)
            return f"{COMPAT}.{old.target}" if old else None
        found = find_replacement(name, call, self.program.installed)
        if found is None or found.target is None:
            return None
        return found.target.replace(tensorflow_rows.ESTIMATOR_MODULE, PUBLIC_ESTIMATOR)

    def importable(self, module: str) -> str:
        """Returns the name by which an import statement of the program finds a module."""
        if self.program.is_on_1_15:
            module = module.replace(COMPAT, "tensorflow")
        return module.replace(PUBLIC_ESTIMATOR, tensorflow_rows.ESTIMATOR_MODULE)

    def target_of(self, use: Use) -> str | None:
        """Returns the dotted name that replaces the one used, or None."""
        return self.target(use.name, find_call(self.program, use.node))

    def _move(self, use: Use) -> None:
        """Plans the replacement of one use of a name of contrib."""
        binding, new = self._binding_by_use.get(id(use)), self.target_of(use)
        if binding is None:
            if self._is_alias(use):
                return
        elif binding.kind == "symbol" or binding.kind == "star" and self.is_bound(use):
            if new is None or not new.startswith(COMPAT + "."):
                return  # its import statement is rewritten, or left
        elif binding.is_kept or use.name == binding.name:
            return  # the use is the bound name itself, which stays, or which the new statement binds
        elif (
            new is not None
            and binding.kind == "module"
            and new == f"{binding.module}{use.name[len(binding.name) :]}"
        ):
            self.needs.add(new)
            return  # its text is right as soon as the statement binds the new module
        self.rename(use)

    def is_bound(self, use: Use) -> bool:
        """Returns True for a use of a name that an import statement binds:
        the statement is rewritten as a whole.
        """
        binding = self._binding_by_use.get(id(use))
        if binding is None or not REMOVED_PARTS.match(use.name):
            return False
        # `contrib.layers` after `from tensorflow import *` is written where it is used.
        return binding.kind != "star" or bool(REMOVED_PARTS.match(binding.name))

    def rename(self, use: Use) -> None:
        """Plans the name that replaces the one used, and its import."""
        new = self.target_of(use)
        text = new and self._text(use, new)
        if text and text != use.text:
            self.text.replace(use.node, text)

    def _is_alias(self, use: Use) -> bool:
        """Returns True for `conv(x)` after `conv = slim.conv2d`:
        there the assignment is rewritten.
        """
        owner = use.scope.owner_of(use.root)
        return owner is not None and any(
            isinstance(value, ast.AST) for value in owner.bindings[use.root]
        )

    def _text(self, use: Use, new: str) -> str | None:
        """Returns the text for a use that `new` replaces, and plans its import;
        None to leave the use unchanged.
        """
        self.needs.add(new)
        if new.startswith(COMPAT + "."):
            return self.root(use.scope, use.root) + new[len(COMPAT) :]
        # A local variable has the first word of the new name.
        if use.scope.owner_of(new.split(".")[0]) not in (None, use.scope.module):
            return None
        imported = self._by_import(use, new) or self._of_estimator(use.scope, new)
        if imported is None:
            self.add_import("import " + module_of(new))
        return imported or new

    def _by_import(self, use: Use, new: str) -> str | None:
        """Returns `new` by the name under which the program will have imported its
        module above the use, or None.
        """
        module = module_of(new)
        for binding in self.bindings:
            # A statement below the use, or in a branch or a function, may not have run by then.
            if (
                binding.module != module
                or binding.is_kept
                or binding.node.lineno >= use.node.lineno
            ):
                continue
            is_visible = use.scope.owner_of(binding.local) is binding.scope
            if is_visible and self.program.parents[binding.node] is self.program.source.tree:
                return binding.local + new[len(module) :]
        return None

    def _of_estimator(self, scope: Scope, new: str) -> str | None:
        """Returns a name of `tensorflow_estimator.estimator` by the alias that
        programs give it, or None.
        """
        if not new.startswith(PUBLIC_ESTIMATOR + "."):
            return None
        local = self.name_of(PUBLIC_ESTIMATOR, scope)
        if local is None and self._is_free("tf_estimator", scope):
            self.add_import("from tensorflow_estimator import estimator as tf_estimator")
            local = "tf_estimator"
        return local and local + new[len(PUBLIC_ESTIMATOR) :]

    def root(self, scope: Scope, own: str | None = None) -> str:
        """Returns the name of TensorFlow in a scope,
        and plans an import if it has not been imported there.
        """
        found = self.name_of("tensorflow", scope, [own, "tf"])
        return found or self._imported_root(scope)

    def _imported_root(self, scope: Scope) -> str:
        """Plans an import of compat.v1, and returns its name."""
        if self._is_free("tf", scope):
            self.add_import(f"import {self.importable(COMPAT)} as tf")
            return "tf"
        self.add_import("import " + self.importable(COMPAT))
        return self.importable(COMPAT)

    def root_of_version_1(self) -> str:
        """Returns the name of compat.v1 below the imports of the file,
        and plans an import if it has none.
        """
        module = self.program.names.module
        # Others, such as those of `if __name__ == "__main__":`, do not mean it yet.
        above = list(filter(entry_points.is_import, self.program.source.tree.body))
        bound = bound_names(ast.Module(above, []))
        imported = [
            name
            for name in ["tf", *sorted(module.bindings)]
            if name in bound
            and all(isinstance(value, str) for value in module.bindings.get(name, [None]))
        ]
        found = self.name_of("tensorflow", module, imported, others=False)
        if found is None:
            return self._imported_root(module)
        return found + (".compat.v1" if self.keeps_imports else "")

    def _is_free(self, name: str, scope: Scope) -> bool:
        """Returns True for a name that an import can bind:
        nothing binds it, and no use of it comes from elsewhere.
        """
        return scope.owner_of(name) is None and name not in self._from_elsewhere

    @lazy
    def _from_elsewhere(self) -> set[str]:
        """The names that the program uses and does not bind."""
        uses = self.program.names.uses
        return {use.root for use in uses if use.scope.owner_of(use.root) is None}

    def name_of(
        self, module: str, scope: Scope, first: Sequence[str | None] = (), others: bool = True
    ) -> str | None:
        """Returns a name that means a module in a scope, of those to try first or, with
        `others`, of all; or None.
        """
        names = self.program.names
        for name in [*first, *(sorted(names.module.bindings) if others else ())]:
            if name and names.resolve(ast.Name(name, ast.Load()), scope) == module:
                return name
        return None

    def add_import(self, line: str) -> None:
        """Plans an import after TensorFlow's, unless the program has the same `import NAME`."""
        if line not in self.imports and not self.imports_module(line[len("import ") :]):
            self.imports.append(line)

    def helper(self, module: str, name: str) -> str:
        """Returns the name of a function of tf1grad in the program, and plans its import."""
        # Another binding, or one of a star import, would hide the bare name.
        if self.program.names.stars or name in self._bound:
            self.add_import("import " + module)
            return f"{module}.{name}"
        self.add_import(f"from {module} import {name}")
        return name

    @lazy
    def _bound(self) -> set[str]:
        """The names that any scope of the program binds."""
        names = self.program.names
        scopes = [names.module, *names.inner_scopes.values()]
        return {name for scope in scopes for name in scope.bindings}

    def imports_module(self, name: str) -> bool:
        """Returns True if `import name` stands in the program, outside of functions."""
        return name in self._imported

    @lazy
    def _imported(self) -> set[str]:
        """The modules that `import name` imports outside of functions."""
        return {
            alias.name
            for node, scope in self.program.names.imports
            if isinstance(node, ast.Import) and scope is self.program.names.module
            for alias in node.names
            if not alias.asname
        }
