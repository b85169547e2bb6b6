"""Adds dispatch to generated op functions, so that 1.15's ragged, sparse and linear-operator classes can override them.

The installed functions do not dispatch to 1.15's classes.
"""

import inspect

from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import border, former_signatures
from tf1grad.old_programs.originals.op_layer.installed import dispatch

for _module, _names in border.DISPATCHED.items():
    _is_checked = _module == "gen_linalg_ops"
    _place = "tf1grad.old_programs.originals.singular_matrices" if _is_checked else "tensorflow.python.ops." + _module
    for _name in _names.split():
        _function = _compat.resolve(f"{_place}.{_name}")
        former_signatures.remove_annotations(_function)
        _function.__signature__ = inspect.signature(_function)  # of the function that AutoGraph's decorators wrap
        globals()[_name] = dispatch.add_dispatch_support(_function)
