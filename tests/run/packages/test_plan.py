"""Tests which release is taken for each package, beside an index of small packages."""

import os
import subprocess
import sys

import pytest

from tf1grad.programs import _compat
from tf1grad.programs.period import sources
from tf1grad.run.packages import (
    choices as kinds,
    declared,
    declaring_files,
    fetching,
    of_then,
    of_today,
    plan,
    resolver,
)
from tf1grad.run.packages.declaring_files import DeclaringFile
from tf1grad.run.packages.program_date import ProgramDate

NUMPY = "2.1.3"
OLD = "import tensorflow\n"


@pytest.fixture
def planned(index, tmp_path):
    """Returns the plan for requirements, or for the texts of `declaring_files`."""

    def make(lines, date=None, folder="", file="requirements.txt", is_declared=True):
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        asking = resolver.Resolver(resolver.find_uv(), str(scratch))
        found = declared.read([DeclaringFile(file, lines)] if isinstance(lines, str) else lines)
        return plan.make(found, folder or str(tmp_path), date, NUMPY, asking, is_declared)

    return make


@pytest.fixture
def choices(planned):
    """Plans for requirements; returns {package: (kind, version)} and the date."""

    def make(*given, **named):
        made = planned(*given, **named)
        return {each.name: (each.kind, each.version) for each in made.choices}, made.date.text

    return make


def test_what_stands_on_tensorflow_is_of_then_and_the_rest_of_today(choices):
    taken, date = choices("old-layers\n")
    assert date == "2020-01-31"
    assert taken == {"old-layers": (kinds.THEN, "1.1"), "plain": (kinds.TODAY, "2.0")}


@pytest.mark.slow
def test_the_newest_pin_dates_the_program_and_pins_are_obeyed(choices):
    taken, date = choices("old-layers\nplain==1.0\npinned==0.5\n")
    assert date == "2019-07-20"
    assert taken == {
        "old-layers": (kinds.THEN, "1.1"),
        "plain": (kinds.THEN, "1.0"),
        "pinned": (kinds.THEN, "0.5"),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "date, old, plain",
    [
        ("all", (kinds.THEN, "1.1"), (kinds.THEN, "1.1")),
        ("none", (kinds.TODAY, "2.0"), (kinds.TODAY, "2.0")),
        ("2018-06-01", (kinds.THEN, "1.0"), (kinds.TODAY, "2.0")),
    ],
)
def test_the_option_date(choices, date, old, plain):
    assert choices("old-layers\nplain\n", date)[0] == {"old-layers": old, "plain": plain}


@pytest.mark.slow
def test_the_last_commit_dates_a_program_without_pins(choices, folder):
    folder.write("train.py", "")
    environment = dict(os.environ, GIT_COMMITTER_DATE="2018-07-01T12:00:00")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=folder.path, env=environment, check=True)
    taken, date = choices("old-layers\n", folder=folder.path)
    assert date == "2018-07-01" and taken["old-layers"] == (kinds.THEN, "1.0")


def test_nothing_of_a_source_package_is_executed(choices, index, tmp_path):
    harm = f"open({str(tmp_path / 'executed')!r}, 'w')\n"
    files = {"setup.py": harm, "harmful/__init__.py": "import keras\n" + harm}
    index.add_source("harmful", "1.0", "2019-01-01", files, ["plain", "", "[more]", "pinned"])
    taken, _ = choices("harmful\n")
    assert taken == {"harmful": (kinds.THEN, "1.0"), "plain": (kinds.TODAY, "2.0")}
    assert not (tmp_path / "executed").exists()


@pytest.mark.slow
def test_a_source_package_that_is_compiled_cannot_be_had(choices, index):
    files = {"setup.py": "setup(ext_modules=[Extension('c', ['c.c'])])", "c.c": "int x;"}
    index.add_source("of-c", "1.0", "2019-01-01", files)
    assert choices("of-c\n")[0] == {"of-c": (kinds.NONE, "")}


