"""Compiles originals: their imports of TensorFlow go through the loader,
and generated files are rewritten.

    from tensorflow.python.ops import nn as n      n = __originals__.name('tensorflow.python.ops',
                                                   'nn')
    from tensorflow.contrib.crf import *           __originals__.star('tensorflow.contrib.crf',
                                                   globals())
    import tensorflow.contrib.slim as slim         slim =
                                                   __originals__.module('tensorflow.contrib.slim')
    a wrapper in gen_*_ops.py                      returns __originals__.op(its op, its arguments)
    *_pb2.py                                       __originals__.messages(its serialized file,
                                                   globals())

The code is kept beside the originals (`period/kept_code.py`). Otherwise each start of `run` would
compile the op layer.
"""

from __future__ import annotations

import ast
import collections.abc
import importlib.util
import os
import re
import types
import warnings

from tf1grad.programs.period import folder, kept_code

HELPER = "__originals__"  # in the namespace of every original
_GENERATED = re.compile(r"gen_\w+_(ops?|py)\.py$")
_OF_NUMPY = ("int", "float", "str", "bool", "complex", "object")  # NumPy had Python's
# NumPy 2 removed the names on the left.
_RENAMED = {
    "tostring": "tobytes",
    "itemset": "__setitem__",
    "Inf": "inf",
    "infty": "inf",
}
_TEXT = f"{HELPER}.resolve('tensorflow.compat.v1.compat.as_text')"
# Original -> what is replaced in its text, and by what.
CORRECTIONS = {
    "contrib/checkpoint/python/python_state.py": {
        # What restores objects sets a property, which sets the attribute that was set directly.
        'name not in ("_self_setattr_tracking", "_self_update_uid")': 'name not in ("_self_setattr_tracking", "_self_update_uid", "_update_uid")',
    },
    "contrib/distribute/python/mirrored_strategy.py": {
        # The strategies that it derives from read the first key of their collectives.
        "extended = MirroredExtended(self, devices, num_gpus,": "self._collective_key_base = 0\n    extended = MirroredExtended(self, devices, num_gpus,",
    },
    "contrib/framework/python/ops/variables.py": {
        # NumPy no longer takes a list of slices as an index.
        "ckpt_value[slice_dims]": "ckpt_value[tuple(slice_dims)]",
    },
    "contrib/learn/python/learn/learn_io/data_feeder.py": {
        # NumPy 2 refuses this where it must copy.
        "np.array(array, dtype=dtype, order=None, copy=False)": "np.asarray(array, dtype)",
    },
    "contrib/learn/python/learn/learn_io/generator_io.py": {
        # Python 3.10 dropped the other name.
        "from collections import Container": "from collections.abc import Container",
    },
    "contrib/losses/python/metric_learning/metric_loss_ops.py": {
        # Importing scikit-learn takes longer than all of contrib, and few programs use it.
        "  from sklearn import metrics\n  HAS_SKLEARN = True\n": f"  HAS_SKLEARN = {HELPER}.is_installed('sklearn')\n",
        "  if not HAS_SKLEARN:\n": "  global metrics\n  if HAS_SKLEARN:\n    from sklearn import metrics\n  else:\n",
    },
    "python/autograph/impl/conversion.py": {
        # Python 3.12 dropped imp.
        "import imp\n": "import types\n",
        "imp.new_module(": "types.ModuleType(",
    },
    "python/autograph/pyct/compiler.py": {
        # Python 3.12 dropped imp.
        "import imp\n": "import importlib.machinery\n",
        "imp.load_source(module_name, f.name)": "importlib.machinery.SourceFileLoader(module_name, f.name).load_module()",
    },
    "python/data/ops/dataset_ops.py": {
        # An argument has a new name.
        "whitelisted_stateful_ops=": "allowlisted_stateful_ops=",
    },
    "python/data/ops/iterator_ops.py": {
        # There is no such dtype; only newer functions ask an iterator for its parts.
        "tensor_spec.TensorSpec([], dtypes.scalar)": "tensor_spec.TensorSpec([], dtypes.variant)",
    },
    "python/data/ops/multi_device_iterator_ops.py": {
        "tensor_spec.TensorSpec([], dtypes.scalar)": "tensor_spec.TensorSpec([], dtypes.variant)",
    },
    "python/framework/tensor_util.py": {
        # Unknown sizes are None; NumPy used to make arrays of objects from values of different
        # shapes.
        "return np.array(values)\n": "return np.array(values, object if any(x is None for x in values) else None)\n",
    },
    "python/keras/callbacks.py": {
        # Since NumPy 2 a float32 number times a Python number is not a float64.
        "] += v * batch_size": "] += np.float64(v) * batch_size",
        "] = v * batch_size": "] = np.float64(v) * batch_size",
    },
    "python/keras/engine/training_utils.py": {
        "self.results[0] += batch_outs[0]": "self.results[0] += np.float64(batch_outs[0])",
    },
    "python/keras/layers/core.py": {
        # Shapes take integers only, and the product of zero dimensions is 1.0.
        "[np.prod(input_shape[1:])]": "[int(np.prod(input_shape[1:]))]",
    },
    "python/keras/layers/normalization.py": {
        # Python 3.13 removes the indentation of docstrings, for which this looks.
        "    assert old in string\n": "",
    },
    "python/keras/saving/hdf5_format.py": {
        # h5py reads text as str or as bytes, and so does json.
        "_config.decode('utf-8')": "_config",
        "f.attrs['keras_version'].decode('utf8')": f"{_TEXT}(f.attrs['keras_version'])",
        "f.attrs['backend'].decode('utf8')": f"{_TEXT}(f.attrs['backend'])",
        "n.decode('utf8')": f"{_TEXT}(n)",
    },
    "python/keras/saving/saved_model/utils.py": {
        # Signatures are made of it now, which do not take a name twice.
        "kwonlyargs.append('training')": "'training' in kwonlyargs or kwonlyargs.append('training')",
    },
    "python/ops/array_ops.py": {
        # NumPy no longer converts an array of one number to a number.
        "int(batch_dims_)": "int(np.squeeze(batch_dims_))",
        "np.core.numerictypes.ScalarType": "np.ScalarType",
    },
    "python/ops/signal/util_ops.py": {
        # Python moved the only function that is used from it.
        "import fractions\n": "import math as fractions\n",
    },
    "python/ops/variable_scope.py": {
        # A metric has a name once in a process, and TensorFlow's own module took this one.
        '"/tensorflow/api/resource_variables"': '"/tensorflow/api/resource_variables_of_1_15"',
    },
    "python/training/optimizer.py": {
        # Makes 1.15's optimizers subclasses of `tf.train.Optimizer`, for isinstance and
        # `__init_subclass__`.
        "keyed to graphs).\n    trackable.Trackable):": f"keyed to graphs).\n    {HELPER}.resolve('tensorflow.compat.v1.train.Optimizer')):",
    },
    # The message no longer has this field; a message keeps the bytes of fields that it does not
    # have.
    "python/training/tracking/base.py": {
        "serialized_tensor.optional_restore": r'serialized_tensor.SerializeToString().endswith(b"\x20\x01")',
    },
    "python/training/tracking/graph_view.py": {
        "attribute.optional_restore = optional_restore": r'attribute.MergeFromString(b"\x20\x01" if optional_restore else b"")',
    },
    "python/training/training_util.py": {
        # NumPy no longer converts an array of one number to a number.
        "return int(sess.run(global_step_tensor))": "return int(sess.run(global_step_tensor).item())",
    },
    "tensorflow_estimator/python/estimator/canned/optimizers.py": {
        # Python removed the function.
        "signature = inspect.getargspec(": "signature = inspect.getfullargspec(",
    },
}
# This file holds the whole rewriting.
_REWRITING = kept_code.checksum([__file__])


