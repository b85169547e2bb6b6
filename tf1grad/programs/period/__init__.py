"""Brings what surrounded TensorFlow 1.15: its own Python files,
a NumPy that behaves like 1.x, and packages.

`layer` puts these parts in front of the user's packages, for one process; `run` begins with it.
`parts` lists them, `folder` finds them, `sources` fetches them and `installation` writes them,
completely or not at all. Nothing is installed among the user's packages, and this package contains
none of it.
"""
