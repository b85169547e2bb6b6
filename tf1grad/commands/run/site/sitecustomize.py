"""Python children of a program under `tf1grad run` find TensorFlow 1 as it does.

The command puts this folder in front of their PYTHONPATH. A sitecustomize that is there already runs as well.
"""

import importlib
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_the_other():
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
    this = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = this


def _follow():
    root = os.path.abspath(os.path.join(_HERE, *[os.pardir] * 4))
    if root not in map(os.path.abspath, sys.path):
        sys.path.append(root)
    from tf1grad.commands.run import children
    children.join()


_run_the_other()
_follow()
