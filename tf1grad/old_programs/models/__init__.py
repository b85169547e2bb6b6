"""Reads and converts the model files that TensorFlow 1 wrote: graphs, SavedModels, checkpoints, Keras HDF5.

The readers need neither TensorFlow nor protobuf, so that `tf1grad model inspect` starts at once, and a damaged file
cannot crash the process.
"""
