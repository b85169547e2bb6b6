"""Generated functions whose calls ragged and sparse tensors take over; as they are installed they let nobody."""

from tf1grad.migrate import _compat
from tf1grad.migrate.originals.op_layer.installed import dispatch

NAMES = {"gen_math_ops": "acos add ceil exp floor rsqrt sign sqrt", "gen_string_ops": "string_join"}

for _module, _names in NAMES.items():
    for _name in _names.split():
        _generated = _compat.resolve("tensorflow.python.ops.%s.%s" % (_module, _name))
        globals()[_name] = dispatch.add_dispatch_support(_generated)
