"""Tells who types `python -m tf1grad.upgrade` how the command is written."""

import sys

sys.exit("The command is written with a space: python -m tf1grad upgrade")
