"""Tests sessions under `tf1grad run`: fast, with the same errors at the same lines; and
unchanged with `--no-fast`.
"""

import os
import re

import pytest

from paths import ROOT

SCRIPT = """
    import sys
    import threading
    import tensorflow as tf
    from tf1grad.recipes.sessions import fast_sessions

    x = tf.placeholder(tf.float32, [None], name="x")
    w = tf.Variable(2.0)
    total = tf.reduce_sum(w * x, name="total")
    checked = tf.check_numerics(total, "not finite", name="checked")
    step = tf.train.get_or_create_global_step()
    train = tf.assign_add(step, 1)

    def loop(session):
        for size in range(6):
            assert session.run([total, {"w": w}], feed_dict={x: [1.0] * size}) == [2.0 * size, {"w": 2.0}]

    class Own(tf.Session):
        def run(self, *args, **kwargs):
            return super(Own, self).run(*args, **kwargs)

    for make in (tf.Session, Own):
        with make() as session:
            session.run(tf.global_variables_initializer())
            threads = [threading.Thread(target=loop, args=[session]) for _ in range(3)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
            loop(session)
            print(tf.Session.run is fast_sessions.run)

    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=4)]) as session:
        while not session.should_stop():
            print(session.run(train))

    session = tf.InteractiveSession()
    w.initializer.run()
    for value in (1.0, 2.0, 3.0, float("nan")):
        print(checked.eval({x: [value]}))
"""


def frames_of(text):
    """Returns the (file, function) of each frame of a traceback."""
    frames = re.findall(r'File "([^"]*)", line \d+, in (\S+)', text)
    return [(name.rsplit("/", 1)[-1], function) for name, function in frames]


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--no-fast"]])
def test_a_script_sees_no_difference(folder, options):
    code, output, errors = folder.run(*options + [folder.write("script.py", SCRIPT)])
    fast = str(not options)
    assert output.splitlines() == [fast, fast, "1", "2", "3", "4", "2.0", "4.0", "6.0"]
    assert code == 1 and "not finite : Tensor had NaN values" in errors
    first, last = [
        frames_of(part.split("InvalidArgumentError: ")[0])
        for part in errors.split("Traceback (most")[1:]
    ]
    assert first[0] == ("session.py", "_do_call") and first[-1] == (
        "session.py",
        "_call_tf_sessionrun",
    )
    assert last[0] == ("script.py", "<module>") and last[-1] == ("session.py", "_do_call")
    between = os.listdir(os.path.join(ROOT, "tf1grad", "recipes", "sessions")) + ["_compat.py"]
    assert "fast_sessions.py" in between and not set(between) & {name for name, _ in first + last}
