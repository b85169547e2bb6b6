"""The commands: run an old script unmodified, check it, upgrade it, verify it.

Each has a room of its own; what several of them need stands beside the rooms. The library needs none of this.
"""
