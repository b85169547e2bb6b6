"""Provides `tensorflow.tools.graph_transforms`:
TensorFlow 2 kept the transforms in its library, and not the function.

Source: `tensorflow/tools/graph_transforms/__init__.py` of TensorFlow 1.15.
"""

from typing import Any, Sequence

from tf1grad._compat import tf
from tf1grad.programs import _compat


def TransformGraph(
    input_graph_def: Any, inputs: Sequence[str], outputs: Sequence[str], transforms: Sequence[str]
) -> Any:
    """Returns a copy of a GraphDef with transforms applied, such as
    `fold_constants(ignore_errors=true)`.

    `inputs` names the nodes that are fed, `outputs` those that are fetched. An unknown transform or
    node raises InvalidArgumentError.
    """
    if _compat.is_version_1():
        return _compat.resolve("tensorflow.tools.graph_transforms.TransformGraph")(
            input_graph_def, inputs, outputs, transforms
        )
    transform = _compat.resolve(
        "tensorflow.python.util._pywrap_transform_graph.TransformGraphWithStringInputs"
    )
    try:
        changed = transform(
            input_graph_def.SerializeToString(),
            ",".join(inputs).encode(),
            ",".join(outputs).encode(),
            " ".join(transforms).encode(),
        )
    except ValueError as error:
        raise tf.errors.InvalidArgumentError(None, None, str(error)) from None
    return tf.GraphDef.FromString(changed)
