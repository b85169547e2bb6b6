"""Import this before TensorFlow: 2.16 and later then have `tf.layers` and the cells of TensorFlow 1, where tf_keras is.

It sets an environment variable for this process, and does nothing where TensorFlow is older or tf_keras is missing.
"""

from tf1grad.migrate import _compat

_compat.ask_for_legacy_keras()
