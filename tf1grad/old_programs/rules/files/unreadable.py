"""A file cannot be read as Python.

It cannot be opened or decoded, is not valid Python of either version, or is nested more deeply than Python itself can
read. All other files are still read.
"""

ID = "TFG001"
SEVERITY = "error"
REMEDY = "Correct the file, or leave it out."
EXAMPLE = """
- def f(:
+ def f():
+     pass
"""
