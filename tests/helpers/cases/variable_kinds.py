"""Marks tests about the difference between ref and resource variables:
the short run takes both kinds.
"""

import pytest

BOTH_KINDS = pytest.mark.parametrize("variable_kind", ["ref", "resource"], indirect=True)
