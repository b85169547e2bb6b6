"""Tests functions that newer libraries dropped or changed, called by themselves."""

import contextlib
import gc
import io
import pickle
import sys
import types

import numpy as np
import pytest

from tf1grad.programs.process import finder, patches
from tf1grad.run.dropped_names import (
    h5py_calls,
    lost_functions,
    matplotlib_calls,
    numpy_calls,
    pandas_2,
    python2_pickles,
    scipy_images,
    sparse_matrices,
)

OF_PYTHON_2 = b"(dp0\nS'name'\np1\nS'\\xe9'\np2\ns."  # cPickle.dumps({"name": "\xe9"})


@pytest.fixture
def undone(monkeypatch):
    """Takes the changes of a test back, for which the user asks."""
    before = len(patches.changes())
    monkeypatch.setattr(pandas_2, "is_asked_by_user", lambda: True)
    yield
    patches.undo(before)


def test_pickles_of_python_2_are_read_as_text_from_any_file(tmp_path):
    expected = {"name": "é"}
    (tmp_path / "a.pkl").write_bytes(OF_PYTHON_2)
    with open(str(tmp_path / "a.pkl"), encoding="ascii") as opened_as_text:
        assert python2_pickles.load(opened_as_text) == expected
    with open(str(tmp_path / "a.pkl"), encoding="ascii") as opened_as_text:
        assert python2_pickles.Unpickler(opened_as_text).load() == expected
    assert python2_pickles.load(io.BytesIO(OF_PYTHON_2)) == expected
    assert python2_pickles.loads(OF_PYTHON_2) == expected
    assert python2_pickles.loads(OF_PYTHON_2.decode("latin1")) == expected
    assert python2_pickles.loads(OF_PYTHON_2, encoding="bytes") == {b"name": b"\xe9"}
    assert python2_pickles.HIGHEST_PROTOCOL == pickle.HIGHEST_PROTOCOL


def test_pickles_are_written_for_python_2(tmp_path):
    value = {"rows": [1, 2.5, "text"]}
    written = python2_pickles.dumps(value)
    assert written == pickle.dumps(value, 0) and python2_pickles.loads(written) == value
    with open(str(tmp_path / "a.pkl"), "w") as opened_as_text:
        python2_pickles.dump(value, opened_as_text)
    assert (tmp_path / "a.pkl").read_bytes() == written
    assert python2_pickles.dumps(value, 2) == pickle.dumps(value, 2)


def test_pickles_stand_where_text_was_written_and_read(tmp_path):
    """Python 2 had one kind of file."""
    path = tmp_path / "values.pkl"
    with open(path, "w") as file:
        file.write("head\n")
        python2_pickles.dump([1], file)
        python2_pickles.Pickler(file).dump([2])
        file.write("tail")
    with open(path) as file:
        assert file.readline() == "head\n"
        assert [python2_pickles.load(file), python2_pickles.load(file)] == [[1], [2]]
        assert file.read() == "tail"
    reader = python2_pickles.Unpickler(io.TextIOWrapper(io.BytesIO(OF_PYTHON_2)))
    gc.collect()  # nothing else holds the wrapper, which closes its buffer
    assert reader.load() == python2_pickles.loads(OF_PYTHON_2)
    in_memory = io.StringIO()
    python2_pickles.dump(["\xe9"], in_memory)
    python2_pickles.dump([4], in_memory)
    in_memory.seek(0)
    assert [python2_pickles.load(in_memory), python2_pickles.load(in_memory)] == [["\xe9"], [4]]


def test_arrays_are_made_as_before_numpy_1_24_and_2():
    ragged = numpy_calls.make_array(np.array, [[1], [1, 2]])
    assert ragged.dtype == object and ragged.shape == (2,) and ragged[1] == [1, 2]
    assert numpy_calls.make_array(np.array, [1, 2], copy=False).tolist() == [1, 2]
    given = np.zeros(3)
    assert numpy_calls.make_array(np.array, given, copy=False) is given
    with pytest.raises(ValueError):
        numpy_calls.make_array(np.array, ["a"], dtype=float)
    with pytest.raises(ValueError):
        numpy_calls.make_array(np.array, [[1], [1, 2]], dtype=float)


def test_sparse_entries_come_column_by_column():
    sparse = pytest.importorskip("scipy.sparse")
    if sparse_matrices._orders_by_columns(sparse.coo_matrix):
        pytest.skip("this SciPy orders them so itself")

    class Coo(sparse.coo_matrix):
        pass

    class Csr(sparse.csr_matrix):
        def tocoo(self, copy=True):
            rows, columns = np.repeat(np.arange(2), np.diff(self.indptr)), self.indices
            entries = Coo((self.data, (rows, columns)), self.shape)
            entries.has_canonical_format = True
            return entries

    sparse_matrices.patch(types.SimpleNamespace(coo_matrix=Coo, csr_matrix=Csr))
    entries = Coo(([1, 2, 3, 4], ([0, 1, 0, 1], [1, 0, 0, 0])), (2, 2))
    entries.sum_duplicates()
    found = [each.tolist() for each in (entries.row, entries.col, entries.data)]
    assert found == [[0, 1, 0], [0, 0, 1], [3, 6, 1]]
    of_rows = Csr(entries).tocoo()
    assert of_rows.row.tolist() == [0, 0, 1] and not of_rows.has_canonical_format
    of_rows.sum_duplicates()
    assert of_rows.col.tolist() == [0, 0, 1]


