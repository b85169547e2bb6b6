"""Holds the rules about names and calls that left Python, NumPy and other libraries."""
