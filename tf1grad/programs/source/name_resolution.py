"""Resolves the names of a program: `slim.conv2d` is `tensorflow.contrib.slim.conv2d`,
however it was imported.

The program is not run: a name that a scope binds in several different ways is not resolved.
"""

from __future__ import annotations

import ast
import builtins
import collections
from typing import Callable, Iterable, Mapping, NamedTuple, Sequence, Union

from tf1grad.programs.source.scopes import (
    Bound,
    Expression,
    Scope,
    Special,
    UnpackedElement,
    Update,
    assigned,
    canonical,
    dotted,
    part_of,
)
from tf1grad.programs.source.version_tests import live_children

ImportStatement = Union[ast.Import, ast.ImportFrom]
Comprehension = Union[ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp]
MOST_BINDINGS = 100  # of one name that are looked at: the last ones
Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]


class Use(NamedTuple):
    """One use of a name with its attributes: as written; as resolved, or "";
    its outermost node; and its scope.
    """

    text: str
    name: str
    node: ast.Name | ast.Attribute
    scope: Scope

    @property
    def root(self) -> str:
        """The name that the text starts with."""
        return self.text.split(".")[0]


class Import(NamedTuple):
    """An import statement and its scope."""

    node: ImportStatement
    scope: Scope


class Names(ast.NodeVisitor):
    """The scopes, imports and uses of a tree.

    `is_known` says whether a dotted name exists, for star imports. `modules` has what names from
    other files mean, by the name or as `common.tf`.
    """

    def __init__(
        self,
        tree: ast.Module,
        is_known: Callable[[str], bool] = lambda name: False,
        modules: Mapping[str, str] | None = None,
    ) -> None:
        self.imports: list[Import] = []
        self.module = self._scope = Scope(tree)
        # The values assigned to `self.x` and other attributes, and their scopes.
        self.attributes: collections.defaultdict[str, list[tuple[Bound, Scope]]] = (
            collections.defaultdict(list)
        )
        self._is_known, self._modules = is_known, modules or {}
        self.stars: list[str] = []
        self._written: list[tuple[str, ast.Name | ast.Attribute, Scope]] = []
        # The scope that a function, class or comprehension opens.
        self.inner_scopes: dict[ast.AST, Scope] = {}
        # What `filter` and `map` give to a function without a name.
        self._elements: dict[ast.AST, Sequence[ast.expr]] = {}
        self.generic_visit(tree)
        self._meanings: dict[tuple[Scope, str], str | None] = {}
        self.uses = [
            Use(text, self.resolve(node, scope) or "", node, scope)
            for text, node, scope in self._written
        ]

    def resolve(self, node: object, scope: Scope) -> str | None:
        """Returns the dotted name that the expression `node` means in `scope`, or None."""
        root, dot, rest = (dotted(node) or "").partition(".")
        name = self._meaning(root, scope) if root else None
        return name and canonical(name + dot + rest)

    def bindings_of(
        self, node: Expression, scope: Scope
    ) -> tuple[tuple[int, str], list[tuple[Bound, Scope]]]:
        """Returns a key of a name or attribute, and the values that it is bound to last,
        each with its scope.
        """
        text = dotted(node) or ""
        if not isinstance(node, ast.Name):
            return (id(self.module), text), self.attributes.get(text, [])[-MOST_BINDINGS:]
        owner = scope.owner_of(text) or self.module
        values = owner.bindings.get(text, [])[-MOST_BINDINGS:]
        return (id(owner), text), [(value, owner) for value in values]

    def _meaning(self, name: str, scope: Scope) -> str | None:
        owner = scope.owner_of(name)
        if owner is None:
            return None if name in vars(builtins) else self._from_star(name)
        # Of a circle, such as tf = tf, it is None until it is known.
        if (owner, name) in self._meanings:
            return self._meanings[owner, name]
        self._meanings[owner, name] = None
        meanings: set[str | None] = set()
        for value in owner.bindings[name]:
            if value is not Special.NOTHING:
                meaning = value if isinstance(value, str) else self.resolve(value, owner)
                meanings.add(meaning and canonical(self._modules.get(meaning, meaning)))
        if len(meanings) == 1:
            self._meanings[owner, name] = meanings.pop()
        return self._meanings[owner, name]

    def _from_star(self, name: str) -> str | None:
        for module in reversed(self.stars):
            if self._is_known(f"{module}.{name}"):
                return f"{module}.{name}"
        return self._modules.get(name)

    def visit_Import(self, node: ast.Import) -> None:
        self.imports.append(Import(node, self._scope))
        for alias in node.names:
            meaning = canonical(alias.name) if alias.asname else alias.name.split(".")[0]
            self._scope.bind(alias.asname or meaning, meaning)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.imports.append(Import(node, self._scope))
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(canonical(module))
            else:
                self._scope.bind(alias.asname or alias.name, canonical(f"{module}.{alias.name}"))

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._bind_target(target, assigned(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self._bind_target(node.target, Update(node))

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self._bind_target(node.target, UnpackedElement(node.iter, None, True))
        self._visit_all(node.body + node.orelse)

    visit_AsyncFor = visit_For

    def _bind_target(self, target: ast.expr, value: Bound) -> None:
        if isinstance(target, ast.Name):
            self._scope.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, element in enumerate(target.elts):
                self._bind_target(element, part_of(value, index))
        else:
            text = dotted(target)
            if text:
                self.attributes[text].append((value, self._scope))
            self.visit(target)

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        self._visit_all(live_children(node))

    visit_IfExp = visit_If

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._written.append((node.id, node, self._scope))
        else:
            self._scope.bind(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        text = dotted(node)
        if text:
            self._written.append((text, node, self._scope))
        else:
            self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self._scope.declared[name] = self.module

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            owner = self._scope.parent and self._scope.parent.owner_of(name)
            if owner is not None:
                self._scope.declared[name] = owner

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._scope.bind(node.name)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._scope.bind(node.name)
        self._visit_all([*node.decorator_list, *filter(None, [node.returns])])
        self._visit_function(node, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("filter", "map") and node.args:
            self._elements[node.args[0]] = node.args[1:]
        self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node, [node.body])

    def _visit_function(self, node: Function, body: Sequence[ast.AST]) -> None:
        self.visit(node.args)
        outer = self._enter(node)
        given = self._elements.get(node, ())
        names = [each.arg for each in ast.iter_child_nodes(node.args) if isinstance(each, ast.arg)]
        for index, name in enumerate(names):
            is_element = index < len(given)
            self._scope.bind(
                name, UnpackedElement(given[index], None, True) if is_element else Special.UNKNOWN
            )
        self._visit_all(body)
        self._scope = outer

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.bind(node.name)
        self._visit_all([*node.decorator_list, *node.bases, *node.keywords])
        outer = self._enter(node)
        self._visit_all(node.body)
        self._scope = outer

    def _visit_comprehension(self, node: Comprehension) -> None:
        self.visit(node.generators[0].iter)
        outer = self._enter(node)
        for index, generator in enumerate(node.generators):
            self._bind_target(generator.target, UnpackedElement(generator.iter, None, True))
            self._visit_all(([] if index == 0 else [generator.iter]) + generator.ifs)
        self._visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
        self._scope = outer

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def _enter(self, node: ast.AST) -> Scope:
        outer, self._scope = self._scope, Scope(node, self._scope)
        self.inner_scopes[node] = self._scope
        return outer

    def _visit_all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)
