"""The faults that the recipes run into without a word: each function finds one of them in a `Program`."""

import ast
import re

from tf1grad.commands.check.program import argument, literal
from tf1grad.commands.programs.scopes import call_name, constant, dotted

COLLECTIONS = ("tensorflow.get_collection", "tensorflow.get_collection_ref")
LISTED = ("tensorflow.trainable_variables", "tensorflow.global_variables", "tensorflow.local_variables")
CLIPS = ("tensorflow.clip_by_value", "tensorflow.clip_by_norm")
LOOPS = (ast.ListComp, ast.GeneratorExp, ast.For)


def fed(program):
    rules = {"variable": "TFG301", "variables": "TFG301", "gradient": "TFG302", "gradients": "TFG302"}
    for key in program.feeds():
        rule = rules.get(program.kind(key))
        if rule:
            yield program.finding(rule, key)


def prefix_scope(program):
    for call in program.calls:
        position = 1 if call.name in COLLECTIONS else 0 if call.name in LISTED else None
        scope = None if position is None else argument(call.node, position, "scope")
        if scope is not None and _takes_others(program, scope):
            yield program.finding("TFG303", scope)
    for node in _name_tests(program):
        yield program.finding("TFG303", node)


def _takes_others(program, scope):
    """True unless the scope is None, or is seen to end with a slash."""
    node = program.value(scope)
    if isinstance(node, ast.BinOp):
        node = node.right if isinstance(node.op, ast.Add) else node.left
    elif isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[-1]
    elif call_name(node) == "format":
        node = node.func.value
    text = constant(node, "unknown")
    return text is not None and not re.search(r"/(\.\*)?\$?$", str(text))


def _name_tests(program):
    """`"D" in variable.name` and `variable.name.startswith("D")`."""
    for node, _ in program.nodes(ast.Compare):
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In) and _is_variable_name(program, node.comparators[0]) \
                and isinstance(literal(program, node.left), str) and not literal(program, node.left).endswith("/"):
            yield node
    for call in program.calls:
        if call.method == "startswith" and isinstance(call.node.func, ast.Attribute) and call.node.args and \
                _is_variable_name(program, call.node.func.value):
            text = literal(program, call.node.args[0])
            if isinstance(text, str) and not text.endswith("/"):
                yield call.node


def _is_variable_name(program, node):
    """True for `v.name` and `v.op.name` of a variable."""
    if not (isinstance(node, ast.Attribute) and node.attr == "name"):
        return False
    owner = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "op" else node.value
    return program.kind(owner) == "variable"


def ungated_apply(program):
    for call in program.calls:
        pairs = argument(call.node, 0, "grads_and_vars") if call.method == "apply_gradients" else None
        if pairs is not None and program.kinds.of(pairs, call.scope).origin == "tensorflow.gradients":
            yield program.finding("TFG304", call.node)


def fixed_divisor(program):
    for node, scope in program.nodes(ast.BinOp):
        if not isinstance(node.op, ast.Div):
            continue
        added = any(call_name(outer) == "assign_add" for outer in program.above(node))
        if added and program.kind(node.left) == "gradient" or _is_applied_sum(program, node):
            yield program.finding("TFG305", node)


def _is_applied_sum(program, node):
    """True for `accumulator / K` where it stands for a gradient in a pair that is applied."""
    parent = program.parents[node]
    return (isinstance(parent, ast.Tuple) and len(parent.elts) == 2 and parent.elts[0] is node
            and program.kind(node.left) == "variable" and program.kind(parent.elts[1]) == "variable")


def saved_accumulator(program):
    if not any(call.method == "assign_add" and program.kinds.gradients_in(call.node, call.scope)
               for call in program.calls):
        return
    for call in program.calls:
        if call.name in ("tensorflow.Variable", "tensorflow.get_variable"):
            trainable = argument(call.node, None, "trainable")
            zeros = any("zeros" in str(call_name(node)) for node in ast.walk(call.node))
            if zeros and trainable is not None and constant(trainable) is False and \
                    argument(call.node, None, "collections") is None and _is_in_loop(program, call.node):
                yield program.finding("TFG306", call.node)


