"""Computes ops that lost their kernels with TensorFlow 1 with NumPy: those of trees and forests.

`numpy_ops` makes an op of a function. The functions of `tf.estimator`'s boosted trees are in
`boosted_trees`, their trees in `tree_ensembles`, and the boundaries of their buckets in
`weighted_quantiles`. `tensor_forest` predicts with the forests of contrib.
"""
