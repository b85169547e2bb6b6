"""Prints the ops of the same code as a library's and as the user's, under `tf1grad run`."""

import json
import os
import sysconfig

CODE = """
import tensorflow.compat.v1 as tf

def build():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3])
        y = x[0:tf.shape(x)[0]] / (x - 1.0)
        tf.gradients(tf.reduce_max(tf.nn.dropout(y, keep_prob=0.5)), x)
    return [operation.type for operation in graph.get_operations()]
"""


def ops(file):
    """Returns the types of the ops that the code makes when it stands in `file`."""
    module = {"__name__": "some_module", "__file__": file}
    exec(compile(CODE, file, "exec"), module)
    return module["build"]()


if __name__ == "__main__":
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    library = os.path.join(sysconfig.get_path("purelib"), "some_library", "layers.py")
    print(json.dumps([ops(library), ops(__file__), ops(library)]))
