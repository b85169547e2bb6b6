"""Gives parametrized cases readable ids where pytest would number them: containers, long texts, line ends, dtypes."""

import re

LONGEST = 60
TEXTS = {"": "empty", " ": "space", "\n": "LF", "\r\n": "CRLF", "\r": "CR"}


def pytest_make_parametrize_id(val, argname):
    """Returns the id of a value, or None where pytest's own is readable."""
    if isinstance(val, str):
        return TEXTS.get(val) or (_shortened(val) if len(val) > LONGEST or "\n" in val else None)
    if isinstance(val, dict):
        return _shortened(
            ", ".join(f"{key}={_words(value)}" for key, value in val.items()) or "no options"
        )
    if isinstance(val, (list, tuple)):
        return _shortened(" ".join(map(_words, val)) or "none")
    return val.name if hasattr(val, "as_numpy_dtype") else None  # of a dtype of TensorFlow


def _words(value):
    return getattr(value, "__name__", None) or (value if isinstance(value, str) else repr(value))


def _shortened(text):
    text = " | ".join(
        filter(None, map(str.strip, re.sub(" at 0x[0-9a-f]+", "", text).splitlines()))
    )
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
