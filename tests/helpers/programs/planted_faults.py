"""Trains a small network with each planted fault,
and prints what the two comparisons see of it as JSON.

`verify` compares ten training steps, and `upgrade --by-running` all that the program fetches.
"""

import json
import os
import shutil
import sys
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.training import moving_averages

from tf1grad.verify.comparison import Comparison
from tf1grad.verify.comparison_report import ValueReport
from tf1grad.verify.fetched_numbers import FetchComparison
from tf1grad.verify.record import Record

FAULTS = """
no fault
learning rate 0.1 % larger
learning rate 1 % larger
momentum 0.901 for 0.9
nesterov momentum
decay of moving averages 0.99 for 0.9
moving averages not updated
decay of weight average 0.98 for 0.99
weight average not restored
one input element 0.001 larger
one label of step 12 changed
two labels of a batch exchanged
batches 2 and 3 exchanged
last batch one row shorter
weight decay 10 % larger
weight decay of a bias too
clip norm 0.1 % larger
dropout keeps 0.899 for 0.9
dropout with another seed
epsilon 10 % larger
one weight starts 1e-6 larger
one bias starts at 1e-9
global step starts at 1
momentum starts at 1e-4
schedule one step late
step 6 applied twice
one variable frozen
one variable stopped in the loss
one step fewer
one run without numbers fewer
one element of 1,200,000 changed
reported loss 0.2 % larger
count 20,041 for 20,040
identifier 2**60 + 1 for 2**60
two of 1,000 numbers exchanged
0.9 for 0.5 beside 1000.0
NaN for a number
one truth value of 2,000
conjugate of a complex number
extra fetch with the name of another
minus zero for zero
float64 for float32
swallowed error of a session
swallowed error of NumPy
another number written to a file
""".strip().splitlines()
X = np.random.RandomState(1).randn(14, 32, 6).astype(np.float32)
LARGE = 1_200_000


def train(fault):
    """Trains for 14 steps."""

    def has(name):
        assert name in FAULTS, name
        return name == fault

    inputs, labels = X.copy(), np.sin(X.sum(2, keepdims=True))
    inputs[2, 5, 1] += 0.001 * has("one input element 0.001 larger")
    labels[11, 4] += has("one label of step 12 changed")
    if has("two labels of a batch exchanged"):
        labels[4, [3, 4]] = labels[4, [4, 3]]
    if has("batches 2 and 3 exchanged"):
        inputs[[1, 2]], labels[[1, 2]] = inputs[[2, 1]], labels[[2, 1]]

    x = tf.placeholder(tf.float32, [None, 6])
    y = tf.placeholder(tf.float32, [None, 1])
    first = np.random.RandomState(2).randn(6, 8).astype(np.float32)
    first[3, 3] += 1e-6 * has("one weight starts 1e-6 larger")
    w1 = tf.get_variable("w1", initializer=first)
    b1 = tf.get_variable(
        "b1", initializer=np.float32([0] * 7 + [1e-9 * has("one bias starts at 1e-9")])
    )
    w2 = tf.get_variable("w2", initializer=np.ones([8, 1], np.float32))
    hidden = tf.matmul(x, tf.stop_gradient(w1) if has("one variable stopped in the loss") else w1)
    mean, variance = tf.nn.moments(hidden, [0])
    averages = [
        tf.get_variable(name, initializer=np.zeros(8, np.float32), trainable=False)
        for name in ("moving_mean", "moving_variance")
    ]
    decay = 0.99 if has("decay of moving averages 0.99 for 0.9") else 0.9
    updates = [
        moving_averages.assign_moving_average(*pair, decay, zero_debias=False)
        for pair in zip(averages, (mean, variance))
    ]
    epsilon = 1.1e-3 if has("epsilon 10 % larger") else 1e-3
    hidden = tf.tanh((hidden - mean) * tf.rsqrt(variance + epsilon) + b1)
    seed = 8 if has("dropout with another seed") else 7
    keep = 0.899 if has("dropout keeps 0.899 for 0.9") else 0.9
    noise = tf.floor(keep + tf.random_uniform(tf.shape(hidden), seed=seed))
    output = tf.matmul(hidden * noise / keep, w2)
    weight_decay = 1.1e-4 if has("weight decay 10 % larger") else 1e-4
    decayed = [w1, w2] + [b1] * has("weight decay of a bias too")
    loss = tf.reduce_mean(tf.square(output - y))
    loss += weight_decay * tf.add_n([tf.nn.l2_loss(each) for each in decayed])

    start = int(has("global step starts at 1"))
    step = tf.get_variable("step", initializer=np.int64(start), trainable=False)
    boundary = 8 - start + has("schedule one step late")
    rate = tf.where(step < boundary, 0.05, 0.02)
    rate *= 1 + 0.001 * has("learning rate 0.1 % larger") + 0.01 * has("learning rate 1 % larger")
    momentum = 0.901 if has("momentum 0.901 for 0.9") else 0.9
    optimizer = tf.train.MomentumOptimizer(rate, momentum, use_nesterov=has("nesterov momentum"))
    variables = [w1, b1] if has("one variable frozen") else [w1, b1, w2]
    pairs = [pair for pair in optimizer.compute_gradients(loss, variables) if pair[0] is not None]
    norm = 0.3003 if has("clip norm 0.1 % larger") else 0.3
    clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], norm)
    ema = tf.train.ExponentialMovingAverage(
        0.98 if has("decay of weight average 0.98 for 0.99") else 0.99
    )
    apply = optimizer.apply_gradients(zip(clipped, [variable for _, variable in pairs]), step)
    with tf.control_dependencies([apply]):
        train_op = tf.group(
            ema.apply([w1]), *([] if has("moving averages not updated") else updates)
        )
    slot = optimizer.get_slot(w1, "momentum")
    start_slot = slot.assign(tf.fill(slot.shape, 1e-4))
    large = np.zeros(LARGE, np.float32)
    large[12345] = has("one element of 1,200,000 changed")
    table = tf.get_variable("table", initializer=tf.zeros([LARGE]), trainable=False)
    new_table = tf.placeholder(tf.float32, [LARGE])
    fill_table = table.assign(new_table).op

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(fill_table, {new_table: large})
        if has("momentum starts at 1e-4"):
            session.run(start_slot.op)
        for number in range(13 if has("one step fewer") else 14):
            rows = 31 if number == 9 and has("last batch one row shorter") else 32
            feeds = {x: inputs[number, :rows], y: labels[number, :rows]}
            session.run([train_op, loss], feeds)
            if number == 5 and has("step 6 applied twice"):
                session.run(train_op, feeds)
        if not has("one run without numbers fewer"):
            session.run(train_op, {x: inputs[0], y: labels[0]})
        fetch(session, has, w1 if has("weight average not restored") else ema.average(w1))
        session.run([table[:10], tf.reduce_mean(tf.square(output - y))], feeds)


