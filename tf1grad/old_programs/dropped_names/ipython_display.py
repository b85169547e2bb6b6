"""Provides the names of `IPython.display` outside of a notebook: prints objects, or keeps them."""

import sys
from typing import Any


def display(*objects: Any, **options: Any) -> None:
    """Prints objects."""
    for shown in objects:
        print(shown)


def clear_output(wait: bool = False) -> None:
    """Does nothing: a program outside of a notebook draws no output to clear."""


class DisplayObject:
    """Keeps what a notebook would show: data, or the name of a file."""

    def __init__(self, data: Any = None, *arguments: Any, **options: Any) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, which only a notebook shows>"


def __getattr__(name: str) -> Any:
    if name[0].isupper():  # `HTML`, `Image` and other classes
        return DisplayObject
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def set_matplotlib_formats(*formats: str, **options: Any) -> None:
    """Does nothing: figures go to files."""


def get_ipython() -> Any:
    """Returns what the program's own `get_ipython` returns."""
    return vars(sys.modules["__main__"]).get("get_ipython", lambda: None)()


# `from IPython import display` gives the module, of which this function has what programs use.
vars(display).update(
    dict.fromkeys(("HTML", "Image", "Audio", "SVG"), DisplayObject),
    display=display,
    clear_output=clear_output,
)
