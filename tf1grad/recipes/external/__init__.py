"""Minimizes losses with optimizers outside TensorFlow:
SciPy, or any optimizer of a function of one float64 vector.

Functions that turn variables into a vector, evaluate a loss there or hold a search belong here.
This room knows prepared runs; it does not know how TensorFlow's optimizers apply gradients.
"""
