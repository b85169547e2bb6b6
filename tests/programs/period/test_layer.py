"""Tests that programs under `run` compute, print and sort as with NumPy 1.18.5,
which printed the expected lines.
"""

import os
import subprocess
import sys

import numpy
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from tf1grad.programs.period import layer, parts, sources

pytestmark = [
    pytest.mark.skipif(
        tf.__version__.startswith("1."), reason="TensorFlow 1.15 has the NumPy of its time"
    ),
    pytest.mark.skipif(sys.version_info < (3, 10), reason="its NumPy is of that time, too"),
    pytest.mark.period,
]
laid = pytest.mark.skipif(
    numpy.__version__.startswith("1."), reason="no NumPy is laid over an installed NumPy 1"
)

AS_THEN = """
import hashlib
import threading
import numpy as np

def show():
    print([np.float32(1.5), np.int32(2)], type(np.float32(3) * 2.5).__name__, np.uint8(200) + 100)
    total = 0.
    total += np.float32(0.1)
    print(total, (np.sqrt(6. / 3) * np.ones(2, np.float32)).dtype, (np.array([200], np.uint8) * 512).dtype)
show()
thread = threading.Thread(target=show)
thread.start()
thread.join()
random = np.random.RandomState(0)
ties = [np.argsort(random.randint(0, 20, 1000).astype(kind)) for kind in ("int32", "int64", "float32", "float64")]
print(hashlib.md5(np.concatenate(ties).astype("int64").tobytes()).hexdigest())
"""
PRINTED = """\
[1.5, 2] float64 300
0.10000000149011612 float32 uint16
[1.5, 2] float64 300
0.10000000149011612 float32 uint16
7ccf448f5d967bf8d05cd438a536c38b
"""
JOBLIB = """
import joblib

def version(factor):
    import numpy
    return numpy.__version__, type(numpy.float32(3) * factor).__name__

for found in joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(version)(each) for each in (2.5, 3.5)):
    print(*found)
"""
NUMPY = layer.numpy_version("layer")
IN_FUNCTIONS = """
import numpy as np
import tensorflow as tf

def in_thread(x):
    return type(x[0] * 2.5).__name__

def generate():
    yield in_thread(np.ones(1, np.float32))

function = tf.py_func(in_thread, [tf.ones(1)], tf.string)
elements = tf.data.Dataset.from_generator(generate, tf.string).make_one_shot_iterator().get_next()
with tf.Session() as session:
    print(*[name.decode() for name in session.run([function, elements])])
"""
NEEDING = {
    "attribute": "import numpy\nnumpy.of_later",
    "name": "from numpy import of_later",
    "module": "import numpy.of_later",
    "abi": "import numpy\nraise RuntimeError('module was compiled against NumPy C-API version 0x99')",
    "part": "from . import part",
}
WITHOUT = f"""
for name in {["needs_" + name for name in NEEDING]} * 2:
    try:
        __import__(name)
    except (ImportError, AttributeError, RuntimeError):
        print("without it")
"""
ENDS = {
    "import needs_attribute": 1,
    "import importlib\ntry: importlib.import_module('needs_module')\nexcept Exception: print('without it')": 0,
    WITHOUT: 0,
}


def output(folder, text, *options, **more):
    """Runs a script, and returns its exit code, its output and its messages."""
    folder.write("train.py", text)
    return folder.run(*options, "train.py", **more)


def test_numbers_are_those_of_numpy_1(folder):
    code, printed, errors = output(folder, AS_THEN)
    assert (code, printed) == (0, PRINTED), errors


def test_each_numpy_but_that_on_demand_sorts_as_then(monkeypatch):
    """No NumPy is laid over an installed NumPy 1,
    which sorts ties otherwise than 1.18 all the same.
    """
    prepared = []
    for name in ("fetch", "_put_on_path"):
        monkeypatch.setattr(layer, name, lambda *arguments: None)
    monkeypatch.setattr(layer, "needed_parts", lambda of_numpy: [parts.TENSORFLOW])
    for name in ("sort_as_then", "prepare"):
        monkeypatch.setattr(layer.numpy_1_behavior, name, lambda name=name: prepared.append(name))
    for python, option, release, expected in (
        ((3, 13), "layer", parts.NUMPY_2, ["prepare"]),
        ((3, 10), "layer", parts.NUMPY_1, ["sort_as_then"]),
        ((0, 0), "layer", None, ["sort_as_then"]),
        ((0, 0), "installed", None, []),
    ):
        monkeypatch.setattr(layer, "_numpy_part", lambda: parts.numpy_of(python))
        assert layer.put_on_path(option, 1) == release
        assert prepared == expected
        prepared.clear()


