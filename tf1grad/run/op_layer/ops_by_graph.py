"""Makes installed modules below the op layer build ops as 1.15 did, in the user's graphs."""

from __future__ import annotations

import contextlib
import functools
import types
from typing import Any, Dict, Iterable, Iterator, Tuple

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.programs.process.patches import Function
from tf1grad.run.op_layer import graph_owners, installed
from tf1grad.run.op_layer.installed import op_building
from tf1grad.run.originals import loader

# Functions, methods, properties and classes of installed modules that 1.15's of the same name
# replace, and why.
_REPLACED = {
    # Loops and their gradients add with it; TensorFlow 2 makes an `AddV2`.
    "python.ops.math_ops": ("add",),
    # TensorFlow 2 takes the number of elements from the arguments where it is known, and so knows
    # more static shapes.
    "python.ops.tensor_array_ops": (
        "_GraphTensorArray.concat",
        "_GraphTensorArray.size",
        "_GraphTensorArray.stack",
        "_GraphTensorArrayV2.stack",
    ),
    # TensorFlow 2 makes the op of a regularizer once to inspect it and once to use it, and has
    # other default initializers.
    "python.ops.variable_scope": ("_VariableStore",),
    # TensorFlow 2 determines the static shape when it makes the sparse tensor, by another rule. It
    # makes ops for the known dimensions of one that comes from a dataset.
    "python.framework.sparse_tensor": (
        "SparseTensor.get_shape",
        "SparseTensor.shape",
        "SparseTensorSpec._from_compatible_tensor_list",
    ),
    # TensorFlow 2 makes these queues outside of control flow, on a CPU.
    "python.ops.data_flow_ops": ("FIFOQueue.__init__", "PaddingFIFOQueue.__init__"),
    # TensorFlow 2 decides in the graph where temporary files are, and otherwise distributes
    # variables over shards.
    "python.training.saver": (
        "BaseSaverBuilder._AddShardedSaveOpsForV2",
        "BaseSaverBuilder._GroupByDevices",
    ),
    # TensorFlow 2 calls the job of this server "localhost".
    "python.training.server_lib": ("Server.create_local_server",),
    # NumPy no longer converts an array of one number to a number, which a step may be.
    "python.training.training_util": ("global_step",),
    # TensorFlow 2 reads and restores resource variables as objects of a checkpoint, with other ops.
    "python.training.saving.saveable_object_util": ("saveable_objects_for_op",),
}
# (class, name of the operator) -> its function.
Operators = Dict[Tuple[Any, str], Function]


@contextlib.contextmanager
def collected_operators() -> Iterator[Operators]:
    """Yields a dict of the operators that 1.15's modules define while they load,
    which are not set meanwhile.
    """
    found: Operators = {}
    with contextlib.ExitStack() as stack:
        for holder in (tf.Tensor, tf.SparseTensor):

            def override(operator: str, function: Function, holder: object = holder) -> None:
                found[holder, operator] = function

            stack.enter_context(
                patches.temporarily(holder, "_override_operator", staticmethod(override))
            )
        yield found


def install(found: Operators) -> None:
    """Changes the installed modules, and the operators of tensors (`a + b`, `x[0:n]`)."""
    _use_operators(found)
    for module, names in _REPLACED.items():
        _replace(_compat.resolve("tensorflow." + module), loader.private_copy(module), names)
    vars(loader.private_copy("python.ops.variable_scope"))["_DEFAULT_USE_RESOURCE"] = (
        _ResourceByDefault()
    )
    op_building.install()


def _replace(module: types.ModuleType, private: types.ModuleType, names: Iterable[str]) -> None:
    originals = {name: _value(private, name.split(".")) for name in names}
    for name, original in originals.items():
        *path, last = name.split(".")
        holder = _value(module, path)
        patches.wrap(
            holder,
            last,
            graph_owners.either(getattr(original, "fget", original)),
            reason="in the user's graphs 1.15's version makes the ops",
        )
        if path:
            vars(private)[path[0]] = holder  # 1.15's methods make instances of the installed class


def _value(module: types.ModuleType, path: list[str]) -> Any:
    return functools.reduce(getattr, path, module)


class _ResourceByDefault:
    """Is true while `tf.get_variable` makes resource variables,
    which the installed TensorFlow decides.
    """

    def __bool__(self) -> bool:
        return bool(tf.resource_variables_enabled())


def _use_operators(found: Operators) -> None:
    """Sets the operators `found` for the user's graphs;
    operators of variables act on the variables' values.
    """
    for (holder, operator), function in found.items():
        patches.wrap(holder, operator, graph_owners.either(function), reason="")
        # A variable equals only itself.
        if holder is tf.Tensor and operator not in (
            "__eq__",
            "__ne__",
        ):
            for variable in installed.variable_classes(operator):
                of_variable = (
                    _slice_of_variable if operator == "__getitem__" else _operator_of_variable
                )
                either = graph_owners.either(functools.partial(of_variable, function))
                patches.wrap(variable, operator, either, reason="")
    patches.note(
        "operators of tensors and variables", "in the user's graphs 1.15's functions make the ops"
    )


def _operator_of_variable(
    function: Function, variable: tf.Variable, *arguments: object, **options: object
) -> Any:
    return function(variable.value(), *arguments, **options)


def _slice_of_variable(function: Function, variable: tf.Variable, part: object) -> Any:
    return function(variable.value(), part, variable)  # the slice of a variable can be assigned to
