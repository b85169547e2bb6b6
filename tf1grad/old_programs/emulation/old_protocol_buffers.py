"""Rewrites old modules of protocol buffer messages (`*_pb2.py`), which build descriptors that protobuf 4 refuses.

The classes are built from the serialized file in the module, with the installed protobuf.
"""

from __future__ import annotations

import ast
import importlib.util
from types import CodeType
from typing import Optional, Union

from tf1grad.old_programs.originals import rewritten_code

SUFFIX = "_pb2.py"
_OLD = b"serialized_pb="
_BUILDER = "google.protobuf.internal.builder"  # of protobuf 3.20 and later
_BUILD = "from tf1grad.old_programs import _compat as _tf1grad\n_tf1grad.build_messages({!r}, globals())\n"


def compiled(source: bytes, file: str) -> Optional[CodeType]:
    """Returns the code of a module of messages; None for one that the installed protobuf takes unchanged."""
    if not file.endswith(SUFFIX) or _OLD not in source or importlib.util.find_spec(_BUILDER) is None:
        return None
    tree = ast.parse(source, file)
    build = ast.parse(_BUILD.format(rewritten_code.serialized_file(tree)), file)
    tree.body = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom)) and _is_needed(node)]
    tree.body += build.body
    code: CodeType = compile(tree, file, "exec", dont_inherit=True)
    return code


def _is_needed(node: Union[ast.Import, ast.ImportFrom]) -> bool:
    """Returns True for imports of other messages, also of those that the module shows as its own."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return True
    return any(alias.name.endswith("_pb2") or alias.name == "*" for alias in node.names)
