"""Pairs in, pairs out: a list of (gradient, variable) pairs is checked, selected, mapped, clipped, guarded, applied.

What takes such a list and gives such a list, or the op that applies it, may come in. The room does not know where
gradients are kept between runs, nor who wraps an optimizer around it.
"""
