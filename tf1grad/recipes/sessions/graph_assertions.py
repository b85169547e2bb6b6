"""Makes graph assertions with a message that is moved to the front of the
InvalidArgumentError in tf1grad's runs.

A plain `session.run` puts the op's stack before it; the op's name, which comes earlier, states the
fault too.
"""

from __future__ import annotations

import re
from typing import Iterable

from tf1grad._compat import lead_with, tf

_callers: set[str] = set()
_SAID = re.compile(r"assertion failed: \[((\w+): .*)\]\s*$", re.MULTILINE)


def assert_in_run(
    condition: tf.Tensor,
    caller: str,
    sentence: str,
    data: Iterable[tf.Tensor] = (),
    name: str = "wrong",
) -> tf.Operation:
    """Returns the op that fails the run where the bool scalar `condition` is False.

    The message is `sentence`, the fault, and the values of `data` in that run. The name states it
    in a few words.
    """
    _callers.add(caller)
    # `tf.debugging.Assert` has a conditional around it, which costs small graphs more than the
    # assertion.
    return tf.raw_ops.Assert(condition=condition, data=[f"{caller}: {sentence}", *data], name=name)


def put_sentence_first(error: tf.errors.OpError) -> None:
    """Puts the sentence of `assert_in_run` before the rest of the message of `error`,
    an exception of a run.
    """
    if isinstance(error, tf.errors.InvalidArgumentError):
        said = _SAID.search(error.message)
        if said and said.group(2) in _callers and not error.message.startswith(said.group(2)):
            lead_with(error, said.group(1).replace("] [", " "))
