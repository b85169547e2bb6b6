"""Builds ops whose kernels TensorFlow 2 lacks from ops that it still has, one op per module.

A module's `build` takes the inputs and attributes of the op by name, and returns the op's output.
"""
