"""Rewrites expressions that NumPy no longer understands while a script is compiled.

    '%f' % x        '%f' % operand(x)           an array of one number is formatted as the number
    form % x        template(form) % x          `form` may be a string
    float(x)        float(number(x))            int, complex and the functions of `math` too
    a[i] = x        a[i] = element(x, a)        for names; `a[i] += x` too
    if x:           if truth(x):                while, assert, not, `x or y` and bool(x) too; a name is first
                                                compared with the class of arrays
    x.tostring()    owner(x, 'tostring').tostring()
    np.load(x)      load(x)                     array, stack and others of `FUNCTIONS` too, where `np` is NumPy
    a = np.meshgrid(x)              a = meshgrid(x): others of `LISTING` and `return` too; it gives a list
    array(x)        function(array)(x)          where `array`, or what it is an attribute of, comes from a star import
    np.f(old=x)     keyword(np.f, 'old', old=x) for keyword arguments that have another name now
    a[i]            a[index(i)]                 where `i` is a list of slices; `a[i * 2]` and `a[i + j]` too
    sys.modules[x]  modules(sys.modules)[x]     and `sys.modules.get`: user code finds TensorFlow 1's view

These are the functions of `rewritten_calls.py`. They leave every other value unchanged.
"""

import ast
import sys
from types import CodeType
from typing import List, Optional, Set, TypeVar, Union

from tf1grad.old_programs.era.numpy_calls import FUNCTIONS, KEYWORDS, LISTING, METHODS

Code = Union[str, bytes, ast.Module]  # of a module
_Imports = List[Union[ast.Import, ast.ImportFrom]]
_Test = TypeVar("_Test", ast.If, ast.While, ast.IfExp, ast.Assert)
HELPER = "__tf1grad_era__"  # a name in `builtins`, so that no module's namespace changes
_NUMBERS = sys.version_info >= (3, 11)  # NumPy 2.4 needs it, and before that arrays of one number are numbers
_INDICES = sys.version_info >= (3, 9)  # an index is an expression of its own there
_TRUTH = sys.version_info >= (3, 10)  # NumPy 2.2 needs it, and before that empty arrays are false
_TESTED = (ast.Attribute, ast.BinOp, ast.Call, ast.Name, ast.Subscript)  # expressions that can be an empty array
_PREDICATES = {"all", "any", "bool", "callable", "hasattr", "isinstance", "issubclass", "len"}


def compile_module(source: Code, filename: str) -> CodeType:
    """Compiles a module with its expressions rewritten."""
    try:
        # Not `ast.parse`, which a traceback would show.
        tree: ast.Module = compile(source, filename, "exec", ast.PyCF_ONLY_AST, True)  # type: ignore[assignment]
        rewriter = _Rewriter(tree)
        rewriter.visit(tree)
        changed = rewriter.changed
    except RecursionError:  # the compiler itself goes deeper than a visitor
        changed = False
    return compile(ast.fix_missing_locations(tree) if changed else source, filename, "exec", dont_inherit=True)


