"""Checks, selects, maps, clips, guards and applies lists of (gradient, variable) pairs.

Functions that take such a list and return one, or the op that applies it, belong here. This room
does not know where gradients are kept between runs, nor which optimizers wrap others.
"""
