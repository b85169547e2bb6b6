"""Lists the example programs and imports their modules."""

import glob
import importlib
import os
import sys

from paths import ROOT

FOLDER = os.path.join(ROOT, "legacy_examples")
NOT_PROGRAMS = {"common", "burgers"}
EXAMPLES = sorted(
    {os.path.basename(path)[: -len(".py")] for path in glob.glob(os.path.join(FOLDER, "*.py"))}
    - NOT_PROGRAMS
)


def example(name):
    """Imports the module `name` of the examples as the programs import it."""
    if FOLDER not in sys.path:
        sys.path.append(FOLDER)
    return importlib.import_module(name)