@pytest.mark.slow
@laid
def test_workers_of_joblib_have_the_same_numpy(folder):
    pytest.importorskip("joblib")
    code, printed, errors = output(folder, JOBLIB)
    assert code == 0, errors
    assert printed.split() == [NUMPY, "float64"] * 2


@pytest.mark.slow
def test_functions_in_threads_of_tensorflow_promote_as_then(folder):
    code, printed, errors = output(folder, IN_FUNCTIONS)
    assert code == 0, errors
    assert printed.split() == ["float64", "float64"]


@pytest.mark.slow
def test_installed_numpy_on_demand(folder):
    code, printed, _ = output(
        folder, "import numpy as np; print(np.__version__, np.int8(1))", "--numpy", "installed"
    )
    assert (code, printed.split()) == (0, [numpy.__version__, "1"])


@pytest.mark.slow
@laid
@pytest.mark.parametrize("script", ENDS)
def test_package_that_needs_another_numpy_is_named_once(folder, script):
    for name, text in NEEDING.items():
        folder.write(f"lib/site-packages/needs_{name}/__init__.py", text)
        folder.write(f"lib/site-packages/needs_{name}/part.py", NEEDING["attribute"])
    code, _, errors = output(
        folder, script, env={"PYTHONPATH": os.path.join(folder.path, "lib", "site-packages")}
    )
    assert code == ENDS[script] and [
        line for line in errors.splitlines() if line.startswith("tf1grad: ")
    ] == [
        f"tf1grad: needs_{name} needs another NumPy than {NUMPY}, which the program has. With the installed one: "
        "tf1grad run --numpy installed"
        for name in NEEDING
        if f"needs_{name}" in script
    ]


@pytest.mark.slow
def test_package_that_tries_a_name_of_numpy_is_not_named(folder):
    folder.write(
        "lib/site-packages/newest/__init__.py",
        """
        import numpy
        try:
            from numpy import of_later
        except ImportError:
            hasattr(numpy, "of_later")
        try:
            import numpy.of_later
        except ImportError:
            pass
    """,
    )
    path = os.path.join(folder.path, "lib", "site-packages")
    code, _, errors = output(folder, "import newest", env={"PYTHONPATH": path})
    assert (code, errors) == (0, "")


@pytest.mark.slow
def test_without_the_layer_and_offline_nothing_runs(folder, tmp_path):
    code, printed, errors = output(
        folder,
        "print('ran')",
        env={"TF1GRAD_PERIOD": str(tmp_path / "none"), "TF1GRAD_OFFLINE": "1"},
    )
    assert (
        (code, printed) == (2, "")
        and "TF1GRAD_OFFLINE is set" in errors
        and "fetching" not in errors
    )
    assert not os.path.exists(str(tmp_path / "none"))


def test_ctrl_c_while_the_layer_is_fetched_ends_the_command_without_a_traceback(
    tmp_path, monkeypatch, capsys
):
    def interrupted(part, staging):
        raise KeyboardInterrupt

    monkeypatch.delenv("TF1GRAD_OFFLINE", raising=False)
    monkeypatch.setenv("TF1GRAD_PERIOD", str(tmp_path / "none"))
    monkeypatch.setattr(sources, "from_index", interrupted)
    with pytest.raises(SystemExit) as ended:
        layer.fetch([parts.TENSORFLOW])
    assert (
        ended.value.code == 130
        and "interrupted: the next run fetches it" in capsys.readouterr().err
    )
    assert os.listdir(str(tmp_path / "none")) == []


def test_fissix_of_the_layer_reads_the_first_file_of_python_2_and_needs_no_installed_package():
    root = os.path.dirname(os.path.dirname(tf1grad.__file__))
    program = (
        f"import sys; sys.path.append({root!r}); from tf1grad.programs.source import files; "
        "print(files.Source('old.py', 'print 1').text)"
    )
    assert (
        subprocess.check_output([sys.executable, "-I", "-S", "-c", program], text=True)
        == "print(1)\n"
    )
