"""The recipes that a program follows, with a note of the call that replaces each, and the faults they run into."""

import ast

from tf1grad.commands.check.faults import FAULTS
from tf1grad.commands.check.program import argument
from tf1grad.commands.programs.scopes import call_name, constant

CLIPS = ("tensorflow.clip_by_value", "tensorflow.clip_by_norm")


def findings(program):
    """Everything that the rules of recipes and faults find in a program."""
    for rule in RECIPES + FAULTS:
        for found in rule(program):
            yield found


def hand_accumulation(program):
    for call in accumulations(program):
        yield program.finding("TFG201", call.node)


def accumulations(program):
    """The calls that add a gradient to a variable."""
    return [call for call in program.calls if call.method == "assign_add"
            and program.kinds.gradients_in(call.node, call.scope)]


def fed_gradients(program):
    for call in program.calls:
        pairs = argument(call.node, 0, "grads_and_vars") if call.method == "apply_gradients" else None
        if pairs is not None and "placeholder" in str(program.kinds.of(pairs, call.scope).origin):
            yield program.finding("TFG202", call.node)


def handle_cache(program):
    calls = [call for call in program.calls if call.name == "tensorflow.get_session_handle"]
    for call in calls:
        yield program.finding("TFG203", call.node)


def clipping(program):
    for call in program.calls:
        if call.name == "tensorflow.clip_by_global_norm" or (
                call.name in CLIPS and call.node.args and program.kind(call.node.args[0]) in ("gradient", "gradients")):
            yield program.finding("TFG204", call.node)


def chosen_variables(program):
    for call in program.calls:
        chosen = argument(call.node, {"minimize": None, "compute_gradients": 1}.get(call.method), "var_list")
        if chosen is None or call.method not in ("minimize", "compute_gradients"):
            continue
        chosen = program.value(chosen)
        by_scope = (isinstance(chosen, ast.Call) and call_name(chosen) in ("get_collection", "trainable_variables")
                    and (len(chosen.args) > 1 or chosen.keywords))
        if by_scope or isinstance(chosen, ast.ListComp) and chosen.generators[0].ifs:
            yield program.finding("TFG205", call.node)


def gate(program):
    for node, scope in program.nodes(ast.BinOp):
        if isinstance(node.op, ast.Add) and any(_is_gate(program, scope, *sides) for sides in
                                                ((node.left, node.right), (node.right, node.left))):
            yield program.finding("TFG206", node)


def _is_gate(program, scope, opened, closed):
    """True for `g * x` and `(1 - g) * stop_gradient(x)`."""
    if not (_is_product(opened) and any(_stops(program, scope, node) for node in ast.walk(closed))):
        return False
    gates = [node.right for node in ast.walk(closed)
             if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and constant(node.left) == 1]
    factors = [ast.dump(factor) for factor in (opened.left, opened.right)]
    return any(ast.dump(gate) in factors for gate in gates)


def _is_product(node):
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)


def _stops(program, scope, node):
    return isinstance(node, ast.Call) and program.names.resolve(node.func, scope) == "tensorflow.stop_gradient"


RECIPES = (hand_accumulation, fed_gradients, handle_cache, clipping, chosen_variables, gate)