@pytest.mark.slow
def test_a_pure_package_without_a_wheel_today_is_of_then(choices, index):
    for version, day in (("1.0", "2019-01-01"), ("2.0", "2024-01-01")):
        index.add_source("no-wheel", version, day, {"no_wheel/__init__.py": "", "setup.py": ""})
    assert choices("no-wheel\n")[0] == {"no-wheel": (kinds.THEN, "1.0")}


def test_compiled_packages_have_the_date_of_this_numpy(choices, index):
    tag = "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64".format(*sys.version_info)
    index.add_wheel(
        "fast", "0.1", "2019-01-01", {"fast.py": ""}, tag="cp37-cp37m-manylinux1_x86_64"
    )
    index.add_wheel("fast", "1.0", "2024-01-01", {"fast.py": ""}, ["numpy>=1.20"], tag=tag)
    index.add_wheel("fast", "2.0", "2026-01-01", {"fast.py": ""}, ["numpy>=2.3"], tag=tag)
    # The layer's NumPy may be newer.
    index.add_wheel("numpy", NUMPY, "2025-11-01", {"numpy.py": ""})
    assert choices("fast==0.1\n")[0] == {"fast": (kinds.COMPILED, "1.0")}


@pytest.fixture
def installed_fast(index, tmp_path, monkeypatch):
    """Installs a compiled package, fast 1.5; the index has an older release and newer ones."""
    info = tmp_path / "site" / "fast-1.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fast\nVersion: 1.5\n\n")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nRoot-Is-Purelib: false\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    tag = "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64".format(*sys.version_info)
    old = "cp37-cp37m-manylinux1_x86_64"
    index.add_wheel("fast", "1.0", "2019-01-01", {"fast.py": ""}, tag=old)
    for version, day in (("1.4", "2023-01-01"), ("2.0", "2026-01-01")):
        index.add_wheel("fast", version, day, {"fast.py": ""}, tag=tag)


@pytest.mark.usefixtures("installed_fast")
@pytest.mark.parametrize(
    "line, date, kind, version",
    [
        ("fast==1.0", None, kinds.INSTALLED, "1.5"),
        ("fast==7.7", None, kinds.INSTALLED, "1.5"),
        ("fast==7.7", "none", kinds.INSTALLED, "1.5"),
        ("fast>7", None, kinds.INSTALLED, "1.5"),
        # This Python can have these: they are obeyed.
        ("fast==1.4", None, kinds.TODAY, "1.4"),
        ("fast>=2", None, kinds.TODAY, "2.0"),
    ],
)
def test_an_installed_compiled_package_stays_where_no_release_is_as_asked(
    planned, line, date, kind, version
):
    (found,) = planned(f"{line}\n", date).choices
    assert (found.kind, found.version, found.wanted) == (kind, version, line[4:])


@pytest.mark.slow
@pytest.mark.parametrize("lines", ["topics\n", "topics==3.0\n", "old-layers\ntopics<4\n"])
def test_a_compiled_package_is_never_older_than_the_program(choices, index, lines):
    index.add_wheel("topics", "0.1", "2014-01-01", {"topics.py": ""})
    old, new = "cp37-cp37m-manylinux1_x86_64", "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64"
    index.add_wheel("topics", "3.0", "2019-06-01", {"topics.py": ""}, tag=old)
    tag = new.format(*sys.version_info)
    index.add_wheel("topics", "4.0", "2025-09-01", {"topics.py": ""}, tag=tag)
    assert choices(lines)[0]["topics"] == (kinds.COMPILED, "4.0")


@pytest.mark.slow
def test_a_pure_package_that_makes_arrays_of_numpy_is_of_then(choices, index):
    for version, day in (("2.0", "2019-06-01"), ("3.0", "2024-06-01")):
        text = f"def as_array():\n    import numpy\nversion = '{version}'\n"
        index.add_wheel("graphs", version, day, {"graphs.py": text}, ["plain"])
    assert choices("graphs\n")[0] == {"graphs": (kinds.THEN, "2.0"), "plain": (kinds.TODAY, "2.0")}


