"""Makes installed modules below the op layer build ops as 1.15 did, in the user's graphs."""

import functools
from typing import Any

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import loader
from tf1grad.old_programs.originals.op_layer import graph_owners, operators
from tf1grad.old_programs.originals.op_layer.installed import datasets, op_building
from tf1grad.old_programs.process import patches

# Functions, methods, properties and classes of installed modules that 1.15's of the same name replace, and why.
_REPLACED = {
    # Loops and their gradients add with it; TensorFlow 2 makes an `AddV2`.
    "python.ops.math_ops": "add",
    # TensorFlow 2 takes the number of elements from the arguments where it is known, and so knows more static shapes.
    "python.ops.tensor_array_ops": "_GraphTensorArray.concat _GraphTensorArray.size _GraphTensorArray.stack",
    # TensorFlow 2 makes the op of a regularizer once to inspect it and once to use it, and has other default
    # initializers.
    "python.ops.variable_scope": "_VariableStore",
    # TensorFlow 2 determines the static shape when it makes the sparse tensor, by another rule.
    "python.framework.sparse_tensor": "SparseTensor.get_shape SparseTensor.shape",
    # TensorFlow 2 decides in the graph where temporary files are, and otherwise distributes variables over shards.
    "python.training.saver": "BaseSaverBuilder._AddShardedSaveOpsForV2 BaseSaverBuilder._GroupByDevices",
    # TensorFlow 2 reads and restores resource variables as objects of a checkpoint, with other ops.
    "python.training.saving.saveable_object_util": "saveable_objects_for_op",
}


def install() -> None:
    """Changes the installed modules."""
    for module, names in _REPLACED.items():
        for name in names.split():
            *path, last = name.split(".")
            holder = functools.reduce(getattr, path, _compat.resolve("tensorflow." + module))
            original: Any = functools.reduce(getattr, [*path, last], loader.private_copy(module))
            patches.patch(holder, last, operators.by_owner(original, getattr(holder, last), updated=()),
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
