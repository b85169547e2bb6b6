"""Tests that user code reads and writes HDF5 files as with h5py 2."""

import pytest

from script_folder import output_of

pytestmark = [pytest.mark.slow]
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


def test_texts_have_the_types_of_h5py_2(tmp_path):
    assert output_of(TEXTS, tmp_path) == READ.lstrip()


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
