"""Runs the first steps of a script under two Pythons and compares them."""
