"""Ops that lost their kernels with TensorFlow 1, each built from ops that TensorFlow still has: one op a module.

A module's `build` takes the inputs and attributes of the op by their names, and gives its output.
"""
