"""Provides the ops of `tf.estimator`'s boosted trees: TensorFlow 2 declares these ops and does not have their kernels.

The functions in `op_functions` compute with NumPy: the trees in `tree_ensembles`, the boundaries of buckets in
`weighted_quantiles`.
"""
