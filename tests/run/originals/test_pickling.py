"""Tests pickles of TensorFlow 1.15's own classes: those that `run` makes, and one that
TensorFlow 1.15.5 wrote.
"""

import json

import pytest

from script_folder import run_output

pytestmark = pytest.mark.period

SCRIPT = """
import io, json, multiprocessing, pickle, sys
from pickle import dumps, loads
import tensorflow as tf

State = tf.nn.rnn_cell.LSTMStateTuple

def swapped(state):
    assert type(state) is State
    return State(state.h, state.c)

class Batches(tf.keras.utils.Sequence):
    def __len__(self):
        return 2
    def __getitem__(self, index):
        return index

class Derived(pickle.Unpickler):
    pass

def copies(value):
    yield loads(dumps(value))
    yield pickle.loads(pickle.dumps(value, protocol=2))
    for pickler in (pickle.Pickler, pickle._Pickler):
        file = io.BytesIO()
        pickler(file).dump(value)
        for unpickler in (pickle.Unpickler, pickle._Unpickler, Derived):
            yield unpickler(io.BytesIO(file.getvalue())).load()

if __name__ == "__main__":
    column = tf.feature_column.indicator_column(tf.feature_column.categorical_column_with_identity("day", 7))
    values = [State(1, 2), column, State, tf.train.AdamOptimizer, tf.nn.dropout, tf.losses.mean_squared_error,
              tf.contrib.training.HParams, tf.distributions.Normal, tf.keras.layers.Dense, tf.float32]
    same = [all(copy == value for copy in copies(value)) for value in values]
    configured = [copy.get_config() for copy in copies(tf.truncated_normal_initializer(stddev=0.5))]
    with open(sys.argv[1], "rb") as file:
        written = file.read()
    loaded = []
    for unpickler in (pickle.Unpickler, pickle._Unpickler, Derived):
        state, number, zeros = unpickler(io.BytesIO(written)).load()
        loaded += [type(state) is State, number == tf.feature_column.numeric_column("x"),
                   type(zeros) is tf.zeros_initializer]
    print(json.dumps([same, configured, loaded]))
"""
PROCESSES = (
    SCRIPT.partition("if __name__")[0]
    + """
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(swapped, [State(1, 2)]) == [State(2, 1)], pool.map(len, [Batches()]))
    try:
        import joblib
    except ImportError:
        print("without joblib")
    else:
        parallel = joblib.Parallel(n_jobs=2)(joblib.delayed(swapped)(State(each, 2)) for each in range(2))
        print([type(each) is State for each in parallel])
"""
)
# Of [LSTMStateTuple(1, 2), numeric_column("x"), zeros_initializer()], in protocol 2.
OF_1_15 = (
    b"\x80\x02]q\x00(ctensorflow.python.ops.rnn_cell_impl\nLSTMStateTuple\nq\x01K\x01K\x02\x86q\x02\x81q\x03"
    b"ctensorflow.python.feature_column.feature_column_v2\nNumericColumn\nq\x04(X\x01\x00\x00\x00xq\x05K\x01\x85q\x06N"
    b"ctensorflow.python.framework.dtypes\nas_dtype\nq\x07X\x07\x00\x00\x00float32q\x08\x85q\tRq\nNtq\x0b\x81q\x0c"
    b"ctensorflow.python.ops.init_ops\nZeros\nq\r)\x81q\x0e}q\x0fX\x05\x00\x00\x00dtypeq\x10h\nsbe."
)


@pytest.mark.slow
@pytest.mark.each_release
def test_pickles(tmp_path):
    """Tests all ways to pickle, and reading what TensorFlow 1.15.5 wrote."""
    script, written = tmp_path / "pickles.py", tmp_path / "written.pkl"
    script.write_text(SCRIPT)
    written.write_bytes(OF_1_15)
    same, configured, loaded = json.loads(run_output(str(script), str(written)))
    assert same == [True] * 10
    assert configured == [{"mean": 0.0, "stddev": 0.5, "seed": None, "dtype": "float32"}] * 8
    assert loaded == [True] * 9


@pytest.mark.slow
def test_pickles_for_other_processes(folder):
    """Tests processes that are started anew, and joblib's."""
    spawned, parallel = run_output(
        folder.write("pickles.py", PROCESSES), folder=folder.path
    ).splitlines()
    assert spawned == "True [2]" and parallel in ("without joblib", "[True, True]")
