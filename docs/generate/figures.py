"""Draws the figures of the recipe pages, each from runs of the recipe itself.

python docs/generate/figures.py [NAME ...] --output FOLDER
"""

import argparse
import contextlib
import os
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
sys.path.insert(0, os.path.join(sys.path[0], "legacy_examples", "papers"))

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import tensorflow.compat.v1 as tf

import paper_files
import tf1grad

TRUE_WEIGHTS = np.array([1.0, -2.0, 0.5], np.float32)


def started(session=None):
    """Returns a session on the default graph with initialised variables."""
    session = session or tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def regression():
    """Returns the placeholders, the weights and the mean squared error of a linear regression."""
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None])
    weights = tf.get_variable("weights", initializer=tf.zeros([3]))
    return x, y, weights, tf.reduce_mean(tf.square(tf.tensordot(x, weights, 1) - y))


def samples(count, seed=0):
    """Returns inputs and noisy outputs of the regression; the last inputs are larger."""
    random = np.random.RandomState(seed)
    x = random.randn(count, 3).astype(np.float32) * np.linspace(0.5, 2, count)[:, None].astype(
        np.float32
    )
    return x, x.dot(TRUE_WEIGHTS) + 0.3 * random.randn(count).astype(np.float32)


def accumulation(axes):
    """Plots a batch of 10 in micro-batches of 4, 4 and 2,
    divided by the accumulated weight and by a constant.
    """
    x, y, weights, loss = regression()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    large = optimizer.apply_gradients(pairs)
    ours = tf1grad.GradientAccumulator(pairs, weight=tf.shape(x)[0])
    constant = tf1grad.GradientAccumulator(
        tf1grad.multiply_gradients(pairs, {"weights": 1 / 3}), reduction="sum"
    )
    inputs, outputs = samples(10)
    parts = [slice(0, 4), slice(4, 8), slice(8, 10)]
    ways = {
        "the batch of 10 at once": None,
        "GradientAccumulator, weighted": (ours, ours.apply(optimizer)),
        "sum / BATCHES_PER_STEP": (constant, constant.apply(optimizer)),
    }
    for (label, way), style in zip(ways.items(), ("-", "o", "--")):
        session, curve = started(), []
        for _ in range(12):
            curve.append(session.run(loss, {x: inputs, y: outputs}))
            if way is None:
                session.run(large, {x: inputs, y: outputs})
                continue
            session.run(way[0].reset)
            for part in parts:
                session.run(way[0].accumulate, {x: inputs[part], y: outputs[part]})
            session.run(way[1])
        axes.semilogy(curve, style, label=label, fillstyle="none")
    axes.set(xlabel="step", ylabel="loss of all 10 samples", title="Micro-batches of 4, 4 and 2")


def minimize(axes):
    """Plots the weight and `global_step` after each run of the train op,
    with four runs per step.
    """
    x, y, weights, loss = regression()
    step = tf.train.get_or_create_global_step()
    train_op = tf1grad.AccumulatingOptimizer(tf.train.AdamOptimizer(0.2), 4).minimize(
        loss, global_step=step
    )
    session, (inputs, outputs) = started(), samples(4)
    states = []
    for run in range(24):
        session.run(train_op, {x: inputs[run % 4 :][:1], y: outputs[run % 4 :][:1]})
        states.append(session.run([weights, step]))
    axes.step(range(1, 25), [weights[0] for weights, _ in states], where="post", label="one weight")
    axes.step(
        range(1, 25), [step / 10 for _, step in states], where="post", label="global_step / 10"
    )
    axes.set(
        xlabel="session.run(train_op)", title="AccumulatingOptimizer, 4 micro-batches per step"
    )


def feed(axes):
    """Plots a descent step on `v * v` with fed gradients:
    through placeholders, and onto the gradient tensor.
    """
    tf.disable_resource_variables()
    v = tf.get_variable("v", initializer=2.0)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(v * v)
    onto = optimizer.apply_gradients(pairs)
    fed = tf1grad.feed_gradients(pairs)
    through = optimizer.apply_gradients(fed.grads_and_vars)
    ends = {}
    for label, run in (
        ("requested", None),
        ("fed onto the gradient tensor", lambda session: session.run(onto, {pairs[0][0]: 1.0})),
        ("feed_gradients", lambda session: session.run(through, fed.feed_dict([[1.0]]))),
    ):
        session = started()
        if run:
            run(session)
        ends[label] = session.run(v) if run else 2.0 - 0.5 * 1.0
    axes.bar_label(axes.barh(list(ends), list(ends.values())), fmt="%.1f", padding=3)
    axes.set(xlim=(0, 2), xlabel="v after one step", title="v = 2, rate 0.5, the fed gradient is 1")


