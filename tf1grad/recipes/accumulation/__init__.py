"""Accumulates gradients over micro-batches:
in variables between runs, inside one run, or in Python.

Functions that make the gradient of a large batch from those of its parts belong here. They are
given an object with `apply_gradients`; wrapped optimizers and hooks use them from above.
"""