def rewritten(tree: ast.Module) -> ast.Module:
    """Rewrites the expressions of an `ast.Module` in place, and returns it."""
    _Rewriter(tree).visit(tree)
    return ast.fix_missing_locations(tree)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, tree: ast.Module) -> None:
        self.changed = False
        imports: _Imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        self._numpy = _aliases(imports, "numpy")
        self._from_stars = _Bound(tree) if any(_is_star(node) for node in imports) else None
        self._from_numpy = {alias.asname or alias.name for node in imports if isinstance(node, ast.ImportFrom)
                            and node.module == "numpy" for alias in node.names if alias.name in FUNCTIONS}
        self._kept = {node.value for node in ast.walk(tree) if isinstance(node, ast.Return)
                      or isinstance(node, ast.Assign) and not isinstance(node.targets[0], (ast.List, ast.Tuple))}
        self._math = _aliases(imports, "math")
        self._sys = _aliases(imports, "sys")
        self._slices = set(filter(None, map(_list_of_slices, ast.walk(tree))))
        self._from_math = {alias.asname or alias.name for node in imports if isinstance(node, ast.ImportFrom)
                           and node.module == "math" for alias in node.names}

    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and _NUMBERS:
            if _is_string(node.left) and not isinstance(node.right, ast.Constant):
                node.right = self._call("operand", node.right)
            elif not isinstance(node.left, (ast.Constant, ast.JoinedStr)) and not isinstance(node.right, ast.Constant):
                node.left = self._call("template", node.left)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        function = node.func
        if _name(function) == "bool" and len(node.args) == 1:
            node.args = [self._condition(node.args[0])]
        elif _NUMBERS and self._wants_numbers(function):
            node.args = [argument if isinstance(argument, (ast.Constant, ast.Starred))
                         else self._call("number", argument) for argument in node.args]
        elif self._may_be_numpys(function):
            node.func = self._call("function", function)
        elif not isinstance(function, ast.Attribute):
            pass
        elif function.attr in FUNCTIONS and _name(function.value) in self._numpy:
            if function.attr not in LISTING or node in self._kept:
                node.func = self._helper(function.attr, function)
        elif _name(function.value) in self._numpy and _old_keyword(node):
            node.args[:0] = [function, ast.Constant(value=_old_keyword(node), kind=None)]
            node.func = self._helper("keyword", function)
        elif function.attr in METHODS and not isinstance(function.value, ast.Constant):
            function.value = self._call("owner", function.value, ast.Constant(value=function.attr, kind=None))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and node.attr == "get" and self._is_sys_modules(node.value):
            node.value = self._call("modules", node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and self._is_sys_modules(node.value):
            node.value = self._call("modules", node.value)
        parts = [node.slice.left, node.slice.right] if isinstance(node.slice, ast.BinOp) else [node.slice]
        if _INDICES and any(_name(part) in self._slices for part in parts):
            node.slice = self._call("index", node.slice)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        self.generic_visit(node)
        if len(node.targets) == 1:
            self._assign(node, node.targets[0])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AugAssign:
        self.generic_visit(node)
        self._assign(node, node.target)
        return node

    def visit_If(self, node: _Test) -> _Test:
        self.generic_visit(node)
        node.test = self._condition(node.test)
        return node

    visit_While = visit_IfExp = visit_Assert = visit_If

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs = list(map(self._condition, node.ifs))
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.UnaryOp:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self._condition(node.operand)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        if isinstance(node.op, ast.Or):  # the value of `and` may be the array
            node.values[:-1] = map(self._condition, node.values[:-1])
        return node

    def _condition(self, node: ast.expr) -> ast.expr:
        """Returns an expression of which only the truth matters, with the arrays that it tests passed to `truth`."""
        if isinstance(node, ast.BoolOp):
            node.values = list(map(self._condition, node.values))
        elif _TRUTH and isinstance(node, _TESTED) and not self._is_truth(node) and _name(node) != "__debug__":
            return self._tested_name(node) if isinstance(node, ast.Name) else self._call("truth", node)
        return node

    def _tested_name(self, node: ast.Name) -> ast.IfExp:
        """Returns `x if x.__class__ is not ARRAY[0] else truth(x)`, which calls nothing for most values."""
        owner = ast.copy_location(ast.Attribute(value=node, attr="__class__", ctx=ast.Load()), node)
        first = ast.copy_location(ast.Constant(value=0, kind=None), node)
        array = ast.Subscript(value=self._helper("ARRAY", node), slice=first, ctx=ast.Load())
        test = ast.Compare(left=owner, ops=[ast.IsNot()], comparators=[ast.copy_location(array, node)])
        return ast.copy_location(ast.IfExp(test=ast.copy_location(test, node), body=node,
                                           orelse=self._call("truth", node)), node)

    def _is_truth(self, node: ast.expr) -> bool:
        """Says whether a call gives a truth value."""
        function = node.func if isinstance(node, ast.Call) else None
        return isinstance(function, ast.Attribute) and function.attr == "truth" and _name(function.value) == HELPER or (
            function is not None and _name(function) in _PREDICATES)

    def _assign(self, node: Union[ast.Assign, ast.AugAssign], target: ast.expr) -> None:
        if not _NUMBERS or not isinstance(target, ast.Subscript) or isinstance(node.value, ast.Constant):
            return
        owner = target.value.value if isinstance(target.value, ast.Attribute) else target.value
        if isinstance(owner, ast.Name):  # what is read twice must cost nothing and do nothing
            node.value = self._call("element", node.value, target.value)

    def _is_sys_modules(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "modules" and _name(node.value) in self._sys

    def _wants_numbers(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Attribute):
            return _name(function.value) in self._math
        return _name(function) in {"float", "int", "complex"} | self._from_math

    def _may_be_numpys(self, function: ast.expr) -> bool:
        """Says whether a function is imported from NumPy, or may be: its name comes from a star import."""
        if isinstance(function, ast.Name):
            return function.id in self._from_numpy or function.id in FUNCTIONS and self._is_from_star(function)
        return isinstance(function, ast.Attribute) and function.attr in FUNCTIONS and \
            isinstance(function.value, ast.Name) and self._is_from_star(function.value)

    def _is_from_star(self, name: ast.Name) -> bool:
        return self._from_stars is not None and name.id not in self._from_stars.names

    def _call(self, name: str, *arguments: ast.expr) -> ast.Call:
        call = ast.Call(func=self._helper(name, arguments[0]), args=list(arguments), keywords=[])
        return ast.copy_location(call, arguments[0])

    def _helper(self, name: str, place: ast.expr) -> ast.Attribute:
        self.changed = True
        module = ast.copy_location(ast.Name(id=HELPER, ctx=ast.Load()), place)
        return ast.copy_location(ast.Attribute(value=module, attr=name, ctx=ast.Load()), place)


class _Bound(ast.NodeVisitor):
    """The names that a module binds anywhere, other than by star imports."""

    def __init__(self, tree: ast.Module) -> None:
        self.names: Set[str] = set()
        self.visit(tree)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.names.add(node.id)

    def visit_arg(self, node: ast.arg) -> None:
        self.names.add(node.arg)

    def visit_alias(self, node: ast.alias) -> None:
        self.names.add(node.asname or node.name.split(".")[0])

    def visit_FunctionDef(self, node: Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef]) -> None:
        self.names.add(node.name)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef


def _is_star(node: Union[ast.Import, ast.ImportFrom]) -> bool:
    return node.names[0].name == "*"


def _aliases(imports: _Imports, module: str) -> Set[str]:
    return {alias.asname or alias.name for node in imports if isinstance(node, ast.Import)
            for alias in node.names if alias.name == module}


def _list_of_slices(node: ast.AST) -> Optional[str]:
    """Returns the name to which a statement assigns a list of slices, or appends or assigns a slice; None for others.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
        return _name(node.func.value) if any(map(_is_slice, node.args)) else None
    if not isinstance(node, ast.Assign):
        return None
    target = node.targets[0]
    if isinstance(target, ast.Subscript):
        return _name(target.value) if _is_slice(node.value) else None
    return _name(target) if _has_slices(node.value) else None


def _is_slice(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _name(node.func) == "slice"


def _has_slices(node: ast.expr) -> bool:
    """Says whether an expression makes a list with calls of `slice`."""
    return any(isinstance(part, (ast.List, ast.ListComp)) for part in ast.walk(node)) and any(
        map(_is_slice, ast.walk(node)))


def _name(node: ast.expr) -> Optional[str]:
    return node.id if isinstance(node, ast.Name) else None


def _old_keyword(call: ast.Call) -> Optional[str]:
    return next((keyword.arg for keyword in call.keywords if keyword.arg in KEYWORDS), None)


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(node, ast.Constant) and isinstance(node.value, str)

