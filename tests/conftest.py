"""Prepares TensorFlow for all tests and loads the plugins of `tests/helpers/plugins`."""

import os
import signal

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

# Values that TensorFlow 1.15 recorded to the last bit are those of Eigen's kernels. Tests of oneDNN
# turn it on.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

pytest_plugins = ["short_run", "period_layer", "program_fixtures"]

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # Shells start background jobs this way, and the programs whose interruption is tested would
    # inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    """Imports TensorFlow, but not where pytest-xdist runs all tests in processes that it starts."""
    if session.config.pluginmanager.has_plugin("dsession"):
        return
    import waiting  # isort: skip  # noqa: F401 - measures the import of TensorFlow, and so comes before it
    import tensorflow.compat.v1 as tf

    session.config.pluginmanager.import_plugin("shared_fixtures")
    tf.disable_v2_behavior()
    # SyncReplicasOptimizer makes an op and leaves it unused, an ERROR.
    tf.logging.set_verbosity(tf.logging.FATAL)
