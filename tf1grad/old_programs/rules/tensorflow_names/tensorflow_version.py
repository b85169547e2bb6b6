"""The version of TensorFlow is tested.

The code after such a test was written before version 2 existed, such as a check that the major version is 1. If
versions are compared as strings, "1.12" is less than "1.4". A test that has the same result for version 1.15 and for
version 2, such as `tf.__version__ < "1.0"`, is not reported.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Callable

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.name_resolution import Use
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.scopes import call_name, dotted
from tf1grad.old_programs.source.version_tests import evaluated

ID = "TFG106"
NAME = "version-test"
SEVERITY = "warning"
OF_TENSORFLOW_2 = True
SUMMARY = "The version of TensorFlow is tested, by code that expects version 1."
REMEDY = "Keep the branch of version 1.15."
REPORTED_BY_UPGRADE = True
EXAMPLE = """
  x = tf.placeholder(tf.float32)
- if tf.__version__.startswith("1."):
-     initialize = tf.global_variables_initializer()
- else:
-     initialize = tf.initialize_all_variables()
+ initialize = tf.global_variables_initializer()
"""
_VERSIONS = ("tensorflow.__version__.", "tensorflow.VERSION.", "tensorflow.version.VERSION.")
OLD = "1.15.5"
_TESTS = (ast.Compare, ast.If, ast.IfExp, ast.Assert)
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "list": tuple,
    "tuple": tuple,
    "map": lambda function, values: tuple(map(function, values)),
    **dict.fromkeys(
        ("LooseVersion", "StrictVersion", "Version", "parse", "parse_version"),
        lambda version: tuple(map(int, re.findall(r"\d+", version))),
    ),
}


def findings(program: Program) -> Findings:
    """Yields the uses of the version in a comparison, a condition or an assertion with another result than in 1.15."""
    for use in program.names.uses if program.is_tf1 else ():
        if (use.name + ".").startswith(_VERSIONS):
            around = list(program.above(use.node))
            is_tested = any(isinstance(outer, _TESTS) for outer in around)
            if is_tested and not any(_is_harmless(program, use, outer) for outer in around):
                yield use.node


def _is_harmless(program: Program, use: Use, test: ast.AST) -> bool:
    """Returns True for a comparison that has the same result for version 1.15 and for later ones."""
    if not isinstance(test, (ast.Call, ast.Compare)) or call_name(test) not in (None, "startswith"):
        return False

    def result(version: str) -> bool | None:
        return evaluated(
            test, lambda node: version if dotted(node) == written else None, _FUNCTIONS
        )

    is_method = use.name + "." not in _VERSIONS
    written = use.text.rpartition(".")[0] if is_method else use.text
    results = {result(version) for version in (OLD, program.installed.version or "2.4.0", "2.21.0")}
    return len(results) == 1 and None not in results
