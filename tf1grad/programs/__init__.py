"""Holds what the commands know of old programs: their names, text and process, and what
surrounded TensorFlow 1.15.
"""
