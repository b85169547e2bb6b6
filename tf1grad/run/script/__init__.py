"""Runs the program: a script, a module, a notebook or a test suite;
compiles its modules and shows its errors.
"""
