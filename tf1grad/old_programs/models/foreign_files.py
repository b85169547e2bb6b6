"""Recognizes files that are no models of TensorFlow 1 by their first bytes, and names what reads them."""

from __future__ import annotations

from typing import Optional

from tf1grad.old_programs.models.graph_messages import Bytes

_IMAGE = "it is an image, not a model. Name the model that reads it."
# The place and the value of a format's mark, and a sentence for users.
_FORMATS = (
    (4, b"TFL3", "it is a TensorFlow Lite model, which tf.lite.Interpreter(model_path=...) reads. To convert a "
                 "model, name the file that the TensorFlow Lite model was made from."),
    (0, b'{"class_name"', "it is a Keras model without its weights. Build it with keras.models.model_from_json, "
                          "call its load_weights, and save it with model.save."),
    (0, b"\xff\xd8\xff", _IMAGE),
    (0, b"\x89PNG", _IMAGE),
    (0, b"GIF8", _IMAGE),
    (0, b"PK\x03\x04", "it is a zip archive, not a model file. Unpack an archive and name the model in it; "
                       "numpy.load reads .npz, and keras.models.load_model reads .keras."),
    (0, b"\x1f\x8b", "it is compressed, not a model file. Unpack it and name the model in it."),
    (0, b"\x93NUMPY", "it is an array, not a model. numpy.load reads it."),
    (0, b"\x80", "it is a pickle, not a model file. The program that wrote it reads it."),
    (21, b"brain.Event:", "it is the log of a training, not a model. TensorBoard reads it."),
)


def description(data: Bytes) -> Optional[str]:
    """Returns what a file of another kind is and what reads it; None for an unknown one."""
    return next((says for place, mark, says in _FORMATS if data[place:place + len(mark)] == mark), None)
