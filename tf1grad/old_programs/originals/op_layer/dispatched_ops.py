"""Generated functions whose calls other classes than tensors take over; as they are installed they let none of 1.15's.

Ragged and sparse tensors do, and linear operators.
"""

from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import singular_matrices
from tf1grad.old_programs.originals.op_layer.installed import dispatch

NAMES = {"gen_math_ops": "acos add ceil exp floor rsqrt sign sqrt", "gen_string_ops": "string_join",
         "gen_linalg_ops": singular_matrices.NAMES}

for _module, _names in NAMES.items():
    _is_checked = _module == "gen_linalg_ops"
    _place = "tf1grad.old_programs.originals.singular_matrices" if _is_checked else "tensorflow.python.ops." + _module
    for _name in _names.split():
        globals()[_name] = dispatch.add_dispatch_support(_compat.resolve(f"{_place}.{_name}"))
