"""Where the checkout is."""

import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HELPERS = os.path.dirname(os.path.abspath(__file__))
