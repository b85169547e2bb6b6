"""Builds ObtainNext, which returns the elements of a list in turn."""

from tf1grad._compat import tf


def build(list: tf.Tensor, counter: tf.Tensor) -> tf.Tensor:
    """Increases a counter and returns the element at its place, from the start again after the last one."""
    place = (tf.identity(counter) + 1) % tf.size(list, out_type=tf.int64)
    with tf.control_dependencies([tf.assign(counter, place, use_locking=True)]):
        return tf.gather(list, place)