def load_code(root: str, path: str, package: str = folder.ROOT) -> types.CodeType:
    """Returns the code object of an original, compiled or kept;
    `path` is its file below root and package.
    """
    source = os.path.join(root, package, path)
    name = path if package == folder.ROOT else os.path.join(package, path)
    entry = kept_code.entry(root, name, source, _REWRITING)
    made: types.CodeType | None = entry.read()
    if made is None:
        with open(source, "rb") as file:
            made = compile_original(correct(name, file.read()), source, path)
        entry.keep(made)
    return made


def correct(name: str, text: bytes) -> bytes:
    """Returns the text of the original `name` with its corrections."""
    for old, new in CORRECTIONS.get(name.replace(os.sep, "/"), {}).items():
        text = text.replace(old.encode(), new.encode())
    return text


def compile_original(source: bytes, file: str, path: str) -> types.CodeType:
    """Compiles `source`, the bytes of the `file` at `path` below `tensorflow_core`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escape sequences
        tree = ast.parse(source, file)
        if path.endswith("_pb2.py"):
            tree.body = _messages(tree)
        elif _GENERATED.search(path):
            tree.body = _wrappers(tree)
        package = "tensorflow." + os.path.dirname(path).replace(os.sep, ".")
        tree = _Imports(package).visit(tree)
        return compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)


class _Imports(ast.NodeTransformer):
    """Redirects imports of TensorFlow. Relative imports start from `package`."""

    def __init__(self, package: str) -> None:
        self._package = package

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Updates names that NumPy renamed or that Python moved to `collections.abc`."""
        self.generic_visit(node)
        node.attr = _RENAMED.get(node.attr, node.attr)
        owner = node.value.id if isinstance(node.value, ast.Name) else None
        if owner in ("collections", "collections_lib") and node.attr in collections.abc.__all__:
            node.value = ast.Attribute(node.value, "abc", ast.Load())
        elif owner in ("np", "numpy") and node.attr in _OF_NUMPY:
            return ast.copy_location(ast.Name(node.attr, node.ctx), node)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        """Assigns each name separately."""
        relative = "." * node.level + (node.module or "")
        try:
            module = importlib.util.resolve_name(relative, self._package)
        except ImportError:  # one that is tried, of what Google has beside TensorFlow
            return node
        if module.split(".")[0] != "tensorflow":
            return node
        if node.names[0].name == "*":
            return _statements(f"{HELPER}.star({module!r}, globals())", node)
        return [
            statement
            for alias in node.names
            for statement in _statements(
                f"{alias.asname or alias.name} = {HELPER}.name({module!r}, {alias.name!r})", node
            )
        ]

    def visit_Import(self, node: ast.Import) -> ast.stmt | list[ast.stmt]:
        """Separates TensorFlow's modules from others."""
        others = [alias for alias in node.names if alias.name.split(".")[0] != "tensorflow"]
        ours = [alias for alias in node.names if alias not in others]
        if not ours:
            return node
        kept: list[ast.stmt] = [ast.copy_location(ast.Import(others), node)] if others else []
        for alias in ours:
            bound = alias.name if alias.asname else "tensorflow"
            kept += _statements(
                f"{HELPER}.module({alias.name!r})\n"  # imports it
                f"{alias.asname or 'tensorflow'} = {HELPER}.module({bound!r})",
                node,
            )
        return kept


