"""Finds gradients of a loop that wait for the end of the same loop.

`tf.gradients` adds a counter to each version 1 loop that it differentiates. Under
`tf.control_dependencies(ops)` the counter waits for these ops. If one of them is computed from the
result of the loop, as the updates of a batch normalization behind an RNN are, the loop stops after
`parallel_iterations` turns: 10 in `tf.while_loop`, 32 in `tf.nn.dynamic_rnn`. TensorFlow ends such
a run without an error, and without a step.
"""

from __future__ import annotations

from typing import Iterable, Iterator

from tf1grad._compat import tf
from tf1grad.recipes.sessions.reached import reached
from tf1grad.recipes.sessions.writes import ancestors, source

_ENTERS, _NEXT_TURNS = ("Enter", "RefEnter"), ("NextIteration", "RefNextIteration")


def check_loops_end(gradients: Iterable[tf.Tensor], caller: str) -> None:
    """Raises ValueError where a loop that the tensors are gradients of waits for its own end."""
    # A loop in a conditional is in the second collection only.
    if not any(map(tf.get_collection, (tf.GraphKeys.WHILE_CONTEXT, tf.GraphKeys.COND_CONTEXT))):
        return
    waits = {
        (waited, op.get_attr("frame_name"))
        for op in ancestors((tensor.op for tensor in gradients), control=False)
        if op.type in _ENTERS
        for waited in source(op.inputs[0]).control_inputs
    }
    for waited, frame_name in sorted(waits, key=lambda wait: str(wait[0].name)):
        if _is_after(waited, frame_name):
            raise ValueError(
                f"{caller}: the gradients wait for {waited.name}, which waits for the end of a loop that they are "
                "gradients of (tf.while_loop, tf.scan, tf.nn.dynamic_rnn). Where such a loop takes more turns than its "
                "parallel_iterations, TensorFlow ends the run without an error and trains nothing. Take the gradients "
                "before the block: pairs = optimizer.compute_gradients(loss), then `with "
                "tf.control_dependencies(update_ops):`, and in it optimizer.apply_gradients(pairs)."
            )


def _is_after(op: tf.Operation, frame_name: bytes) -> bool:
    """Says whether `op` runs after the loop whose ops are in the frame `frame_name`."""

    def before(op: tf.Operation) -> Iterator[tf.Operation]:
        # What another op has was computed in an earlier turn of an outer loop.
        if op.type not in _NEXT_TURNS:
            yield from (tensor.op for tensor in op.inputs)
            yield from op.control_inputs

    return any(
        found.type in _ENTERS and found.get_attr("frame_name") == frame_name
        for found in reached([op], before)
    )
