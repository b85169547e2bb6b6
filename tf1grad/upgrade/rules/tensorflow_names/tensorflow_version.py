"""The version of TensorFlow is tested.

The code after such a test was written before version 2 existed, such as a check that the major
version is 1. If versions are compared as strings, "1.12" is less than "1.4". A test that has the
same result for version 1.15 and for version 2, such as `tf.__version__ < "1.0"`, is not reported.
"""

import ast

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import call_name
from tf1grad.programs.source.version_tests import evaluate_test
from tf1grad.upgrade.rules import Findings

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
_TESTS = (ast.Compare, ast.If, ast.IfExp, ast.Assert)


def findings(program: Program) -> Findings:
    """Yields the uses of the version in a comparison,
    a condition or an assertion with another result than in 1.15.
    """
    for use in program.names.uses if program.is_tf1 else ():
        if (use.name + ".").startswith(_VERSIONS):
            is_method = use.name + "." not in _VERSIONS
            version = use.text.rpartition(".")[0] if is_method else use.text
            around = list(program.above(use.node))
            is_tested = any(isinstance(outer, _TESTS) for outer in around)
            if is_tested and not any(_is_harmless(outer, version) for outer in around):
                yield use.node


def _is_harmless(test: ast.AST, version: str) -> bool:
    """Returns True for a comparison that has the same result for version
    1.15 and for later ones.
    """
    if (
        isinstance(test, ast.Compare)
        or isinstance(test, ast.Call)
        and call_name(test) == "startswith"
    ):
        return evaluate_test(test, [version]) is not None
    return False
