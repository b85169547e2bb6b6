"""Rules about names of TensorFlow that moved or are gone, and about its switches."""
