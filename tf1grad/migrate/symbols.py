"""What provides each TensorFlow 1 name today: the one table behind `run`, `check` and `upgrade`.

Nothing is imported to answer: names are looked up in the modules that provide them only when they are used.
"""

import collections

# kind: "tensorflow" (compat.v1 still has it), "tf1grad", "library" (another package), or "gone".
# target: the dotted name to use instead, as it would be imported; None when gone.
# requirement: what to `pip install` for it; None when nothing more is needed.
# advice: one sentence for who meets the name.
Provision = collections.namedtuple("Provision", "kind target requirement advice")
