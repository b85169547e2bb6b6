"""Runs small scripts with and without the recorder in one process,
and prints the records as JSON.
"""

import dataclasses
import functools
import json
import os
import shutil
import sys
import tempfile
import threading

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.training import moving_averages

import tf1grad
from tf1grad._compat import raw_session
from tf1grad.verify.comparison import Comparison
from tf1grad.verify.record import Record

W = [1.0, 2.0]
X = np.random.RandomState(5).randn(64, 8).astype(np.float32)


def weights():
    return tf.get_variable("w", initializer=W)


def train(*runs):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for fetches, feed_dict in runs:
            session.run(fetches, feed_dict)


def fed_batches():
    w, x = weights(), tf.placeholder(tf.float32, [2])
    step = tf.train.GradientDescentOptimizer(0.25).minimize(tf.reduce_sum(x * w**2))
    train((step, {x: [1.0, 0.0]}), (step, {x: [1.0, 1.0]}), (step, {x: [1.0, 2.0]}))


def alternation():
    d, g = tf.get_variable("d", initializer=[1.0]), tf.get_variable("g", initializer=[2.0])
    unreached = tf.get_variable("unreached", initializer=[9.0])
    first = tf.train.GradientDescentOptimizer(0.5).minimize(
        tf.reduce_sum(d * g), var_list=[d, unreached]
    )
    second = tf.train.GradientDescentOptimizer(0.25).minimize(
        -tf.reduce_sum(3.0 * d * g), var_list=[g]
    )
    with tf.train.MonitoredTrainingSession() as session:
        session.run(first)
        session.run(second)


def slices():
    table, rows = (
        tf.get_variable("table", initializer=tf.ones([3, 2])),
        tf.placeholder(tf.int32, [None]),
    )
    step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(tf.gather(table, rows)))
    train((step, {rows: [2, 0, 2]}))


def by_hand():
    w = weights()
    step = w.assign_sub(0.25 * tf.gradients(tf.reduce_sum(w**2), [w])[0])
    train((step, None), (step, None))


def accumulation():
    w, x = weights(), tf.placeholder(tf.float32, [])
    total = tf.get_variable("total", initializer=[0.0, 0.0], trainable=False)
    optimizer = tf.train.GradientDescentOptimizer(0.125)
    ((gradient, _),) = optimizer.compute_gradients(tf.reduce_sum(x * w**2), [w])
    add, apply = total.assign_add(gradient), optimizer.apply_gradients([(total / 2.0, w)])
    train((add, {x: 1.0}), (add, {x: 3.0}), (apply, None))


def all_kinds():
    """Trains by momentum with a moving average and a step."""
    w, mean = weights(), tf.get_variable("mean", initializer=0.0, trainable=False)
    step = tf.train.MomentumOptimizer(0.25, 0.5).minimize(
        tf.reduce_sum(w**2), tf.train.get_or_create_global_step()
    )
    average = moving_averages.assign_moving_average(mean, tf.reduce_mean(w), 0.75, False)
    with tf.control_dependencies([average]):
        value = tf.identity(average)
    train(([value], None), (step, None), ([value], None), (step, None))


def fetch_and_feed():
    w, x, mean = weights(), tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [2])
    optimizer = tf.train.GradientDescentOptimizer(0.25)
    ((gradient, _),) = optimizer.compute_gradients(tf.reduce_sum(x * w**2), [w])
    train((gradient, {x: 1.0}), (optimizer.apply_gradients([(mean, w)]), {mean: [0.5, 0.25]}))


class OwnOptimizer(tf.train.Optimizer):
    """Overrides `apply_gradients`, as many scripts do."""

    def __init__(self):
        super().__init__(False, "own")

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return tf.group(
            *[variable.assign(variable - 0.25 * gradient) for gradient, variable in grads_and_vars]
        )


def own_optimizer():
    train((OwnOptimizer().minimize(tf.reduce_sum(weights() ** 2)), None))


def external():
    w = weights()

    class Walk(tf1grad.ExternalOptimizerInterface):
        """Two steps down."""

        def _minimize(self, initial_val, loss_grad_func, **unused):
            for _ in range(2):
                initial_val = initial_val - 0.25 * loss_grad_func(initial_val)[1]
            return initial_val

    optimizer = Walk(tf.reduce_sum(w**2))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        optimizer.minimize(session)


