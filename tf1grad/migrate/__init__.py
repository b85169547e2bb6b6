"""Provides the code that migrated programs import, and that `tf1grad run` gives to other old programs.

Programs that `tf1grad upgrade` rewrote import from here, so the names of its modules stay. This room does not know the
commands.
"""
