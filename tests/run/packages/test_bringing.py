"""Tests that `run` brings what a program declares:
once, for its process, with real processes and a small index.
"""

import os
import sys

import numpy
import pytest

from tf1grad.programs.period import installation, layer as period_layer
from tf1grad.run.packages import fetching

TRAIN = (
    "import old_layers, plain\nprint(old_layers.version, plain.version, bool(old_layers.hidden))\n"
)
PROGRAM = {"train.py": TRAIN, "requirements.txt": "old-layers\n"}


@pytest.mark.slow
@pytest.mark.each_release
def test_brings_serves_and_fetches_once(program, folder, index, layer):
    program(PROGRAM)
    code, output, errors = folder.run("train.py", env={"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"})
    assert (code, output) == (0, "1.1 2.0 True\n"), errors
    assert "1 package as of 2020-01-31" in errors and "1 package of today" in errors
    assert folder.files() == ["requirements.txt", "train.py"]
    index.files.clear()  # whatever asks now finds nothing
    code, output, errors = folder.run("train.py")
    assert (code, output) == (0, "1.1 2.0 True\n") and "fetching" not in errors


@pytest.mark.skipif(sys.version_info >= (3, 11), reason="Python reads TOML itself")
def test_the_reader_of_toml_is_fetched_before_the_packages(program, index, monkeypatch):
    events = []
    add_readers, install = period_layer.add_readers, installation.install
    monkeypatch.setattr(
        period_layer, "add_readers", lambda: [events.append("readers"), add_readers()]
    )
    monkeypatch.setattr(
        installation,
        "install",
        lambda *given, **named: [events.append("packages"), install(*given, **named)],
    )
    wanted = fetching.find_wanted(program(PROGRAM), "1.26.4")
    before = list(sys.path)
    try:
        assert fetching.put_on_path(wanted, 0) == ["old_layers"]
    finally:
        sys.path[:] = before
    assert events.index("readers") < events.index("packages")


@pytest.mark.slow
def test_every_run_says_what_cannot_be_had(program, folder, index):
    program({"train.py": "import nowhere\n", "requirements.txt": "nowhere==1.0\nold-layers\n"})
    for _ in range(2):
        code, _, errors = folder.run("train.py")
        assert code == 1 and "nowhere==1.0 cannot be had: " in errors, errors
        assert "`nowhere==1.0`, which the program declares, cannot be had: " in errors


@pytest.mark.slow
def test_the_import_of_a_package_with_an_address_says_why_it_is_missing(program, folder, index):
    address = "git+https://example.org/some/no_where.git@v1.2"
    program({"train.py": "import no_where\n", "requirements.txt": f"{address}\nold-layers\n"})
    for _ in range(2):
        code, _, errors = folder.run("train.py")
        assert code == 1 and f"`{address}`, which the program declares, cannot be had: " in errors


@pytest.mark.slow
def test_changed_requirements_are_seen(program, folder, index):
    program(PROGRAM)
    folder.lines("train.py")
    program({"requirements.txt": "old-layers==1.0\nplain==1.0\n"})
    assert folder.lines("train.py") == ["1.0 1.0 True"]


@pytest.mark.slow
def test_a_lock_file_is_written_and_then_taken_exactly(program, folder, index):
    program(PROGRAM)
    assert folder.lines("--lock", "tf1grad.lock", "train.py") == ["1.1 2.0 True"]
    index.add_wheel("plain", "3.0", "2026-01-01", {"plain/__init__.py": "version = '3.0'\n"})
    program({"requirements.txt": "old-layers==1.0\n"})
    assert folder.lines("--lock", "tf1grad.lock", "train.py") == ["1.1 2.0 True"]
    folder.write("tf1grad.lock", "plain\n")
    code, _, errors = folder.run("--lock", "tf1grad.lock", "train.py")
    assert code != 0 and "line 1: it is not a release with its hash: 'plain'" in errors


@pytest.mark.slow
@pytest.mark.parametrize(
    "options, env", [(["--packages", "installed"], {}), ([], {"TF1GRAD_OFFLINE": "1"})]
)
def test_left_out(program, folder, index, options, env):
    program(PROGRAM)
    code, output, errors = folder.run(*options, "train.py", env=env)
    assert code == 1 and "No module named 'old_layers'" in errors and "fetching" not in errors


