"""TensorFlow 1.15's own op layer: the functions that compose ops are 1.15's, what they are composed of is installed.

Then a graph has the ops of TensorFlow 1.15, in their number, order and names: its random ops take the same seeds, its
variables the same names, and formulas and gradients are the same.

    1.15's              array, math, nn, image, random, init, check, parsing, string, sparse and lookup ops, metrics,
                        losses, cells and rnn, map_fn, embedding, clip, optimizers, tf.layers, tf.keras, queues, feature
                        columns, gradient functions                                                        (`border`)
    the installed one's graphs, tensors, generated ops, variables and their reads, control flow, sessions, tf.data,
                        savers, summaries

The user's `tf` is 1.15's (`public_names`). Libraries keep the installed TensorFlow. What both share, the operators of
tensors and the gradient functions, acts as 1.15's in the user's graphs and as the installed one's in graphs that a
library makes for itself (`graphs`).
"""

from typing import List

from tf1grad.old_programs.originals import loader
from tf1grad.old_programs.originals.op_layer import (
    border,
    external_optimizers,
    gradient_functions,
    graph_owners,
    operators,
    ops_by_graph,
    public_names,
    surroundings,
)

_active: List[bool] = []


def is_active() -> bool:
    """True in a process whose user gets TensorFlow 1.15's op layer."""
    return bool(_active)


def install() -> None:
    """Puts the op layer over the installed TensorFlow, in this process, from now on; once is enough."""
    if _active:
        return
    _active.append(True)
    loader.serve(border.paths(), border.FUNCTIONS)
    surroundings.install()
    graph_owners.install()
    with operators.collected() as found:
        for path in border.FIRST:
            loader.module(path)
    surroundings.complete()
    operators.install(found)
    gradient_functions.install()
    ops_by_graph.install()
    external_optimizers.install()
    loader.settle()


find = public_names.find
modules = public_names.modules
