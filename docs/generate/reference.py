"""Generates the API reference: mkdocstrings directives for the public names,
in the order of `tf1grad.__all__`.
"""

import ast
import os

import tf1grad

PUBLIC = os.path.join(os.path.dirname(tf1grad.__file__), "_public.py")


def rooms():
    """Returns the public names by the room of `recipes` that defines them."""
    with open(PUBLIC, encoding="utf-8") as file:
        imports = [node for node in ast.parse(file.read()).body if isinstance(node, ast.ImportFrom)]
    room_of = {alias.name: node.module.split(".")[2] for node in imports for alias in node.names}
    found = {}
    for name in tf1grad.__all__:
        found.setdefault(room_of[name], []).append(name)
    return found


def group(room):
    """Returns the directives for the public names of a room."""
    return "\n\n".join(f"::: tf1grad.{name}" for name in rooms()[room])
