"""Makes interpreters whose environment differs from this one."""

import sys

import pytest

# For tests of `upgrade`.
NEEDS_PYTHON_3_8 = pytest.mark.skipif(
    sys.version_info < (3, 8), reason="Python 3.7 does not tell where nodes end"
)


def python_that_sets(folder, **variables):
    """Returns the path of this interpreter under another name,
    where environment variables are set.
    """
    path = folder / ("python-" + "-".join(variables.values()))
    settings = " ".join(f"{name}={value}" for name, value in variables.items())
    path.write_text(f"#!/bin/sh\n{settings} exec '{sys.executable}' \"$@\"\n")
    path.chmod(0o755)
    return str(path)
