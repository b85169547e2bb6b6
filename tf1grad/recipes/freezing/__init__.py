"""Freezes variables: `var_list`, gates, players in turn,
and a report of the variables that an op really moves.

Functions that leave a variable without a gradient or a step in a run belong here. This room does
not know how gradients are summed between runs.
"""
