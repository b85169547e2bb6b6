"""initialized_value() fails for resource variables.

From TensorFlow 2.13 on it raises an empty NotImplementedError for resource variables.
"""

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Program, argument
from tf1grad.old_programs.source.scopes import constant

ID = "TFG307"
SEVERITY = "warning"
SUMMARY = (
    "initialized_value() raises NotImplementedError for resource variables from TensorFlow 2.13 on."
)
REMEDY = "Use variable.initial_value, or zeros of the variable's shape."
EXAMPLE = """
  w = tf.get_variable("w", [3], use_resource=True)
- copy = tf.Variable(w.initialized_value())
+ copy = tf.Variable(w.initial_value)
"""


def findings(program: Program) -> Findings:
    if any(
        call.name == "tensorflow.enable_resource_variables"
        or constant(argument(call.node, None, "use_resource")) is True
        for call in program.calls
    ):
        return [call.node for call in program.calls if call.method == "initialized_value"]
    return []
