"""Reads graphs that were written as text, with the classes of TensorFlow's messages."""

from __future__ import annotations

import importlib
import re
from typing import Any

from tf1grad.old_programs import _compat
from tf1grad.old_programs.models.graph_messages import Bytes, Damaged

_BEGINNING = re.compile(rb"\s*(#.*\n\s*)*[a-z_]+\s*(\{|:)")
_CLASSES = (
    "tensorflow.core.protobuf.saved_model_pb2.SavedModel",
    "tensorflow.core.protobuf.meta_graph_pb2.MetaGraphDef",
    "tensorflow.core.framework.graph_pb2.GraphDef",
)


def in_binary_form(data: Bytes) -> Bytes:
    """Returns the content of a file in binary form, which needs TensorFlow if it is a text.

    Raises:
        Damaged: it is a text, but not that of a graph.
    """
    if _BEGINNING.match(bytes(data[:200])) is None:
        return data
    text_format = importlib.import_module("google.protobuf.text_format")
    text = bytes(data).decode("utf-8", "replace")
    for name in _CLASSES:
        message: Any = _compat.resolve(name)()
        try:
            text_format.Parse(text, message)
        except text_format.ParseError:
            continue
        return bytes(message.SerializeToString())
    raise Damaged("it is cut off, or not the text form of a graph")
