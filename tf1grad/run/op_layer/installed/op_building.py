"""Makes the installed TensorFlow build ops in the user's graphs as 1.15 did."""

from __future__ import annotations

import functools
import types
from typing import Any

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import checks_before_runs, ownership, patches
from tf1grad.programs.process.patches import Function
from tf1grad.run.op_layer import graph_owners
from tf1grad.run.originals import loader, name_map
from tf1grad.run.seeds import loop_order

# AutoGraph does not convert functions of these modules.
_OWN_MODULES = tuple(f"tf1grad.{name}." for name in ownership.OWN_PACKAGES)
_MARK = "_has_manual_control_dependencies"
_LOOPS = "loops in functions have 1.15's ops"


def install() -> None:
    """Changes the installed functions below."""
    for name, around, reason in (
        (
            "eager.polymorphic_function.concrete_function.ConcreteFunction._call_flat",
            _return_call,
            "calls of functions without outputs are ops in the user's graphs, as in 1.15",
        ),
        (
            "ops.resource_variable_ops.BaseResourceVariable.sparse_read",
            _name_sparse_read,
            "in the user's graphs an identity follows the rows that are read, as in 1.15",
        ),
        (
            "framework.sparse_tensor.SparseTensor.__init__",
            _keep_shape_feedable,
            "in the user's graphs constants that shapes come from can be fed, as in 1.15",
        ),
        (
            "framework.ops.Operation._set_attr",
            _leave_control_inputs_unmarked,
            "ops of the user's graphs have the attributes of 1.15, without that of control inputs",
        ),
        (
            "autograph.impl.conversion.is_allowlisted",
            _leave_unconverted,
            "AutoGraph does not convert 1.15's own functions, as in 1.15, nor tf1grad's, nor those of Python 2 files",
        ),
        ("ops.while_v2.while_loop", _without_stop, _LOOPS),
        ("ops.while_v2._build_while_op", _with_identities, _LOOPS),
        (
            "ops.while_v2._build_while_op",
            _run_random_while_in_order,
            "loops with random ops in the user's functions run in order, as in 1.15",
        ),
    ):
        holder, _, attribute = name.rpartition(".")
        patches.wrap(_compat.resolve(_compat.PRIVATE + holder), attribute, around, reason=reason)
    loop_order.install(graph_owners.is_users)
    loops = _compat.resolve("tensorflow.python.ops.while_v2")
    _change_name(
        loops,
        "gen_functional_ops",
        "stateless_while",
        graph_owners.either(loops.gen_functional_ops._while),
        _LOOPS,
    )
    _change_name(
        _compat.resolve("tensorflow.python.framework.op_def_library"),
        "ops",
        "convert_to_tensor",
        _use_default_type,
        "the user's ops take the type of arguments from their default, as in 1.15",
    )
    _compat.call_with_new_ops({"ShapeN": _keep_for_feeds})
    patches.note(
        f"attribute {_compat.KEPT} of ShapeN",
        "a tensor that is fed, and is not a placeholder, is not computed, as in 1.15",
    )


def _change_name(
    importer: types.ModuleType, module: str, name: str, around: Function, reason: str
) -> None:
    """Wraps a name of a module as one module sees it that imports the other."""
    names = vars(getattr(importer, module))
    changed = {name: functools.partial(around, names[name])}
    patches.patch(importer, module, types.SimpleNamespace(**{**names, **changed}), reason=reason)


def _use_default_type(
    convert: Function, value: object, *arguments: object, **options: object
) -> tf.Tensor:
    """Gives arguments that are not tensors the default type of the op, as 1.15 did.

    TensorFlow 2 first makes a constant to infer its type, and then another one if that type is not
    allowed.
    """
    is_a_try = options.keys() == {"name", "as_ref"}
    if is_a_try and not isinstance(value, tf.Tensor) and graph_owners.is_users():
        raise TypeError("the op's default type is used")
    return convert(value, *arguments, **options)


def _keep_for_feeds(operation: tf.Operation) -> None:
    """Makes Grappler keep an op that gives gradients of convolutions the
    shapes of image and filter.

    The filter's shape is constant. Grappler leaves the image as a control input of that constant.
    If the image is fed, the runtime replaces it where it is read, but not as a control input: there
    it is computed, from placeholders that nobody fed or with a batch that nobody sees. 1.15 ran
    such graphs without Grappler.
    """
    if not operation.graph.building_function:
        checks_before_runs.check(operation, lambda: _compat.keep_in_grappler(operation))


