"""Tests that imports of upgraded programs are followed,
and that a program whose result fails is not called done.
"""

import ast
import sys
import types

import pytest

from other_pythons import NEEDS_PYTHON_3_8
from tf1grad.programs.source.program import KnownNames
from tf1grad.upgrade.rewriting.upgraded_programs import upgrade
from tf1grad.upgrade.rules import engine
from upgraded_texts import upgraded, upgraded_text

pytestmark = NEEDS_PYTHON_3_8

# What protoc 3.6 wrote, shortened.
MESSAGES = """
from google.protobuf import descriptor as _descriptor
DESCRIPTOR = _descriptor.FileDescriptor(name='size.proto', package='', serialized_pb=b'')
_SIZE = _descriptor.FieldDescriptor(name='a', full_name='Size.a', index=0, number=1, type=5)
"""
TRAIN = "import tensorflow as tf\nimport size_pb2\nx = tf.placeholder(tf.float32)\n"


def _given(folder, files, given):
    """Returns the messages that are left after an upgrade of some of the files in a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    programs, failed = engine.read_programs([str(folder / path) for path in given])
    assert failed == []
    return [
        finding.message.replace(str(folder), "") for finding in upgrade(programs, KnownNames()).left
    ]


@pytest.mark.parametrize(
    "files, missing",
    [
        ({"a.py": "from b import x, y\n", "b.py": "x = 1\n"}, ["b.py does not bind y."]),
        ({"a.py": "from b import x\n", "b.py": "def f():\n    global x\n    x = 1\n"}, []),
        ({"a.py": "from b import x\n", "b.py": "globals()['x'] = 1\n"}, []),
        ({"a.py": "from b import x\n", "b.py": "def __getattr__(name): pass\n"}, []),
        ({"a.py": "from b import x\n", "b.py": "from c import *\n"}, []),
        ({"a.py": "try:\n    from b import x\nexcept ImportError:\n    x = 1\n", "b.py": ""}, []),
        (
            {"a.py": "from b import c, d\n", "b/__init__.py": "", "b/c.py": ""},
            ["__init__.py does not bind d."],
        ),
    ],
)
def test_names_that_a_file_does_not_bind(tmp_path, files, missing):
    files["a.py"] += "import tensorflow as tf\nx = tf.Session()\n"
    assert _given(tmp_path, files, files) == missing


def test_files_that_were_not_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "train.py": "import model\nimport modern\nimport package.net\nimport tensorflow as tf\n"
        "x = tf.Session()\n",
        "model.py": "import helper\n",
        "helper.py": "print 'a'\n" if _reads_python_2() else "xrange(3)\n",
        "modern.py": "import numpy\n",
        "package/__init__.py": "",
        "package/net.py": "import tensorflow as tf\nx = tf.Session\n",
        "unused.py": "import tensorflow as tf\nx = tf.Session\n",
    }
    assert _given(tmp_path, files, ["train.py"]) == [
        "It imports package/net.py, which has names of TensorFlow 1 and was not given.",
        "It imports helper.py, which is Python 2 and was not given.",
    ]
    assert _given(tmp_path, files, files) == []


def _reads_python_2():
    try:
        import fissix  # noqa: F401
    except ImportError:
        return False
    return True


def test_old_messages_are_a_place_left_to_do(tmp_path):
    _, left = upgraded({"train.py": TRAIN, "size_pb2.py": MESSAGES})
    assert left == ["TFG410"]
    only = {"train.py": TRAIN, "size_pb2.py": MESSAGES}
    (message,) = _given(tmp_path, only, ["train.py"])
    assert "size_pb2.py, which has messages that protobuf 4 refuses" in message


def test_tensorflow_1_15_brings_old_messages_itself():
    files = {"train.py": TRAIN + "tf.contrib.crf.crf_decode(x, 1)\n", "size_pb2.py": MESSAGES}
    texts, left = upgraded(files)
    assert texts["train.py"].startswith("import tf1grad.v1 as tf\n") and left == []


# What executes the result must find its names bound when it uses them: (the program, names that it
# binds at last).
RUNNING = {
    "an alias after the import": "import tensorflow\ntf = tensorflow\nx = tf.placeholder\n",
    "a statement behind the import": "import os; import tensorflow as tf; x = tf.placeholder()\n",
    "a statement before the import": "x = 1; import tensorflow as tf; x = tf.placeholder()\n",
    "a docstring before the import": '"""Doc."""; import tensorflow as tf; x = tf.mul()\n',
    "a removed import in a line": "import tensorflow as tf\n"
    "if 1: from tensorflow.contrib.layers import xavier_initializer as xi; x = xi()\n",
    "removed imports alone": "import tensorflow as tf\n"
    "if 1:\n    from tensorflow.contrib import slim; from tensorflow.contrib import rnn\n"
    "x = tf.placeholder()\n",
    "contrib by a star": "from tensorflow import *\nx = contrib.rnn.LSTMCell(3)\n"
    "y = contrib.layers.fully_connected(1)\n",
}


@pytest.mark.parametrize("text", list(RUNNING.values()), ids=list(RUNNING))
def test_the_result_can_be_executed(text, monkeypatch):
    class Module(types.ModuleType):
        """Has every name; each is a function."""

        __path__ = []
        __all__ = ["placeholder"]

        def __getattr__(self, name):
            return self

        def __call__(self, *arguments, **keywords):
            return self

    new, left = upgraded_text(text)
    assert left == []
    fake = Module("tensorflow")
    for name in (
        "tensorflow",
        "tensorflow.compat",
        "tensorflow.compat.v1",
        "tensorflow.compat.v1.nn",
    ):
        monkeypatch.setitem(sys.modules, name, fake)
    for name in ("tf1grad.migrate.legacy", "tf_slim"):
        monkeypatch.setitem(sys.modules, name, fake)
    exec(compile(ast.parse(new), "new.py", "exec"), {})


def test_names_of_1_15_by_a_star_are_not_lost():
    text = "from tensorflow.contrib.rnn import *\nx = GRUCell(3)\ny = GridThing(3)\n"
    new, left = upgraded_text(text)
    assert "from tensorflow.contrib.rnn import *" in new and left


def test_a_text_that_python_cannot_compile_fails(tmp_path):
    path = tmp_path / "old.py"
    path.write_text("import tensorflow as tf\nx = tf.Session()\nreturn x\n")
    programs, _ = engine.read_programs([str(path)])
    done = upgrade(programs)
    assert "'return' outside function" in done.failed[0].message
    assert done.texts[str(path)] == path.read_text()
