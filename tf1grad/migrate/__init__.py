"""Provides the code that upgraded programs import.

Programs that `tf1grad upgrade` rewrote import from here, so the names of its modules stay. This
room does not know the commands.
"""
