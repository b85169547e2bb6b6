"""Tests that a lock file that cannot be taken is refused in a sentence,
which names it and not requirements.txt.
"""

import os
import sys

import pytest

from tf1grad.cli import run
from tf1grad.cli.main import main
from tf1grad.programs.period import layer as period_layer, sources
from tf1grad.run.packages import TITLES, fetching, lock_file

HASH = "--hash=sha256:" + 64 * "0"
PLAIN = f"plain==1.0 {HASH}\n"
NO_RELEASE = "is not a release with its hash"
# The content of a file, and words of the sentence that refuses it.
REFUSED = {
    "empty": (b"", "neither a release nor the titles"),
    "line ends alone": (b"\n\r\n\n", "neither a release nor the titles"),
    "comments alone": (b"# plain==1.0\n# numpy\n", "neither a release nor the titles"),
    "UTF-16": (PLAIN.encode("utf-16"), "not text in UTF-8 (byte 0)"),
    "Latin-1": ("# caf\xe9\n".encode("latin-1") + PLAIN.encode(), "not text in UTF-8 (byte 5)"),
    "a compressed file": (b"\x1f\x8b\x08\x00" + bytes(range(256)), "not text in UTF-8"),
    "zero bytes": (b"\0" * 4096, NO_RELEASE),
    "a name alone": (b"plain\n", f"line 1: it {NO_RELEASE}: 'plain'"),
    "no hash": (b"plain==1.0\n", NO_RELEASE),
    "a hash that is cut": (PLAIN[:-9].encode(), NO_RELEASE),
    "another kind of hash": (b"plain==1.0 --hash=md5:" + 32 * b"0" + b"\n", NO_RELEASE),
    "a range of versions": (f"plain>=1.0 {HASH}\n".encode(), NO_RELEASE),
    "an impossible version": (f"plain==one {HASH}\n".encode(), "'one' is no version"),
    "a marker": (f"plain==1.0 ; python_version<'3' {HASH}\n".encode(), NO_RELEASE),
    "a continued line": (f"plain==1.0 \\\n    {HASH}\n".encode(), NO_RELEASE),
    "an option of pip": (b"--index-url http://127.0.0.1:9/\n", NO_RELEASE),
    "an option that looks like a release": (f"-r==1.0 {HASH}\n".encode(), NO_RELEASE),
    "another file": (b"-r requirements.txt\n", NO_RELEASE),
    "an address": (f"plain @ http://127.0.0.1:9/plain.whl {HASH}\n".encode(), NO_RELEASE),
    "marks of a merge": (f"<<<<<<< HEAD\n{PLAIN}".encode(), f"line 1: it {NO_RELEASE}"),
    "a package twice": (f"{PLAIN}Plain==2.0 {HASH}\n".encode(), "line 2: line 1 has plain too"),
    "TensorFlow": (f"tensorflow==2.21.0 {HASH}\n".encode(), "`run` brings no tensorflow"),
    "another program's form": (b'{"default": {"plain": {"version": "==1.0"}}}\n', NO_RELEASE),
    "very large": (b"#" * (lock_file.MOST_BYTES + 1), "it has 10 MB"),
}


