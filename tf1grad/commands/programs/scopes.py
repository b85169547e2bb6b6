"""What names are bound to in the scopes of a program, and what the expressions of its text say by themselves."""

import ast
import collections

# What a name gets when `node` is taken apart: its element `index`, or, when `each`, that of each of its elements.
Part = collections.namedtuple("Part", "node index each")
UNKNOWN = object()
NOTHING = object()  # `slim = None` in an `except ImportError:`


class Scope(object):
    """A module, class, function or comprehension, and what its names are bound to."""

    def __init__(self, node, parent=None):
        self.node = node
        self.parent = parent
        self.bindings = collections.defaultdict(list)
        self.elsewhere = {}  # names declared global or nonlocal

    def bind(self, name, value=UNKNOWN):
        """Notes one more thing that `name` is bound to: a dotted name, an expression, a Part, UNKNOWN or NOTHING."""
        self.elsewhere.get(name, self).bindings[name].append(value)

    def find(self, name):
        """The scope that `name` is looked up in from here, or None."""
        scope = self
        while scope is not None:
            if name in scope.elsewhere:
                return scope.elsewhere[name]
            if name in scope.bindings and (scope is self or not isinstance(scope.node, ast.ClassDef)):
                return scope
            scope = scope.parent
        return None

    @property
    def module(self):
        """The outermost scope."""
        return self if self.parent is None else self.parent.module


def canonical(name):
    """`name` without the `compat.v1` that says nothing about what is meant."""
    return "tensorflow" + name[len("tensorflow.compat.v1"):] if (name + ".").startswith("tensorflow.compat.v1.") \
        else name


def dotted(node):
    """`a.b.c` as written, or None for anything else."""
    attributes = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return ".".join([node.id] + attributes[::-1]) if isinstance(node, ast.Name) else None


def constant(node, default=None):
    """The value of a literal, `default` for anything else."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return default


def call_name(node):
    """`f` of `f(...)`, as written and without what it is an attribute of; None for anything else."""
    function = getattr(node, "func", None)
    return getattr(function, "attr", getattr(function, "id", None))


def assigned(node):
    """What a name that is assigned the expression `node` is bound to."""
    return NOTHING if constant(node, UNKNOWN) is None else node


def part_of(value, index):
    """What the target at `index` of a tuple gets of `value`, an expression or a Part."""
    if not isinstance(value, Part):
        if isinstance(value, (ast.Tuple, ast.List)) and index < len(value.elts):
            return value.elts[index]
        return Part(value, index, False) if isinstance(value, ast.AST) else UNKNOWN
    node, looping = value.node, value.each and value.index is None
    if looping and call_name(node) == "enumerate" and index == 1 and node.args:
        return Part(node.args[0], None, True)
    if looping and call_name(node) == "zip" and index < len(node.args):
        return Part(node.args[index], None, True)
    return Part(node, index, True) if looping else UNKNOWN