def fetch(session, has, average):
    """Fetches numbers of other kinds."""
    loss = np.float32(1.5) * (1 + 0.002 * has("reported loss 0.2 % larger"))
    many = np.random.RandomState(3).randn(1000).astype(np.float32)
    if has("two of 1,000 numbers exchanged"):
        many[[500, 700]] = many[[700, 500]]
    beside = np.float32([1000, 0.9 if has("0.9 for 0.5 beside 1000.0") else 0.5])
    truth = np.zeros(2000, bool)
    truth[1500] = has("one truth value of 2,000")
    numbers = np.arange(50, dtype=np.float32)
    numbers[40] = np.nan if has("NaN for a number") else 40
    values = [
        np.float32(loss),
        np.int64(20040 + has("count 20,041 for 20,040")),
        np.int64(2**60 + has("identifier 2**60 + 1 for 2**60")),
        many,
        beside,
        truth,
        numbers,
        np.complex64([1 - 2j if has("conjugate of a complex number") else 1 + 2j]),
        np.float32([-0.0 if has("minus zero for zero") else 0.0]),
        np.float64([0.5]) if has("float64 for float32") else np.float32([0.5]),
    ]
    session.run([tf.constant(value) for value in values] + [average])
    # Renamed by the upgrade: the second has the name that the first one had.
    names = ["x", "y"] if has("extra fetch with the name of another") else ["y"]
    named = {"x": 7.0, "y": 2.0}
    if len(names) == 1:
        named["y"] = 7.0
    session.run([tf.constant(named[name], name=name) for name in names])
    zero = 0 if has("swallowed error of a session") else 1
    try:
        session.run(tf.constant(6) // tf.constant(zero))
    except tf.errors.InvalidArgumentError:
        pass
    try:
        np.zeros(3)[4 if has("swallowed error of NumPy") else 2]
    except IndexError:
        pass
    np.save("written.npy", 3.0 if has("another number written to a file") else 2.0)


def recorded(fault, recorder):
    recorder.start()
    with tf.Graph().as_default():
        train(fault)
    recorder.save()
    return Record.load(recorder._path)


def main():
    from tf1grad.verify.fetch_recorder import FetchRecorder
    from tf1grad.verify.step_recorder import StepRecorder

    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    folder = tempfile.mkdtemp()
    os.chdir(folder)

    def steps(fault, directions=0):
        record = recorded(fault, StepRecorder("record", 1000, directions))
        del record.steps[10:]
        return record

    def fetches(fault):
        return recorded(fault, FetchRecorder("record"))

    this, before = steps("no fault"), fetches("no fault")
    perturbed = [steps("no fault", directions) for directions in (1, 2, 3)]
    found = {}
    for fault in sys.argv[1:] or FAULTS:
        report = ValueReport(Comparison(this, steps(fault), perturbed))
        comparison = FetchComparison(before, fetches(fault))
        difference = comparison.first_difference()
        found[fault] = {
            "verify": [report.outcome, report.verdict()],
            "upgrade": [
                "same" if difference is None else "differs",
                difference.text if difference else comparison.agreement(),
            ],
        }
    shutil.rmtree(folder)
    sys.stdout.write("\n" + json.dumps(found))


if __name__ == "__main__":
    main()
