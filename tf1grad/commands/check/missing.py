"""Names that a program uses and that are no longer where it looks for them."""

import ast
import re

from tf1grad.commands import symbols
from tf1grad.commands.check import elsewhere
from tf1grad.commands.programs import entry
from tf1grad.commands.programs.scopes import canonical, constant

REMOVED = re.compile(r"tensorflow\.(contrib|examples)\b")
PRIVATE = re.compile(r"tensorflow\.(python|core)\b")
VERSIONS = ("tensorflow.__version__", "tensorflow.VERSION", "tensorflow.version.VERSION")
SEEDS = "tensorflow.set_random_seed"
FEEDS_VARIABLES = (" The old one fed the variables, which on resource variables has no effect and no error; "
                   "tf1grad's assigns them.")
PYTHON_2 = "unicode xrange raw_input basestring unichr long execfile reduce".split()


def findings(program, installed, tf1):
    """The names of a file that are missing, with what provides each.

    Args:
        program: a `Program`.
        installed: an `Installed`.
        tf1: True when the program that the file belongs to is one of TensorFlow 1.
    """
    found = {}
    for node, name in _names(program):
        finding = _judge(program, node, name, installed, tf1)
        if finding:
            found.setdefault((finding.line, finding.column, finding.message), finding)
    for rule in (_plain_imports, _version_tests, _graph_seeds):
        for finding in rule(program) if tf1 else ():
            found.setdefault((finding.line, finding.column, finding.message), finding)
    return list(found.values()) + list(_python_2(program))


def _names(program):
    """Every dotted name that a file imports or uses, with the node."""
    for node, _ in program.names.imports:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, canonical(alias.name)
        elif not node.level:
            for alias in node.names:
                yield node, canonical(node.module if alias.name == "*" else "%s.%s" % (node.module, alias.name))
    for use in program.names.uses:
        if use.name and not _is_module_alias(program, use):
            yield use.node, use.name
    for call in program.calls:
        if call.name in ("importlib.import_module", None) and call.method in ("import_module", "__import__"):
            name = constant(call.node.args[0]) if call.node.args else None
            if isinstance(name, str):
                yield call.node, canonical(name)


def _is_module_alias(program, use):
    """True for the `tf.contrib.slim` of `slim = tf.contrib.slim`, whose uses are judged one by one."""
    parent = program.parents[use.node]
    return isinstance(parent, ast.Assign) and parent.value is use.node and symbols.is_module(use.name) and \
        isinstance(parent.targets[0], ast.Name)


def _judge(program, node, name, installed, tf1):
    if not name.startswith("tensorflow."):
        row = elsewhere.find(name)
        return row and program.finding("TFG401", node, "%s is gone since %s." % (row[0], row[1][0]),
                                       "Use %s." % row[1][1])
    if REMOVED.match(name):
        return _removed(program, node, name)
    if not tf1 or name.startswith("tensorflow.compat."):
        return None
    provision, there = symbols.find(name), installed.has(name)
    if there is None and provision and provision.kind == "gone":
        return program.finding("TFG102", node, "%s is gone from TensorFlow." % name, provision.advice)
    if there is False:
        return program.finding("TFG104", node, "%s is missing from TensorFlow %s." % (name, installed.version),
                               provision and provision.advice or "`tf1grad run` provides what it can.")
    if PRIVATE.match(name) and isinstance(node, (ast.Import, ast.ImportFrom)):
        return program.finding("TFG105", node, "%s is private, and may move at any release." % name)
    return None


def _removed(program, node, name):
    provision = symbols.find(name)
    if provision is None or provision.kind == "gone":
        if provision is None and symbols.is_module(name):
            return None  # a package: what is used of it is judged
        return program.finding("TFG102", node, "%s is gone from TensorFlow." % name,
                               provision and provision.advice or "Nothing provides it.")
    fed = FEEDS_VARIABLES if name.endswith("OptimizerInterface") else ""
    return program.finding("TFG101", node, "%s is gone from TensorFlow.%s" % (name, fed), provision.advice)


def _plain_imports(program):
    for node, _ in program.names.imports:
        if isinstance(node, ast.Import) and any(alias.name == "tensorflow" for alias in node.names) or \
                isinstance(node, ast.ImportFrom) and node.module == "tensorflow":
            if not _chooses(program, node) and not _only_gone(program, node):
                yield program.finding("TFG103", node)


def _only_gone(program, node):
    """True for `import tensorflow` of a program that has no other use for it than what is gone from contrib."""
    local = node.names[0].asname or node.names[0].name
    names = [use.name for use in program.names.uses
             if use.text.split(".")[0] == local and (use.name or "").startswith("tensorflow")]
    found = [symbols.find(name) for name in names]
    return bool(found) and all(provision is not None and provision.kind == "gone" for provision in found)


def _chooses(program, node):
    """True for an import inside a `try` that also imports compat.v1: the program knows both."""
    around = next((outer for outer in program.above(node) if isinstance(outer, ast.Try)), None)
    names = [alias.name for inner in ast.walk(around) if isinstance(inner, ast.Import) for alias in inner.names] \
        if around else []
    return "tensorflow.compat.v1" in names


def _version_tests(program):
    for use in program.names.uses:
        if use.name in VERSIONS or use.name and use.name.startswith(tuple(name + "." for name in VERSIONS)):
            around = list(program.above(use.node))
            if any(isinstance(outer, (ast.Compare, ast.If, ast.IfExp, ast.Assert)) for outer in around):
                yield program.finding("TFG106", use.node)


def _graph_seeds(program):
    if not entry.installs_seeds(program):
        for call in program.calls:
            if call.name == SEEDS:
                yield program.finding("TFG107", call.node)


def _python_2(program):
    if program.source.python2 is None:
        for use in program.names.uses:
            if use.text.split(".")[0] in PYTHON_2 and use.scope.find(use.text.split(".")[0]) is None:
                if not _is_tried(program, use.node):
                    yield program.finding("TFG002", use.node, "%s is Python 2." % use.text)


def _is_tried(program, node):
    """True inside a `try`, where programs ask whether Python 2 runs them, and where a name is only asked for."""
    return any(isinstance(outer, ast.Try) for outer in program.above(node))