@pytest.mark.slow
@pytest.mark.parametrize("is_declared", [True, False])
def test_a_pure_package_that_stands_on_pandas_is_of_today(choices, index, is_declared):
    """As seaborn of then does not work with the Matplotlib and the pandas of this Python."""
    tag = "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64".format(*sys.version_info)
    index.add_wheel("pandas", "4.0", "2025-09-01", {"pandas.py": ""}, tag=tag)
    for version, day in (("0.1", "2019-06-01"), ("0.2", "2024-06-01")):
        index.add_wheel("plots", version, day, {"plots.py": "import numpy\n"}, ["pandas"])
    taken, _ = choices("plots\n", is_declared=is_declared)
    assert taken["plots"] == (kinds.TODAY, "0.2")
    # seaborn 0.7 declares nothing.
    for version, day in (("0.7", "2017-06-01"), ("0.9", "2024-06-01")):
        text = {"draws.py": "import numpy\nimport pandas as pd\n"}
        index.add_wheel("draws", version, day, text)
    taken, _ = choices("draws\n", is_declared=is_declared)
    assert taken["draws"] == (kinds.TODAY, "0.9")
    assert choices("plots\n", "all")[0]["plots"] == (kinds.THEN, "0.1")


@pytest.fixture
def for_two(index):
    """Adds libraries whose later releases require TensorFlow 2:
    in their text, or in their metadata.
    """
    text = "import tensorflow as tf\nrequired_tensorflow_version = '{}'\n"
    for version, day, least in (("0.8", "2019-10-29", "1.15"), ("0.9", "2020-01-10", "2.1")):
        index.add_wheel("draws", version, day, {"draws.py": text.format(least)})
    extra = "tensorflow{}; extra == 'tensorflow'"
    for version, day, bound in (("1.9", "2019-09-06", ">=1.13"), ("2.0", "2019-12-01", ">=2")):
        index.add_wheel("nets", version, day, {"nets.py": OLD}, ["draws", extra.format(bound)])
    index.add_wheel("only-two", "1.0", "2019-12-01", {"only_two.py": OLD}, ["tensorflow>=2.0"])


@pytest.mark.slow
@pytest.mark.usefixtures("for_two")
@pytest.mark.parametrize(
    "line, is_declared, version",
    [
        ("draws\n", False, "0.8"),
        ("draws\n", True, "0.8"),
        ("draws<0.9.5\n", True, "0.8"),
        ("draws>=0.8.1\n", True, "0.9"),
        ("draws==0.9\n", True, "0.9"),
        ("only-two\n", True, "1.0"),
    ],
)
def test_an_older_release_is_taken_than_the_one_for_tensorflow_2(
    choices, line, is_declared, version
):
    """As tensorflow-probability 0.8 is, which TensorFlow 1.15 can import;
    what the program asks for is obeyed.
    """
    taken, _ = choices(line, is_declared=is_declared)
    assert list(taken.values()) == [(kinds.THEN, version)]


@pytest.mark.usefixtures("for_two")
def test_the_major_version_before_the_one_for_tensorflow_2_is_taken(planned, capsys):
    """As dm-sonnet 1.35 is, which needs tensorflow-probability."""
    made = planned("nets\n", is_declared=False)
    assert [(each.name, each.version) for each in made.choices] == [
        ("draws", "0.8"),
        ("nets", "1.9"),
    ]
    assert "nets 2.0, of the program's date, requires TensorFlow 2" in capsys.readouterr().err
    assert made.choices[1].why.endswith("it stands on TensorFlow, and 2.0 requires TensorFlow 2")


@pytest.mark.slow
@pytest.mark.parametrize("date, version", [(None, "1.1"), ("2018-06-01", "1.0")])
def test_an_undeclared_package_that_is_pure_is_of_then(choices, date, version):
    taken, _ = choices("plain\n", date, is_declared=False)
    assert taken == {"plain": (kinds.THEN, version)}
    assert choices("plain\n", "none", is_declared=False)[0] == {"plain": (kinds.TODAY, "2.0")}


