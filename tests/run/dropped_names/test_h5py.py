"""Tests that user code reads and writes HDF5 files as with h5py 2."""

import pytest

from script_folder import output_of
from tf1grad.programs.process import ownership, patches
from tf1grad.run.dropped_names import h5py_calls

pytest.importorskip("h5py")

TEXTS = """
import h5py
with h5py.File("file.h5", "w") as file:
    for name, value in [("bytes", b"abc"), ("text", "abc"), ("list", [b"ab", b"c"]), ("nested", [(b"a",), (b"bc",)])]:
        file.attrs[name] = value
        file[name] = value
    file.attrs["number"] = 3
    file.attrs["array"] = np.array(["a", "b"], dtype=h5py.special_dtype(vlen=bytes))
    file.attrs["texts"] = np.array(["a", "b"], dtype=h5py.special_dtype(vlen=str))
    file.attrs.create("created", [b"ab", b"c"])
    file.create_dataset("created", data=[b"ab", b"c"])
    file.create_dataset("texts", data=np.array(["a", "b"], object), dtype=h5py.special_dtype(vlen=str))

def show(name, *values):
    print(name, *[(value.dtype.kind, value.tolist()) if isinstance(value, np.ndarray) else value for value in values])

with h5py.File("file.h5", "r") as file:
    for name in "bytes", "text", "number", "list", "nested", "array", "texts", "created":
        assert np.array_equal(file.attrs[name], file.attrs.get(name))
        show(name, file.attrs[name])
    print(file.attrs.get("none"), file.attrs.get("none", b"default"))
    for name in "text", "list", "nested", "created":
        show(name, file[name][()])
    show("texts", file["texts"].value, file["texts"][0], *file["texts"])
"""
READ = """
bytes b'abc'
text abc
number 3
list ('S', [b'ab', b'c'])
nested ('S', [[b'a'], [b'bc']])
array ('O', [b'a', b'b'])
texts ('O', ['a', 'b'])
created ('S', [b'ab', b'c'])
None b'default'
text abc
list ('S', [b'ab', b'c'])
nested ('S', [[b'a'], [b'bc']])
created ('S', [b'ab', b'c'])
texts ('O', ['a', 'b']) a a b
"""  # by h5py 2.10


@pytest.mark.slow
def test_texts_have_the_types_of_h5py_2(tmp_path):
    assert output_of(TEXTS, tmp_path) == READ.lstrip()


@pytest.mark.slow
def test_hdf5_files_without_a_mode_are_written_as_before_h5py_3(tmp_path):
    """The expected values are those of h5py 2.10."""
    pytest.importorskip("h5py")
    assert output_of(
        """
        import h5py
        for number in range(2):
            with h5py.File("file.h5") as file:
                file[str(number)] = number
                print(sorted(file), file.mode)
        with h5py.File("memory", driver="core", backing_store=False) as file:
            file["x"] = 1
        try:
            h5py.File("none/file.h5")
        except OSError as error:
            print("No such file" in str(error))
    """,
        tmp_path,
    ).splitlines() == ["['0'] r+", "['0', '1'] r+", "True"]


def test_a_changed_h5py_writes_reads_and_opens_as_h5py_2(tmp_path, monkeypatch):
    h5py = pytest.importorskip("h5py", minversion="3")
    path, before = str(tmp_path / "a.h5"), len(patches.changes())
    monkeypatch.setattr(h5py_calls, "is_asked_by_user", lambda: True)
    h5py_calls.patch(h5py)
    try:
        with h5py.File(path) as file:  # is made
            file["text"] = "\u00e9"
            file.attrs.create("names", [b"ab", b"c"])
            assert file["text"][()] == "\u00e9"
            assert h5py.h5a.open(file.id, b"names").dtype == "S2"
        monkeypatch.setattr(h5py_calls, "is_asked_by_user", lambda: False)
        with h5py.File(path) as file:  # a library's
            assert file.mode == "r" and file["text"][()] == b"\xc3\xa9"
    finally:
        patches.undo(before)


def _types_of_assigned(h5py, path, name):
    """Returns the types of a list of bytes that code of the file `name`
    assigns to a dataset and to an attribute.
    """
    code = "file['x'] = file.attrs['x'] = [b'ab', b'c']"
    with h5py.File(str(path), "w") as file:
        exec(compile(code, name, "exec"), {"file": file})
        return [str(each.dtype) for each in (file["x"], h5py.h5a.open(file.id, b"x"))]


def test_lists_of_bytes_that_the_user_assigns_have_a_fixed_length(tmp_path, monkeypatch):
    """The types are those of h5py 2.10; a library gets the ones of the installed h5py."""
    h5py = pytest.importorskip("h5py", minversion="3")
    path, before = tmp_path / "a.h5", len(patches.changes())
    monkeypatch.setattr(ownership, "_compiled", {"user.py"})
    plain = _types_of_assigned(h5py, path, "library.py")
    h5py_calls.patch(h5py)
    try:
        assert _types_of_assigned(h5py, path, "library.py") == plain
        assert _types_of_assigned(h5py, path, "user.py") == ["|S2", "|S2"]
    finally:
        patches.undo(before)
