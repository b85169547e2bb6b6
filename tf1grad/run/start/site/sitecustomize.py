"""Lets Python children of a program under `tf1grad run` find TensorFlow 1 as the program does.

The command puts this folder in front of their PYTHONPATH. Another sitecustomize that is installed
runs as well. Any Python may be started, also Python 2: one that is not the command's own is left
unchanged.
"""

import importlib
import json
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_the_other():
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
    this = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = this


def _follow():
    options = json.loads(os.environ.get("TF1GRAD_RUN", "{}"))
    if options.get("environment") == [sys.prefix, sys.version]:
        root = os.path.abspath(os.path.join(_HERE, *[os.pardir] * 4))
        if root not in map(os.path.abspath, sys.path):
            sys.path.append(root)
        from tf1grad.run.start import startup

        startup.join(options)


_run_the_other()
_follow()
