"""Makes the ops that contrib's generated wrappers call: the installed op, one built from other ops, or an error."""

from typing import Any, Dict

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.gone_ops import advice, calls
from tf1grad.old_programs.gone_ops.table import TABLE, function, is_of_tensorflow


class KernelGone(NotImplementedError):
    """An op was called that only TensorFlow 1 has a kernel for."""


def call(op_type: str, arguments: Dict[str, Any]) -> Any:
    """Makes an op of TensorFlow 1.15, such as "GatherTree", and returns what its function in `tf.raw_ops` returns.

    `arguments` are its inputs, attributes and `name`. None means the default of an attribute. KernelGone is raised
    where neither this TensorFlow nor `TABLE` has the op.
    """
    if is_of_tensorflow(op_type):
        return calls.call(op_type, arguments)
    if op_type in TABLE:
        return function(TABLE[op_type].build)(**arguments)
    raw_op = getattr(tf.raw_ops, op_type, None)
    if raw_op is None:
        raise KernelGone(f"the op {op_type} was called (name={arguments.get('name')!r}). Its kernel was part of "
                         f"TensorFlow 1: TensorFlow {_compat.release()} does not have it, and tf1grad does not "
                         f"replace it. {advice.of(op_type)}")
    return raw_op(**{key: value for key, value in arguments.items() if value is not None})