def no_training():
    train((weights(), None))


def queue():
    """Random input and dropout; the regularizer reads the variable that the step writes."""
    tf.set_random_seed(2)
    w = weights()
    batch = tf.train.input_producer(
        tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]), seed=1
    ).dequeue()
    kept = tf.nn.dropout(batch, 0.5, seed=3)
    loss = tf.reduce_sum(kept * w**2) + tf.nn.l2_loss(w)
    step = tf.train.GradientDescentOptimizer(0.01).minimize(
        loss, tf.train.get_or_create_global_step()
    )
    seen = []
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(4)]) as session:
        while not session.should_stop():
            _, values = session.run([step, kept])
            seen.append([values.tolist(), raw_session(session).run(w).tolist()])
    return seen


def clipped_weights():
    """Clips the weights beside the second step, before or after it,
    as the first Wasserstein GANs did.
    """
    w = weights()
    step = tf.train.GradientDescentOptimizer(0.125).minimize(tf.reduce_sum(w**2), name="step")
    clip = tf.group(tf.assign(w, tf.clip_by_value(w, -1.0, 1.0)), name="clip")
    average = tf.train.ExponentialMovingAverage(0.5).apply([w])
    train(([step, average], None), ([step, clip], None))


def ungated_gradients():
    """Applies gradients of two layers: the second step may write the upper weights while
    the lower gradient reads.
    """
    x, w, other = tf.ones([1, 2]), weights(), tf.get_variable("other", initializer=3.0)
    loss = tf.reduce_sum(x * w) * other
    gradients = tf.gradients(loss, [w, other])
    optimizer = tf.train.GradientDescentOptimizer(0.125)
    gated = optimizer.apply_gradients(zip(tf.tuple(gradients), [w, other]), name="gated")
    step = optimizer.apply_gradients(zip(gradients, [w, other]), name="step")
    train((gated, None), (step, None))


def from_zero():
    w, x = tf.get_variable("w", initializer=[0.0, 0.0]), tf.placeholder(tf.float32, [2])
    step = tf.train.GradientDescentOptimizer(0.25).minimize(tf.reduce_sum(x * w))
    train((step, {x: W}), (step, {x: [0.0, 0.0]}))


def biases_before_batch_normalization(rounded=False, factor=1.0):
    """Trains biases: their gradients are rounding errors, of which Adam makes a step.

    With `rounded`, the batch comes in another order.
    """
    x = X[::-1] if rounded else X
    hidden = tf.matmul(x, tf.get_variable("kernel", initializer=X[:8]))
    hidden += tf.get_variable("bias", initializer=np.zeros(8, np.float32))
    mean, variance = tf.nn.moments(hidden, [0])
    hidden = tf.nn.batch_normalization(hidden, mean, variance, None, None, 1e-3)
    train(
        (tf.train.AdamOptimizer(0.01).minimize(factor * tf.reduce_mean(tf.tanh(hidden) * x)), None)
    )


def fetched_beside():
    """Runs the usual `session.run([step, loss])`; its loss may be from before or after the step."""
    w = weights()
    loss = tf.reduce_sum(w**2)
    step = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
    train(([step, loss], None), ([step, loss], None))


def iterator():
    w = weights()
    dataset = tf.data.Dataset.from_tensor_slices([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).shuffle(
        3, seed=4
    )
    batch = tf.data.make_one_shot_iterator(dataset).get_next()
    step = tf.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_sum(batch * w**2))
    seen = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        try:
            while True:
                values = session.run([batch, step])[0]
                seen.append([values.tolist(), session.run(w).tolist()])
        except tf.errors.OutOfRangeError:
            return seen


