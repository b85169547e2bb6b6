"""Holds stand-ins for names that originals use and that TensorFlow removed or changed."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable, Sequence

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.gone_ops import raw_ops
from tf1grad.run.originals import loader, name_map


@name_map.stands_in_for(
    "python.framework.ops._set_call_cpp_shape_fn",
    "python.framework.ops.register_proto_function",
    "python.pywrap_tensorflow.RegisterType",
)
def ignored(*unused_args: object, **unused_kwargs: object) -> None:
    """Ignores a registration that TensorFlow no longer uses."""


@name_map.stands_in_for(
    "python.framework.ops.RegisterShape",
    "python.framework.ops.RegisterStatistics",
    "python.util.tf_export.estimator_export",
    "python.util.tf_export.keras_export",
    "python.util.tf_export.tf_export",
)
class NotRegistered:
    """A decorator that returns its argument unchanged: nobody reads the exports, shapes and
    statistics of originals.
    """

    def __init__(self, *unused_names: str, **unused_options: object) -> None:
        pass

    def __call__(self, decorated: object) -> Any:
        return decorated

    export_constant = ignored


@name_map.stands_in_for("python.util.lazy_loader.LazyLoader")
class LazyLoader(ModuleType):
    """Gives the names of a module as originals see it,
    which is imported when a name is first used.
    """

    def __init__(self, local_name: str, parent_module_globals: dict[str, Any], name: str) -> None:
        super().__init__(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(loader.module(self.__name__.partition(".")[2]), name)


@name_map.stands_in_for("python.framework.test_util.use_deterministic_cudnn")
def undecorated(decorated: object) -> Any:
    """Returns a test unchanged; the setting that it is decorated with no longer exists."""
    return decorated


@name_map.stands_in_for("python.framework.common_shapes.rank")
def rank(tensor: object) -> int | None:
    """Returns the static rank of a tensor; None where it is unknown or `tensor` is not a tensor."""
    return tensor.shape.rank if isinstance(tensor, tf.Tensor) else None


@name_map.stands_in_for("python.pywrap_tensorflow.TF_bfloat16_type")
def bfloat16_type() -> Any:
    """Returns NumPy's type of bfloat16 numbers."""
    return tf.bfloat16.as_numpy_dtype


@name_map.changes("python.keras.utils.tf_utils")
def inspect_composite_tensors(original: ModuleType) -> None:
    """Makes 1.15's `tf_utils.is_symbolic_tensor` accept tensors that no longer
    have `_is_graph_tensor`.
    """

    def by_values(is_symbolic_tensor: Callable[[Any], bool], tensor: Any) -> bool:
        is_composite = isinstance(tensor, (tf.SparseTensor, tf.IndexedSlices))
        return is_symbolic_tensor(tensor.values if is_composite else tensor)

    patches.wrap(original, "is_symbolic_tensor", by_values, reason="")


@name_map.stands_in_for("python.framework.test_util.run_in_graph_and_eager_modes", for_users=True)
def run_in_graph_and_eager_modes(
    func: object = None, config: object = None, use_gpu: bool = True, **unused_options: bool
) -> Any:
    """Applies TensorFlow's decorator of tests;
    accepts its former arguments, which no longer have an effect.
    """
    decorator = _compat.resolve(
        "tensorflow.python.framework.test_util.run_in_graph_and_eager_modes"
    )
    return decorator(func, config=config, use_gpu=use_gpu)


class _CompositeTensors(type):
    def __instancecheck__(cls, instance: object) -> bool:
        installed = _compat.resolve("tensorflow.python.framework.composite_tensor.CompositeTensor")
        return isinstance(instance, installed) and not isinstance(instance, tf.Variable)


class CompositeTensor(metaclass=_CompositeTensors):
    """Stands in for the class of tensors with parts, which variables were not instances of,
    in tests of classes.
    """


# Stands in for the former base class of these, in tests of classes.
TensorLike = (tf.Tensor, tf.IndexedSlices, tf.SparseTensor)
name_map.declare("python.framework.ops._TensorLike", __name__, "TensorLike")


_tensor_like: list[Any] = [tf.Tensor, tf.Variable]
register_dense_tensor_like_type = _tensor_like.append
name_map.declare(
    "python.framework.ops.register_dense_tensor_like_type",
    __name__,
    "register_dense_tensor_like_type",
)


@name_map.stands_in_for("python.framework.tensor_util.is_tensor")
def is_tensor(value: object) -> bool:
    """Says whether a value is a tensor of any kind, a variable or of a registered class."""
    return tf.is_tensor(value) or isinstance(value, tuple(_tensor_like))


@name_map.stands_in_for("python.util.all_util.remove_undocumented")
def remove_undocumented(
    module_name: str,
    allowed_exception_list: Sequence[str] | None = None,
    doc_string_modules: Sequence[ModuleType] | None = None,
) -> None:
    """Sets `__all__` of a contrib module to its documented names; 1.15 deleted the others.

    Modules of TensorFlow outside of contrib are left alone.
    """
    module = sys.modules[module_name]
    if module_name.startswith("tensorflow.contrib"):
        make_all = _compat.resolve("tensorflow.python.util.all_util.make_all")
        documented = make_all(module_name, doc_string_modules)
        present = [name for name in allowed_exception_list or () if name in vars(module)]
        vars(module)["__all__"] = sorted(set(documented) | set(present))


@name_map.stands_in_for("python.framework.op_def_registry.get_registered_ops")
def get_registered_ops() -> dict[str, Any]:
    """Returns the definitions of all ops of this TensorFlow, by op type."""
    return {each.name: each for each in _compat.all_op_definitions()}


@name_map.stands_in_for("python.eager.execute.record_gradient", for_users=True)
def record_gradient(
    op_name: str, inputs: object, attrs: object, results: object, name: str | None = None
) -> None:
    """Records an op for gradient tapes; generated code of 1.15 gives its `name` too."""
    _compat.resolve("tensorflow.python.eager.execute.record_gradient")(
        op_name, inputs, attrs, results
    )


@name_map.stands_in_for("python.framework.load_library.load_op_library")
class Library(ModuleType):
    """Stands in for the library of custom ops at a path: its functions call `raw_ops`."""

    def __getattr__(self, name: str) -> patches.Function:
        if name.startswith("__"):
            raise AttributeError(name)
        op_type = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
        return lambda **arguments: raw_ops.call(op_type, arguments)


@name_map.stands_in_for("python.ops.variable_scope.variable")
def variable(initial_value: object = None, **options: object) -> tf.Variable:
    """Makes a ref or resource variable, as `use_resource` or the enclosing variable scope says."""
    return tf.Variable(initial_value, **options)


@name_map.stands_in_for("python.ops.script_ops.numpy_function", for_users=True)
def numpy_function(
    func: patches.Function, inp: object, Tout: object, name: str | None = None
) -> Any:
    """Calls the installed function, whose fourth argument is `stateful`."""
    return tf.numpy_function(func, inp, Tout, name=name)


@name_map.stands_in_for("python.framework.tensor_shape.scalar")
def scalar() -> tf.TensorShape:
    """Returns the shape of a number."""
    return tf.TensorShape([])


@name_map.stands_in_for("python.framework.tensor_shape.vector")
def vector(length: int | None) -> tf.TensorShape:
    """Returns the shape of a vector of `length`, which may be None."""
    return tf.TensorShape([length])


@name_map.stands_in_for("python.framework.tensor_shape.matrix")
def matrix(rows: int | None, cols: int | None) -> tf.TensorShape:
    """Returns the shape of a matrix of `rows` times `cols`, each of which may be None."""
    return tf.TensorShape([rows, cols])
