"""Provides the recipes as hooks for `tf.train.MonitoredSession` and `MonitoredTrainingSession`.

The constructors build the ops, before the session finalizes the graph. The hooks start over when a
lost session is replaced. Their own runs bypass the session's hooks, so that they do not count as
the user's runs.
"""