def threads():
    a, b = tf.get_variable("a", initializer=[1.0]), tf.get_variable("b", initializer=[1.0])
    optimizer = tf.train.GradientDescentOptimizer(0.01)
    steps = [
        optimizer.minimize(tf.reduce_sum(factor * variable**2), var_list=[variable])
        for factor, variable in ((1.0, a), (3.0, b))
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        trainers = [
            threading.Thread(target=lambda step=step: [session.run(step) for _ in range(50)])
            for step in steps
        ]
        for trainer in trainers:
            trainer.start()
        for trainer in trainers:
            trainer.join()


def fetched_without_order(which):
    """Fetches a number that the same run writes, until it is 3; returns the numbers.
    One op of the run is slow.
    """
    total = tf.get_variable("total", initializer=0.0)
    slow = tf.random_normal([1500, 1500]) if which == "draws" else tf.ones([1500, 1500])
    for _ in range(3):
        slow = tf.matmul(slow, slow) * 1e-4
    first = total * 1.0
    with tf.control_dependencies([slow.op] if which == "early read" else []):
        write = total.assign(first + 1.0) if which == "deciding read" else total.assign_add(1.0)
    waited = {"early read": [], "ordered": [slow.op, write.op]}
    with tf.control_dependencies(waited.get(which, [slow.op])):
        read = total.read_value() + 0.0
    if which == "deciding read":
        read = read + 0.0 * first
    seen = []
    with tf.Session() as session:
        session.run(total.initializer)
        while not seen or seen[-1] < 3:
            seen.append(float(session.run([read, write.op])[0]))
    return seen


CASES = [
    fed_batches,
    alternation,
    slices,
    by_hand,
    accumulation,
    all_kinds,
    fetch_and_feed,
    own_optimizer,
    external,
    no_training,
    queue,
    clipped_weights,
    ungated_gradients,
    fetched_beside,
    iterator,
    from_zero,
    threads,
]
UNRECORDED = [queue, iterator]
WITHOUT_ORDER = ["early read", "deciding read", "draws", "ordered"]
MOVED = [fed_batches, alternation, external, from_zero]


def recorded(function, folder, perturb=False):
    # They wrap TensorFlow: not before the unrecorded runs.
    from tf1grad.verify import external_evaluations
    from tf1grad.verify.step_recorder import StepRecorder

    path = os.path.join(folder, "record")
    recorder = StepRecorder(path, 1000, directions=int(perturb))
    recorder.start()
    external_evaluations.start(recorder)
    with tf.Graph().as_default():
        returned = function()
    recorder.save()
    record = Record.load(path)  # a later case may still call this recorder
    record.returned = returned
    return record


def fetched(function, folder):
    """Returns what a program got, and what was recorded of its runs that fetch numbers."""
    from tf1grad.verify.fetch_recorder import FetchRecorder

    recorder = FetchRecorder(os.path.join(folder, "record"))
    recorder.start()
    with tf.Graph().as_default():
        returned = function()
    recorder.save()
    runs = Record.load(os.path.join(folder, "record")).runs
    values = [kept.values[0] for run in runs for kept in run.values]
    return {"returned": returned, "values": values, "unordered": [run.unordered for run in runs]}


def outcomes(function, folder):
    """Returns the outcomes for the same loss with other rounding, and for another loss."""
    this, moved = recorded(function, folder), recorded(function, folder, perturb=True)
    return [
        Comparison(this, recorded(functools.partial(function, **change), folder), [moved]).outcome
        for change in ({"rounded": True}, {"factor": 1.1})
    ]


def as_json(record):
    def lists(samples):
        return {
            name: np.array(kept.values).reshape(kept.shape).tolist()
            for name, kept in samples.items()
        }

    steps = [
        step._replace(gradients=lists(step.gradients), values=lists(step.values))._asdict()
        for step in record.steps
    ]
    return {
        "facts": dataclasses.asdict(record.facts),
        "returned": record.returned,
        "kinds": record.kinds,
        "initial": lists(record.initial),
        "steps": steps,
    }


def main():
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    folder, found = tempfile.mkdtemp(), {}
    switches = {"ref": tf.disable_resource_variables, "resource": tf.enable_resource_variables}
    for kind, switch in switches.items():
        switch()
        for function in UNRECORDED:
            with tf.Graph().as_default():
                found[f"{kind} {function.__name__} unrecorded"] = function()
    for kind, switch in switches.items():
        switch()
        for function in CASES:
            found[f"{kind} {function.__name__}"] = as_json(recorded(function, folder))
        for function in MOVED:
            found[f"{kind} {function.__name__} moved"] = as_json(
                recorded(function, folder, perturb=True)
            )
        for which in WITHOUT_ORDER:
            function = functools.partial(fetched_without_order, which)
            found[f"{kind} without order, {which}"] = fetched(function, folder)
        found[f"{kind} outcomes"] = outcomes(biases_before_batch_normalization, folder)
    shutil.rmtree(folder)
    sys.stdout.write("\n" + json.dumps(found))


if __name__ == "__main__":
    main()
