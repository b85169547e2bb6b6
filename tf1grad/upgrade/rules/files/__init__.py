"""Holds the rules about whole files: unreadable files and Python 2."""
