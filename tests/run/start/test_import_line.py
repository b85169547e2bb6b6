"""Tests the line `import tf1grad.v1 as tf` in processes that Python starts without a command."""

import os

import pytest

from paths import ROOT
from script_folder import printed, run_output, run_python
from tf1grad._compat import VERSION

IS_TF1 = VERSION < (2,)
pytestmark = pytest.mark.period(on_1_15=True)

# It prints the same lines on TensorFlow 1.15.5, where this test runs too.
PROGRAM = """
    import tf1grad.v1 as tf
    import numpy as np
    import layers_of_program

    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 4])
    cell = tf.nn.rnn_cell.LSTMCell(3, name="cell")
    hidden = tf.reshape(layers_of_program.dense(x), [-1, 2, 2])
    outputs, _ = tf.nn.dynamic_rnn(cell, hidden, dtype=tf.float32)
    loss = tf.reduce_mean(tf.square(outputs - 1.0))
    step = tf.train.get_or_create_global_step()
    train = tf.contrib.layers.optimize_loss(loss, step, 0.1, "Adam", clip_gradients=1.0)
    fed = {x: np.arange(32).reshape(8, 4) / 32}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            print("%.6f" % session.run(train, fed))
    print(tf.__version__, layers_of_program.tf is tf, *[variable.op.name for variable in tf.trainable_variables()])
"""
LAYERS = """
    import tensorflow as tf
    from tensorflow.contrib import layers

    def dense(x):
        return layers.fully_connected(x, 4)
"""
PRINTED = """\
1.019150
0.867024
0.737774
0.621241
1.15.5 True fully_connected/weights fully_connected/biases rnn/cell/kernel rnn/cell/bias
"""


def _of_program(output):
    return output.splitlines()[-5:]


@pytest.mark.slow
@pytest.mark.each_release
def test_digits_of_1_15_under_python_and_under_run(folder):
    folder.write("layers_of_program.py", LAYERS)
    script = folder.write("train.py", PROGRAM)
    found = printed(script)
    assert _of_program(found) == PRINTED.splitlines()
    assert _of_program(run_output(script)) == PRINTED.splitlines()


SERVER = """
    import importlib, sys
    service, helpers = map(importlib.import_module, sys.argv[1:])
    print(*service.application(), helpers.width())
"""
PACKAGES = {
    "server.py": SERVER,
    "service/__init__.py": "",
    "service/wsgi.py": """
        import tf1grad.v1 as tf
        from service import model

        def application():
            return tf.__version__, model.size()
    """,
    "service/model.py": """
        import tensorflow as tf
        from tensorflow.contrib.training import HParams

        def size():
            return HParams(size=tf.placeholder(tf.float32, [2]).shape[0].value).size
    """,
    "helpers_of_service/__init__.py": """
        from tf1grad import v1 as tf
        from tensorflow.contrib import layers

        def width():
            return layers.fully_connected(tf.zeros([1, 2]), 3).shape[1].value
    """,
}


@pytest.mark.slow
def test_a_server_imports_packages_that_are_installed(folder):
    """The server has no line. Both packages that it imports are beside it,
    and each of them has the line.
    """
    for name, text in PACKAGES.items():
        folder.write(os.path.join("site-packages", name), text)
    path = os.pathsep.join([os.path.join(folder.path, "site-packages"), ROOT])
    code, output, errors = run_python(
        "-m", "server", "service.wsgi", "helpers_of_service", PYTHONPATH=path
    )
    assert (code, output.splitlines()[-1:]) == (0, ["1.15.5 2 3"]), errors[-3000:]
    assert "tf1grad:" not in errors


CHILDREN = """
    import multiprocessing, sys
    import tf1grad.v1 as tf
    import worker

    if __name__ == "__main__":
        for method in ("spawn", "fork"):
            with multiprocessing.get_context(method).Pool(1) as pool:
                print(method, *pool.apply(worker.work, (3,)))
"""
WORKER = """
    import tensorflow as tf

    def work(units):
        with tf.Graph().as_default(), tf.Session() as session:
            outputs = tf.layers.dense(tf.ones([1, 2]), units)
            session.run(tf.global_variables_initializer())
            return tf.__version__, session.run(outputs).shape
"""


@pytest.mark.slow
def test_workers_of_multiprocessing(folder):
    folder.write("worker.py", WORKER)
    output = printed(folder.write("train.py", CHILDREN))
    assert output.splitlines()[-2:] == ["spawn 1.15.5 (1, 3)", "fork 1.15.5 (1, 3)"]


