"""What `tf.contrib.slim` had for gradients."""

from tf1grad.contrib.slim import learning

__all__ = ["learning"]
