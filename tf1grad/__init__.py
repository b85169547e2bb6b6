"""TensorFlow 1 session recipes for gradients, right on TF 1.15 and on the newest TF 2.x."""

__version__ = "1.0.0"
