"""Nothing switches TensorFlow 2 to graphs.

The program takes its names from compat.v1 and never leaves eager execution, in which placeholders
and sessions raise. `tf.compat.v1.placeholder`, written in full, raises as well. There `upgrade`
adds the switch and leaves `import tensorflow as tf`, since `tf.X` has the meaning of TensorFlow 2.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from tf1grad.programs.source import entry_points
from tf1grad.programs.source.name_resolution import ImportStatement
from tf1grad.programs.source.program import Program

ID = "TFG108"
SEVERITY = "error"
OF_TENSORFLOW_2 = True
SUMMARY = "Nothing in the program switches TensorFlow 2 to graphs."
REMEDY = "Call tf.compat.v1.disable_v2_behavior() after the imports of the entry-point file."
EXAMPLE = """
- import tensorflow.compat.v1 as tf
-
  x = tf.placeholder(tf.float32)
"""


def findings_across(programs: Sequence[Program]) -> Iterator[tuple[Program, ImportStatement]]:
    """Yields the first import of TensorFlow in each entry-point file,
    if no file switches to graphs.
    """
    if any(
        entry_points.switches(program) or any(call.method == "as_default" for call in program.calls)
        for program in programs
    ):
        return
    for program in programs:
        imports = entry_points.tensorflow_imports(program)
        is_started = entry_points.is_started(program) or program.together.modules.calls_imported(
            program
        )
        if imports and is_started:
            if any(each.is_compat for each in program.reached):
                yield program, imports[0]