@pytest.mark.slow
def test_compiled_needs_of_todays_packages_have_the_date_of_this_numpy(choices, index):
    tag = "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64".format(*sys.version_info)
    index.add_wheel("fast", "1.0", "2021-01-01", {"fast.py": ""}, ["numpy"], tag=tag)
    index.add_wheel("fast", "9.0", "2026-01-01", {"fast.py": ""}, ["numpy"], tag=tag)
    index.add_wheel("draws", "5.0", "2026-01-01", {"draws.py": ""}, ["fast"])
    index.add_wheel("numpy", NUMPY, "2024-10-01", {"numpy.py": ""})
    taken, _ = choices("draws\n")
    assert taken == {"draws": (kinds.TODAY, "5.0"), "fast": (kinds.COMPILED, "1.0")}


@pytest.mark.slow
def test_what_tensorflow_needs_is_never_replaced(choices, index):
    index.add_wheel("six", "1.0", "2019-01-01", {"six.py": "raise RuntimeError('old')\n"})
    here = _compat.version_of_package("six")
    assert choices("six==1.0\n")[0] == {"six": (kinds.INSTALLED, here)}


@pytest.mark.slow
def test_copies_that_build_code_objects_are_of_today(choices, index):
    text = "import types\ndef f(code): return types.CodeType(code.co_argcount)\n"
    index.add_wheel("pickler", "1.0", "2019-01-01", {"pickler.py": text})
    index.add_wheel("pickler", "2.0", "2025-01-01", {"pickler.py": ""})
    assert choices("pickler==1.0\n")[0] == {"pickler": (kinds.TODAY, "2.0")}


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 13), reason="this Python has lib2to3")
def test_what_imports_a_module_that_python_dropped_is_of_today(choices, index):
    """As `future` of then, which programs import as `past`."""
    text = "from lib2to3.pgen2.parse import ParseError\n"
    index.add_wheel("future", "0.16", "2019-01-01", {"past/translation.py": text})
    index.add_wheel("future", "1.0", "2025-01-01", {"past/translation.py": ""})
    taken, _ = choices("future\n", is_declared=False)
    assert taken == {"future": (kinds.TODAY, "1.0")}


@pytest.mark.slow
def test_a_pin_that_does_not_exist_is_said(choices):
    taken, _ = choices("old-layers\nplain==7.7\nnowhere==1\n")
    assert taken["old-layers"] == (kinds.THEN, "1.1")
    assert taken["nowhere"] == (kinds.NONE, "")
    assert taken["plain"] == (kinds.TODAY, "2.0")


@pytest.mark.slow
def test_a_release_that_only_conda_has_is_not_guessed(choices):
    lines = "dependencies:\n  - old-layers=1.0=py36_0\n  - plain=7.7=py36_0\n"
    taken, _ = choices(lines, file="environment.yml")
    assert taken == {"old-layers": (kinds.THEN, "1.0"), "plain": (kinds.NONE, "")}


@pytest.mark.slow
def test_a_package_that_is_younger_than_the_pins_moves_the_date(choices, index):
    index.add_wheel("young", "1.0", "2019-08-01", {"young.py": "import keras\n"})
    taken, date = choices("young\nplain==1.0\n")
    assert date == "2020-01-31" and taken["young"] == (kinds.THEN, "1.0")


@pytest.mark.slow
def test_a_source_package_of_after_the_date_is_taken_where_there_is_nothing_older(choices, index):
    files = {"setup.py": "", "young/__init__.py": "import keras\n"}
    index.add_source("young", "1.0", "2021-06-01", files, ["plain", "Keras"])
    taken, date = choices("young\npinned==0.5\n")
    assert date == "2019-07-20"
    assert taken == {
        "young": (kinds.THEN, "1.0"),
        "pinned": (kinds.THEN, "0.5"),
        "plain": (kinds.TODAY, "2.0"),
    }