def test_only_lists_of_bytes_get_a_fixed_length_in_hdf5(monkeypatch):
    pytest.importorskip("h5py")
    given = []

    def write(owner, *arguments, **options):
        given.append((arguments, options))
        return "written"

    monkeypatch.setattr(h5py_calls, "is_asked_by_user", lambda: True)
    assert h5py_calls._write(write, None, "names", [b"ab", b"c"]) == "written"
    h5py_calls._write(write, None, "names", ["ab"], data=[[b"ab"], [b"c"]])
    monkeypatch.setattr(h5py_calls, "is_asked_by_user", lambda: False)
    h5py_calls._write(write, None, "names", [b"ab"])
    (name, fixed), _ = given[0]
    assert name == "names" and fixed.dtype == "S2" and fixed.tolist() == [b"ab", b"c"]
    (_, text), options = given[1]
    assert text == ["ab"] and options["data"].dtype == "S2"
    assert given[2] == (("names", [b"ab"]), {})


def test_functions_that_are_gone_compute_what_they_did():
    assert lost_functions.asfarray([1, 2]).dtype == np.float64
    assert lost_functions.asfarray([1, 2], np.float32).dtype == np.float32
    assert lost_functions.asfarray([1, 2], np.int32).dtype == np.float64  # never of integers

    def function(a, b=1, *rest, **options):
        pass

    spec = lost_functions.getargspec(function)
    assert tuple(spec) == (["a", "b"], "rest", "options", (1,)) and spec.args == ["a", "b"]
    table = lost_functions.maketrans("ab", "xy")
    assert "abc".translate(table) == "xyc"
    pytest.importorskip("scipy")
    density = lost_functions.normpdf(np.array([1.0, 3.0]), 1.0, 2.0)
    expected = np.exp([0.0, -0.5]) / (2.0 * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(density, expected, rtol=1e-12)


def test_functions_of_the_module_string_call_the_methods():
    assert lost_functions.string_split("a-b-c", "-", 1) == ["a", "b-c"]
    assert lost_functions.string_upper("ab") == "AB"
    assert lost_functions.string_join(["a", "b"], "-") == "a-b"


def test_values_of_tables_are_found_by_their_labels():
    series, frame = types.SimpleNamespace(ndim=1, at={}), types.SimpleNamespace(ndim=2, at={})
    assert lost_functions.set_value(series, "row", 1) is series
    assert lost_functions.set_value(frame, "row", "column", 2) is frame
    assert (series.at, frame.at) == ({"row": 1}, {("row", "column"): 2})
    assert lost_functions.get_value(series, "row") == 1
    assert lost_functions.get_value(frame, "row", "column") == 2


def test_a_series_is_appended_as_it_is(monkeypatch):
    pandas = types.SimpleNamespace(DataFrame=dict, concat=lambda tables, **options: tables)
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    first, second = (types.SimpleNamespace(ndim=1) for _ in range(2))
    assert lost_functions.append(first, second) == [first, second]
    assert lost_functions.append(first, [second, first]) == [first, second, first]


def test_dummies_are_numbers_where_the_user_asks(undone, monkeypatch):
    pandas = types.SimpleNamespace(get_dummies=lambda data, *arguments, **options: options)
    pandas_2._wrap(pandas, ["get_dummies"], pandas_2._dummies)
    assert pandas.get_dummies([1]) == {"dtype": "uint8"}
    assert pandas.get_dummies([1], dtype=bool) == {"dtype": bool}
    assert pandas.get_dummies([1], *range(6), bool) == {}
    monkeypatch.setattr(pandas_2, "is_asked_by_user", lambda: False)
    assert pandas.get_dummies([1]) == {}


def test_a_preamble_may_be_a_list_of_lines(undone):
    known = {"text.latex.preamble": str, "text.usetex": bool}
    matplotlib = types.SimpleNamespace(RcParams=types.SimpleNamespace(validate=known))
    matplotlib_calls._patch_matplotlib(matplotlib)
    validate = matplotlib.RcParams.validate
    assert sorted(validate) == sorted(known)
    assert validate["text.latex.preamble"](["a", "b"]) == "a\nb"
    assert validate["text.usetex"] is bool


@pytest.mark.parametrize(
    "forced, expected", [(None, "module://matplotlib_inline.backend_inline"), ("svg", "svg")]
)
def test_figures_of_a_notebook_are_text_unless_the_command_line_chose(
    monkeypatch, forced, expected
):
    monkeypatch.setattr(matplotlib_calls, "_forced", forced)
    matplotlib = types.SimpleNamespace(rcParams={"backend": "svg"})
    matplotlib_calls.choose_inline(matplotlib)
    assert matplotlib.rcParams == {"backend": expected}


@pytest.mark.parametrize(
    "axes, expected", [([], "added as polar"), (["first"], "the current ones")]
)
def test_axes_with_a_projection_are_added_where_there_are_none(axes, expected):
    figure = types.SimpleNamespace(
        axes=axes, add_subplot=lambda projection: f"added as {projection}"
    )
    made = matplotlib_calls._gca(lambda figure: "the current ones", figure, projection="polar")
    assert made == expected


def test_image_functions_look_for_pillow_for_the_program(monkeypatch):
    """`run` brings it for the program's call, also in a `try`,
    and nothing for imports of tf1grad's own.
    """
    asked = []
    functions = {
        **finder._functions,
        finder._BEFORE: {"PIL": {lambda name: asked.append(name): ""}},
    }
    monkeypatch.setattr(finder, "_functions", functions)
    with contextlib.suppress(ImportError):
        scipy_images.toimage(np.zeros((2, 2), np.uint8))
    assert asked[:1] == ["PIL"]
