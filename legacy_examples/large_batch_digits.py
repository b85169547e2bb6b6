"""Trains handwritten digits with a batch of 512,
split into 16 micro-batches of 32 for the device, in four ways.

    python legacy_examples/large_batch_digits.py       # a minute

The full batch, explicit accumulation ops, AccumulatingOptimizer and fed averages start from the
same weights and see the same samples, so their loss curves must agree. The script fails if they do
not. Only the peak memory of training differs. Ctrl-C stops the script, and plots the results so
far.
"""

import multiprocessing
import os
import signal
import sys
import time

import numpy as np

import common


def parse(argv=None):
    parser = common.parser(__doc__, "large_batch_digits.png")
    parser.add_argument(
        "--steps",
        type=common.count,
        default=60,
        help="number of steps of 512 samples (default: 60)",
    )
    return common.parse(parser, argv)


if __name__ == "__main__":
    # Before the slow import of TensorFlow, so that a wrong argument is reported at once.
    ARGUMENTS = parse()
    common.require("sklearn")

with common.quiet():
    import tensorflow.compat.v1 as tf

import tf1grad  # noqa: E402

tf.logging.set_verbosity(tf.logging.ERROR)  # hides the deprecation warning of the next line
tf.disable_v2_behavior()

BATCH, MICRO_BATCH = 512, 32
BATCHES_PER_STEP = BATCH // MICRO_BATCH
TOLERANCE = 1e-3  # of the loss, because float32 arithmetic in another order rounds differently


def read_digits():
    """Returns shuffled images `[n, 8, 8, 1]` in 0..1 and labels `[n]`;
    the last fifth is for testing.
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images = digits.images[order, :, :, np.newaxis].astype(np.float32) / 16
    labels = digits.target[order].astype(np.int32)
    split = len(labels) * 4 // 5
    return (images[:split], labels[:split]), (images[split:], labels[split:])


class Model:
    """Two convolutions and a dense layer, in the plain ops of old scripts."""

    def __init__(self):
        self.images = tf.placeholder(tf.float32, [None, 8, 8, 1])
        self.labels = tf.placeholder(tf.int32, [None])
        hidden = convolution("first", self.images, 32)
        hidden = convolution("second", hidden, 64)
        hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        hidden = tf.reshape(hidden, [-1, 4 * 4 * 64])
        logits = tf.matmul(hidden, weights("dense", [4 * 4 * 64, 10])) + tf.get_variable(
            "dense/b", [10], tf.float32, tf.zeros_initializer()
        )
        self.loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits)
        )
        hits = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), self.labels)
        self.accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))
        self.optimizer = tf.train.AdamOptimizer(1e-3)
        self.global_step = tf.train.get_or_create_global_step()

    def feed(self, samples):
        images, labels = samples
        return {self.images: images, self.labels: labels}

    def micro_batches(self, batch):
        for start in range(0, BATCH, MICRO_BATCH):
            yield self.feed([part[start : start + MICRO_BATCH] for part in batch])


def weights(name, shape):
    # An op-level seed draws the same numbers on every TensorFlow version.
    start = tf.truncated_normal(shape, stddev=np.prod(shape[:-1]) ** -0.5, seed=sum(map(ord, name)))
    return tf.get_variable(name + "/w", initializer=start)


def convolution(name, images, channels):
    kernel = weights(name, [3, 3, int(images.shape[3]), channels])
    bias = tf.get_variable(name + "/b", [channels], tf.float32, tf.zeros_initializer())
    return tf.nn.relu(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "SAME") + bias)


def full_batch(model):
    train = model.optimizer.minimize(model.loss, global_step=model.global_step)

    def step(session, batch):
        return session.run([model.loss, train], model.feed(batch))[0]

    return step


def explicit_ops(model):
    accumulator = tf1grad.GradientAccumulator(
        model.optimizer.compute_gradients(model.loss), loss=model.loss
    )
    apply = accumulator.apply(model.optimizer, global_step=model.global_step)

    def step(session, batch):
        session.run(accumulator.reset)
        for feed_dict in model.micro_batches(batch):
            session.run(accumulator.accumulate, feed_dict)
        session.run(apply)
        return session.run(accumulator.average_loss)

    return step


def accumulating_optimizer(model):
    optimizer = tf1grad.AccumulatingOptimizer(model.optimizer, BATCHES_PER_STEP)
    train = optimizer.minimize(model.loss, global_step=model.global_step)

    def step(session, batch):
        return np.mean(
            [
                session.run([model.loss, train], feed_dict)[0]
                for feed_dict in model.micro_batches(batch)
            ]
        )

    return step


def fed_averages(model):
    fed = tf1grad.feed_gradients(model.optimizer.compute_gradients(model.loss))
    apply = model.optimizer.apply_gradients(fed.grads_and_vars, global_step=model.global_step)

    def step(session, batch):
        losses = []

        def fetched():
            for feed_dict in model.micro_batches(batch):
                loss, gradients = session.run([model.loss, fed.fetches], feed_dict)
                losses.append(loss)
                yield gradients

        session.run(apply, fed.feed_dict(fetched()))
        return np.mean(losses)

    return step


WAYS = {
    "full batch": full_batch,
    "explicit ops": explicit_ops,
    "AccumulatingOptimizer": accumulating_optimizer,
    "fed averages": fed_averages,
}


def train(name, steps, training, testing):
    """Trains in one way; yields (loss, peak memory) after each step, and (weights,
    test accuracy) at the end.
    """
    random = np.random.RandomState(1)
    with tf.Graph().as_default(), tf.Session() as session:
        model = Model()
        step = WAYS[name](model)
        session.run(tf.global_variables_initializer())
        memory = PeakMemory()
        for _ in range(steps):
            chosen = random.choice(len(training[1]), BATCH, replace=False)
            yield step(session, [part[chosen] for part in training]), memory.megabytes()
        if session.run(model.global_step) != steps:
            raise AssertionError(f"{name}: global_step is not {steps}")
        yield (
            session.run(tf.trainable_variables()),
            session.run(model.accuracy, model.feed(testing)),
        )


class PeakMemory:
    """The peak memory of this process above its memory when this object was created;
    available on Linux only.
    """

    def __init__(self):
        self._before = None
        if os.path.exists("/proc/self/clear_refs"):
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")  # resets the recorded peak
            self._before = self._status("VmRSS")

    def megabytes(self):
        return None if self._before is None else (self._status("VmHWM") - self._before) / 1e3

    @staticmethod
    def _status(field):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(field))


def send(connection, *arguments):
    """Sends the results of `train` to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    for item in train(*arguments):
        connection.send(item)


