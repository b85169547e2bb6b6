"""Makes installed modules below the op layer build ops as 1.15 did, in the user's graphs."""

import functools
from typing import Any

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import loader
from tf1grad.old_programs.originals.op_layer import graph_owners, operators
from tf1grad.old_programs.originals.op_layer.installed import datasets, op_building
from tf1grad.old_programs.process import patches

# Functions, methods and classes of installed modules that 1.15's of the same name replace, and why.
_FUNCTIONS = {
    # TensorFlow 2 makes an op for the number of elements only where the number is unknown.
    "ops.tensor_array_ops._GraphTensorArray.size",
    # TensorFlow 2 makes the op of a regularizer once to inspect it and once to use it, and has other default
    # initializers.
    "ops.variable_scope._VariableStore",
}


def install() -> None:
    """Changes the installed modules."""
    for name in _FUNCTIONS:
        package, part, *rest = name.split(".")
        module = f"python.{package}.{part}"
        holder = functools.reduce(getattr, rest[:-1], _compat.resolve("tensorflow." + module))
        original: Any = functools.reduce(getattr, rest, loader.private_copy(module))
        patches.patch(holder, rest[-1], operators.by_owner(original, getattr(holder, rest[-1]), updated=()),
                      owner=__name__, reason="in the user's graphs 1.15's version makes the ops")
    vars(loader.private_copy("python.ops.variable_scope"))["_DEFAULT_USE_RESOURCE"] = _ResourceByDefault()
    op_building.run_random_loops_in_order(graph_owners.is_users)
    op_building.name_sparse_reads(graph_owners.is_users)
    op_building.keep_shapes_feedable(graph_owners.is_users)
    op_building.infer_types_by_default(graph_owners.is_users)
    datasets.optimize_datasets_by_ops(graph_owners.is_users)


class _ResourceByDefault:
    """Is true while `tf.get_variable` makes resource variables, which the installed TensorFlow decides."""

    def __bool__(self) -> bool:
        return bool(tf.resource_variables_enabled())
