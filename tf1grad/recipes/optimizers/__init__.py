"""Wraps optimizers, for code that only calls `optimizer.minimize`.

A `tf.train.Optimizer` that answers as its inner one would may come in. What it does to the pairs
stands in the rooms below; the room does not know of sessions or hooks.
"""
