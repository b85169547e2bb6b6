"""A file cannot be read as Python.

It cannot be opened or decoded, is no valid Python of either version, or is nested more deeply than Python itself can
read. The other files are read all the same.
"""

ID = "TFG001"
SEVERITY = "error"
SUMMARY = "A file cannot be read as Python."
REMEDY = "Correct it, or leave it out."
BAD = """
def f(:
"""
GOOD = """
def f():
    pass
"""