def in_own_process(*arguments):
    """Yields the results of `train` from a new process,
    so that earlier memory use does not hide its peak.
    """
    spawn = multiprocessing.get_context("spawn")
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(target=send, args=(sender,) + arguments, daemon=True)
    process.start()
    sender.close()  # so that the pipe ends with the process
    try:
        while True:
            try:
                yield receiver.recv()
            except EOFError:
                break
    finally:
        process.terminate()
        process.join()
    if process.exitcode not in (0, -signal.SIGTERM):
        raise RuntimeError(
            f"the training ended with status {process.exitcode}; what it said is above"
        )


class Result:
    """The results of one way: losses `[steps]`;
    memory, weights and accuracy are None if they are unknown.
    """

    def __init__(self):
        self.losses, self.seconds, self.memory, self.weights, self.accuracy = (
            [],
            0.0,
            None,
            None,
            None,
        )


def measure(name, steps, training, testing, result, progress):
    """Trains in one way and fills in its `Result`."""
    items, began = in_own_process(name, steps, training, testing), None
    try:
        for item in items:
            if len(result.losses) == steps:
                result.weights, result.accuracy = item
                break
            began = began or time.time()
            result.seconds = time.time() - began  # excludes the start of the process
            result.memory = item[1]
            result.losses.append(item[0])
            progress.show(
                f"{name}: step {len(result.losses)} of {steps}, loss {item[0]:.4f}",
                len(result.losses) / steps,
            )
    finally:
        items.close()


def print_table(results):
    reference = results["full batch"]
    print(
        f"\n{'':<22} {'test accuracy':>14} {'weight difference':>18} {'seconds':>8} {'peak memory, MB':>16}"
    )
    for name, result in results.items():
        difference = max(np.abs(a - b).max() for a, b in zip(result.weights, reference.weights))
        print(
            f"{name:<22} {result.accuracy:14.4f} {difference:18.1e} {result.seconds:8.2f} "
            f"{in_megabytes(result.memory):>16}"
        )


def in_megabytes(memory):
    return "unknown" if memory is None else f"{memory:.0f}"


def draw(results, path):
    figure, (left, right) = common.subplots(
        1, 2, figsize=(11, 4.5), gridspec_kw={"width_ratios": [3, 2]}
    )
    for number, ((name, result), width) in enumerate(zip(results.items(), (9, 6, 3.5, 1.2))):
        (line,) = left.plot(
            range(1, len(result.losses) + 1), result.losses, label=name, linewidth=width
        )
        right.bar(number, result.memory or 0, color=line.get_color())
        right.text(
            number, result.memory or 0, in_megabytes(result.memory), ha="center", va="bottom"
        )
    left.set(
        xlabel=f"step of {BATCH} samples",
        ylabel="training loss",
        yscale="log",
        title="The same steps in four ways: one curve",
    )
    left.legend()
    right.margins(y=0.1)
    right.set(
        ylabel="peak memory of training, MB",
        xticks=range(len(results)),
        title=f"{BATCH} samples at once, or {MICRO_BATCH} at a time",
    )
    right.set_xticklabels([name.replace(" ", "\n").replace("gO", "g\nO") for name in results])
    common.save(figure, path)


def main(arguments):
    print(
        f"TensorFlow {tf.__version__}, batches of {BATCH} as {BATCHES_PER_STEP} micro-batches of "
        f"{MICRO_BATCH}",
        flush=True,
    )
    training, testing = read_digits()
    results = {}
    with common.Interruptible() as work, common.Progress() as progress:
        for name in WAYS:
            results[name] = Result()
            measure(name, arguments.steps, training, testing, results[name], progress)
            progress.say(
                f"{name:<22} step {arguments.steps:3d} of {arguments.steps}, loss "
                f"{results[name].losses[-1]:.4f}"
            )
    results = {name: result for name, result in results.items() if result.losses}
    if not work.interrupted:
        print_table(results)
    if results and arguments.output:
        draw(results, arguments.output)
    if work.interrupted:
        return common.INTERRUPTED
    reference = results["full batch"].losses
    apart = max(np.abs(np.subtract(result.losses, reference)).max() for result in results.values())
    print(f"largest difference between two loss curves: {apart:.1e}")
    return (
        None if apart <= TOLERANCE else f"the loss curves must lie on one another to {TOLERANCE:g}"
    )


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
