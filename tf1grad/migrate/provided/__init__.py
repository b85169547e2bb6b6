"""Reimplements, for `run`, names of TensorFlow 1 that no maintained library has."""