@pytest.mark.slow
def test_a_dead_index_ends_the_run_with_a_remedy(program, folder, index):
    program(PROGRAM)
    code, _, errors = folder.run("train.py", env={"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple"})
    assert code != 0 and "could not be fetched" in errors and "--packages installed" in errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_a_well_known_module_is_brought_when_it_is_imported(program, folder, index):
    index.add_wheel("tflearn", "0.3", "2019-01-01", {"tflearn.py": "import tensorflow\nv = 3\n"})
    index.add_wheel("tflearn", "0.5", "2024-01-01", {"tflearn.py": "import tensorflow\nv = 5\n"})
    program({"train.py": "import tflearn\nprint(tflearn.v)\n"})
    assert folder.lines("train.py") == ["3"]
    text = "try:\n    import tflearn\nexcept ImportError:\n    print('without')\n"
    program({"other.py": text})
    assert folder.lines("--date", "2019-02-02", "other.py") == ["without"]


@pytest.mark.slow
@pytest.mark.skipif(numpy.__version__[0] == "1", reason="the installed NumPy is of that time")
def test_a_package_compiled_for_the_installed_numpy_gives_way(program, folder, index):
    tag = "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64".format(*sys.version_info)
    of_run = period_layer.numpy_version("layer")
    index.add_wheel("fast", "1.0", "2022-01-01", {"fast.py": "v = 1\n"}, ["numpy"], tag=tag)
    index.add_wheel("fast", "9.0", "2026-01-01", {"fast.py": "v = 9\n"}, ["numpy>=2.4"], tag=tag)
    index.add_wheel("numpy", of_run, "2024-02-05", {"numpy.py": ""})
    program(
        {
            "lib/fast.py": "v = 9\n",
            "lib/fast-9.0.dist-info/METADATA": "Name: fast\nVersion: 9.0\nRequires-Dist: numpy\n",
            "lib/fast-9.0.dist-info/WHEEL": "Root-Is-Purelib: false\n",
            "lib/fast-9.0.dist-info/RECORD": "fast.py,,\n",
            "train.py": "import fast, numpy\nprint(fast.v, numpy.__version__)\n",
        }
    )
    environment = {"PYTHONPATH": os.path.join(folder.path, "lib")}
    code, output, errors = folder.run("train.py", env=environment)
    assert (code, output) == (0, f"1 {of_run}\n"), errors
    assert f"1 package compiled for this Python and NumPy {of_run}" in errors
    lines = folder.lines("--numpy", "installed", "train.py", env=environment)
    assert lines == [f"9 {numpy.__version__}"]


@pytest.mark.slow
def test_pkg_resources_can_be_imported_beside_any_setuptools(folder):
    text = "import pkg_resources as p\nprint(p.parse_version('1.15') < p.parse_version('2'))\n"
    folder.write("train.py", text)
    assert folder.lines("train.py") == ["True"]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["from old_layers import gone", "import plain; plain.gone"])
def test_a_name_that_a_brought_release_lacks_names_the_options(program, folder, index, line):
    program({**PROGRAM, "train.py": f"import tensorflow\n{line}\n"})
    code, _, errors = folder.run("train.py")
    assert code == 1 and "`--date all` takes" in errors and "`--date none` takes" in errors, errors
    text = "import tensorflow as tf\ndef f():\n    return tf.gone\n"
    index.add_wheel("asking", "1.0", "2019-01-01", {"asking.py": text})
    program({"requirements.txt": "asking\n", "train.py": "import asking\nasking.f()\n"})
    code, _, errors = folder.run("train.py")  # 1.15.5 lacks the name too
    assert code == 1 and "has no attribute 'gone'" in errors and "--date all" not in errors, errors
    program({"train.py": "import tensorflow\nimport json\njson.gone\n"})
    code, _, errors = folder.run("train.py")
    assert code == 1 and "--date" not in errors


@pytest.mark.slow
def test_what_tensorflow_itself_tries_to_import_is_not_brought(program, folder, index):
    program({"train.py": "import tensorflow as tf\nprint(tf.contrib.rnn.LSTMCell.__name__)\n"})
    code, output, errors = folder.run("train.py")
    assert (code, output) == (0, "LSTMCell\n"), errors
    assert "import pydot" not in errors and "import pandas" not in errors


@pytest.mark.slow
def test_the_name_of_an_unknown_module_is_not_guessed(program, folder, index):
    index.add_wheel("stranger", "1.0", "2019-01-01", {"stranger.py": "print('stranger')\n"})
    program({"train.py": "import stranger\n"})
    code, output, errors = folder.run("train.py")
    assert (code, output) == (1, "") and "Write its package into requirements.txt" in errors


@pytest.mark.slow
def test_what_a_library_imports_and_does_not_declare_is_of_the_date(program, folder, index):
    """Keras comes with the layer, and a well-known module from the index."""
    index.add_wheel("tflearn", "0.3", "2018-01-01", {"tflearn.py": "import tensorflow\nv = 3\n"})
    index.add_wheel("silent", "1.0", "2018-11-01", {"silent.py": "import keras, tflearn\n"})
    program({"train.py": "import silent\nprint(silent.keras.__version__, silent.tflearn.v)\n"})
    program({"requirements.txt": "silent==1.0\n"})
    assert folder.lines("train.py") == ["2.2.4 3"]


