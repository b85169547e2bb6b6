"""Tests the warning that the signs of singular vectors have changed: user code gets it once, libraries do not."""

import pytest


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
