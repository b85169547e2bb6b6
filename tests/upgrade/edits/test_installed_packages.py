"""Names that are looked up in the files of the installed packages."""

import subprocess
import sys

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.programs.source.module_names import ModuleNames
from tf1grad.upgrade.edits import remedies
from tf1grad.upgrade.edits.installed_packages import InstalledNames


def test_asking_the_installed_tensorflow():
    installed = InstalledNames()
    assert installed.version == tf.__version__
    there = "app.flags.FLAGS.learning_rate flags.DEFINE_integer train.AdamOptimizer nn.relu newaxis"
    for name in there.split() + ["python.framework.ops", "compat.v1", "keras.layers.Dense"]:
        assert installed.has("tensorflow." + name) is True, name
    absent = "app.flags.no flags.no train.AdamOptimiser nn.no nest.no python.framework.opps"
    for name in absent.split():
        assert installed.has("tensorflow." + name) is False, name
    assert installed.has("numpy.floaty") is False and installed.has("numpy.float32") is True
    assert installed.has("no_such_package.name") is None
    assert InstalledNames(ask=False).has("tensorflow.train.AdamOptimizer") is None


@pytest.mark.parametrize("module", ["train", "nn"])
def test_the_files_have_the_names_that_the_imported_modules_have(module):
    installed, imported = InstalledNames(), getattr(tf, module)
    names = [name for name in dir(imported) if name[0].isalpha()]
    names = [name for name in names if _loads(getattr(imported, name))]
    assert names and [n for n in names if not installed.has(f"tensorflow.{module}.{n}")] == []


def _loads(value):
    """Returns False for a part of Keras 2 that TensorFlow loads when it is used,
    and cannot load here.
    """
    try:
        return bool(dir(value))
    except ImportError:
        return False


def test_an_answer_does_not_depend_on_what_was_asked_before():
    """A lookup that imported tf_slim once gave TensorFlow's modules names that it lacks."""
    text = (
        "from tf1grad.upgrade.edits.installed_packages import InstalledNames\n"
        "import sys\n"
        "installed = InstalledNames()\n"
        "installed.has('tf_slim.layers.flatten')\n"
        "installed.has('tensorflow.layers.dense')\n"
        "print(installed.has('tensorflow.python.framework.tensor_shape.no'))\n"
        "print(installed.has('tensorflow.python.framework.tensor_shape.vector'))\n"
        "print('tensorflow' in sys.modules)\n"
    )
    said = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, check=True).stdout
    in_1 = str(tf.__version__.startswith("1."))
    assert said.decode().split() == ["False", in_1, "False"]


@pytest.mark.period
@pytest.mark.parametrize(
    "name, is_there",
    [
        ("tensorflow.gfile.ListDirectory", True),
        ("tensorflow.tensorboard", False),
        ("tensorflow.python.ops.rnn_cell_impl.assert_like_rnncell", True),
        ("tensorflow.python.ops.rnn_cell_impl._like_rnncell", False),
        ("tensorflow.contrib.nccl.all_sum", False),
        # It is beside a module that is named layers as well.
        ("tensorflow.python.layers.core.Dense", True),
        # The layer does not have its files.
        ("tensorflow.core.framework.summary_pb2.Summary", None),
    ],
)
def test_the_files_of_tensorflow_1_15_say_whether_it_had_a_name(name, is_there):
    assert remedies.is_in_1_15(name) is is_there


@pytest.mark.period
def test_a_name_that_left_contrib_before_1_15_is_advised_as_gone():
    def found(name):
        name = "tensorflow.contrib.seq2seq." + name
        return remedies.find_replacement(name, None, InstalledNames(ask=False))

    gone, there = found("dynamic_rnn_decoder"), found("BasicDecoder")
    assert (gone.kind, gone.advice) == ("gone", remedies.LOST_BEFORE)
    assert there.advice != remedies.LOST_BEFORE


def test_modules_bind_names_in_each_way(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from .inner import *\nfrom . import inner as other, late\nfrom .inner import made as kept\n"
        "try:\n    import json as quick\nexcept ImportError:\n    quick = None\n"
        "if quick:\n    first, (second, third) = 1, (2, 3)\ngone = 1\ndel gone\n"
        "def function():\n    local = 1\n" + "total = " + " + ".join(["1"] * 1500)
    )
    (package / "inner.py").write_text("made = _hidden = 1\nfrom package import *\n")
    (package / "__internal__.py").write_text("deep = 1\n")
    (package / "late.py").write_text("def __getattr__(name):\n    return name\n")
    names = ModuleNames([str(tmp_path)])
    there = (
        "inner inner.made other.made made kept quick first second third function.any late total "
    )
    there += "__name__ __name__.upper __internal__.deep"
    assert [n for n in there.split() if not names.has("package." + n)] == []
    absent = "gone local inner.no other.no no inner.no.no __internal__.no"
    assert [n for n in absent.split() if names.has("package." + n) is not False] == []
    (package / "open.py").write_text("from package.removed import *\n")
    assert names.has("package.open.anything") is None
    assert names.has("package.late.anything") is None and names.has("other_package") is None
