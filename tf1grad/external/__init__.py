"""Who decides the step, if not TensorFlow: SciPy, or any function of one float64 vector.

What turns variables into a vector, evaluates a loss there or holds a search may come in. The room knows caches and
prepared runs; it does not know how TensorFlow's own optimizers apply gradients.
"""