def clip(axes):
    """Plots the global norm of an embedding's gradient by how often the batch contains one row."""
    table = tf.get_variable("table", initializer=tf.ones([4, 2]))
    rows = tf.placeholder(tf.int32, [None])
    pairs = tf.train.AdamOptimizer().compute_gradients(
        tf.reduce_sum(tf.nn.embedding_lookup(table, rows))
    )
    ours, theirs = tf1grad.global_norm(pairs), tf.global_norm([pairs[0][0]])
    dense = tf.norm(tf.convert_to_tensor(pairs[0][0]))
    session, counts = started(), range(1, 9)
    for label, norm, style in (
        ("norm of the dense gradient", dense, "-"),
        ("tf1grad.global_norm", ours, "o"),
        ("tf.global_norm", theirs, "--"),
    ):
        axes.plot(
            counts,
            [session.run(norm, {rows: [0] * count}) for count in counts],
            style,
            label=label,
            fillstyle="none",
        )
    axes.set(
        xlabel="occurrences of the row in the batch",
        ylabel="global norm",
        title="Norm of a sparse gradient",
    )


def nonfinite(axes):
    """Plots training on batches, one of which contains an infinity."""
    x, y, weights, loss = regression()
    optimizer = tf.train.AdamOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    guarded = tf1grad.drop_nonfinite(pairs)
    inputs, outputs = samples(8)
    for label, train_op, style in (
        ("drop_nonfinite", guarded.apply(optimizer), "-"),
        ("apply_gradients", optimizer.apply_gradients(pairs), "--"),
    ):
        session, curve = started(), []
        for step in range(40):
            bad = np.where(step == 15, np.inf, 1.0).astype(np.float32)
            session.run(train_op, {x: inputs * bad, y: outputs})
            curve.append(session.run(loss, {x: inputs, y: outputs}))
        axes.semilogy(curve, style, label=label)
    axes.axvline(15, color="grey", linewidth=0.5)
    axes.set(xlabel="step", ylabel="loss", title="The batch of step 15 contains an infinity")


def freeze(axes):
    """Plots Adam on a variable that is frozen from step 5 on:
    by a gradient of zero, and by removing its pair.
    """
    optimizer = tf.train.AdamOptimizer(0.1)
    v = tf.get_variable("v", initializer=1.0)
    other = tf.get_variable("other", initializer=1.0)
    pairs = optimizer.compute_gradients(tf.square(v) + tf.square(other))
    frozen = [
        (tf.zeros_like(gradient) if variable is v else gradient, variable)
        for gradient, variable in pairs
    ]
    train = optimizer.apply_gradients(pairs)
    ways = {
        "gradient times 0": optimizer.apply_gradients(frozen),
        'tf1grad.without(pairs, "v")': optimizer.apply_gradients(tf1grad.without(pairs, "v")),
    }
    for (label, train_op), style in zip(ways.items(), ("--", "-")):
        session, curve = started(), []
        for step in range(25):
            curve.append(session.run(v))
            session.run(train if step < 5 else train_op)
        axes.plot(curve, style, label=label)
    axes.axvline(5, color="grey", linewidth=0.5)
    axes.set(xlabel="step", ylabel="v", title="v should stay constant from step 5 on")


