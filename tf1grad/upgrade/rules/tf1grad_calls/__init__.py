"""Holds the rules about recipes for which tf1grad has a call."""
