"""The engine of `check`: comments that silence a finding."""

import pytest

CASES = {
    "ignored": """
    import tensorflow.contrib.slim as slim  # tf1grad: ignore
    from tensorflow.contrib import rnn  # tf1grad: ignore[TFG101]
    from tensorflow.contrib import opt  # tf1grad: ignore[TFG999] #! TFG101
    """,
}


@pytest.mark.parametrize("text", list(CASES.values()), ids=list(CASES))
def test_findings(check_announced, text):
    check_announced(text)
