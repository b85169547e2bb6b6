"""Makes graph assertions, whose message and whose op's name say what is wrong in a run."""

from typing import Iterable

from tf1grad._compat import tf


def assert_in_run(
    condition: tf.Tensor,
    caller: str,
    sentence: str,
    data: Iterable[tf.Tensor] = (),
    name: str = "wrong",
) -> tf.Operation:
    """Returns the op that fails the run where the bool scalar `condition` is False.

    The message is `sentence`, the fault, and the values of `data` in that run. The name states it in a few words.
    """
    # `tf.debugging.Assert` has a conditional around it, which costs small graphs more than the assertion.
    return tf.raw_ops.Assert(condition=condition, data=[f"{caller}: {sentence}", *data], name=name)
