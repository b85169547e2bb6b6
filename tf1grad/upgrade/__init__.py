"""Finds what in old programs is gone, changed or wrong, and rewrites them:
`tf1grad check` and `tf1grad upgrade`.
"""
