"""Generated functions whose calls other classes than tensors take over; as they are installed they let none of 1.15's.

Ragged and sparse tensors do, and linear operators.
"""

from tf1grad.migrate import _compat, singular
from tf1grad.migrate.originals.op_layer.installed import dispatch

NAMES = {"gen_math_ops": "acos add ceil exp floor rsqrt sign sqrt", "gen_string_ops": "string_join",
         "gen_linalg_ops": singular.NAMES}

for _module, _names in NAMES.items():
    _place = "tf1grad.migrate.singular" if _module == "gen_linalg_ops" else "tensorflow.python.ops." + _module
    for _name in _names.split():
        globals()[_name] = dispatch.add_dispatch_support(_compat.resolve(f"{_place}.{_name}"))
