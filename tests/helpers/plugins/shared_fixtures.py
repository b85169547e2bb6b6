"""Provides the fixtures that all tests share:
a fresh graph and session, on ref and on resource variables.
"""

import logging
import textwrap

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import fork_server
from script_folder import printed, run_output


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call():
    """Gives each run of a test the same random numbers: pytest-randomly has just seeded others."""
    np.random.seed(0)


@pytest.fixture(params=["ref", pytest.param("resource", marks=pytest.mark.slow)])
def variable_kind(request):
    """Makes `tf.Variable` and `tf.get_variable` give ref variables in one run of the test,
    resource in the other.
    """
    resource = request.param == "resource"
    (tf.enable_resource_variables if resource else tf.disable_resource_variables)()
    yield request.param
    tf.disable_resource_variables()


@pytest.fixture(params=["v1", pytest.param("v2", marks=pytest.mark.slow)])
def control_flow(request):
    """Runs the test with `tf.cond` and `tf.while_loop` of version 1,
    then with those of version 2.
    """
    (tf.enable_control_flow_v2 if request.param == "v2" else tf.disable_control_flow_v2)()
    yield request.param
    tf.disable_control_flow_v2()


@pytest.fixture
def graph(variable_kind):
    """Makes a fresh default graph."""
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def session(graph):
    """Opens a session on a fresh default graph."""
    with tf.Session(graph=graph) as session:
        yield session


@pytest.fixture
def log():
    """Returns the list of the messages that TensorFlow logs."""
    lines, handler, logger = [], logging.Handler(), logging.getLogger("tensorflow")
    handler.emit = lambda record: lines.append(record.getMessage())
    level = tf.logging.get_verbosity()
    logger.addHandler(handler)
    tf.logging.set_verbosity(tf.logging.INFO)
    yield lines
    tf.logging.set_verbosity(level)
    logger.removeHandler(handler)


@pytest.fixture
def run_program():
    """Runs the lines of a program in a fresh interpreter and returns what it prints;
    fails when the program fails.
    """
    return lambda *parts: printed("-c", "\n".join(map(textwrap.dedent, parts)))


@pytest.fixture
def run_forked(tmp_path):
    """Runs the lines of a program where TensorFlow is imported already,
    and returns what it prints.
    """

    def run(*parts):
        program = tmp_path / "program.py"
        program.write_text("\n".join(textwrap.dedent(part) for part in parts))
        return run_output(str(program), under=fork_server.UNDER_PYTHON)

    return run
