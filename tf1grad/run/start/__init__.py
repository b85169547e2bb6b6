"""Makes this process look like TensorFlow 1.15 to the user's code: what `tf1grad run` puts in place."""
