"""Makes the installed TensorFlow build ops in the user's graphs as 1.15 did."""

from __future__ import annotations

import functools
import types
from typing import Any, Callable, List

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import patches

Where = Callable[[], bool]
_MARK = "_has_manual_control_dependencies"


def infer_types_by_default(where: Where) -> None:
    """Gives arguments that are not tensors the default type of the op, as 1.15 did, where `where()` is true.

    TensorFlow 2 first makes a constant to infer its type, and then another one if that type is not allowed.
    """
    library = _compat.resolve("tensorflow.python.framework.op_def_library")
    patches.patch(library, "ops", _Infers(library.ops, where), owner=__name__,
                  reason="the user's ops take the type of arguments from their default, as in 1.15")


class _Infers(types.ModuleType):
    def __init__(self, ops: types.ModuleType, where: Where) -> None:
        super().__init__(ops.__name__)
        self._ops, self._where = ops, where

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__[name] = getattr(self._ops, name)
        return value

    def convert_to_tensor(self, value: Any, *arguments: Any, **options: Any) -> tf.Tensor:
        is_a_try = options.keys() == {"name", "as_ref"}
        if is_a_try and not isinstance(value, tf.Tensor) and self._where():
            raise TypeError("the op's default type is used")
        return self._ops.convert_to_tensor(value, *arguments, **options)


def return_calls(where: Where) -> None:
    """Makes calls of functions without outputs return the op of the call, which a session can run, as 1.15 did."""
    holder = _compat.resolve("tensorflow.python.eager.polymorphic_function.concrete_function.ConcreteFunction")
    before = holder._call_flat

    @functools.wraps(before)
    def _call_flat(function: Any, *arguments: Any, **options: Any) -> Any:
        result = before(function, *arguments, **options)
        if result is None and where() and not tf.get_default_graph().building_function:
            return next(each for each in reversed(tf.get_default_graph().get_operations())
                        if each.type.endswith("PartitionedCall"))
        return result
    patches.patch(holder, "_call_flat", _call_flat, owner=__name__,
                  reason="calls of functions without outputs are ops in the user's graphs, as in 1.15")


def run_random_loops_in_order(where: Where) -> None:
    """Makes loops with random ops finish one iteration before the next starts, where `where()` is true.

    Random ops of parallel iterations draw in the order in which the executor runs them. Today's executor takes the last
    iteration first. 1.15's took the first one if it had one thread; with more threads the order was undefined.
    """
    context = _compat.resolve("tensorflow.python.ops.control_flow_ops.WhileContext")
    attr_value_pb2 = _compat.resolve("tensorflow.core.framework.attr_value_pb2")
    before = context.BuildLoop

    @functools.wraps(before)
    def BuildLoop(loop: Any, *arguments: Any, **options: Any) -> Any:
        graph = tf.get_default_graph()
        start = graph.version
        result = before(loop, *arguments, **options)
        made = graph.get_operations()[start:] if where() else []
        if any("seed2" in operation.node_def.attr and _is_in(operation, loop) for operation in made):
            for operation in graph.get_operations():
                if operation.type in ("Enter", "RefEnter") and operation.get_attr("frame_name").decode() == loop.name:
                    operation._set_attr("parallel_iterations", attr_value_pb2.AttrValue(i=1))
        return result
    patches.patch(context, "BuildLoop", BuildLoop, owner=__name__,
                  reason="the user's loops with random ops run in order, as in 1.15")


def _is_in(operation: tf.Operation, loop: Any) -> bool:
    context = operation._get_control_flow_context()
    while context is not None and context is not loop:
        context = context.outer_context
    return context is loop


def name_sparse_reads(where: Where) -> None:
    """Adds 1.15's identity op after reads of rows of a resource variable, where `where()` is true."""
    holder = _compat.resolve("tensorflow.python.ops.resource_variable_ops.BaseResourceVariable")
    before = holder.sparse_read

    @functools.wraps(before)
    def sparse_read(variable: tf.Variable, *arguments: Any, **options: Any) -> tf.Tensor:
        value = before(variable, *arguments, **options)
        return tf.identity(value) if where() else value
    patches.patch(holder, "sparse_read", sparse_read, owner=__name__,
                  reason="in the user's graphs an identity follows the rows that are read, as in 1.15")


def keep_shapes_feedable(where: Where) -> None:
    """Allows feeding the constant shape of a sparse tensor, as in 1.15, where `where()` is true.

    TensorFlow 2 reads the shape's value when it makes the sparse tensor, and forbids feeding tensors that it has read.
    """
    holder = _compat.resolve("tensorflow.python.framework.sparse_tensor.SparseTensor")
    before = holder.__init__

    @functools.wraps(before)
    def __init__(sparse: tf.SparseTensor, indices: Any, values: Any, dense_shape: Any) -> None:
        if not where():
            before(sparse, indices, values, dense_shape)
            return
        graph = tf.get_default_graph()
        unfeedable, graph._unfeedable_tensors = graph._unfeedable_tensors, type(graph._unfeedable_tensors)()
        try:
            before(sparse, indices, values, dense_shape)
        finally:
            graph._unfeedable_tensors = unfeedable
    patches.patch(holder, "__init__", __init__, owner=__name__,
                  reason="in the user's graphs constants that shapes come from can be fed, as in 1.15")


def leave_control_inputs_unmarked(is_users: Callable[[Any], bool]) -> None:
    """Adds no attribute to ops of graphs that `is_users` accepts when other ops are made to depend on them.

    TensorFlow 2 marks the ops that `tf.control_dependencies` is given. It counts them, and nothing depends on the mark.
    """
    before = tf.Operation._set_attr

    @functools.wraps(before)
    def _set_attr(operation: tf.Operation, name: str, value: Any) -> None:
        if name != _MARK or not is_users(operation.graph):
            before(operation, name, value)
    patches.patch(tf.Operation, "_set_attr", _set_attr, owner=__name__,
                  reason="ops of the user's graphs have the attributes of 1.15, without that of control inputs")


def create_grouped_op(graph: tf.Graph, node_def: Any, inputs: List[Any], control_inputs: Any) -> Any:
    """Makes an op of the graph's library whose `inputs` are grouped, as in 1.15: a list of tensors is one of them."""
    make = _compat.resolve("tensorflow.python.framework.ops._create_c_op")
    flat = [tensor for each in inputs for tensor in (each if isinstance(each, (list, tuple)) else [each])]
    return make(graph, node_def, flat, control_inputs)


def leave_unconverted(is_original: Callable[[str], bool]) -> None:
    """Makes AutoGraph call functions of modules that `is_original` names, whose text is not what was compiled."""
    conversion = _compat.resolve("tensorflow.python.autograph.impl.conversion")
    before = conversion.is_allowlisted

    @functools.wraps(before)
    def is_allowlisted(entity: Any, *arguments: Any, **options: Any) -> Any:
        return is_original(str(getattr(entity, "__module__", ""))) or before(entity, *arguments, **options)
    patches.patch(conversion, "is_allowlisted", is_allowlisted, owner=__name__,
                  reason="AutoGraph does not convert 1.15's own functions, as in 1.15")
