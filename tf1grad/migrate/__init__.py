"""What a migrated program needs while it runs, and what `tf1grad run` gives to one that was not migrated.

Programs that `tf1grad upgrade` rewrote import from here, so the names of its modules stay. The room does not know the
commands.
"""
