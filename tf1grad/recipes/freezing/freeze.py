"""Trains a part of a model by choosing which variables have a gradient at all.

Freezing removes the pair. A zero gradient is not enough: momentum, Adam and weight decay still move
on it.
"""

from __future__ import annotations

from typing import Sequence

from tf1grad._compat import tf, variable_key
from tf1grad._types import GradsAndVars, Pairs, Selector
from tf1grad.recipes.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.recipes.gradients.guarded_gradients import hand_on_guard
from tf1grad.recipes.gradients.selection import select


def trainable_in(*selectors: Selector) -> list[tf.Variable]:
    """Returns the trainable variables that the selectors name, as a `var_list` for `minimize`.

        optimizer.minimize(loss, var_list=tf1grad.trainable_in("head"))

    `tf.get_collection(TRAINABLE_VARIABLES, "D")` also gives `Dense/w`; this gives `D` and variables
    under `D/`.

    Args:
        *selectors: the variables to train. A variable; a variable's exact name; a scope, with or
            without the last slash; a compiled pattern, searched for in the name; or a function of a
            variable that returns a bool.

    Returns:
        The list of variables that at least one selector names, in the order they were made.

    Raises:
        TypeError: a selector is something else.
        ValueError: there is no selector, or one names no trainable variable; near names are listed.
    """
    if not selectors:
        raise ValueError(
            "trainable_in: name at least one scope, variable, pattern or function; all variables are "
            "tf.trainable_variables()."
        )
    return select(selectors, tf.trainable_variables(), "trainable_in")


def without(grads_and_vars: GradsAndVars, variables: Selector | Sequence[Selector]) -> Pairs:
    """Freezes `variables` by leaving their pairs out.

    None and IndexedSlices are not changed.

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.
        variables: a selector or a list of them, as in `trainable_in`.

    Returns:
        The list of the other pairs.

    Raises:
        TypeError: `grads_and_vars` is not such a list, or a selector is of the wrong type.
        ValueError: a selector names no variable of the list, or nothing would remain.
    """
    pairs = check_grads_and_vars(grads_and_vars, "without")
    frozen = {
        variable_key(variable)
        for variable in select(variables, [variable for _, variable in pairs], "without")
    }
    kept = [pair for pair in pairs if variable_key(pair[1]) not in frozen]
    if not kept:
        raise ValueError(
            f"without: every variable of grads_and_vars ({len(pairs)}) is frozen, and nothing is left to train. To evaluate "
            "only, do not run the train op."
        )
    return hand_on_guard(grads_and_vars, kept)
