"""Holds prepared runs, non-trainable state variables,
and the search for the variables that a run writes.

Helpers that other rooms need between two runs belong here. This room knows neither gradients nor
optimizers.
"""
