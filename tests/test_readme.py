"""What the README shows runs as it stands, from the first snippet to the last."""

import os
import re

import pytest
import tensorflow.compat.v1 as tf

README = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "README.md")


def test_snippets_run_one_after_another(graph, capsys):
    with open(README, encoding="utf-8") as file:
        snippets = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
    assert len(snippets) > 5
    names = {}
    for snippet in snippets:
        exec(compile(snippet, "README.md", "exec"), names)
    # Four samples of loss 25 and two of loss 0: what the first snippets print.
    assert float(capsys.readouterr().out.split()[0]) == pytest.approx(4 * 25 / 6)
    assert names["tf"] is tf
