"""`import tensorflow` now means TensorFlow 2.

The names of TensorFlow 1 are in `tensorflow.compat.v1`, on TensorFlow 1.13 and later and on every
TensorFlow 2. `tf.disable_v2_behavior()`, called once in the program, makes them behave as they did.
The same is true of imports from below, such as `from tensorflow.nn import dropout`, whose second
argument is the rate in version 2, and was the probability to keep.
"""

from tf1grad.programs.source import entry_points
from tf1grad.programs.source.guards import is_guarded
from tf1grad.programs.source.name_resolution import ImportStatement
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits import module_bindings
from tf1grad.upgrade.rules import Findings

ID = "TFG103"
SEVERITY = "error"
OF_TENSORFLOW_2 = True
REMEDY = "import tensorflow.compat.v1 as tf, and call tf.disable_v2_behavior() once; `tf1grad upgrade` writes both."
EXAMPLE = """
- import tensorflow as tf
-
  x = tf.placeholder(tf.float32)
"""


def findings(program: Program) -> Findings:
    """Yields the imports of plain `tensorflow`, and from below it, in a TensorFlow 1 program."""
    for node, _ in program.names.imports if program.is_tf1 else ():
        if entry_points.supports_both_versions(program, node) or _only_asks(program, node):
            continue
        names = list(entry_points.imported_names(node))
        if "tensorflow" in names or getattr(node, "module", None) == "tensorflow":
            yield node
            continue
        below = next(filter(module_bindings.is_public, names), None)
        if below is not None:
            module = "tensorflow.compat.v1" + below[len("tensorflow") :].rpartition(".")[0]
            yield (
                node,
                f"{below} now means TensorFlow 2's.",
                f"Import it from {module}; `tf1grad upgrade` does it.",
            )


def _only_asks(program: Program, node: ImportStatement) -> bool:
    """Returns True for an import in a `try`, in a file that uses no name of TensorFlow:
    it asks if one is installed.
    """
    return is_guarded(program, node) and not any(
        use.name.startswith("tensorflow.") for use in program.names.uses
    )
