"""Reads and converts the model files that TensorFlow 1 wrote:
graphs, SavedModels, checkpoints, Keras HDF5.
"""
