"""The version of TensorFlow is tested.

The code after such a test was written before version 2 existed: `if tf.__version__ < "1.0"`, or a check that the
major version is 1. If versions are compared as strings, "1.12" is less than "1.4".
"""

import ast
from typing import Iterator, Union

from tf1grad.old_programs.source.program import Program

ID = "TFG106"
NAME = "version-test"
SEVERITY = "warning"
SUMMARY = "The version of TensorFlow is tested, by code that expects version 1."
REMEDY = "Keep the branch of version 1.15."
REPORTED_BY_UPGRADE = True
BAD = """
x = tf.placeholder(tf.float32)
if tf.__version__ < "1.0":
    initialize = tf.initialize_all_variables()
else:
    initialize = tf.global_variables_initializer()
"""
GOOD = """
x = tf.placeholder(tf.float32)
initialize = tf.global_variables_initializer()
"""
_VERSIONS = ("tensorflow.__version__", "tensorflow.VERSION", "tensorflow.version.VERSION")
_TESTS = (ast.Compare, ast.If, ast.IfExp, ast.Assert)


def findings(program: Program) -> Iterator[Union[ast.Name, ast.Attribute]]:
    """Yields the uses of the version in a comparison, a condition or an assertion."""
    for use in program.names.uses if program.is_tf1 else ():
        if use.name and (use.name + ".").startswith(tuple(name + "." for name in _VERSIONS)):
            if any(isinstance(outer, _TESTS) for outer in program.above(use.node)):
                yield use.node