def gates(axes):
    """Plots two groups of variables with gates that let one group move at a time."""
    first, second = (tf.get_variable(name, initializer=1.0) for name in ("first", "second"))
    choice = tf.placeholder(tf.bool, [])
    pairs = tf.train.AdamOptimizer().compute_gradients(tf.square(first) + tf.square(second))
    train_op = tf1grad.gate_variables(
        pairs,
        {"first": choice, "second": tf.logical_not(choice)},
        lambda: tf.train.AdamOptimizer(0.05),
    )
    session, values = started(), []
    for step in range(30):
        values.append(session.run([first, second]))
        session.run(train_op, {choice: step // 5 % 2 == 0})
    axes.plot(values, label=["first", "second"])
    axes.set(xlabel="step", ylabel="variable", title="The open gate changes every 5 steps")


def alternate(axes):
    """Plots the path of two players of one loss,
    with five steps of the inner player per step of the outer one.
    """
    x, y = (tf.get_variable(name, initializer=value) for name, value in (("x", 1.0), ("y", 1.0)))
    loss = x * y + 0.5 * tf.square(x) - 0.5 * tf.square(y)
    players = tf1grad.alternate(
        {"maximizer": (-loss, "y"), "minimizer": (loss, "x")},
        lambda: tf.train.GradientDescentOptimizer(0.1),
        steps={"maximizer": 5},
    )
    session, path = started(), [[1.0, 1.0]]
    for _ in range(25):
        for player in players.order:
            session.run(players.train_ops[player])
            path.append(session.run([x, y]))
    axes.plot(*zip(*path), ".-", label="alternate, 5 to 1 steps")
    axes.plot(0, 0, "k*", label="the saddle point")
    axes.set(
        xlabel="x (minimizer)", ylabel="y (maximizer)", title="x y + x\u00b2/2 \u2212 y\u00b2/2"
    )


def batches(axes):
    """Plots the batch that each evaluation of a search sees: from the queue, and from a cache."""
    queue = tf.FIFOQueue(100, [tf.int32])
    fill, batch = queue.enqueue_many([tf.range(60)]), queue.dequeue()
    cache = tf1grad.HandleBatchCache(batch)
    session = started()
    session.run(fill)
    axes.plot([session.run(batch) for _ in range(16)], "x", label="the dequeued tensor")
    session, seen = started(), []  # a new session has a separate queue
    session.run(fill)
    for _ in range(4):
        with cache.advance(session) as feed_dict:
            seen += [session.run(cache.tensors[0], feed_dict) for _ in range(4)]
    axes.plot(seen, "o", label="HandleBatchCache, a search of 4 evaluations", fillstyle="none")
    axes.set(xlabel="evaluation", ylabel="batch seen", title="One batch, many evaluations")


def external(axes):
    """Plots Rosenbrock's function of two numbers by evaluation."""
    start = np.array([-1.2, 1.0])
    v = tf.get_variable("v", initializer=start)
    loss = 100 * tf.square(v[1] - tf.square(v[0])) + tf.square(1 - v[0])
    train_op, losses = tf.train.AdamOptimizer(0.05).minimize(loss), []
    optimizer = tf1grad.ScipyOptimizerInterface(loss, var_list=[v])
    session, curve = started(), []
    optimizer.minimize(session, fetches=[loss], loss_callback=losses.append)
    session = started()
    for _ in range(200):
        curve.append(session.run([loss, train_op])[0])
    axes.semilogy(losses, label="ScipyOptimizerInterface (L-BFGS-B)")
    axes.semilogy(curve, "--", label="Adam")
    axes.set(
        xlabel="evaluation of loss and gradient",
        ylabel="loss",
        title="Rosenbrock's function",
        ylim=(1e-12, 1e2),
    )


def split(axes):
    """Plots the peak memory of a run's ops for the gradients of batches of growing size."""
    x = tf.placeholder(tf.float32, [None, 64])
    weights = [tf.get_variable(f"weights{number}", [64, 64]) for number in range(6)]

    def loss(part):
        for matrix in weights:
            part = tf.tanh(tf.matmul(part, matrix))
        return tf.reduce_mean(tf.square(part))

    slices = [tf.gradients(loss(part), weights) for part in tf.split(x, 8)]
    _, pairs = tf1grad.split_batch(loss, x, micro_batch_size=1024, var_list=weights)
    ways = {
        "the whole batch": tf.gradients(loss(x), weights),
        "a loop over tf.split(x, 8)": [tf.add_n(gradients) for gradients in zip(*slices)],
        "split_batch, micro-batches of 1024": [gradient for gradient, _ in pairs],
    }
    session, sizes = started(), range(1024, 8193, 1024)
    for (label, fetches), style in zip(ways.items(), ("-", "--", "o-")):
        axes.plot(
            sizes,
            [megabytes(session, fetches, {x: np.ones([size, 64])}) for size in sizes],
            style,
            label=label,
            fillstyle="none",
        )
    axes.set(
        xlabel="samples in the batch",
        ylabel="peak memory, MB",
        ylim=(0, None),
        title="Gradients of six layers of 64",
    )


def megabytes(session, fetches, feed_dict):
    """Returns the peak memory of the ops of a run, in MB."""
    record, options = tf.RunMetadata(), tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run(fetches, feed_dict, options=options, run_metadata=record)
    changes = sorted(
        (change.alloc_micros, change.alloc_bytes)
        for device in record.step_stats.dev_stats
        for node in device.node_stats
        for memory in node.memory
        for change in memory.allocation_records
    )
    return max(np.cumsum([size for _, size in changes])) / 1e6


def sessions(axes):
    """Plots a job that is killed within its third step and restarts:
    with a hook, and with sums zeroed by hand.
    """
    inputs, outputs = samples(24)
    for label, life, style in (
        ("never killed", hooked, "-"),
        ("AccumulateHook", hooked, "o"),
        ("sums zeroed after each apply", by_hand, "--"),
    ):
        path = [[0, 0.0]]
        with tempfile.TemporaryDirectory() as folder:
            for first, last in [(0, 24)] if label == "never killed" else [(0, 10), (8, 24)]:
                with tf.Graph().as_default():
                    path += life(folder, [(inputs[[i]], outputs[[i]]) for i in range(first, last)])
        axes.plot(*zip(*path), style, label=label, fillstyle="none")
    axes.axvline(2.5, color="grey", linewidth=0.5)
    axes.set(
        xlabel="global_step, of 4 micro-batches each",
        ylabel="one weight",
        title="Killed within the third step",
    )


def hooked(folder, batches):
    """Returns steps and weights of a job that resumes from a checkpoint in `folder` and is
    killed after its batches.
    """
    x, y, weights, loss = regression()
    state = [tf.train.get_or_create_global_step(), weights[0]]
    optimizer, path = tf.train.GradientDescentOptimizer(0.1), []
    accumulator = tf1grad.GradientAccumulator(optimizer.compute_gradients(loss), loss=loss)
    hook = tf1grad.AccumulateHook(accumulator, optimizer, batches_per_step=4)
    with contextlib.suppress(KeyboardInterrupt), tf.train.MonitoredTrainingSession(
        checkpoint_dir=folder, hooks=[hook], save_checkpoint_steps=1, log_step_count_steps=None
    ) as session:
        for inputs, outputs in batches:
            session.run(loss, {x: inputs, y: outputs})
            path.append(session.run_step_fn(lambda step_context: step_context.session.run(state)))
        raise KeyboardInterrupt
    return path


def by_hand(folder, batches):
    """Returns the same for the textbook recipe,
    with sums in the checkpoint that the job writes when it is stopped.
    """
    x, y, weights, loss = regression()
    state = [tf.train.get_or_create_global_step(), weights[0]]
    optimizer, path = tf.train.GradientDescentOptimizer(0.1), []
    ((gradient, _),) = optimizer.compute_gradients(loss)
    total = tf.get_variable("total", initializer=tf.zeros([3]), trainable=False)
    add, zero = tf.assign_add(total, gradient / 4), tf.assign(total, tf.zeros([3]))
    apply, saver = (
        optimizer.apply_gradients([(tf.identity(total), weights)], state[0]),
        tf.train.Saver(),
    )
    session = started()
    if tf.train.latest_checkpoint(folder):
        saver.restore(session, tf.train.latest_checkpoint(folder))
    for number, (inputs, outputs) in enumerate(batches, 1):
        session.run(add, {x: inputs, y: outputs})
        if number % 4 == 0:
            session.run(apply)
            session.run(zero)
        path.append(session.run(state))
    saver.save(session, os.path.join(folder, "model"))
    return path


def machines(axes):
    """Plots the mean of equal float16 gradients by the number of summands."""
    v = tf.get_variable("v", initializer=tf.ones([], tf.float16))
    total = tf.get_variable("total", initializer=tf.zeros([], tf.float16), trainable=False)
    gradient = tf.constant(0.1, tf.float16)
    accumulator, add = tf1grad.GradientAccumulator([(gradient, v)]), tf.assign_add(total, gradient)
    session, counts, curves = started(), [2**power for power in range(13)], []
    for count in range(1, counts[-1] + 1):
        session.run([accumulator.accumulate, add])
        if count in counts:
            mean, summed = session.run([accumulator.grads_and_vars[0][0], total])
            curves.append([mean, summed / count])
    for curve, label, style in zip(
        zip(*curves), ("GradientAccumulator", "a float16 sum / K"), ("o-", "--")
    ):
        axes.semilogx(counts, curve, style, base=2, label=label, fillstyle="none")
    axes.set(
        xlabel="K, the micro-batches per step",
        ylabel="mean gradient",
        ylim=(0, 0.15),
        title="Each gradient is 0.1, in float16",
    )


def papers(axes):
    """Plots the figures of papers as differences from the mean of TensorFlow 1.15.5,
    with the spread of both sides.
    """
    rows = []
    for name in paper_files.names():
        for run in paper_files.read(name)["runs"].values():
            for index, figure in enumerate(run["figures"]):
                sides = [paper_files.measured(run, side, index) for side in ("1.15.5", "run")]
                if min(map(len, sides)) >= paper_files.ENOUGH_RUNS:
                    # NaN, which is not drawn, if no page was seen to have it.
                    paper = np.nan if figure["paper"] is None else float(figure["paper"])
                    rows.append((f"{name}: {figure['name']}", paper, *sides))
    places = np.arange(len(rows))[::-1]
    axes.figure.set_size_inches(8, 1.8 + 0.25 * len(rows))
    references = np.array([paper_files.spread(old).mean for _, _, old, _ in rows])
    published = np.array([paper for _, paper, _, _ in rows])
    axes.plot(100 * (published / references - 1), places, "kx", label="the paper's figure")
    for label, column, shift, style in (
        ("TensorFlow 1.15.5", 2, 0.12, "o"),
        ("under run, on 2.21", 3, -0.12, "s"),
    ):
        spreads = [paper_files.spread(row[column]) for row in rows]
        means = np.array([spread.mean for spread in spreads])
        deviations = np.array([spread.deviation for spread in spreads])
        axes.errorbar(
            100 * (means / references - 1),
            places + shift,
            xerr=100 * deviations / references,
            fmt=style,
            markersize=4,
            capsize=2,
            label=label,
        )
    axes.set_yticks(places, [row[0] for row in rows], fontsize="x-small")
    axes.axvline(0, color="grey", linewidth=0.5)
    axes.set_xscale("symlog", linthresh=10)  # most figures differ by less than 10 %
    axes.set_xticks([-100, -10, 0, 10, 100], ["-100", "-10", "0", "10", "100"])
    axes.set(
        xlabel="difference from the mean of 1.15.5, in % of it",
        ylim=(-1, len(rows) + 2),  # the legend stands above the first row
        title="Figures of papers",
    )


def rounding(axes):
    """Plots how a training and one whose batches have another order of rows part:
    only rounding differs at first.
    """
    steps = np.arange(1500)
    losses = [_losses(steps, order) for order in (slice(None), slice(None, None, -1))]
    axes.semilogy(steps, np.abs(losses[0] - losses[1]) / losses[0], ".", markersize=3)
    axes.set(
        xlabel="step",
        ylabel="relative difference",
        title="The losses of two runs that sum in another order",
    )


def _losses(steps, order):
    """Returns the losses of a small network that learns random labels,
    with the rows of each batch in an order.
    """
    with tf.Graph().as_default():
        random = np.random.RandomState(1)
        x, y = tf.placeholder(tf.float32, [None, 20]), tf.placeholder(tf.float32, [None, 1])
        starts = [0.2 * random.randn(*shape).astype(np.float32) for shape in ((20, 50), (50, 1))]
        first, last = (tf.get_variable(f"w{i}", initializer=each) for i, each in enumerate(starts))
        loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.relu(tf.matmul(x, first)), last) - y))
        step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        inputs, labels = random.randn(1000, 20), random.randn(1000, 1)
        with started() as session:
            found = []
            for _ in steps:
                rows = random.randint(1000, size=64)[order]
                feeds = {x: inputs[rows], y: labels[rows]}
                found.append(session.run([step, loss], feeds)[1])
    return np.array(found, np.float64)


FIGURES = [
    accumulation,
    minimize,
    feed,
    clip,
    nonfinite,
    freeze,
    gates,
    alternate,
    batches,
    external,
    split,
    sessions,
    machines,
    papers,
    rounding,
]


def draw(figure, folder):
    """Draws one figure into `folder/NAME.svg`."""
    with tf.Graph().as_default():
        tf.set_random_seed(0)
        canvas, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
        figure(axes)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="x-small")
        canvas.savefig(os.path.join(folder, figure.__name__ + ".svg"))
        plt.close(canvas)


def main():
    """Draws the figures named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description="Draw the figures of the recipes.")
    names = {figure.__name__: figure for figure in FIGURES}
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"figures: {', '.join(names)} (default: all)"
    )
    parser.add_argument(
        "--output", metavar="FOLDER", required=True, help="folder for the NAME.svg files"
    )
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(names)
    if unknown:
        parser.error(f"no such figure: {', '.join(sorted(unknown))}")
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.disable_v2_behavior()
    os.makedirs(arguments.output, exist_ok=True)
    for name in arguments.names or names:
        draw(names[name], arguments.output)


if __name__ == "__main__":
    main()