@pytest.mark.slow
def test_child_processes_find_them(program, folder, index):
    child = "import subprocess, sys\nsubprocess.run([sys.executable, 'train.py'], check=True)\n"
    program({**PROGRAM, "start.py": child})
    assert folder.lines("start.py") == ["1.1 2.0 True"]


def test_doctor_shows_the_plan_and_keeps_nothing(program, folder, index, layer):
    program({**PROGRAM, "train.py": TRAIN + "import stranger\n"})
    process = folder.start("-m", "tf1grad", "doctor", ".")
    output, errors = process.communicate()
    lines = [line.split() for line in output.splitlines()]
    assert process.returncode == 1, errors
    assert ["old-layers", "any", "1.1"] in [line[:3] for line in lines], output + errors
    assert ["plain", "any", "2.0"] in [line[:3] for line in lines], output + errors
    assert f"{sys.executable} -m pip install" in output
    assert "--no-deps --ignore-requires-python old-layers==1.1 plain==2.0\n" in output
    assert "stranger is imported (train.py, line 3), but no requirement names" in output
    assert not list(layer.glob("packages-*"))


@pytest.mark.slow
def test_doctors_line_takes_wheels_of_compiled_packages(program, folder, index):
    tag = "cp{0}{1}-cp{0}{1}-manylinux_2_17_x86_64".format(*sys.version_info)
    for name in ("fast", "slow"):
        old_tag = "cp37-cp37m-manylinux1_x86_64"
        index.add_wheel(name, "0.1", "2019-01-01", {f"{name}.py": ""}, tag=old_tag)
        index.add_wheel(name, "1.0", "2022-01-01", {f"{name}.py": ""}, tag=tag)
    program({"train.py": "", "requirements.txt": "fast\nslow\n"})
    output, errors = folder.start("-m", "tf1grad", "doctor", ".").communicate()
    assert "--ignore-requires-python --only-binary=fast,slow fast slow\n" in output, errors


@pytest.mark.slow
def test_doctor_says_what_answers_a_network(program, folder, index):
    index.add_wheel(
        "shows", "1.0", "2019-01-01", {"shows.py": "import keras\nfrom flask import Flask\n"}
    )
    program({"requirements.txt": "old-layers\nshows\n"})
    output, _ = folder.start("-m", "tf1grad", "doctor", ".").communicate()
    told = [line.split()[0] for line in output.splitlines() if "it can answer a network" in line]
    assert told == ["shows"]


@pytest.mark.slow
def test_period_lists_and_removes_them(program, folder, index, layer):
    program(PROGRAM)
    folder.lines("train.py")
    process = folder.start("-m", "tf1grad", "period", env={"TF1GRAD_PERIOD": str(layer)})
    assert "brings for requirements.txt, as of 2020-01-31" in process.communicate()[0]
    process = folder.start("-m", "tf1grad", "period", "remove", env={"TF1GRAD_PERIOD": str(layer)})
    process.communicate()
    assert os.listdir(str(layer)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", ["tflearn/__init__.py", "src/tflearn/core.py", "lib/tflearn.py", "../tflearn/nets.py"]
)
def test_no_package_is_brought_for_a_module_of_the_programs_tree(program, folder, index, place):
    index.add_wheel("tflearn", "0.3", "2019-01-01", {"tflearn.py": "print('a package')\n"})
    where = os.path.normpath(os.path.join("here", place))
    program({".git/HEAD": "", where: "print('its own')\n", "here/train.py": "import tflearn\n"})
    code, output, errors = folder.run("here/train.py")
    if place.startswith("tflearn"):
        assert (code, output) == (0, "its own\n"), errors
    else:
        own = os.path.join(folder.path, where)
        own = own if place.endswith("tflearn.py") else os.path.dirname(own)
        assert (code, output) == (1, "") and f"{own} is in the program's tree" in errors, errors
        assert "If the package tflearn is meant, write that into requirements.txt" in errors


@pytest.mark.slow
@pytest.mark.parametrize("module, package", [("rl", "keras-rl"), ("params", "py-params")])
def test_a_module_with_a_common_name_brings_no_package(program, folder, index, module, package):
    index.add_wheel(package, "0.3", "2019-01-01", {f"{module}.py": "print('a package')\n"})
    program({"train.py": f"import {module}\n"})
    code, output, errors = folder.run("train.py")
    assert (code, output) == (1, "") and f"such as `{package}`" in errors, errors
    program({"requirements.txt": f"{package}\n"})
    assert folder.lines("train.py") == ["a package"]
