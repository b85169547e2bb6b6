"""Holds the paths of the checkout and of the programs that tests start."""

import os

PROGRAMS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(PROGRAMS)))
