"""Serves 1.15's `tensorflow.python.eager.profiler`, of Keras's TensorBoard callback, with the installed profiler.

A profile has today's format, which today's TensorBoard reads. One profile is recorded at a time in a process, and any
thread may start or stop it.
"""

import datetime
import glob
import os
import tempfile
from typing import List

from tf1grad._compat import tf

_SUFFIX = ".xplane.pb"
_running: List["tempfile.TemporaryDirectory[str]"] = []  # where the running profile will be written


class ProfilerAlreadyRunningError(Exception):
    """Is raised when a profile is being recorded already."""


class ProfilerNotRunningError(Exception):
    """Is raised when no profile is being recorded."""


def start() -> None:
    """Starts recording; a ProfilerAlreadyRunningError while a profile is recorded."""
    folder = tempfile.TemporaryDirectory()
    try:
        tf.compat.v2.profiler.experimental.start(folder.name)
    except tf.errors.AlreadyExistsError:
        folder.cleanup()
        raise ProfilerAlreadyRunningError("Another profiler is running.") from None
    _running.append(folder)


def stop() -> bytes:
    """Stops recording and returns the serialized profile; a ProfilerNotRunningError where none is recorded."""
    try:
        folder = _running.pop()
    except IndexError:
        raise ProfilerNotRunningError("Cannot stop profiling. No profiler is running.") from None
    with folder:
        tf.compat.v2.profiler.experimental.stop()
        [path] = glob.glob(os.path.join(folder.name, "plugins", "profile", "*", "*" + _SUFFIX))
        with open(path, "rb") as file:
            return file.read()


def save(logdir: str, result: bytes) -> None:
    """Writes what `stop` returned below `plugins/profile` of a folder of TensorBoard."""
    place = os.path.join(
        logdir, "plugins", "profile", datetime.datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    )
    tf.io.gfile.makedirs(place)
    with tf.io.gfile.GFile(os.path.join(place, "local" + _SUFFIX), "wb") as file:
        file.write(result)
