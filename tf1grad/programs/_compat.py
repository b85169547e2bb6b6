"""Wraps what old programs need of the installed TensorFlow;
in this room only this module knows its private names.

No function here imports TensorFlow before it is called.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import importlib
import importlib.machinery
import importlib.util
import logging
import os
import re
import sys
import tempfile
import types
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping

from tf1grad.programs import _systems

if TYPE_CHECKING:
    from tf1grad._compat import tf

PRIVATE = "tensorflow.python."
WITH_KERAS_3 = (2, 16)  # the first TensorFlow whose Keras is version 3, and that has no estimators


UNKNOWN = (1000, 0)
_TENSORFLOW = r"(?:tensorflow|tf_nightly)(?:_(?:cpu|gpu|macos|intel|rocm|aarch64))*"  # variants, and nightly builds


def installed_version() -> tuple[int, int] | None:
    """Returns the (major, minor) of the TensorFlow on the path without importing it;
    None where none is installed.
    """
    found = installed_release("tensorflow", _TENSORFLOW)
    return None if found == UNKNOWN else found


def is_version_1_on_path() -> bool:
    """Says whether the TensorFlow on the path is TensorFlow 1, without importing it."""
    return (installed_version() or (2,)) < (2,)


def onednn_is_on() -> bool:
    """Says whether the installed TensorFlow computes on the CPU with oneDNN."""
    if is_version_1():
        return False
    return bool(resolve("tensorflow.python.util._pywrap_util_port.IsMklEnabled")())


def sparse_products_are_slow() -> bool:
    """Says whether the kernel of SparseTensorDenseMatMul is slow from 32 columns on."""
    from tf1grad._compat import VERSION

    return VERSION >= (2, 20)


def installed_version_text() -> str | None:
    """Returns the release of the TensorFlow on the path, such as "2.21.0",
    without importing it, or None.
    """
    return _release_text("tensorflow", _TENSORFLOW) or None


def installed_release(package: str, distribution: str = "") -> tuple[int, int] | None:
    """Returns the (major, minor) of a package on the path without importing it,
    None where it is missing.

    The pattern `distribution` is the name by which it is installed, if that is another. The release
    is `UNKNOWN`, one of today, where the package does not say.
    """
    found = _release_text(package, distribution or package)
    if not found:
        return None if found is None else UNKNOWN
    major, minor = found.split(".")[:2]
    return int(major), int(minor)


def _release_text(package: str, distribution: str) -> str | None:
    """Returns the release of a package on the path, "" where the package does not say,
    None where it is missing.
    """
    found = importlib.machinery.PathFinder.find_spec(package)
    if found is None or not found.origin:
        return None
    around = glob.escape(os.path.dirname(os.path.dirname(found.origin)))
    for folder in glob.glob(os.path.join(around, "*-*info")):
        name = os.path.basename(folder)
        release = re.match(rf"{distribution}-(\d+\.\d+[\w.]*?)(-py.*)?\.\w+-info", name, re.I)
        if release:
            return release[1]
    return ""


def version_of_package(name: str) -> str | None:
    """Returns the version of an installed package, by the name that pip knows, or None;
    None before Python 3.8.
    """
    if sys.version_info < (3, 8):
        return None
    from importlib import metadata

    found = next(iter(metadata.distributions(name=name)), None)
    return None if found is None else str(found.version)


def is_installed(module: str) -> bool:
    """Says whether the top-level `module` is on the path and its import is not forbidden,
    without importing it.

    TensorFlow's own Keras, which `tf1grad.migrate.legacy` serves under the name tf_keras, does not
    count.
    """
    forbidden = sys.modules.get(module, module) is None
    return not forbidden and importlib.machinery.PathFinder.find_spec(module) is not None


def has_keras_3() -> bool:
    """Says whether `tf.keras` of the installed TensorFlow is Keras 3,
    unless tf_keras takes its place.
    """
    version = installed_version()
    if version is None or version < (2,):
        return False
    return version >= WITH_KERAS_3 or (installed_release("keras") or (2,)) >= (3,)


def prefer_legacy_keras() -> bool:
    """Makes TensorFlow use Keras 2, as TensorFlow 1 and 2.15 do, instead of Keras 3;
    call it before the import.

    Where `tf.keras` is Keras 2, the variable is not needed, and would break it without tf_keras.
    Returns False if it stays Keras 3, as tf_keras is missing.
    """
    if not has_keras_3():
        return True
    if not is_installed("tf_keras"):
        return False
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    return True


LOADS_CODE = "func_load"  # the function of Keras that makes a function of marshalled code


def modules_that_load_code(keras_class: type) -> list[types.ModuleType]:
    """Returns the loaded modules of a class's Keras in which `LOADS_CODE` is called.

    Raises:
        ImportError: none has it, so that it cannot be turned off.
    """
    package = keras_class.__module__.split(".")[0] + "."
    found = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith(package) and LOADS_CODE in vars(module)
    ]
    if not found:
        raise ImportError(f"{package[:-1]} has no {LOADS_CODE}")
    return found


def lacks_estimator() -> bool:
    """Says whether the installed TensorFlow lacks `tf.estimator` (2.16 and later),
    without importing it.
    """
    return (installed_version() or (0, 0)) >= WITH_KERAS_3


def refusal_of_run(version: tuple[int, int]) -> str | None:
    """Returns why `run` does not work beside a (major, minor) of TensorFlow, or None."""
    if not (2,) <= version < (2, 15):
        return None
    return (
        "TensorFlow 2.15 or newer, or 1.15, is needed, and {}.{} is installed. The library works from 2.12 on"
    ).format(*version)


def refusal_of_library(version: tuple[int, int]) -> str:
    """Returns why the library does not work beside a (major, minor) of TensorFlow, or ""."""
    if version >= (2, 12) or (1, 15) <= version < (2,):
        return ""
    return "TensorFlow 2.12 or newer, or 1.15, is needed, and {}.{} is installed".format(*version)


def is_version_1() -> bool:
    """Says whether TensorFlow 1 itself is installed, which needs no replacements. Imports it."""
    from tf1grad._compat import VERSION

    return VERSION < (2,)


def behave_as_version_1() -> None:
    """Turns the behaviour of version 2 off, without the warning that ref
    variables are deprecated.
    """
    from tf1grad._compat import tf

    with deprecations_hidden():
        tf.disable_v2_behavior()


@contextlib.contextmanager
def deprecations_hidden() -> Iterator[None]:
    """Yields a context without warnings that functions of TensorFlow 1 are deprecated:
    commands call them for users.
    """
    logger = logging.getLogger("tensorflow")
    level = logger.level  # NOTSET, until a program sets it: then `tf.app.run` shows lines of INFO
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def version_1(path: str) -> types.ModuleType:
    """Returns the module of compat.v1 at `path` ("" for compat.v1 itself), or an empty module."""
    from tf1grad._compat import tf as module

    for name in filter(None, path.split(".")):
        module = getattr(module, name, None)
    return module if isinstance(module, types.ModuleType) else types.ModuleType(path)


def resolve(target: str) -> Any:
    """Imports and returns the module or attribute `target`;
    an ImportError or AttributeError where there is none.
    """
    module, _, name = target.rpartition(".")
    if target.startswith("tensorflow.compat.v1."):
        # Importing its modules by these names would make a second copy.
        from tf1grad._compat import tf

        return functools.reduce(getattr, target.split(".")[3:], tf)
    try:
        return (
            getattr(importlib.import_module(module), name)
            if module
            else importlib.import_module(name)
        )
    except AttributeError:
        return importlib.import_module(target)


def complete_estimator_export() -> None:
    """Restores the attributes of TensorFlow's `tf_export` that the decorator of
    tensorflow-estimator reads.
    """
    export: Any = importlib.import_module(PRIVATE + "util.tf_export")
    if not hasattr(export, "ESTIMATOR_API_NAME"):
        export.ESTIMATOR_API_NAME = "estimator"
        for tables, suffix in ((export.API_ATTRS, ""), (export.API_ATTRS_V1, "_v1")):
            tables["estimator"] = export._Attributes(
                "_estimator_api_names" + suffix, "_estimator_api_constants" + suffix
            )


def register_gradient(op_type: str, function: Callable[..., Any] | None) -> None:
    """Registers the gradient function of an op type unless it has one;
    None marks it as not differentiable.
    """
    if op_type not in registered_gradients():
        _gradient_registry().register(function, op_type)


def registered_gradients() -> set[str]:
    """Returns the op types that have a gradient function or are marked as not differentiable."""
    return set(_gradient_registry()._registry)


def _gradient_registry() -> Any:
    ops = importlib.import_module(PRIVATE + "framework.ops")
    return getattr(ops, "gradient_registry", None) or ops._gradient_registry


def all_op_definitions() -> list[Any]:
    """Returns the definitions of the ops that TensorFlow itself has."""
    from tensorflow.core.framework import op_def_pb2

    session: Any = importlib.import_module(PRIVATE + "client.pywrap_tf_session")
    return list(op_def_pb2.OpList.FromString(session.TF_GetBuffer(session.TF_GetAllOpList())).op)


def build_messages(serialized: bytes, namespace: dict[str, Any]) -> None:
    """Fills the `namespace` of a protocol buffer module with the classes of a
    serialized file descriptor.
    """
    from google.protobuf import descriptor_pool
    from google.protobuf.internal import builder

    file = descriptor_pool.Default().AddSerializedFile(serialized)
    namespace["DESCRIPTOR"] = file
    builder.BuildMessageAndEnumDescriptors(file, namespace)
    builder.BuildTopDescriptorsAndMessages(file, namespace["__name__"], namespace)


def op_seeds(seed: int | None) -> tuple[int | None, int | None]:
    """Returns the graph's seed and the op's, as an op made now with `seed` takes them;
    no public name gives both.
    """
    graph_seed, op_seed = random_seed_module().get_seed(seed)
    return graph_seed, op_seed


def random_seed_module() -> types.ModuleType:
    """Returns the module with the `get_seed` that every random op calls;
    `tf.get_seed` is only a copy of the name.
    """
    return importlib.import_module(PRIVATE + "framework.random_seed")


def module_name(name: str) -> str:
    """Returns the full name of TensorFlow's module `name`;
    the package has another name in TensorFlow 1.15.
    """
    return random_seed_module().__name__.replace("framework.random_seed", name)


def call_with_new_ops(calls: Mapping[str, Callable[[tf.Operation], None]]) -> None:
    """Calls `calls[type](operation)`, from now on, with each new op of such a type,
    before a session runs it.

    New ops are those that code builds, and those of imported graphs.
    """
    from tf1grad._compat import tf

    def calling(create: Callable[..., tf.Operation]) -> Callable[..., tf.Operation]:
        @functools.wraps(create)
        def create_op(graph: tf.Graph, *others: object, **options: object) -> tf.Operation:
            operation = create(graph, *others, **options)
            if operation.type in calls:
                calls[operation.type](operation)
            return operation

        return create_op

    tf.Graph._create_op_internal = calling(tf.Graph._create_op_internal)
    tf.Graph._create_op_from_tf_operation = calling(tf.Graph._create_op_from_tf_operation)


@contextlib.contextmanager
def onednn_messages_hidden() -> Iterator[None]:
    """Yields a context for the import of TensorFlow,
    which hides what TensorFlow prints about oneDNN.

    TensorFlow 2.21 prints it before it reads TF_CPP_MIN_LOG_LEVEL. Other lines follow when the
    import has ended. Nothing is hidden on a processor on which oneDNN is off by default: there
    TensorFlow may end the process with a message about the processor.
    """
    if (
        os.environ.get("TF_ENABLE_ONEDNN_OPTS") == "0"
        or os.environ.get("TF_CPP_MIN_LOG_LEVEL", "0") == "0"
        or not _systems.processor_has(b"avx512_vnni")
    ):
        yield
        return
    try:
        stderr = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            printed.seek(0)
            os.write(
                2,
                b"".join(
                    line for line in printed if not any(part in line for part in _ABOUT_ONEDNN)
                ),
            )


_ABOUT_ONEDNN = b"oneDNN custom operations are on", b"before absl::InitializeLog() is called"


def set_explicit_paddings(operation: tf.Operation, paddings: list[int]) -> None:
    """Changes the padding of an op that no session has run yet."""
    set_attr(operation, "padding", s=b"EXPLICIT")
    set_attr(operation, "explicit_paddings", list={"i": paddings})


KEPT = "_grappler_do_not_remove"


def keep_in_grappler(operation: tf.Operation) -> None:
    """Makes Grappler leave an op, which no session has run yet, as it is."""
    set_attr(operation, KEPT, b=True)


def set_attr(operation: tf.Operation, name: str, **value: object) -> None:
    """Changes an attribute of an op that no session has run yet."""
    from tf1grad._compat import tf

    operation._set_attr(name, tf.AttrValue(**value))


def pass_input_through(
    operation: tf.Operation, index: int, function: Callable[[tf.Tensor], tf.Tensor]
) -> tf.Operation:
    """Gives an op, which no session has run yet, the result of `function` for its input;
    returns the result's op.
    """
    passed = function(operation.inputs[index])
    operation._update_input(index, passed)
    return passed.op


def give_users(operation: tf.Operation, tensor: tf.Tensor) -> None:
    """Gives `tensor` to the ops that use the only output of an op;
    those that wait for the op wait for the tensor.
    """
    (output,) = operation.outputs
    for user in output.consumers():
        for index, given in enumerate(user.inputs):
            if given is output:
                user._update_input(index, tensor)
    for user in operation._control_outputs:
        awaited = [tensor.op if one is operation else one for one in user.control_inputs]
        user._remove_all_control_inputs()
        user._add_control_inputs(awaited)


def gradients_of_inputs(operation: tf.Operation, *gradients: object) -> Any:
    """Returns what the gradient function of an op makes of the gradients of its outputs."""
    ops = importlib.import_module(PRIVATE + "framework.ops")
    return ops.get_gradient_function(operation)(operation, *gradients)


def outer_graph(graph: tf.Graph) -> tf.Graph | None:
    """Returns the graph around a function's graph, or None."""
    return getattr(graph, "outer_graph", getattr(graph, "_outer_graph", None))


