"""Runs old programs unmodified, as if TensorFlow 1.15 were installed:
`tf1grad run` and `import tf1grad.v1 as tf`.
"""
