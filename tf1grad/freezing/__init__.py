"""Which variables train, and when: `var_list`, gates, players in turn, and the report of what really moves.

What decides that a variable has no gradient in a run, or no step, may come in. The room does not know how gradients
are summed between runs.
"""
