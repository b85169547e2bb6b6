"""Tests the warning that the signs of singular vectors have changed: user code gets it, libraries do not."""

import functools

import numpy as np
import pytest

from tf1grad.old_programs.emulation import singular_vector_signs
from tf1grad.old_programs.process import messages, ownership


class Files:
    """Says that this file is the user's, or that it is not."""

    def __init__(self, answer):
        self._answer = answer

    def are_users(self, file):
        return self._answer and file == __file__


@pytest.fixture
def svd(monkeypatch):
    """Returns the function that replaces NumPy's, in a process that has printed no warning yet."""
    monkeypatch.setattr(messages, "said", set())
    return functools.partial(singular_vector_signs._warning, np.linalg.svd)


def test_user_is_warned_once(svd, monkeypatch, capsys):
    monkeypatch.setattr(ownership, "_files", Files(True))
    matrix = np.arange(6.0).reshape(2, 3)
    for _ in range(2):
        for found, expected in zip(
            svd(matrix, full_matrices=False), np.linalg.svd(matrix, full_matrices=False)
        ):
            np.testing.assert_array_equal(found, expected)
    errors = capsys.readouterr().err
    assert errors.count(f"numpy.linalg.svd ({__file__}:") == 1 and "other signs" in errors


@pytest.mark.parametrize("is_users, options", [(True, {"compute_uv": False}), (False, {})])
def test_others_are_not_warned(svd, monkeypatch, capsys, is_users, options):
    monkeypatch.setattr(ownership, "_files", Files(is_users))
    svd(np.eye(2), **options)
    assert capsys.readouterr().err == ""
