"""Records the names of `tensorflow.python` on 1.15.5, each with its module's name or null,
or prints them as JSON.
"""

import json
import sys
import types

import tensorflow.python

import records


def module_name(name):
    """Returns the name of the module that a name is, None where it is none,
    and "missing" without the name.
    """
    value = getattr(tensorflow.python, name, "missing")
    if isinstance(value, types.ModuleType):
        return value.__name__.replace("tensorflow_core", "tensorflow")
    return "missing" if isinstance(value, str) and value == "missing" else None


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        names = sorted(name for name in dir(tensorflow.python) if name[:2] != "__")
        records.write("python_names", {name: module_name(name) for name in names})
    else:
        print(json.dumps({name: module_name(name) for name in records.read("python_names")}))