def _return_call(
    call_flat: Function, function: object, *arguments: object, **options: object
) -> Any:
    """Returns, for a function without outputs, the op of the call, which a session can run."""
    result = call_flat(function, *arguments, **options)
    if result is None and graph_owners.is_users() and not tf.get_default_graph().building_function:
        return next(
            each
            for each in reversed(tf.get_default_graph().get_operations())
            if each.type.endswith("PartitionedCall")
        )
    return result


def _run_random_while_in_order(
    build: Function, loop_vars: Any, condition: Any, body: Any, **options: Any
) -> list[tf.Tensor]:
    """Makes a loop in a function, such as that of a dataset,
    finish one iteration before the next starts.
    """
    random_ops = [each for each in body.get_operations() if "seed2" in each.node_def.attr]
    if random_ops and graph_owners.is_users():
        options["parallel_iterations"] = 1
    results: list[tf.Tensor] = build(loop_vars, condition, body, **options)
    return results


def _name_sparse_read(sparse_read: Function, *arguments: object, **options: object) -> tf.Tensor:
    value = sparse_read(*arguments, **options)
    return tf.identity(value) if graph_owners.is_users() else value


def _keep_shape_feedable(initialize: Function, *arguments: object, **options: object) -> None:
    """Allows feeding the constant shape of a sparse tensor.

    TensorFlow 2 reads the shape's value when it makes the sparse tensor, and forbids feeding
    tensors that it has read.
    """
    if not graph_owners.is_users():
        initialize(*arguments, **options)
        return
    graph = tf.get_default_graph()
    unfeedable, graph._unfeedable_tensors = (
        graph._unfeedable_tensors,
        type(graph._unfeedable_tensors)(),
    )
    try:
        initialize(*arguments, **options)
    finally:
        graph._unfeedable_tensors = unfeedable


def _leave_control_inputs_unmarked(
    set_attr: Function, operation: tf.Operation, name: str, value: object
) -> None:
    """Sets no mark on the ops that `tf.control_dependencies` is given:
    it is counted, and nothing depends on it.
    """
    if name != _MARK or not graph_owners.is_users(operation.graph):
        set_attr(operation, name, value)


def _leave_unconverted(
    is_allowlisted: Function, entity: object, *arguments: object, **options: object
) -> Any:
    """Makes AutoGraph call functions whose text is not what was compiled, those of 1.15's
    modules, and of tf1grad's.
    """
    module = str(getattr(entity, "__module__", ""))
    code = getattr(entity, "__code__", None)
    is_left = (
        loader.is_original(module)
        or module.startswith(_OWN_MODULES)
        or (code is not None and ownership.is_python_2_file(code.co_filename))
    )
    return is_left or is_allowlisted(entity, *arguments, **options)


def _without_stop(
    while_loop: Function, *arguments: object, back_prop: bool = True, **options: object
) -> Any:
    """Makes a loop without gradients without the `StopGradient` of TensorFlow 2 behind it."""
    # The installed function only adds a `StopGradient` for `back_prop=False`, unless the loop keeps
    # values for it.
    keeps_values = _compat.resolve(
        "tensorflow.python.ops.control_flow_util_v2.output_all_intermediates"
    )
    return while_loop(
        *arguments, back_prop=back_prop or graph_owners.is_users() and not keeps_values(), **options
    )


def _with_identities(
    build: Function, *arguments: object, name: str, **options: object
) -> list[tf.Tensor]:
    """Makes an `Identity` for each output of a loop in a function, such as that of a dataset."""
    results: list[tf.Tensor] = build(*arguments, name=name, **options)
    is_gradient = not name.endswith("/")  # a loop is named after its scope
    if graph_owners.is_users() and tf.get_default_graph().building_function and not is_gradient:
        results = [tf.identity(each) for each in results]
    return results


@name_map.stands_in_for("python.framework.ops._create_c_op")
def create_grouped_op(
    graph: tf.Graph, node_def: tf.NodeDef, inputs: list[Any], control_inputs: object
) -> tf.Operation:
    """Makes an op of the graph's library whose `inputs` are grouped, as in 1.15:
    a list of tensors is one of them.
    """
    make = _compat.resolve("tensorflow.python.framework.ops._create_c_op")
    flat = [
        tensor
        for each in inputs
        for tensor in (each if isinstance(each, (list, tuple)) else [each])
    ]
    return make(graph, node_def, flat, control_inputs)
