"""Writes the signatures of TensorFlow's public functions, as JSON.

    python tests/helpers/programs/public_signatures.py tests/recorded/public_signatures.json    # with TensorFlow 1.15

Libraries compare signatures, such as TensorFlow Probability those of its NumPy functions with TensorFlow's. A signature
is recorded once with all names that have it: `{signature: "tf.add tf.compat.v2.add ..."}`.
"""

import inspect
import json
import os
import re
import sys
import types
import warnings

_HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(_HERE, "..", "..", "recorded", "public_signatures.json")
_LEFT_OUT = ("app", "compat", "contrib", "core", "estimator", "flags", "logging", "python", "pywrap_tensorflow",
             "raw_ops", "tools")


def recorded():
    """Returns {name: signature} as TensorFlow 1.15.5 answers."""
    with open(RECORDED, encoding="utf-8") as file:
        return by_name(json.load(file))


def by_name(signatures):
    """Returns {name: signature} for {signature: names}."""
    return {name: signature for signature, names in signatures.items() for name in names.split()}


def _signature(value):
    from tensorflow.python.util import tf_inspect  # it looks behind TensorFlow's decorators
    try:
        spec = tf_inspect.getfullargspec(value)
    except TypeError:
        return None
    text = repr(tuple(spec[:6]) + (sorted(spec.annotations),))
    return re.sub(r"<(?:function|class|built-in function) ?'?([\w.]*)[^>]*>| at 0x[0-9a-f]+",
                  lambda match: (match.group(1) or "").rpartition(".")[2], text)


def names_in(module, prefix):
    """Yields the name and value of each function in a public module of TensorFlow and in its submodules."""
    for name in sorted(dir(module)):
        if name.startswith("_") or name in _LEFT_OUT:
            continue
        value = getattr(module, name, None)
        full = f"{prefix}.{name}"
        if isinstance(value, types.ModuleType):
            yield from names_in(value, full) if "tensorflow" in value.__name__ and full.count(".") < 5 else ()
        elif callable(value) and not inspect.isclass(value):
            yield full, value


def value_of(tf, name):
    """Returns the public value of a full name such as "tf.nn.relu".

    Raises:
        AttributeError: it does not exist.
    """
    value = tf
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def _signatures(tf):
    if os.path.exists(RECORDED):
        for name in recorded():
            try:
                yield name, _signature(value_of(tf, name))
            except AttributeError:
                yield name, "gone"
    else:
        for module, prefix in ((tf, "tf"), (tf.compat.v2, "tf.compat.v2")):
            yield from ((name, _signature(value)) for name, value in names_in(module, prefix))


def main():
    """Writes the signatures in the TensorFlow that `import tensorflow` gives into the file that is the argument."""
    warnings.simplefilter("ignore")
    import tensorflow as tf
    tf.logging.set_verbosity(tf.logging.ERROR)
    found = {}
    for name, signature in _signatures(tf):
        if signature is not None:
            found.setdefault(signature, []).append(name)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({signature: " ".join(names) for signature, names in sorted(found.items())}, file, indent=0)


if __name__ == "__main__":
    main()
