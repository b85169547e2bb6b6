"""Holds the gradient recipes: the path of a gradient from the loss to the variable,
for sessions of TensorFlow 1.
"""
