"""Which batch is seen: one that is dequeued or fed once and evaluated many times.

A cache of batches, or what takes a batch apart, may come in. The room knows sessions, and no gradients.
"""