def walk_outwards(graph: tf.Graph | None) -> Iterator[tf.Graph]:
    """Yields a graph and, for a function's graph, those around it, the outermost as the last."""
    while graph is not None:
        yield graph
        graph = outer_graph(graph)


def replace_gradients(replacements: Mapping[str, Callable[[Any], Any]]) -> None:
    """Replaces gradient functions by functions of them, by op type:
    the registry rejects a second registration.
    """
    for op_type, replace in replacements.items():
        entry = _gradient_registry()._registry[op_type]
        entry["type"] = replace(entry["type"])


def wrapped_module(module: types.ModuleType) -> types.ModuleType:
    """Returns the module behind a deprecation wrapper, which warns of old names;
    else `module` itself.
    """
    return vars(module).get("_tfmw_wrapped_module") or module


def frames_of_op(op: tf.Operation) -> Iterator[tuple[str, int]]:
    """Yields the file and line of each frame in which `op` was made,
    from the innermost outwards.
    """
    # In TensorFlow 1.15 the public `traceback` reads each line's text, which takes longer than to
    # make the op.
    frames = getattr(op, "_traceback", None) or op.traceback
    for frame in reversed(frames):
        yield frame.filename, frame.lineno


def op_definition(op_type: str) -> Any:
    """Returns the `OpDef` of a type; None if it is unknown, as that of a function is."""
    registry = importlib.import_module(PRIVATE + "framework.op_def_registry")
    return (
        registry.get(op_type)
        if hasattr(registry, "get")
        else registry.get_registered_ops().get(op_type)
    )


def session_class() -> type:
    """Returns the base class of `tf.Session` and `tf.InteractiveSession` with
    the `_do_run` of every run.
    """
    from tf1grad._compat import tf

    return next(base for base in tf.Session.__mro__ if "_do_run" in vars(base))


def fed_values(feed_dict: Mapping[Any, Any]) -> dict[str, Any]:
    """Returns the fed values by tensor name, from the `feed_dict` of `_do_run`, which has
    references as keys on 2.x.
    """
    return {
        (key.deref() if hasattr(key, "deref") else key).name: value
        for key, value in feed_dict.items()
    }


def dataset_options(dataset: Any) -> tf.data.Options:
    """Returns the options of a `tf.data` dataset,
    without the warning that they may be in the graph.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dataset.options()


def release() -> str:
    """Returns the full version of the installed TensorFlow, such as "1.15.5". Imports it."""
    from tf1grad._compat import tf

    return str(tf.__version__)
