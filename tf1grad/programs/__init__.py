"""Carries old programs: runs them unmodified, checks them, upgrades them and verifies them.

The rooms stand in the order of `tests/test_source.py`: a room knows those below it and none above.
"""
