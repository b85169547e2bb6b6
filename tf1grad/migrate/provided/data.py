"""What `tf.contrib.data` had, and `tf.data.experimental` has not."""

from tf1grad._compat import tf

__all__ = ["batch_and_drop_remainder", "padded_batch_and_drop_remainder", "read_batch_features", "sloppy_interleave"]

read_batch_features = tf.data.experimental.make_batched_features_dataset


def batch_and_drop_remainder(batch_size):
    """For `dataset.apply`: batches that are all of `batch_size`."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    """For `dataset.apply`: padded batches that are all of `batch_size`; the arguments are those of `padded_batch`."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def sloppy_interleave(map_func, cycle_length, block_length=1):
    """For `dataset.apply`: `parallel_interleave` in whatever order the elements come."""
    return tf.data.experimental.parallel_interleave(map_func, cycle_length, block_length, sloppy=True)