def initialized_value(program):
    for call in program.calls:
        if call.method == "initialized_value":
            yield program.finding("TFG307", call.node)


def swapped_pairs(program):
    for node, _ in program.nodes(ast.Assign):
        if program.kind(node.value) == "unzipped" and _names_are_swapped(node.targets[0]):
            yield program.finding("TFG308", node)
    for node, _ in program.nodes(ast.For, ast.comprehension):
        if program.kind(node.iter) == "pairs" and _names_are_swapped(node.target):
            yield program.finding("TFG308", node.target)
    for call in program.calls:
        pairs = argument(call.node, 0, "grads_and_vars") if call.method == "apply_gradients" else None
        if pairs is not None and program.kind(pairs) == "swapped":
            yield program.finding("TFG308", call.node)


def _names_are_swapped(target):
    if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != 2:
        return False
    first, second = [(dotted(element) or "").split(".")[-1].lower() for element in target.elts]
    return bool(re.match(r"_*(g|d[A-Z]|.*grad)", second) and re.match(r"_+$|v|.*var|param|w$", first))


def none_gradient(program):
    for call in program.calls:
        if call.name in CLIPS and call.node.args and program.kind(call.node.args[0]) == "gradient":
            if not _checks_none(program, call.node, call.node.args[0]):
                yield program.finding("TFG309", call.node)
    for node, _ in program.nodes(ast.BinOp):
        if isinstance(node.op, (ast.Div, ast.Mult)) and _is_in_loop(program, node):
            gradient = next((side for side in (node.left, node.right) if dotted(side)
                             and program.kind(side) == "gradient"), None)
            if gradient is not None and not _checks_none(program, node, gradient):
                yield program.finding("TFG309", node)


def _checks_none(program, node, gradient):
    """True when something around the node, or the loop that the gradient comes from, compares with None."""
    places = list(program.above(node))
    value = program.value(gradient)
    places += [inner for inner in ast.walk(value)] if isinstance(value, ast.AST) else []
    tests = [test for place in places for test in _tests(place)]
    return any(constant(part, part) is None for test in tests for part in ast.walk(test))


def _tests(node):
    if isinstance(node, (ast.If, ast.IfExp)):
        return [node.test]
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return [test for generator in node.generators for test in generator.ifs]
    return []


def unordered_run(program):
    for call in program.calls:
        fetches = argument(call.node, 0, "fetches") if call.method == "run" else None
        fetches = fetches if fetches is None else program.value(fetches)
        if isinstance(fetches, (ast.List, ast.Tuple)):
            kinds = [program.kind(element) for element in fetches.elts]
            if len({kind for kind in kinds if kind in ("accumulate", "apply", "reset")}) > 1:
                yield program.finding("TFG310", call.node)


def leaked_handle(program):
    deleted = any(call.name == "tensorflow.delete_session_tensor" or call.method == "delete" for call in program.calls)
    if deleted:
        return
    for call in program.calls:
        if call.name == "tensorflow.get_session_handle":
            yield program.finding("TFG311", call.node)


def zero_gradient(program):
    for node, scope in program.nodes(ast.Tuple):
        if len(node.elts) == 2 and isinstance(node.ctx, ast.Load):
            gradient = node.elts[0]
            origins = [program.kinds.of(side, scope).origin for side in
                       ([gradient.body, gradient.orelse] if isinstance(gradient, ast.IfExp) else [gradient])]
            if "zeros" in origins and program.kind(node.elts[1]) == "variable":
                yield program.finding("TFG312", gradient)


def sparse_norm(program):
    if not any(call.name == "tensorflow.nn.embedding_lookup" for call in program.calls):
        return
    for call in program.calls:
        if call.name in ("tensorflow.clip_by_global_norm", "tensorflow.global_norm"):
            yield program.finding("TFG313", call.node)


def _is_in_loop(program, node):
    return any(isinstance(outer, LOOPS) for outer in program.above(node))


FAULTS = (fed, prefix_scope, ungated_apply, fixed_divisor, saved_accumulator, initialized_value, swapped_pairs,
          none_gradient, unordered_run, leaked_handle, zero_gradient, sparse_norm)
