"""Holds the pairs of recipes, or of a recipe and a place, that one program cannot have,
each with its reason.
"""

import itertools

ACCUMULATING = [
    "gradient_accumulator",
    "accumulated_step",
    "accumulate_hook",
    "feed_gradients",
]
SPLITTING = ["split_batch", "split_batch_with_collections", "split_batch_with_layers"]
PLAYERS = ["alternate", "players_hook", "uneven_alternate", "uneven_players_hook"]
EXCLUDED = {
    **dict.fromkeys(
        map(frozenset, itertools.combinations(ACCUMULATING, 2)),
        "a micro-batch goes to one window; AccumulatingOptimizer and split_batch nest with all of them",
    ),
    **{
        frozenset([name, players]): "the op of a player applies what its own run computes"
        for name in ("accumulated_step", "accumulate_hook", *SPLITTING)
        for players in PLAYERS
    },
    **{
        frozenset(["gate_variables", players]): "both apply, each with optimizers of its own"
        for players in PLAYERS
    },
    **{
        frozenset(["imported graph", players]): "alternate takes the gradients itself"
        for players in PLAYERS
    },
    **{
        frozenset(["imported graph", name]): "the program asks the guard, which is not imported"
        for name in ("feed_gradients", "stacked_feed_gradients")
    },
    **{
        frozenset(
            ["imported graph", name]
        ): "an optimizer of TensorFlow applies, which knows no imported guard"
        for name in SPLITTING
    },
    frozenset(["alternate", "players_hook"]): "the hook runs the ops of its own players",
    **{
        frozenset(["queue", search]): "each evaluation would take a batch from the queue"
        for search in ("scipy_optimizer_interface", "external_optimizer_interface")
    },
    **{
        frozenset(["batch_cache_hook", source]): "the hook advances its own cache"
        for source in ("queue", "variable_batch_cache", "handle_batch_cache")
    },
}
