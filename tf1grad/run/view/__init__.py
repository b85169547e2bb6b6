"""Shows user code TensorFlow as 1.15 had it:
the names of `tf`, Keras and old libraries, and kernels as fast.
"""
