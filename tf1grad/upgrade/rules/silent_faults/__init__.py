"""Holds the rules about recipes that go wrong without an error on TensorFlow 2."""
