"""Provides `tensorflow.tools.graph_transforms`, for upgraded programs."""

from tf1grad.run.originals.graph_transforms import TransformGraph

__all__ = ["TransformGraph"]
