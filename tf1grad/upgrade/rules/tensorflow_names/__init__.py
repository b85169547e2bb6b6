"""Holds the rules about names of TensorFlow that moved or are gone,
and about the switch to graphs.
"""
