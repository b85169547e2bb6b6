"""Provides what a search writes to TensorFlow's log."""

import logging

import pytest
import tensorflow.compat.v1 as tf


class Lines(logging.Handler):
    """Keeps the messages at the ends of searches."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        if record.getMessage().startswith("Optimization terminated"):
            self.lines.append(record.getMessage())


@pytest.fixture
def log():
    """Returns the list of the log messages at the ends of searches."""
    handler, level = Lines(), tf.logging.get_verbosity()
    logging.getLogger("tensorflow").addHandler(handler)
    tf.logging.set_verbosity(tf.logging.INFO)
    yield handler.lines
    tf.logging.set_verbosity(level)
    logging.getLogger("tensorflow").removeHandler(handler)
