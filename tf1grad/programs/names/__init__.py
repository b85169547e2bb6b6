"""Holds what became of each old name, as data.
This room neither reads a program nor imports TensorFlow.
"""
