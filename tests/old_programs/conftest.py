"""Provides the fixtures that the tests of several rooms for old programs share."""

import pytest

from script_folder import ScriptFolder


@pytest.fixture
def folder(tmp_path):
    """Makes an empty `ScriptFolder`."""
    return ScriptFolder(tmp_path)
