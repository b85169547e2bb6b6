"""Tests that originals are loaded beside the installed TensorFlow, which stays unchanged."""

import importlib.util
import inspect
import marshal
import os

import pytest
import tensorflow.compat.v1 as tf

import toy_originals
from tf1grad.programs.period import manifest
from tf1grad.run.originals import rewritten_code

IS_TF1 = tf.__version__.startswith("1.")
pytestmark = pytest.mark.skipif(IS_TF1, reason="TensorFlow 1 has its own contrib")

HEADER = """
    import os, sys
    os.environ["TF1GRAD_PERIOD"] = %r
    sys.dont_write_bytecode = True
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
"""


@pytest.fixture
def toy(tmp_path):
    """Writes the toy originals; returns their folder and the first lines
    of programs that find it.
    """
    folder = toy_originals.write(tmp_path)
    return folder, HEADER % folder


@pytest.mark.slow
@pytest.mark.each_release
def test_a_package_is_what_it_was(toy, run_forked):
    output = run_forked(
        toy[1],
        """
        import inspect, pickle
        from tensorflow.python.util import nest
        names = sorted(vars(nest))
        from tf1grad.run import op_layer
        from tf1grad.run.originals import loader
        toy = loader.module("contrib.toy")
        toy_ops = toy.python.ops.toy_ops
        print(toy_ops.__name__, toy_ops.Double.__module__, pickle.loads(pickle.dumps(toy_ops.double)) is toy_ops.double)
        print(toy.double is toy_ops.double, sorted(toy.__all__), "class Double" in
              inspect.getsource(toy_ops.Double))
        print(sorted(vars(nest)) == names, hasattr(sys.modules["tensorflow"], "contrib"))
        double, others = toy.double, toy.python.ops.others
        x = tf.constant(3.0)
        counter = toy_ops.counter()
        with tf.variable_scope("s", use_resource=True):
            resource = toy_ops.counter()
        with tf.Session() as session:
            print([float(value) for value in session.run([double(x), tf.gradients(tf.square(x), x)[0]])])
        print(["ref" in str(variable.dtype) for variable in (counter, resource)], others.zero(),
              toy_ops.tf.Session is tf.Session)
    """,
    )
    assert output.splitlines() == [
        "tensorflow.contrib.toy.python.ops.toy_ops tensorflow.contrib.toy.python.ops.toy_ops True",
        "True ['Double', 'double'] True",
        "True False",
        "[6.0, 6.0]",
        "[True, False] 0.0 True",
    ]


@pytest.mark.slow
@pytest.mark.each_release
def test_removed_names_raise_when_they_are_used(toy, run_forked):
    output = run_forked(
        toy[1],
        """
        from tf1grad.run import op_layer
        from tf1grad.run.originals import loader
        toy = loader.module("contrib.toy")
        toy_ops = toy.python.ops.toy_ops
        def attempt(use):
            try:
                print(use())
            except Exception as error:
                print(type(error).__name__, str(error).split(" (")[0])
        attempt(lambda: toy_ops.Double())
        attempt(lambda: toy_ops.lost.there())
        attempt(lambda: toy_ops.grown(1.0))
        attempt(lambda: toy_ops._library.toy_op(x=1))
        attempt(lambda: toy.nothing)
        attempt(lambda: loader.module("contrib.toy.no_such_module"))
        attempt(lambda: loader.module("contrib.toy.python.ops.broken"))
    """,
    )
    lines = output.splitlines()
    assert lines[0] == (
        "Gone tf.python.gone.Lost was used. TensorFlow 1.15 had it; the TensorFlow that is installed "
        "does not"
    )
    assert lines[1].startswith("Gone tf.python.gone.lost.there was used.")
    assert (
        lines[2].startswith("KernelGone the op GrowToy was called")
        and "part of TensorFlow 1" not in lines[3]
    )
    assert lines[3].startswith("KernelGone the op ToyOp was called")
    assert lines[4] == "AttributeError module 'tensorflow.contrib.toy' has no attribute 'nothing'"
    assert lines[5] == "ImportError No module named 'tensorflow.contrib.toy.no_such_module'"
    assert lines[6].startswith(
        "DoesNotLoad tensorflow.contrib.toy.python.ops.broken of TensorFlow 1.15 does not load"
    )