@pytest.mark.slow
def test_a_need_that_the_index_lacks_is_said_and_the_rest_is_brought(choices, index):
    needs = ["nowhere", "plain", "pprint"]  # pprint is a module of Python
    index.add_wheel("needy", "1.0", "2018-05-01", {"needy.py": "import keras\n"}, needs)
    taken, date = choices("needy\nplain==1.0\n")
    assert date == "2018-05-31"
    assert taken == {
        "needy": (kinds.THEN, "1.0"),
        "plain": (kinds.THEN, "1.0"),
        "nowhere": (kinds.NONE, ""),
    }


@pytest.mark.slow
@pytest.mark.parametrize("version, is_there", [("1.0.6", True), ("1.0.8", True), ("9.0", False)])
def test_a_library_of_the_layer_has_its_release_and_breaks_a_pin(planned, index, version, is_there):
    if is_there:
        index.add_wheel("Keras_Applications", version, "2018-10-03", {"keras_applications.py": OLD})
    (found,) = planned(f"Keras-Applications=={version}\n").choices
    assert (found.kind, found.version) == (kinds.PERIOD, "1.0.8")
    assert found.is_against_pin() == (version != "1.0.8")


def test_what_keras_of_the_layer_needs_is_brought(choices, index):
    index.add_wheel("Keras", "2.2.4", "2018-10-03", {"keras.py": OLD}, ["plain"])
    assert choices("Keras\n")[0] == {
        "keras": (kinds.PERIOD, "2.2.4"),
        "plain": (kinds.TODAY, "2.0"),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "version, asked, found",
    [
        ("1.2.2", "<2", (kinds.THEN, "1.2.2")),
        ("1.2.2", "", (kinds.PERIOD, "2.2.4")),
        ("2.0.8", "==2.0.8", (kinds.THEN, "2.0.8")),
        ("2.2.0", "==2.2.0", (kinds.PERIOD, "2.2.4")),
    ],
)
def test_a_keras_that_is_asked_for_and_not_in_the_layer_is_brought(
    choices, index, version, asked, found
):
    index.add_wheel("Keras", version, "2017-08-25", {"keras.py": OLD})
    of_keras = {"of_keras.py": "import keras\n"}
    index.add_wheel("of-keras", "1.0", "2018-11-01", of_keras, [f"Keras{asked}"])
    taken = {"of-keras": (kinds.THEN, "1.0"), "keras": found}
    assert choices("of-keras\n")[0] == taken


def test_an_override_replaces_what_a_package_asks_for(index, tmp_path):
    index.add_wheel("picky", "1.0", "2018-05-01", {"picky.py": ""}, ["plain==1.1"])
    asking = resolver.Resolver(resolver.find_uv(), str(tmp_path))
    found = asking.resolve(["picky"], date=None, python="3.12", overrides=["plain==1.0"])
    assert {each.name: each.version for each in found} == {"picky": "1.0", "plain": "1.0"}


@pytest.mark.parametrize("version, is_against", [("1.7.0", False), ("1.8.0", True)])
def test_only_another_release_is_against_a_pin(version, is_against):
    choice = kinds.Choice("plain", "==1.7.0", kinds.TODAY, version, "today's release")
    assert choice.is_against_pin() == is_against


def test_only_another_release_than_the_pinned_one_is_said(capsys):
    chosen = [
        kinds.Choice("kept", "==1.7.0", kinds.INSTALLED, "1.7.0", "it is installed"),
        kinds.Choice("other", "==1.7.0", kinds.INSTALLED, "1.8.0", "TensorFlow needs it"),
    ]
    fetching._say(kinds.PackagePlan(ProgramDate("2019-06-01", "given"), chosen, {}), NUMPY)
    said = capsys.readouterr().err
    assert "other is 1.8.0, and not 1.7.0 as it asks: TensorFlow needs it" in said
    assert "kept" not in said


