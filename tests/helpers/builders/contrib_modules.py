"""Finds modules of `tf.contrib` for tests in one process:
TensorFlow 1.15's own, or the originals.
"""

import importlib

import tensorflow.compat.v1 as tf


def contrib_module(path):
    """Returns the module of `tf.contrib` at `path`."""
    if tf.__version__.startswith("1."):
        return importlib.import_module("tensorflow.contrib." + path)
    from tf1grad.run.originals import loader

    return loader.module("contrib." + path)
