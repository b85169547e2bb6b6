"""Tests what `run` says of programs for which the state of an LSTM is one tensor."""

import sys
import textwrap
import types

import pytest

from tf1grad.programs.process import ownership, patches
from tf1grad.run.script import tracebacks
from tf1grad.run.view import lstm_states

MODEL = """
    from tensorflow.python.ops import rnn_cell
    cell = rnn_cell.BasicLSTMCell(4)
    other = rnn_cell.LSTMCell(4, state_is_tuple=True)
    cells = rnn_cell.MultiRNNCell(
        [cell])
    given = rnn_cell.LSTMCell(4, **options)
"""
# What 1.15 says where such programs evaluate, feed, make and slice a state, and ask for its size.
ERRORS = [
    AttributeError("'tuple' object has no attribute 'eval'"),
    AttributeError("'LSTMStateTuple' object has no attribute 'get_shape'"),
    ValueError('Expected state to be a tuple of length 2, but received: Tensor("state:0")'),
    ValueError("Could not flatten dictionary. Key had 4 elements, but value had 1 elements."),
    TypeError("'tuple' object cannot be interpreted as an integer"),
    TypeError("tuple indices must be integers or slices, not tuple"),
    TypeError(
        "Error converting shape to a TensorShape: int() argument must be ..., not 'LSTMStateTuple'."
    ),
    TypeError("You are attempting to use Python control flow in a layer that was not declared"),
]


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Returns a function that writes and imports a module of the program, and gives its path."""

    def written(text):
        path = tmp_path / "model.py"
        path.write_text(textwrap.dedent(text))
        module = types.ModuleType("model_of_lstm_states")
        module.__file__ = str(path)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(ownership, "is_users_file", lambda file: file == str(path))
        return path

    return written


def test_the_calls_to_change_are_named(program):
    path = program(MODEL)
    for error in ERRORS:
        assert lstm_states.advise(error).endswith(f"into the calls at {path}:3, {path}:5"), error


def test_a_program_of_python_2_is_read(program):
    pytest.importorskip("fissix", reason="fissix reads Python 2")
    path = program("print 'model'\ncell = LSTMCell(3)\n")
    assert lstm_states.advise(ERRORS[0]).endswith(f"at {path}:2")


@pytest.mark.parametrize(
    "text", ["cell = GRUCell(3)\n", "cell = LSTMCell(3, state_is_tuple=False)\n", "x = = 1\n"]
)
def test_nothing_is_said_of_other_programs(program, text):
    program(text)
    assert lstm_states.advise(ERRORS[0]) is None


def test_it_is_said_below_the_traceback(program, monkeypatch, capsys):
    path = program(MODEL)
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    before = len(patches.changes())
    tracebacks.hide_own_frames()
    sys.excepthook(AttributeError, ERRORS[0], None)
    patches.undo(before)
    assert f"'eval'\ntf1grad: {lstm_states.ADVICE.format(path)}:3" in capsys.readouterr().err


def test_nothing_is_said_of_other_errors(program):
    program(MODEL)
    assert lstm_states.advise(AttributeError("'tuple' object has no attribute 'append'")) is None
    assert lstm_states.advise(ValueError("eval")) is None