def refusal(path, capsys):
    """Returns the line in which `run` refuses a lock file, which names it."""
    assert main(["run", "--lock", str(path), "train.py"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"tf1grad run: --lock: {path}") and told.count("\n") == 1
    assert "requirements.txt" not in told.replace("'-r requirements.txt'", "")
    return told


@pytest.fixture
def lock(program, folder, monkeypatch):
    """Returns the path for the lock file of a program that also has requirements."""
    monkeypatch.chdir(program({"train.py": "import plain\n", "requirements.txt": "pinned\n"}))
    return os.path.join(folder.path, "tf1grad.lock")


@pytest.mark.parametrize("kind", REFUSED)
def test_a_file_of_another_form_is_refused(lock, folder, capsys, kind):
    content, words = REFUSED[kind]
    folder.write("tf1grad.lock", content)
    assert words in refusal(lock, capsys)


def test_a_folder_is_refused(lock, capsys):
    os.mkdir(lock)
    assert "it is not a regular file" in refusal(lock, capsys)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_a_pipe_and_a_device_without_end_are_refused(lock, capsys):
    os.mkfifo(lock)
    assert "it is not a regular file" in refusal(lock, capsys)
    assert "it is not a regular file" in refusal("/dev/zero", capsys)


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_refused(lock, folder, capsys):
    os.chmod(folder.write("tf1grad.lock", PLAIN), 0)
    assert "it cannot be read: Permission denied" in refusal(lock, capsys)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("before", ["", "\ufeff", "  # a comment\n", "# of the program's date\n"])
def test_line_ends_marks_and_comments_are_read(folder, before, ends):
    text = (before + PLAIN + f"Old_Layers==1.1 {HASH}").replace("\n", ends)
    found = lock_file.read(lock_file.load(folder.write("tf1grad.lock", text.encode())), "")
    assert [each.pin for kind in found for each in found[kind]] == ["plain==1.0", "old-layers==1.1"]


@pytest.fixture
def take(program, index, layer, monkeypatch):
    """Returns a function that takes exactly what the text of a lock file names, as a run does."""
    monkeypatch.setattr(sys, "path", list(sys.path))

    def put(text):
        around = program({"requirements.txt": "pinned\n", "my.lock": text})
        lock = ("my.lock", os.path.join(around, "my.lock"))
        numpy = period_layer.numpy_version("layer")
        wanted = fetching.find_wanted(around, numpy, lock=lock)
        return fetching.put_on_path(wanted, 0)

    return put


def hashed(index, name, version, tag="py3-none-any"):
    """Returns the line of a release that the index has."""
    file = f"{name}-{version}-{tag}.whl"
    return f"{name}=={version} --hash=sha256:{index.digest(file)}\n"


OF_THE_INDEX = {
    "a changed checksum": (lambda index: PLAIN, "Hash mismatch"),
    "a missing release": (lambda index: f"plain==7.0 {HASH}\n", "no version of plain==7.0"),
    "a missing package": (lambda index: f"nowhere==1.0 {HASH}\n", "nowhere was not found"),
    "one of two is missing": (
        lambda index: hashed(index, "plain", "1.0") + f"nowhere==1.0 {HASH}\n",
        "nowhere was not found",
    ),
    "a release for another system": (
        lambda index: hashed(index, "other", "1.0", "cp27-cp27m-win32"),
        "other",
    ),
}


@pytest.mark.parametrize("section", [f"# {title}\n" for title in TITLES])
@pytest.mark.parametrize(
    "kind",
    [
        "a changed checksum",
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in list(OF_THE_INDEX)[1:]),
    ],
)
def test_what_the_index_does_not_have_is_told(take, index, layer, kind, section):
    index.add_wheel("other", "1.0", "2019-01-01", {"other.py": ""}, tag="cp27-cp27m-win32")
    lines, words = OF_THE_INDEX[kind]
    with pytest.raises(sources.Failed) as caught:
        take(section + lines(index))
    told = str(caught.value)
    assert told.startswith("my.lock: ") and words in told
    assert "requirements.txt" not in told and "\n" not in told
    assert not list(layer.iterdir())


def test_the_variable_of_notebooks_names_a_lock_file_that_exists(lock, folder, monkeypatch):
    monkeypatch.setenv(run.VARIABLE, "--lock tf1grad.lock")
    with pytest.raises(ValueError, match="tf1grad.lock: the file does not exist"):
        run.options_from_environment()
    folder.write("tf1grad.lock", PLAIN)
    assert run.options_from_environment().lock == ("tf1grad.lock", lock)


def test_a_lock_of_no_packages_that_run_wrote_is_taken(take):
    assert take("# of the program's date\n# of today\n") == []


# The first lines of a lock file, and the release of Keras that it stands for; "" for the newest of
# Keras 2.
KERAS = {
    "# The packages of the program as of 2019-09-16.\n": "2.2.4",
    "# The packages of the program as of 2019-09-17.\n": "",
    "# The packages of the program as of 2019-01-01.\n# keras 2.3.1 comes with the layer\n": "2.3.1",
    "": "",
}


@pytest.mark.parametrize(
    "text, release", list(KERAS.items()), ids=["before 2.3", "2.3", "named", "no date"]
)
def test_a_lock_file_tells_the_keras_of_its_date(text, release):
    assert fetching.keras_of(text) == release
