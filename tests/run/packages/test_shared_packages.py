"""Tests that what is brought is named after its content:
programs, lock files and offline runs share it.
"""

import os
import sys

import pytest

from tf1grad.programs.period import folder as period_folder, layer as period_layer, sources
from tf1grad.run.packages import fetching

TAG = "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64".format(*sys.version_info)
WHEEL = "files/plain-1.0-py3-none-any.whl"


@pytest.fixture
def bring_in(folder, index, monkeypatch):
    """Returns a function that brings what a folder of a program declares, with an option
    `--lock` or without one.
    """
    monkeypatch.setattr(sys, "path", list(sys.path))

    def put(name, requirements, lock=None):
        folder.write(f"{name}/requirements.txt", requirements)
        place, numpy = os.path.join(folder.path, name), period_layer.numpy_version("layer")
        wanted = fetching.find_wanted(place, numpy, lock=lock and ("my.lock", lock))
        period_folder.find_damage.cache_clear()
        return fetching.put_on_path(wanted, 0), fetching.lock_of(wanted)

    return put


def test_programs_share_the_releases_that_both_need(bring_in, index, layer):
    assert bring_in("first", "plain==1.0\n")[0] == ["plain"]
    assert bring_in("second", "plain==1.0\npinned==0.5\n")[0] == ["pinned", "plain"]
    names = sorted(path.name.rpartition("-cp")[0] for path in layer.glob("package-*"))
    assert names == ["package-pinned-0.5", "package-plain-1.0"]


def test_a_second_folder_with_the_same_requirements_needs_no_network(bring_in, index, monkeypatch):
    bring_in("first", "plain==1.0\n")
    index.asked.clear()
    monkeypatch.setenv(sources.OFFLINE, "1")
    assert bring_in("second", "plain==1.0\n")[0] == ["plain"] and index.asked == []


def test_a_lock_file_takes_what_the_run_that_wrote_it_brought(
    bring_in, folder, index, capsys, monkeypatch
):
    """Without a network as well; a changed requirements.txt is said, and does not count."""
    brought, text = bring_in("first", "old-layers\nplain==1.0\n")
    lock = folder.write("my.lock", text)
    index.asked.clear()
    monkeypatch.setenv(sources.OFFLINE, "1")
    capsys.readouterr()
    assert bring_in("first", "old-layers\nplain==1.0\n", lock)[0] == brought and index.asked == []
    assert capsys.readouterr().err == ""
    assert bring_in("first", "old-layers\nplain==1.1\n", lock) == (brought, text)
    told = capsys.readouterr().err
    assert "requirements.txt declares other packages than when my.lock was written" in told


def test_a_lock_file_with_compiled_packages_of_another_python_is_refused(bring_in, folder, index):
    index.add_wheel("fast", "1.0", "2021-01-01", {"fast.py": ""}, tag=TAG)
    text = bring_in("first", "fast\n")[1]
    this = "Python {}.{} on ".format(*sys.version_info)
    assert f"# The compiled ones are for {this}" in text
    other = folder.write("my.lock", text.replace(this, "Python 3.9 on "))
    code, _, errors = folder.run("--lock", other, "-c", "")
    assert code == 2 and "its compiled packages are for Python 3.9 on " in errors, errors
    assert f"and this is {this}" in errors


@pytest.mark.slow
def test_a_compiled_package_that_nobody_declares_is_one_for_all_folders(folder, index, layer):
    """The second folder has another date, and no network."""
    index.add_wheel("gensim", "1.0", "2021-01-01", {"gensim.py": "v = 1\n"}, tag=TAG)
    for name, requirements in (("first", "plain==1.0\n"), ("second", "pinned==0.5\n")):
        folder.write(f"{name}/requirements.txt", requirements)
        folder.write(f"{name}/train.py", "import gensim\nprint(gensim.v)\n")
    assert folder.lines("first/train.py") == ["1"]
    index.asked.clear()
    code, output, errors = folder.run("second/train.py", env={sources.OFFLINE: "1"})
    assert (code, output) == (0, "1\n"), errors
    assert index.asked == [] and len(list(layer.glob("package-gensim-*"))) == 1


@pytest.mark.slow
def test_a_program_without_a_file_is_brought_what_it_imports(folder, index, layer):
    index.add_wheel("gensim", "1.0", "2021-01-01", {"gensim.py": "v = 1\n"}, tag=TAG)
    assert folder.lines("-c", "import gensim\nprint(gensim.v)") == ["1"]
    assert len(list(layer.glob("package-gensim-*"))) == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the limit is Linux's")
def test_a_lock_file_is_longer_than_a_variable_of_the_environment(program, folder, index):
    child = "import subprocess, sys\nsubprocess.run([sys.executable, 'train.py'], check=True)\n"
    train = "import plain\nprint(plain.version)\n"
    program({"requirements.txt": "plain==1.0\n", "train.py": train, "start.py": child})
    folder.lines("--lock", "my.lock", "train.py")
    with open(os.path.join(folder.path, "my.lock"), "a") as file:
        file.write("# a comment\n" * 20_000)
    assert folder.lines("--lock", "my.lock", "start.py") == ["1.0"]


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """Returns a function that puts an environment with some releases of "plain" on the path."""

    def enter(name, *versions):
        place = tmp_path / name
        for version in versions:
            info = place / f"plain-{version}.dist-info"
            info.mkdir(parents=True)
            (info / "METADATA").write_text(f"Name: plain\nVersion: {version}\n\n")
        before = [each for each in sys.path if not each.startswith(str(tmp_path))]
        monkeypatch.setattr(sys, "path", [str(place), *before])

    return enter


def test_an_environment_without_a_package_that_another_one_has_is_brought_it(
    bring_in, environment, index
):
    """Both share the folder of the layer; each keeps its plan, without another question."""
    environment("with", "1.1")
    brought, text = bring_in("first", "plain\n")
    assert brought == [] and "# installed: plain==1.1" in text and "plain==2.0" not in text
    environment("without")
    text_without = bring_in("first", "plain\n")[1]
    assert "plain==2.0 --hash" in text_without and "installed:" not in text_without
    index.asked.clear()
    assert bring_in("first", "plain\n")[1] == text_without
    environment("with again", "1.0")
    assert bring_in("first", "plain\n")[1] == text and index.asked == []


def test_a_lock_file_names_what_was_installed_where_it_was_written(
    bring_in, environment, folder, index, capsys
):
    environment("with", "1.1")
    lock = folder.write("my.lock", bring_in("first", "plain\n")[1])
    capsys.readouterr()
    bring_in("first", "plain\n", lock)
    assert capsys.readouterr().err == ""
    environment("without")
    bring_in("first", "plain\n", lock)
    told = "my.lock takes plain==1.1 from the environment, which lacks it: pip install plain==1.1"
    assert told in capsys.readouterr().err
    why = "it was installed where my.lock was written, and is not here"
    assert fetching.find_missing("plain") == ("plain==1.1", why)
