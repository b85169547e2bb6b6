"""Accumulates gradients over micro-batches: in variables between runs, inside one run, or in Python.

Functions that make the gradient of a large batch from those of its parts belong here. This room knows neither wrapped
optimizers nor hooks; it is given an object with `apply_gradients`.
"""
