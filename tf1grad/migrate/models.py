"""Loads graphs of TensorFlow 1 with ops that TensorFlow 2 does not have.

`tf1grad.migrate.models.install()` lets all functions of TensorFlow that load graphs provide such
ops; `provide_missing_ops(graph_def)` returns a graph that loads without tf1grad.
"""

from tf1grad.run.gone_ops.graph_defs import install, missing_ops, provide_missing_ops

__all__ = ["install", "missing_ops", "provide_missing_ops"]
