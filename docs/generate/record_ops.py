"""Records the ops of TensorFlow 1.15: the names of all,
and the signatures of those without a kernel in TensorFlow 2.

    NEW/python docs/generate/record_ops.py --today today.json
    OLD/python docs/generate/record_ops.py today.json

OLD is TensorFlow 1.15.5, whose contrib libraries the second command loads; NEW is the newest
TensorFlow. `ops.txt` beside this file gets the names by library. `gone_ops.txt` of the package gets
a line for each op that NEW does not register, or has lost the kernel for CPUs of. Ops with a name
that begins with `_` are TensorFlow's own.
"""

import glob
import json
import os
import sys

import tensorflow as tf
from tensorflow.python.framework import kernels

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = os.path.join(HERE, "ops.txt")
GONE = os.path.join(
    os.path.dirname(os.path.dirname(HERE)), "tf1grad", "run", "gone_ops", "gone_ops.txt"
)


def registered():
    """Returns the definitions of all registered ops by name."""
    from tensorflow.core.framework import op_def_pb2

    if tf.__version__.startswith("1."):
        from tensorflow.python import pywrap_tensorflow as session
    else:
        from tensorflow.python.client import pywrap_tf_session as session
    ops = op_def_pb2.OpList.FromString(session.TF_GetBuffer(session.TF_GetAllOpList())).op
    return {op.name: op for op in ops if not op.name.startswith("_")}


def with_kernels():
    """Returns the names of all ops that have a kernel for CPUs."""
    return {
        kernel.op
        for kernel in kernels.get_all_registered_kernels().kernel
        if kernel.device_type == "CPU"
    }


def libraries():
    """Loads the libraries of contrib, and returns the names of their ops,
    and of TensorFlow's own, by library.
    """
    import tensorflow_core

    contrib = os.path.join(os.path.dirname(tensorflow_core.__file__), "contrib", "")
    found = {"core": sorted(registered())}
    for path in sorted(glob.glob(contrib + "**/_*.so", recursive=True)) + [
        contrib + "ffmpeg/ffmpeg.so"
    ]:
        before = set(registered())
        tf.load_op_library(path)
        library = "contrib." + path[len(contrib) :].split("/")[0]
        found[library] = sorted(set(found.get(library, [])) | set(registered()) - before)
    return found


def line(library, op):
    """Returns the line of an op in `gone_ops.txt`."""
    return (
        json.dumps(
            [
                op.name,
                library,
                [[arg.name, _type(arg)] for arg in op.input_arg],
                [[arg.name, _type(arg)] for arg in op.output_arg],
                [[attr.name, attr.type, _default(attr)] for attr in op.attr],
            ]
        )
        + "\n"
    )


def _type(arg):
    """Returns the dtype or the attribute that gives it,
    with `*attribute` for a list and `&` for a reference.
    """
    dtype = arg.type_attr or arg.type_list_attr or tf.as_dtype(arg.type).name
    return dtype + ("*" + arg.number_attr if arg.number_attr else "") + "&" * arg.is_ref


def _default(attr):
    """Returns the default of an attribute; that of a dtype without one is float32,
    or else the first allowed dtype.
    """
    if attr.HasField("default_value"):
        value = attr.default_value
        kind = value.WhichOneof("value")
        if kind == "type":
            return tf.as_dtype(value.type).name
        if kind in ("s", "b", "i", "f"):
            return value.s.decode() if kind == "s" else getattr(value, kind)
        if kind == "list":
            return [
                item.decode() if isinstance(item, bytes) else item
                for _, items in value.list.ListFields()
                for item in items
            ]
        return str(value).strip()
    allowed = attr.allowed_values.list.type
    if attr.type == "type" and allowed:
        return "float32" if tf.float32.as_datatype_enum in allowed else tf.as_dtype(allowed[0]).name
    return None


def main():
    """Writes what the arguments say."""
    if sys.argv[1] == "--today":
        with open(sys.argv[2], "w") as file:
            json.dump({"registered": sorted(registered()), "kernels": sorted(with_kernels())}, file)
        return
    with open(sys.argv[1]) as file:
        today = json.load(file)
    old_kernels = with_kernels()
    found = libraries()
    old_kernels |= with_kernels()
    definitions = registered()
    with open(NAMES, "w") as file:
        for library, names in found.items():
            file.write(f"{library}: {' '.join(names)}\n")
    kept = set(today["registered"]) - (old_kernels - set(today["kernels"]))
    with open(GONE, "w") as file:
        file.writelines(
            line(library, definitions[name])
            for library, names in found.items()
            for name in names
            if name not in kept
        )


if __name__ == "__main__":
    main()
