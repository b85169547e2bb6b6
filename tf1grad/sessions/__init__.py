"""What lives as long as a session: prepared runs, variables that are no parameter, and what a run writes.

What every other room needs between two runs may come in. The room knows neither gradients nor optimizers.
"""