@pytest.mark.slow
def test_needs_that_contradict_a_pin_give_way(choices, index):
    index.add_wheel("picky", "1.0", "2018-05-01", {"picky.py": "import keras\n"}, ["plain==1.1"])
    taken, _ = choices("picky\nplain==1.0\n")
    assert taken == {"picky": (kinds.THEN, "1.0"), "plain": (kinds.THEN, "1.0")}


@pytest.mark.slow
def test_modules_of_python_are_not_shadowed(choices, index, tmp_path):
    files = {"backport.py": "", "typing.py": "raise RuntimeError('old')\n"}
    index.add_wheel("backport", "1.0", "2019-01-01", files)
    assert choices("backport==1.0\n")[0] == {"backport": (kinds.THEN, "1.0")}
    assert not list((tmp_path / "scratch" / "read").rglob("typing.py"))


@pytest.mark.slow
def test_an_index_without_upload_times_is_said(choices, index):
    index.has_times = False
    with pytest.raises(sources.Failed, match="no upload times.*--date none"):
        choices("old-layers\n", "2019-01-01")


@pytest.mark.parametrize("is_declared", [True, False])
def test_without_a_date_an_index_without_upload_times_is_enough(planned, index, is_declared):
    """That is the remedy which the error without upload times names."""
    tag = "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64".format(*sys.version_info)
    index.add_wheel("fast", "1.0", "2019-01-01", {"fast.py": ""}, tag="cp37-cp37m-linux_x86_64")
    index.add_wheel("fast", "2.0", "2025-01-01", {"fast.py": ""}, tag=tag)
    index.add_wheel("Keras", "2.2.4", "2018-10-03", {"keras.py": OLD}, ["plain"])
    index.has_times = False
    made = planned("old-layers\nplain==1.0\nfast\nKeras\n", "none", is_declared=is_declared)
    assert [(each.name, each.kind, each.version) for each in made.choices] == [
        ("fast", kinds.COMPILED, "2.0"),
        ("keras", kinds.PERIOD, "2.2.4"),
        ("old-layers", kinds.TODAY, "2.0"),
        ("plain", kinds.TODAY, "2.0"),
    ]
    assert not any("upload times" in each.why for each in made.choices)


@pytest.mark.slow
def test_another_package_without_dates_does_not_end_the_plan(choices, index, monkeypatch, tmp_path):
    index.add_wheel("undated", "1.0", "2019-01-01", {"undated.py": ""})
    (tmp_path / "wheels").mkdir()
    for file, _, data in index.files.pop("undated"):
        (tmp_path / "wheels" / file).write_bytes(data)
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path / "wheels"))
    taken, _ = choices("undated\nold-layers==1.0\n")
    assert taken["old-layers"] == (kinds.THEN, "1.0")


@pytest.mark.parametrize("line", ["tensorflow==1.4.0", "tensorflow==1.4.*", "numpy==1.4"])
def test_pins_of_tensorflow_and_numpy_date_the_program(choices, index, line):
    tag = "cp36-cp36m-manylinux1_x86_64"  # no wheel is for Python 3.7
    index.add_wheel("tensorflow", "1.4.0", "2018-11-01", {"tensorflow.py": ""}, tag=tag)
    index.add_wheel("numpy", "1.4", "2018-11-01", {"numpy.py": ""})
    taken, date = choices(f"old-layers\n{line}\n")
    assert date == "2018-12-01" and taken["old-layers"] == (kinds.THEN, "1.0")


def test_pins_that_contradict_each_other_are_said_in_the_words_of_uv(planned):
    made = planned("plain==1.0\nplain==1.1\nold-layers\n")
    (choice,) = [each for each in made.choices if each.name == "plain"]
    assert choice.kind == kinds.NONE
    assert choice.why == "you require plain==1.0 and plain==1.1, which are incompatible"


@pytest.mark.slow
def test_constraints_hold_for_what_packages_need(choices, program):
    path = program(
        {"requirements.txt": "old-layers\n-c bounds.txt\n", "bounds.txt": "plain==1.1\n"}
    )
    texts = declaring_files.find_declaring_files(path)
    assert choices(texts)[0]["plain"] == (kinds.TODAY, "1.1")


