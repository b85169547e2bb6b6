"""A fresh graph and session for every test, on ref and on resource variables."""

import os
import signal
import subprocess
import sys
import textwrap

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import pytest

import patience  # isort: skip  # noqa: F401 - measures the import of TensorFlow, and so comes before it
import tensorflow.compat.v1 as tf

from paths import ROOT

pytest_plugins = ["short_run"]

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # Shells start background jobs so, and the programs whose interruption is tested would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.FATAL)  # an op that SyncReplicasOptimizer makes and leaves unused is an ERROR


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call():
    """The same numbers in each run of a test: pytest-randomly, whose orders are welcome, has just seeded others."""
    np.random.seed(0)


@pytest.fixture(params=["ref", "resource"])
def variable_kind(request):
    """Makes `tf.Variable` and `tf.get_variable` give ref variables in one run of the test, resource in the other."""
    resource = request.param == "resource"
    (tf.enable_resource_variables if resource else tf.disable_resource_variables)()
    yield request.param
    tf.disable_resource_variables()


@pytest.fixture(params=["v1", "v2"])
def control_flow(request):
    """Makes `tf.cond` and `tf.while_loop` of the one version, then of the other."""
    (tf.enable_control_flow_v2 if request.param == "v2" else tf.disable_control_flow_v2)()
    yield request.param
    tf.disable_control_flow_v2()


@pytest.fixture
def graph(variable_kind):
    """A fresh default graph."""
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def session(graph):
    """A session on a fresh default graph."""
    with tf.Session(graph=graph) as session:
        yield session


@pytest.fixture
def run_program():
    """Runs the lines of a program in a fresh interpreter, and gives what it prints; fails when it fails."""
    def run(*parts):
        program = "\n".join(textwrap.dedent(part) for part in parts)
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")])))
        process = subprocess.Popen([sys.executable, "-c", program], env=environment, universal_newlines=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output, errors = process.communicate()
        assert process.returncode == 0, errors[-3000:]
        return output
    return run
