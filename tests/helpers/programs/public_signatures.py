"""Writes the signatures of the public functions that the record names, as JSON.

    python tests/helpers/programs/public_signatures.py tests/recorded/public_signatures.json    # with TensorFlow 1.15

Libraries compare signatures, such as TensorFlow Probability those of its NumPy functions with TensorFlow's. A signature
is recorded once with all names that have it: `{signature: "tf.add tf.compat.v2.add ..."}`.
"""

import json
import re
import sys
import warnings

import records


def recorded():
    """Returns {name: signature} as TensorFlow 1.15.5 answers."""
    return by_name(records.read("public_signatures"))


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
    for name in recorded():
        try:
            yield name, _signature(value_of(tf, name))
        except AttributeError:
            yield name, "gone"


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
