"""Reimplements, for upgraded programs, names of TensorFlow 1 that no maintained library has."""
