"""How gradients cross runs: windows of micro-batches in variables, in one graph, or by way of Python.

What makes the gradient of a large batch from those of its parts may come in. The room does not know of optimizers
that are wrapped, nor of hooks; it is given something that has `apply_gradients`.
"""
