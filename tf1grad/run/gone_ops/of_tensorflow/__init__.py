"""Builds ops that lost their kernels with TensorFlow 1 from ops that TensorFlow still has,
in a module per subject.

A function takes the inputs and attributes of the op by name, sets the ranks that the op accepts,
and returns the op's output. `gone_ops.txt` has their dtypes, and the library of TensorFlow 1.15
that had the op.
"""
