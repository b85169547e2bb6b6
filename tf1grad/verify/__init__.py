"""Compares the first training steps of a script under two Python interpreters."""