def _wrappers(tree: ast.Module) -> list[ast.stmt]:
    """Returns the functions of a generated module, each of which calls its op,
    and the defaults of their arguments.
    """
    kept: list[ast.stmt] = [
        node
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        and any(alias.asname in ("_dtypes", "_execute") for alias in node.names)
    ]
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name.endswith("_eager_fallback"):
            continue
        op = _op_type(node)
        if op:
            node.body = node.body[:1] + _statements(f"return {HELPER}.op({op!r}, locals())", node)
            is_dispatched = any(
                getattr(each, "attr", None) == "add_dispatch_list" for each in node.decorator_list
            )
            node.decorator_list = [ast.Name("_dispatched", ast.Load())] if is_dispatched else []
            kept.append(node)
    return (
        _statements(
            f"_dispatched = {HELPER}.name('tensorflow.python.util.dispatch', 'add_dispatch_support')",
            tree.body[0],
        )
        + kept
    )


def _op_type(function: ast.FunctionDef) -> str | None:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", None) in (
            "apply_op_helper",
            "_apply_op_helper",
        ):
            return str(ast.literal_eval(node.args[0]))
    return None


def _messages(tree: ast.Module) -> list[ast.stmt]:
    """Returns the imports of a module of message classes,
    and what makes the classes of its serialized file.
    """
    imports = [
        node
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tensorflow"
    ]
    return [
        *imports,
        *_statements(f"{HELPER}.messages({serialized_file(tree)!r}, globals())", tree.body[0]),
    ]


def serialized_file(tree: ast.Module) -> bytes:
    """Returns the serialized file descriptor of a module of message classes;
    StopIteration for another form.
    """
    serialized = next(
        keyword.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "serialized_pb"
    )
    # A call is `_b('...')`, for Python 2 and 3.
    text = serialized.args[0] if isinstance(serialized, ast.Call) else serialized
    value = ast.literal_eval(text)
    return value.encode("latin1") if isinstance(value, str) else bytes(value)


def _statements(text: str, place: ast.AST) -> list[ast.stmt]:
    """Returns the statements of a text, with the line of the node that they replace."""
    made = ast.parse(text)
    for node in ast.walk(made):
        ast.copy_location(node, place)
    return made.body
