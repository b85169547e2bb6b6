"""Runs `python -m tf1grad`, the same as the console script `tf1grad`."""

import sys

from tf1grad.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