@pytest.mark.parametrize("is_known", [True, False])
def test_checksums_are_obeyed(planned, index, is_known):
    digest = index.digest("pinned-0.5-py3-none-any.whl") if is_known else 64 * "0"
    made = planned(f"pinned==0.5 --hash=sha256:{digest}\n")
    (choice,) = made.choices
    assert choice.kind == (kinds.THEN if is_known else kinds.NONE)
    assert choice.why.startswith(
        "uploaded" if is_known else "Hash mismatch: no file of pinned==0.5"
    )


@pytest.mark.slow
def test_extras_of_an_installed_package_are_brought(choices, index, monkeypatch):
    monkeypatch.setattr(of_then.metadata, "requires", lambda name: ["plain; extra == 'more'", "x"])
    index.add_wheel("six", "1.0", "2019-01-01", {"six.py": ""})
    taken, _ = choices("six[more]\n")
    assert taken["plain"] == (kinds.TODAY, "2.0") and taken["six"][0] == kinds.INSTALLED


@pytest.mark.slow
def test_extras_of_a_package_of_today_are_brought(choices, index):
    needs = ["pinned; extra == 'more'"]
    index.add_wheel("extended", "1.0", "2019-01-01", {"extended.py": ""}, needs)
    assert choices("extended[more]\n")[0]["pinned"] == (kinds.TODAY, "0.9")


@pytest.fixture
def runs(monkeypatch):
    """Returns the list of the commands of uv, which grows."""
    found = []
    run = resolver.Resolver._run
    monkeypatch.setattr(
        resolver.Resolver,
        "_run",
        lambda self, command: [found.append(command), run(self, command)][1],
    )
    return found


def test_all_lines_are_asked_for_in_one_run_of_uv(planned, index, runs):
    for number in range(20):
        index.add_wheel(f"p{number}", "1.0", "2019-01-01", {f"p{number}.py": ""})
    made = planned("".join(f"p{number}==1.0\n" for number in range(20)))
    assert [each.kind for each in made.choices] == [kinds.THEN] * 20
    assert len(runs) == 2  # their dates, and the releases of then
    runs.clear()
    planned("".join(f"p{number}\n" for number in range(20)) + "nowhere==1\nplain==7.7\n")
    assert len(runs) <= 11


@pytest.mark.slow
@pytest.mark.parametrize("bound", ["==1.0", "==1.*", "<2", "<=1.5,>=0.9"])
def test_compiled_pins_without_a_wheel_cost_one_run_of_uv(planned, index, runs, bound):
    old, new = "cp37-cp37m-manylinux1_x86_64", "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64"
    for number in range(6):
        name = f"c{number}"
        index.add_wheel(name, "1.0", "2019-01-01", {f"{name}.py": ""}, tag=old)
        index.add_source(name, "1.0", "2019-01-01", {f"{name}.py": ""})
        newer = new.format(*sys.version_info)
        index.add_wheel(name, "2.0", "2021-01-01", {f"{name}.py": ""}, tag=newer)
    made = planned("".join(f"c{number}{bound}\n" for number in range(6)))
    assert [(each.kind, each.version) for each in made.choices] == [(kinds.COMPILED, "2.0")] * 6
    # The releases of then, whether the lines have wheels, and the compiled releases; of pins their
    # dates first.
    assert len(runs) == 3 + (bound == "==1.0")


@pytest.mark.slow
def test_what_has_no_wheel_at_all_says_so(planned, index):
    for name in ("c1", "c2"):
        index.add_wheel(name, "1.0", "2019-01-01", {}, tag="cp37-cp37m-manylinux1_x86_64")
        index.add_source(name, "1.0", "2019-01-01", {"setup.py": "ext_modules", f"{name}.c": ""})
    made = planned("c1==1.*\nc2<2\n")
    assert [each.why for each in made.choices] == [of_today.WITHOUT_WHEEL] * 2
