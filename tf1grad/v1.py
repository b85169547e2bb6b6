"""Makes this process see TensorFlow 1.15: `import tf1grad.v1 as tf`,
in the place of `import tensorflow as tf`.

The line is the first import of TensorFlow in a process. From there on the process is as under
`tf1grad run`, with the installed NumPy: the module is TensorFlow 1.15, and so is the TensorFlow
that the program's other modules import. On TensorFlow 1.15 itself it is that TensorFlow.

Raises ImportError if a module of the program has imported TensorFlow before, or if the period layer
cannot be fetched. Threads may import it at the same time: Python lets one of them prepare the
process.
"""

import sys

from tf1grad.cli.run import options_from_environment
from tf1grad.run.start import import_line

# Type checkers and editors read v1.pyi, which has the names.
sys.modules[__name__] = import_line.provide_tensorflow(options_from_environment())
