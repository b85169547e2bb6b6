"""What TensorFlow had for its own files and for contrib, and has no more, or has now to another effect."""

from __future__ import annotations

import sys
import types
from typing import Any, Callable, Dict, Optional, Sequence

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import raw_ops


def ignored(*unused_args: Any, **unused_kwargs: Any) -> None:
    """Registered something that nobody asks for now."""


class NotExported:
    """A decorator that leaves what it decorates: public names are looked for elsewhere."""

    def __init__(self, *unused_names: str, **unused_options: Any) -> None:
        pass

    def __call__(self, decorated: Any) -> Any:
        return decorated

    def export_constant(self, module_name: str, name: str) -> None:
        """Nothing."""


def undecorated(decorated: Any) -> Any:
    """Leaves a test that was about what is no more as it is."""
    return decorated


def rank(tensor: Any) -> Optional[int]:
    """The static rank of a tensor, None where it is unknown or `tensor` is something else."""
    return tensor.shape.rank if isinstance(tensor, tf.Tensor) else None


def run_in_graph_and_eager_modes(func: Optional[Callable[..., Any]] = None, config: Any = None, use_gpu: bool = True,
                                 reset_test: bool = True, assert_no_eager_garbage: bool = False) -> Any:
    """TensorFlow's decorator of tests, with the arguments that it had; tests are always set up anew now."""
    decorator = _compat.resolve("tensorflow.python.framework.test_util.run_in_graph_and_eager_modes")
    return decorator(func, config=config, use_gpu=use_gpu)


class RegisterShape:
    """Registered a shape function in Python; ops have their own now."""

    def __init__(self, op_type: str) -> None:
        self.op_type = op_type

    def __call__(self, function: Optional[Callable[..., Any]]) -> Any:
        return function


class RegisterGradient(RegisterShape):
    """Registers a gradient function, unless TensorFlow has one of this op."""

    def __call__(self, function: Optional[Callable[..., Any]]) -> Any:
        _compat.register_gradient(self.op_type, function)
        return function


def not_differentiable(op_type: str) -> None:
    """Says that an op has no gradient, unless TensorFlow has one of it."""
    _compat.register_gradient(op_type, None)


def remove_undocumented(module_name: str, allowed_exception_list: Optional[Sequence[str]] = None,
                        doc_string_modules: Optional[Sequence[types.ModuleType]] = None) -> None:
    """Says which names `import *` takes from a module of contrib; all others were deleted, also from TensorFlow's own.
    """
    module = sys.modules[module_name]
    if module_name.startswith("tensorflow.contrib"):
        make_all = _compat.resolve("tensorflow.python.util.all_util.make_all")
        documented = make_all(module_name, doc_string_modules)
        present = [name for name in allowed_exception_list or () if name in vars(module)]
        vars(module)["__all__"] = sorted(set(documented) | set(present))


class _Ops(Dict[str, Any]):
    """The definitions of ops by their names, each looked up when it is asked for."""

    def __missing__(self, op_type: str) -> Any:
        found = _compat.resolve("tensorflow.python.framework.op_def_registry.get")(op_type)
        if found is None:
            raise KeyError(op_type)
        return found

    def get(self, op_type: str, default: Any = None) -> Any:
        """The definition, or `default`."""
        try:
            return self[op_type]
        except KeyError:
            return default

    def __contains__(self, op_type: Any) -> bool:
        return self.get(op_type) is not None


def get_registered_ops() -> _Ops:
    """The definitions of all ops of this TensorFlow, by name."""
    return _Ops()


def load_op_library(path: str) -> _Library:
    """The library of custom ops at `path`, none of which has a kernel: what stands for its ops has their names."""
    return _Library(path)


class _Library(types.ModuleType):
    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        op_type = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
        return lambda **arguments: raw_ops.call(op_type, arguments)


def variable(initial_value: Any = None, **options: Any) -> tf.Variable:
    """The variable that the variable scope around it asks for."""
    use_resource = options.pop("use_resource", None)
    if use_resource is None:
        use_resource = tf.get_variable_scope().use_resource
    return tf.Variable(initial_value, use_resource=use_resource, **options)


doc_controls = types.ModuleType("doc_controls")
for _name in ("do_not_generate_docs", "do_not_doc_inheritable", "for_subclass_implementers",
              "do_not_doc_in_subclasses"):
    setattr(doc_controls, _name, lambda decorated: decorated)
