"""Serves 1.15's `tensorflow.python.eager.profiler` to Keras's TensorBoard callback,
with the installed profiler.

A profile has today's format, which today's TensorBoard reads. A process records one profile at a
time.
"""

import glob
import os
import tempfile

from tf1grad._compat import tf

ProfilerAlreadyRunningError = tf.errors.AlreadyExistsError
ProfilerNotRunningError = tf.errors.UnavailableError
_folder: "tempfile.TemporaryDirectory[str]"  # of the profile that is recorded


def start() -> None:
    """Starts recording."""
    global _folder
    _folder = tempfile.TemporaryDirectory()
    tf.compat.v2.profiler.experimental.start(_folder.name)


def stop() -> "tempfile.TemporaryDirectory[str]":
    """Stops recording, and returns the folder of the profile."""
    tf.compat.v2.profiler.experimental.stop()
    return _folder


def save(logdir: str, profile: "tempfile.TemporaryDirectory[str]") -> None:
    """Copies a profile that `stop` returned into a folder of TensorBoard."""
    with profile as folder:
        for path in glob.glob(os.path.join(folder, "plugins", "profile", "*", "*")):
            there = os.path.join(logdir, os.path.relpath(path, folder))
            tf.io.gfile.makedirs(os.path.dirname(there))
            tf.io.gfile.copy(path, there)
