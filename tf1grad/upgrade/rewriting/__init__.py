"""Rewrites programs for `tensorflow.compat.v1` and tf1grad, from the edits that the rules plan."""
