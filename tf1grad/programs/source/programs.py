"""Answers what only all files of a program together show,
such as which of them divide as in Python 2.
"""

from __future__ import annotations

from typing import Callable, Sequence

from tf1grad.programs.source import entry_points, local_modules, python2_programs
from tf1grad.programs.source.lazy import lazy
from tf1grad.programs.source.program import KnownNames, Program


class Programs:
    """Files that belong together; each `Program` among them knows them as `together`.

    `installed` says which names the installed packages have. If `needs_1_15` is true of a file, all
    files of its process have TensorFlow 1.15. If `has_tf1` is None, a file is for TensorFlow 1 if
    its names, or those of files that one file imports together with it, show so.
    """

    def __init__(
        self,
        files: Sequence[Program],
        installed: KnownNames,
        has_tf1: bool | None = None,
        needs_1_15: Callable[[Program], bool] = entry_points.has_line,
    ) -> None:
        self.files = files
        self.installed = installed
        self._has_tf1 = has_tf1
        self._needs_1_15 = needs_1_15
        for program in files:
            program.together = self

    @lazy
    def tf1(self) -> set[Program]:
        if self._has_tf1 is not None:
            return set(self.files) - self.tf2 if self._has_tf1 else set()
        old = set(filter(entry_points.uses_tf1_names, self.files))
        found = set(old)
        for program in self.files if old else ():
            together = {program, *self.modules.reached_by_name(program)}
            if not together.isdisjoint(old):
                found |= together
        return found - self.tf2

    @lazy
    def tf2(self) -> set[Program]:
        return {program for program in self.files if not entry_points.belongs_to_tf1(program)}

    @lazy
    def compat(self) -> set[Program]:
        return set(entry_points.compat_files(self.files))

    @lazy
    def modules(self) -> local_modules.LocalModules:
        return local_modules.LocalModules(self.files)

    @lazy
    def processes(self) -> list[list[Program]]:
        """The files that use TensorFlow 1, in groups:
        two are in one group if a file reaches both.
        """
        users = set(filter(entry_points.shares_tensorflow, self.files))
        groups: list[list[Program]] = []
        for program in self.files:
            together = [each for each in program.reached if each in users]
            for group in [group for group in groups if set(group).intersection(together)]:
                groups.remove(group)
                together = list(dict.fromkeys([*group, *together]))
            if together:
                groups.append(together)
        return groups

    @lazy
    def on_1_15(self) -> set[Program]:
        found: set[Program] = set()
        for process in self.processes:
            if any(map(self._needs_1_15, process)):
                found.update(process)
        return found

    @lazy
    def dividing(self) -> set[Program]:
        return python2_programs.find_dividing(self.files, self.modules)

    @lazy
    def in_package(self) -> set[Program]:
        return python2_programs.in_package(self.files, self.modules)

    @lazy
    def taken(self) -> dict[Program, set[str]]:
        """The names that other files import from a file, or "*"."""
        found: dict[Program, set[str]] = {}
        for program in self.files:
            for node, other in self.modules.named_imports(program):
                found.setdefault(other, set()).update(alias.name for alias in node.names)
        return found
