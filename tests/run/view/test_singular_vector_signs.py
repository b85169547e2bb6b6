"""Tests the warning that the signs of singular vectors have changed:
user code gets it once, libraries do not.
"""

import numpy as np
import pytest

from tf1grad.programs.process import messages, ownership, patches
from tf1grad.run.view import singular_vector_signs


@pytest.mark.slow
@pytest.mark.period
def test_user_code_that_makes_singular_vectors_is_warned_once(folder):
    program = """
        import numpy as np
        import tensorflow as tf

        np.linalg.svd(np.eye(2), compute_uv=False)
        np.linalg.pinv(np.eye(2))  # NumPy's own call
        print(np.linalg.svd(np.diag([3.0, 2.0]), full_matrices=False)[1])  # line 7
        np.linalg.svd(np.eye(2))
    """
    code, output, errors = folder.run(folder.write("svd.py", program))
    assert (code, output) == (0, "[3. 2.]\n"), errors
    assert errors.count("numpy.linalg.svd (") == errors.count("svd.py:7)") == 1
    assert "other signs" in errors


@pytest.mark.parametrize("place, times", [(("svd.py", 7), 1), (None, 0)])
def test_the_warning_names_the_line_that_asks(monkeypatch, capsys, place, times):
    before = len(patches.changes())
    monkeypatch.setattr(messages, "said", set())
    monkeypatch.setattr(ownership, "place_of_asker", lambda: place)
    singular_vector_signs.install()
    try:
        values = np.linalg.svd(np.diag([3.0, 2.0]), compute_uv=False)
        assert capsys.readouterr().err == ""
        for _ in range(2):
            np.testing.assert_allclose(np.linalg.svd(np.diag([3.0, 2.0]))[1], values)
    finally:
        patches.undo(before)
    assert capsys.readouterr().err.count("numpy.linalg.svd (svd.py:7)") == times
