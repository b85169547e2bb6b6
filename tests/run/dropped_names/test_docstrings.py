"""Tests that docstrings of old code keep their indentation, as before Python 3.13."""

import ast

import pytest

from tf1grad.run.dropped_names import docstrings, rewritten_expressions

TEXT = '''"""The module."""
import functools

@functools.total_ordering
class Layer(object):
    """  A layer.

    Parameters
    ----------
        size : int
\t    A tab.

    """

    def __lt__(self, other):
        """Compares.

            Notes
        """
        return """Compares.

    Notes
"""

    @functools.lru_cache(maxsize=None)
    def call(self): "One line."
    async def wait(self):
        """
        Waits.
        """
        def inner():
            """Inner.
              Deeper."""
            return [inner.__doc__, lambda: 1]
        return inner
'''


@pytest.mark.parametrize("is_tree", [False, True])
def test_docstrings_are_as_they_are_written(is_tree):
    source = ast.parse(TEXT) if is_tree else TEXT
    code = rewritten_expressions.compile_module(source, "layers.py")
    names = {"__name__": "layers"}
    exec(code, names)
    layer = names["Layer"]
    (of_class,) = [node for node in ast.parse(TEXT).body if isinstance(node, ast.ClassDef)]
    written = {
        node.name: ast.get_docstring(node, clean=False)
        for node in ast.walk(of_class)
        if hasattr(node, "name") and hasattr(node, "body")
    }
    assert layer.__doc__ == written["Layer"]
    assert layer.__lt__.__doc__ == written["__lt__"]
    assert layer.call.__doc__ == "One line."
    assert layer.wait.__doc__ == written["wait"]
    with pytest.raises(StopIteration) as ended:
        layer().wait().send(None)
    assert ended.value.value()[0] == written["inner"]
    assert names["__doc__"] == "The module."


@pytest.mark.parametrize(
    "text", ["One.\n    Two.\n\n      Three.\n    ", "  a\n\tb\n  c\n", "\n x"]
)
def test_stripped_is_what_the_compiler_leaves(text):
    names = {}
    exec(f"def function():\n    {text!r}\n", names)
    is_stripped = names["function"].__doc__ != text
    assert names["function"].__doc__ == (docstrings.stripped(text) if is_stripped else text)
