"""Caches a batch that is dequeued or fed once and evaluated many times.

Caches of batches, and functions that take a batch apart, belong here. This room knows sessions, not
gradients.
"""
