"""Rules about whole files: unreadable ones and Python 2."""
