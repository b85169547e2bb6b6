"""Tests that nothing that tf1grad imports or runs moves the states of
`random` and `numpy.random`.
"""

import os
import random

import numpy as np
import pytest

from paths import ROOT
from tf1grad.programs.process import random_states

# Prints each step after which a global random state differs from the one before it.
STEPS = """
    import random
    import numpy as np

    random.seed(3)
    np.random.seed(4)

    def states():
        return random.getstate(), np.random.get_state()[1].tolist(), np.random.get_state()[2:]

    def step(what, function):
        before = states()
        try:
            function()
        except Exception as error:
            failed.append((what, error))
        if states() != before:
            print("moved:", what)

    failed = []
    %s
    print(len(failed), "failed", failed[:3])
"""
LOOKUPS = """
    def imported():
        global tf
        import tensorflow as tf
    step("import tensorflow", imported)
    for path in ["", "keras", "keras.layers", "estimator", "contrib", "train", "data", "layers", "distributions"]:
        module = tf
        for name in filter(None, path.split(".")):
            module = getattr(module, name)
        for name in dir(module):
            step(path + "." + name, lambda: getattr(module, name) and None)
    for name in dir(tf.contrib):
        step("dir of contrib." + name, lambda: dir(getattr(tf.contrib, name)))
    def inner():
        from tensorflow.python.ops import array_ops, variable_scope
        from tensorflow.python.keras import backend
        from tensorflow.contrib.slim.nets import resnet_v1
    step("private modules", inner)
"""
PROGRAM = """
    import tensorflow as tf
    def program():
        x = tf.placeholder(tf.float32, [None, 4])
        hidden = tf.layers.dense(tf.keras.layers.Dense(3)(x), 3, kernel_initializer=tf.orthogonal_initializer())
        loss = tf.contrib.losses.metric_learning.npairs_loss(tf.constant([0, 1]), hidden, hidden)
        step_op = tf.train.AdamOptimizer().minimize(loss)
        rows = tf.data.Dataset.from_tensor_slices(np.ones([4, 4], np.float32)).shuffle(4).batch(2)
        batch = rows.make_one_shot_iterator().get_next()
        tf.summary.scalar("loss", loss)
        merged, saver = tf.summary.merge_all(), tf.train.Saver()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([step_op, merged], {x: session.run(batch)})
            saver.save(session, "model")
        import imp
        from scipy.misc import logsumexp
        np.float(3), np.product([2, 3])
    step("a program", program)
"""


@pytest.mark.slow
@pytest.mark.period
@pytest.mark.parametrize("steps", [LOOKUPS, PROGRAM], ids=["lookups", "program"])
def test_no_step_moves_the_states(folder, steps):
    lines = folder.lines(folder.write("train.py", STEPS % steps))
    assert [line for line in lines if line.startswith("moved:")] == []
    if steps is PROGRAM:
        assert lines[-1] == "0 failed []"


def _states():
    return random.getstate(), np.random.get_state()[1].tolist()


def _draw(*unused):
    random.random()
    np.random.rand()


def test_states_are_kept_by_the_outermost_context():
    before = _states()
    with random_states.kept():
        with random_states.kept():
            _draw()
        assert _states() != before  # the outer context goes on
    assert _states() == before
    _draw()
    assert _states() != before


DRAW = "import random, numpy\nrandom.random(), numpy.random.rand()\n"
IMPORTS = """
    import random
    import threading
    import numpy as np

    def seed():
        random.seed(3)
        np.random.seed(4)

    def drawn():
        return random.random(), np.random.rand()

    seed()
    expected = [drawn() for _ in range(5)]
    seed()
    import drawing
    numbers = [drawn()]
    from drawing import part
    numbers.append(drawn())
    thread = threading.Thread(target=lambda: __import__("drawing.other"))
    thread.start()
    thread.join()
    numbers.append(drawn())
    print(numbers == expected[:3])
    import my_own
    print(drawn() == expected[4])
"""


@pytest.mark.slow
def test_imports_of_installed_packages_leave_the_states_and_those_of_user_code_move_them(folder):
    for name in (
        "site-packages/drawing/__init__",
        "site-packages/drawing/part",
        "site-packages/drawing/other",
        "my_own",
    ):
        folder.write(name + ".py", DRAW)
    path = os.pathsep.join([os.path.join(folder.path, "site-packages"), ROOT])
    assert folder.lines(folder.write("train.py", IMPORTS), env={"PYTHONPATH": path}) == [
        "True",
        "True",
    ]