def test_nothing_takes_the_place_of_names_whose_module_does_not_load(toy, run_forked):
    output = run_forked(
        toy[1],
        """
        from tf1grad.run import op_layer
        from tf1grad.run.originals import loader
        loader.serve(lambda name: "of another package")
        print(loader.module("contrib.toy").of_earlier)
        try:
            print(loader.module("contrib.partial").of_earlier)
        except ImportError as error:
            print(error)
    """,
    )
    served, refused = output.splitlines()
    assert served == "of another package"
    assert "contrib.toy.python.ops.broken of TensorFlow 1.15 does not load" in refused


def test_what_is_put_into_an_installed_module_can_be_taken_out(toy, run_forked):
    assert (
        run_forked(
            toy[1],
            """
        from unittest import mock
        from tensorflow.python.platform import tf_logging
        from tf1grad.run import op_layer
        from tf1grad.run.originals import loader
        warning, users = tf_logging.warning, loader.users_module("python.platform.tf_logging")
        original = loader.module("python.platform.tf_logging")
        for turn in range(2):
            users.new = 1
            with mock.patch.object(users, "warning") as replaced:
                print(tf_logging.warning is original.warning is users.warning is replaced)
            print(tf_logging.warning is original.warning is users.warning is warning)
            del users.new
            print(hasattr(tf_logging, "new"))
    """,
        ).split()
        == ["True", "True", "False"] * 2
    )


@pytest.mark.slow
def test_compiled_code_is_cached_until_the_source_changes(toy, run_forked):
    program = """
        from tf1grad.run import op_layer
        from tf1grad.run.originals import loader
        print(loader.module("contrib.toy.python.ops.others").zero())
    """
    folder, header = toy
    kept_in = os.path.join(folder, toy_originals.NAME)
    source = os.path.join(
        kept_in, "tensorflow_core", "contrib", "toy", "python", "ops", "others.py"
    )
    assert run_forked(header, program) == "0.0\n"
    [cache] = [name for name in os.listdir(kept_in) if name.startswith(".tf1grad-")]
    kept = os.path.join(kept_in, cache, "contrib.toy.python.ops.others.pyc")
    with open(kept, "rb") as file:
        header_of_code = file.readline()
    with open(kept, "wb") as file:
        file.write(
            header_of_code + marshal.dumps(compile("def zero():\n    return 1.0\n", source, "exec"))
        )
    assert run_forked(header, program) == "1.0\n"  # the cached code is executed
    with open(source, "w") as file:
        file.write("def zero():\n    return 2.5  # longer\n")
    manifest.write(kept_in)
    assert run_forked(header, program) == "2.5\n"
    with open(kept, "wb") as file:
        file.write(b"half")
    assert run_forked(header, program) == "2.5\n"


def test_cached_code_is_compiled_again_if_the_rewriting_changes(toy, tmp_path):
    """The copy of the module has another correction,
    and no number of a version that somebody must increase.
    """
    kept_in = os.path.join(toy[0], toy_originals.NAME)
    others = "contrib/toy/python/ops/others.py"

    changed_file = tmp_path / "changed_rewriting.py"
    changed_file.write_text(
        inspect.getsource(rewritten_code).replace(
            "CORRECTIONS = {", f"CORRECTIONS = {{{others!r}: {{'0.0': '1.0'}},", 1
        )
    )
    spec = importlib.util.spec_from_file_location("changed_rewriting", changed_file)
    changed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(changed)
    values = []
    for module in (rewritten_code, changed, rewritten_code):
        namespace = {}
        exec(module.load_code(kept_in, others), namespace)
        values.append(namespace["zero"]())
    assert values == [0.0, 1.0, 0.0]


def test_import_of_tf1grad_loads_no_original(toy, run_forked):
    output = run_forked(
        toy[1],
        """
        import tf1grad
        tf1grad.GradientAccumulator
        print([name for name in sys.modules
               if name.startswith(("tf1grad.run.originals", "tensorflow.contrib"))])
    """,
    )
    assert output == "[]\n"
