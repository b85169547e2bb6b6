"""Tests which files of a program belong together, which are started,
and which are for TensorFlow 1.
"""

import os

import pytest

from tf1grad.programs.source import entry_points, files, local_modules
from tf1grad.programs.source.local_modules import LocalModules
from tf1grad.programs.source.program import KnownNames, Program
from tf1grad.programs.source.programs import Programs


@pytest.fixture
def programs(tmp_path):
    """Returns a function that writes files, and returns their `Program`s by name."""

    def made(**texts):
        found = {}
        for name, text in texts.items():
            path = tmp_path.joinpath(*name.split("__")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            found[name] = Program(files.read(str(path)))
        return found

    return made


def _names(found, programs):
    return sorted(name for name, program in found.items() if program in programs)


def test_a_module_is_the_file_that_an_import_finds_first(programs):
    found = programs(
        train="import model, lib.layers\n",
        model="",
        lib__layers="from . import model\nfrom .. import train\nimport model, far\n",
        lib__model="",
        lib__inner__deep="import train\n",
    )
    modules = LocalModules(found.values())

    def named(program, name, level):
        return _names(found, modules.named(found[program], name, level))

    assert named("train", "model", 0) == ["model"]
    assert named("train", "lib.layers", 0) == ["lib__layers"]
    assert named("train", "layers", 0) == []
    assert named("lib__layers", "model", 0) == named("lib__layers", "model", 1) == ["lib__model"]
    assert named("lib__layers", "model", 2) == ["model"]
    assert named("lib__layers", "train", 1) == []
    assert named("lib__inner__deep", "train", 0) == ["train"]
    assert [name for name, _ in modules.imports(found["train"])] == ["lib.layers", "model"]
    reached = modules.reached(found["lib__inner__deep"])
    assert _names(found, reached) == ["lib__layers", "lib__model", "model", "train"]
    direct = modules.reached(found["lib__inner__deep"], lambda name, _: name == "train")
    assert _names(found, direct) == ["train"]


def test_a_name_that_is_found_nowhere_may_be_any_file_of_that_name(programs):
    found = programs(
        scripts__train="import sys\nsys.path.append('../src')\nimport model\nimport sys\n",
        src__model="import layers\n",
        src__layers="",
        src__other="",
    )
    modules = LocalModules(found.values())
    assert modules.reached(found["scripts__train"]) == []
    reached = modules.reached_by_name(found["scripts__train"])
    assert _names(found, reached) == ["src__layers", "src__model"]


def test_files_that_are_imported_and_not_given_are_told_once_each(programs, tmp_path):
    found = programs(pack__train="import helper, model, absent\nfrom . import near\n")
    for name in ("pack/__init__.py", "pack/near.py", "helper.py", "pack/model.py"):
        (tmp_path / name).write_text("")
    others = LocalModules(found.values()).others(found["pack__train"])
    below = [(node.lineno, os.path.relpath(path, str(tmp_path))) for node, path in others]
    assert below == [
        (1, "helper.py"),
        (1, os.path.join("pack", "model.py")),
        (2, os.path.join("pack", "near.py")),
    ]


def test_names_that_a_file_passes_on_mean_the_same_in_the_other(programs):
    found = programs(
        common="import tensorflow as tf\nimport numpy as np\nlearning_rate = 0.1\n",
        passed_on="from common import *\n",
        star="from passed_on import *\ntf.layers.dense\nlearning_rate.x\n",
        named="from common import tf as t\nt.layers.dense\n",
        attribute="import common\ncommon.tf.layers.dense\n",
        other="tf.layers.dense\n",
    )
    shared = local_modules.share_meanings(list(found.values()))
    by_name = dict(zip(found, shared))
    assert by_name["common"] is found["common"] and by_name["other"] is found["other"]

    def uses(name):
        return [use.name for use in by_name[name].names.uses]

    assert uses("star") == ["tensorflow.layers.dense", ""]
    assert uses("named") == ["tensorflow.layers.dense"]
    assert uses("other") == [""]


OLD, BOTH, NEW = (
    "import tensorflow as tf\n" + text
    for text in ("tf.placeholder(tf.float32)\n", "tf.constant(1)\n", "tf.GradientTape()\n")
)


def test_version_1_belongs_to_what_is_imported_together(programs):
    found = programs(
        train="import old, both\n",
        old=OLD,
        both=BOTH,
        alone=BOTH,
        new=NEW,
        uses_new="import new, old\n",
    )
    known = KnownNames()
    all_files = list(found.values())
    together = Programs(all_files, known)
    assert _names(found, together.tf1) == ["both", "old", "train", "uses_new"]
    assert _names(found, together.tf2) == ["new"]
    assert _names(found, Programs(all_files, known, has_tf1=True).tf1) == sorted(
        set(found) - {"new"}
    )
    assert Programs(all_files, known, has_tf1=False).tf1 == set()
    assert together.taken == {}


def test_a_line_gives_all_files_of_a_process_version_1(programs):
    line = "import tf1grad.v1 as tf\ntf.placeholder(tf.float32)\n"
    found = programs(
        first=line + "import shared\n",
        shared=OLD,
        second="import shared, beside\n",
        beside=BOTH,
        apart=OLD,
    )
    together = Programs(list(found.values()), KnownNames())
    groups = sorted(_names(found, group) for group in together.processes)
    assert groups == [["apart"], ["beside", "first", "shared"]]
    assert _names(found, together.on_1_15) == ["beside", "first", "shared"]
    assert [name for name in found if entry_points.has_line(found[name])] == ["first"]
    with_names = programs(user="from common import a, b\nfrom common import *\n", common="")
    taken = Programs(list(with_names.values()), KnownNames()).taken
    assert taken == {with_names["common"]: {"a", "b", "*"}}


# The text; whether it is for TensorFlow 1, whether for 2, whether it belongs to a program for 1.
VERSIONS = {
    "names of both": (BOTH, False, False, True),
    "a placeholder": (OLD, True, False, True),
    "a tape": (NEW, False, True, False),
    "contrib": ("from tensorflow.contrib import slim\n", True, False, True),
    "a name from before 1.0": ("import tensorflow as tf\ntf.mul(a, b)\n", True, False, True),
    "an old keyword": (
        "import tensorflow as tf\ntf.reduce_sum(x, keep_dims=True)\n",
        True,
        False,
        True,
    ),
    "an old keyword of compat.v1": (
        "import tensorflow as tf\ntf.compat.v1.reduce_sum(x, keep_dims=True)\n",
        False,
        False,
        True,
    ),
    "an estimator": ("import tensorflow as tf\ntf.estimator.RunConfig()\n", True, False, True),
    "an estimator and a tape": (NEW + "tf.estimator.RunConfig()\n", False, True, True),
    "a tape in a session": (
        NEW + "tf.compat.v1.Session()\n",
        False,
        True,
        True,
    ),
    "a switch": (NEW + "tf.compat.v1.disable_v2_behavior()\n", False, True, True),
}


@pytest.mark.parametrize("text, old, new, belongs", list(VERSIONS.values()), ids=list(VERSIONS))
def test_names_tell_the_version_of_a_file(programs, text, old, new, belongs):
    program = programs(a=text)["a"]
    Programs([program], KnownNames())
    assert entry_points.uses_tf1_names(program) == old
    assert entry_points.is_tf2(program) == new
    assert entry_points.belongs_to_tf1(program) == belongs


MAIN = "if __name__ == '__main__':\n    "
# The text; whether it has a main part; whether its import calls something that trains.
STARTED = {
    "a main part": ("def main(): pass\n" + MAIN + "main()\n", True, False),
    "its own function": ("def main(): pass\nmain()\n", False, True),
    "its own class": ("class Main: pass\nMain()\n", False, True),
    "TensorFlow": ("import tensorflow as tf\nx = tf.zeros([])\n", False, True),
    "TensorFlow in a loop": (
        "import tensorflow as tf\nfor i in y:\n    tf.zeros([])\n",
        False,
        True,
    ),
    "TensorFlow in a function": (
        "import tensorflow as tf\ndef f():\n    tf.zeros([])\n",
        False,
        False,
    ),
    "TensorFlow in a lambda": ("import tensorflow as tf\nf = lambda: tf.zeros([])\n", False, False),
    "flags": ("import tensorflow as tf\ntf.app.flags.DEFINE_string('a', '', '')\n", False, False),
    "another function": ("import numpy as np\nnp.zeros(3)\nprint(1)\n", False, False),
    "another condition": ("def f(): pass\nif name == 'main':\n    pass\n", False, False),
}


@pytest.mark.parametrize("text, has_main, runs", list(STARTED.values()), ids=list(STARTED))
def test_a_file_is_started_or_imported(programs, text, has_main, runs):
    program = programs(a=text)["a"]
    assert entry_points.is_main(program) is has_main
    assert entry_points.runs_at_import(program) is runs
    assert entry_points.is_started(program) is (has_main or runs)


def test_imports_of_frameworks_and_of_both_versions(programs):
    text = """
import numpy, keras
from . import tensorflow
try:
    import tensorflow.compat.v1 as tf
except ImportError:
    import tensorflow as tf
try:
    from tensorflow import nn
except ImportError:
    pass
import tf1grad.v1
"""
    program = programs(a=text)["a"]

    def lines(nodes):
        return [node.lineno for node in nodes]

    assert lines(entry_points.tensorflow_imports(program)) == [5, 7, 9, 12]
    assert lines(entry_points.framework_imports(program)) == [2, 5, 7, 9, 12]
    both = [
        node.lineno
        for node, _ in program.names.imports
        if entry_points.supports_both_versions(program, node)
    ]
    assert both == [5, 7]


GRAPH = "tf.compat.v1.placeholder(tf.float32)\n"
COMPAT = {
    "imported": ("import tensorflow.compat.v1 as tf\ntf.placeholder(tf.float32)\n", True),
    "imported, names of both": ("import tensorflow.compat.v1 as tf\ntf.constant(1)\n", False),
    "written": (GRAPH, True),
    "names of both, written": ("tf.compat.v1.reduce_sum(x)\n", False),
    "with an estimator": (GRAPH + "tf.estimator.RunConfig()\n", False),
    "in a session": ("with tf.compat.v1.Session() as s:\n    " + GRAPH, False),
    "in another context": ("with open(path) as s:\n    " + GRAPH, True),
    "in a function": ("def net():\n    " + GRAPH + "net()\n", True),
    "in a function of a session": (
        "def net():\n    " + GRAPH + "with tf.compat.v1.Session():\n    net()\n",
        False,
    ),
    "by a name": ("tf1 = tf.compat.v1\ntf1.placeholder(tf.float32)\n", True),
}


@pytest.mark.parametrize("text, is_compat", list(COMPAT.values()), ids=list(COMPAT))
def test_files_take_names_of_version_1_from_compat(programs, text, is_compat):
    program = programs(a="import tensorflow as tf\n" + text)["a"]
    assert (list(entry_points.compat_files([program])) == [program]) is is_compat