JOBLIB = """
    import sys
    {}
    from joblib import Parallel, delayed

    def work(number):
        import tensorflow
        return number, tf.VERSION, tensorflow.VERSION

    if __name__ == "__main__":
        print(Parallel(n_jobs=2)(delayed(work)(each) for each in range(2)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("line", ["import tf1grad.v1 as tf", "import tensorflow as tf"])
def test_workers_of_joblib(folder, line):
    """joblib sends the functions of a script by value, so its workers do not import the script."""
    pytest.importorskip("joblib")
    script = folder.write("train.py", JOBLIB.format(line))
    output = printed(script) if "v1" in line else "\n".join(folder.lines(script))
    assert output.splitlines()[-1] == str([(each, "1.15.5", "1.15.5") for each in range(2)])


@pytest.mark.slow
@pytest.mark.each_release
def test_a_command_and_a_missing_library():
    lines = [
        "import tf1grad.v1 as tf",
        "print(tf.__version__, tf.contrib.training.HParams(a=1).a)",
        "import sys; sys.modules['sonnet'] = None; import sonnet",
    ]
    code, output, errors = run_python("-c", "\n".join(lines))
    assert (code, output.splitlines()[-1]) == (1, "1.15.5 1"), errors[-3000:]
    if not IS_TF1:
        assert "tf1grad: sonnet is not installed. `tf1grad run` brings dm-sonnet; for" in errors
        assert "tf1grad/run" not in errors and "tf1grad/programs" not in errors


@pytest.mark.slow
@pytest.mark.skipif(IS_TF1, reason="TensorFlow 1.15 needs no line")
def test_a_module_of_the_program_that_imported_tensorflow_before(folder):
    data = folder.write("data.py", "from tensorflow.keras.layers import Dense")
    code, _, errors = run_python(folder.write("train.py", "import data\nimport tf1grad.v1 as tf\n"))
    assert code == 1
    assert f"ImportError: {os.path.realpath(data)} imported TensorFlow before the line" in errors
    assert "Put the line there, in the place of `import tensorflow`" in errors


@pytest.mark.slow
@pytest.mark.skipif(IS_TF1, reason="TensorFlow 1.15 needs no line")
def test_a_library_that_imported_tensorflow_before_is_a_warning(folder):
    folder.write("site-packages/library/__init__.py", "import tensorflow as tf")
    script = folder.write("train.py", "import library\n" + PROGRAM.strip().replace("\n    ", "\n"))
    folder.write("layers_of_program.py", LAYERS)
    path = os.pathsep.join([os.path.join(folder.path, "site-packages"), ROOT])
    code, output, errors = run_python(script, PYTHONPATH=path)
    assert "tf1grad: a library imported TensorFlow before the line" in errors
    assert (code, _of_program(output)) == (0, PRINTED.splitlines()), errors[-3000:]


@pytest.mark.skipif(IS_TF1, reason="TensorFlow 1.15 needs no period layer")
@pytest.mark.slow
@pytest.mark.period
def test_other_threads_wait_for_the_line(folder):
    """One thread imports TensorFlow while the line prepares the process,
    one while TensorFlow loads.
    """
    folder.write(
        "train.py",
        """
        import importlib
        import threading
        import time

        from tf1grad.run.start import startup

        found = []

        def late(function, meanwhile):
            def call(*arguments, **options):
                threads.append(threading.Thread(target=meanwhile))
                threads[-1].start()
                time.sleep(0.5)
                return function(*arguments, **options)
            return call

        def by_statement():
            import tensorflow as tf
            found.append(tf.__version__)

        def by_function():
            found.append(importlib.import_module("tensorflow").__version__)

        threads = []
        startup.prepare = late(startup.prepare, by_statement)
        startup._change_loaded_tensorflow = late(late(startup._change_loaded_tensorflow, by_statement), by_function)
        import tf1grad.v1 as tf
        for thread in threads:
            thread.join()
        print(found, tf.__version__)
        """,
    )
    process = folder.start("train.py")
    output, errors = process.communicate()
    assert output == "['1.15.5', '1.15.5', '1.15.5'] 1.15.5\n", errors


@pytest.mark.skipif(IS_TF1, reason="TensorFlow 1.15 needs no period layer")
@pytest.mark.slow
@pytest.mark.period
def test_the_line_waits_for_a_thread_that_imports_tensorflow(folder):
    """That thread keeps the installed one, and a warning says so."""
    folder.write(
        "train.py",
        """
        import sys
        import threading
        import time

        def early():
            import tensorflow as tf
            found.append(hasattr(tf, "Session"))

        found = []
        thread = threading.Thread(target=early)
        thread.start()
        while "tensorflow" not in sys.modules:
            time.sleep(0.001)
        import tf1grad.v1 as tf
        thread.join()
        print(found, tf.__version__)
        """,
    )
    process = folder.start("train.py")
    output, errors = process.communicate()
    assert output == "[False] 1.15.5\n", errors
    assert "imported TensorFlow before the line" in errors


@pytest.mark.skipif(IS_TF1, reason="TensorFlow 1.15 needs no period layer")
def test_no_layer_and_no_network(tmp_path):
    code, _, errors = run_python(
        "-c", "import tf1grad.v1", TF1GRAD_PERIOD=str(tmp_path), TF1GRAD_OFFLINE="1"
    )
    assert code == 1 and "ImportError: TensorFlow 1.15.5's own Python files would be" in errors
    assert "tf1grad period install --wheels FOLDER" in errors
