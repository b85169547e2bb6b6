"""Lets tf_keras, tf_slim and tensorflow_estimator work with TensorFlow 2.16 and later.
Import it before TensorFlow.
"""

from tf1grad.run.originals import legacy_packages

legacy_packages.prepare()
