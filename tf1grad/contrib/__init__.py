"""The names of `tf.contrib` that belong to gradients, at their old paths."""
