"""Trains handwritten digits on one parameter server and two workers,
as processes on this machine's loopback device.

    python legacy_examples/cluster_digits.py                          # a minute
    python legacy_examples/cluster_digits.py --steps 60 --sync

The variables are on the parameter server, and the sums of the gradients are on the workers, so K
micro-batches of a worker need one push over the network. The bytes pushed and pulled per applied
step come from TensorFlow's own log of RecvTensor calls. The log may miss a call but never adds one,
so the largest of several windows counts. The bytes on loopback are all bytes that the system counts
on that device, from both workers. In the last round, a worker is killed during training and
restarted. Ctrl-C stops the round, and plots the rounds before it.
"""

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np

import common


def parse(argv=None):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # a killed worker is not an error here
    parser = common.parser(__doc__, "cluster_digits.png")
    parser.add_argument(
        "--batches-per-step",
        type=common.count,
        nargs="+",
        default=[1, 8],
        metavar="K",
        help="micro-batches per push (default: 1 8)",
    )
    parser.add_argument(
        "--steps",
        type=common.count,
        default=300,
        help="number of applied steps to measure (default: 300)",
    )
    parser.add_argument(
        "--sync", action="store_true", help="use SyncReplicasOptimizer, without killing a worker"
    )
    parser.add_argument("--serve", nargs=2, metavar=("JOB", "TASK"), help=argparse.SUPPRESS)
    parser.add_argument("--addresses", nargs="+", help=argparse.SUPPRESS)
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

MICRO_BATCH, HIDDEN, WORKERS = 32, 1024, 2
TRACED_WINDOWS = range(2, 7)
SECONDS = 240  # time limit of a round


def read_digits():
    """Returns shuffled images `[n, 64]` in 0..1 and labels `[n]`; the last fifth is for testing."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images, labels = (
        digits.data[order].astype(np.float32) / 16,
        digits.target[order].astype(np.int32),
    )
    split = len(labels) * 4 // 5
    return (images[:split], labels[:split]), (images[split:], labels[split:])


class Model:
    """One hidden layer: ordinary code for a parameter server, except for the optimizer wrapper."""

    def __init__(self, batches_per_step, synchronous):
        self.images = tf.placeholder(tf.float32, [None, 64])
        self.labels = tf.placeholder(tf.int32, [None])
        hidden = tf.nn.relu(dense("hidden", self.images, HIDDEN))
        logits = dense("logits", hidden, 10)
        self.loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits)
        )
        hits = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), self.labels)
        self.accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))
        self.global_step = tf.train.get_or_create_global_step()
        self.optimizer = tf.train.AdamOptimizer(1e-3)
        if synchronous:
            self.optimizer = tf.train.SyncReplicasOptimizer(self.optimizer, WORKERS, WORKERS)
        accumulating = tf1grad.AccumulatingOptimizer(self.optimizer, batches_per_step)
        self.train_op = accumulating.minimize(self.loss, global_step=self.global_step)

    def feed(self, samples):
        images, labels = samples
        return {self.images: images, self.labels: labels}


def dense(name, inputs, units):
    columns = int(inputs.shape[1])
    start = tf.truncated_normal([columns, units], stddev=columns**-0.5, seed=sum(map(ord, name)))
    return tf.matmul(inputs, tf.get_variable(name + "/w", initializer=start)) + tf.get_variable(
        name + "/b", [units], tf.float32, tf.zeros_initializer()
    )


def serve(job, task, addresses, batches_per_step, synchronous):
    """Runs one process of the cluster until its standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    cluster = tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:]})
    # A worker sees only the parameter server and itself, so it starts even if the other worker is
    # down.
    config = tf.ConfigProto(
        intra_op_parallelism_threads=1,
        inter_op_parallelism_threads=2,
        device_filters=["/job:ps", f"/job:worker/task:{task}"] if job == "worker" else [],
    )
    stopped = threading.Event()
    threading.Thread(target=wait_for_end_of_input, args=(stopped,), daemon=True).start()
    server = tf.train.Server(cluster, job, task, config=config)
    say("ready")
    if job == "ps":
        stopped.wait()
    else:
        with tf.device(
            tf.train.replica_device_setter(
                cluster=cluster, worker_device=f"/job:worker/task:{task}"
            )
        ):
            model = Model(batches_per_step, synchronous)
        work(model, task, server.target, config, batches_per_step, stopped)
    sys.stdout.flush()
    os._exit(0)  # TensorFlow cannot stop a server


def wait_for_end_of_input(stopped):
    if sys.stdin.readline():  # "stop"; an empty line means that the parent process has ended
        stopped.set()
        sys.stdin.readline()
        time.sleep(30)
    os._exit(0)


def work(model, task, target, config, batches_per_step, stopped):
    """Trains until `stopped` is set, and prints the applied steps."""
    training, testing = read_digits()
    random = np.random.RandomState(os.getpid())
    hooks = []
    if isinstance(model.optimizer, tf.train.SyncReplicasOptimizer):
        hooks.append(model.optimizer.make_session_run_hook(task == 0, num_tokens=0))
    with tf.train.MonitoredTrainingSession(
        target,
        is_chief=task == 0,
        config=config,
        hooks=hooks,
        stop_grace_period_secs=1,
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
    ) as session:
        window, pushed, pulled = 0, [0], [0]
        while not stopped.is_set():
            options, logs = None, []
            if task == 0 and window in TRACED_WINDOWS:
                options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            for _ in range(batches_per_step):
                chosen = random.choice(len(training[1]), MICRO_BATCH, replace=False)
                logs.append(tf.RunMetadata() if options else None)
                session.run(
                    model.train_op,
                    model.feed([part[chosen] for part in training]),
                    options,
                    logs[-1],
                )
            if options:
                pushed.append(sum(received_bytes(log, "ps") for log in logs))
                pulled.append(sum(received_bytes(log, "worker") for log in logs))
            window += 1
            say("step", session.run(model.global_step))
        if task == 0:
            say("accuracy", session.run(model.accuracy, model.feed(testing)))
            say("pushed", max(pushed))
            say("pulled", max(pulled))
        say("done")


def received_bytes(metadata, job):
    """Returns the bytes of the tensors that the tasks of `job` received from the other job."""
    received = [
        node
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
        if re.search(rf" from /job:(?!{job}/)\w+/\S* to /job:{job}/", node.timeline_label)
    ]
    return sum(
        output.tensor_description.allocation_description.requested_bytes
        for node in received
        for output in node.output
    )


def say(*words):
    print(*words, flush=True)


class Member:
    """A process of the cluster, as seen by its parent process."""

    def __init__(self, job, task, addresses, batches_per_step, synchronous):
        command = [
            sys.executable,
            os.path.abspath(__file__),
            "--serve",
            job,
            str(task),
            "--addresses",
        ] + addresses
        command += ["--batches-per-step", str(batches_per_step)] + (
            ["--sync"] if synchronous else []
        )
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
        self.name = f"{job} {task}"
        self.process = subprocess.Popen(
            command,
            env=environment,
            universal_newlines=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.said, self._ended, self._changed, self._errors = {}, False, threading.Condition(), []
        for reader in (self._read, self._read_errors):
            threading.Thread(target=reader, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            words = line.split()
            with self._changed:
                self.said[words[0]] = float(words[1]) if len(words) > 1 else 0.0
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _read_errors(self):
        self._errors.extend(self.process.stderr)

    def wait(self, word, value, deadline):
        """Waits until the process has printed `word` with a number of at least
        `value`; returns the number.
        """

        def said():
            return self.said.get(word, -1) >= value

        with self._changed:
            self._changed.wait_for(lambda: said() or self._ended, max(deadline - time.time(), 0))
            if not said():
                raise RuntimeError(
                    f"{self.name} {'ended' if self._ended else 'ran on'} without saying {word} "
                    f"{value}:\n{''.join(self._errors[-20:])}"
                )
            return self.said[word]

    def stop(self):
        self.process.stdin.write("stop\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()


def free_addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    return addresses


def loopback_bytes():
    """Returns the bytes sent over the loopback device so far,
    or NaN if the system does not report them.
    """
    try:
        with open("/proc/net/dev") as file:
            return next(
                (
                    float(line.split(":")[1].split()[0])
                    for line in file
                    if line.strip().startswith("lo:")
                ),
                float("nan"),
            )
    except OSError:
        return float("nan")


def train(batches_per_step, steps, synchronous=False, kill=False, progress=None):
    """Runs one round: starts a cluster, trains `steps` applied steps, and stops it.
    Returns the figures by name.
    """
    deadline, addresses, members = time.time() + SECONDS, free_addresses(1 + WORKERS), []

    def start(job, task):
        members.append(Member(job, task, addresses, batches_per_step, synchronous))
        return members[-1]

    try:
        server, chief, other = start("ps", 0), start("worker", 0), start("worker", 1)
        server.wait("ready", 0, deadline)
        for worker in (chief, other):
            worker.wait("step", len(TRACED_WINDOWS) + 3, deadline)
        first, begin, traffic = (
            chief.wait("step", chief.said["step"] + 1, deadline),
            time.time(),
            loopback_bytes(),
        )
        last = follow(
            chief,
            first,
            steps,
            deadline,
            progress
            and (
                lambda step: progress.show(
                    f"K = {batches_per_step}: applied step {step} of {steps}", step / steps
                )
            ),
        )
        seconds, traffic = time.time() - begin, loopback_bytes() - traffic
        if kill:
            other = survive(chief, other, start, deadline)
        for worker in (chief, other):
            worker.stop()
        for worker in (chief, other):
            worker.wait("done", 0, deadline)
        return {
            "accuracy": chief.said["accuracy"],
            "pushed": chief.said["pushed"],
            "pulled": chief.said["pulled"],
            "loopback": traffic / (last - first),
            "steps per second": (last - first) / seconds,
        }
    finally:
        for member in members:
            member.kill()


def follow(chief, first, steps, deadline, show):
    """Waits until `steps` steps after `first` were applied, and shows the progress;
    returns the last step.
    """
    for part in range(1, 21 if show else 1):
        show(chief.wait("step", first + steps * part // 20, deadline) - first)
    return chief.wait("step", first + steps, deadline)


def survive(chief, other, start, deadline):
    """Kills a worker, shows that the chief continues alone, and restarts the worker."""
    other.kill()
    alone = chief.wait("step", 0, deadline)
    print(f"worker 1 was killed; the chief is at step {alone}", flush=True)
    print(
        f"the chief went on to step {chief.wait('step', alone + 20, deadline)} without it",
        flush=True,
    )
    again = start("worker", 1)
    print(f"worker 1 is back, at step {again.wait('step', 0, deadline)}", flush=True)
    return again


HEADER = (
    "K",
    "accuracy",
    "pushed kB/step",
    "pulled kB/step",
    "on loopback kB/step",
    "applied steps/s",
)


def print_table(results):
    print("\n" + "  ".join(HEADER))
    for k, result in results.items():
        cells = [
            f"{k}",
            f"{result['accuracy']:.4f}",
            f"{result['pushed'] / 1e3:.1f}",
            f"{result['pulled'] / 1e3:.1f}",
            f"{result['loopback'] / 1e3:.1f}",
            f"{result['steps per second']:.1f}",
        ]
        print("  ".join(cell.rjust(len(title)) for cell, title in zip(cells, HEADER)))


def draw(path, results):
    """Plots the network traffic per micro-batch by the number of micro-batches per push."""
    figure, axis = common.subplots(figsize=(7, 4.5))
    for offset, (name, label) in enumerate(
        (("pushed", "gradients pushed"), ("pulled", "variables pulled"))
    ):
        values = [result[name] / k / 1e3 for k, result in results.items()]
        places = np.arange(len(results)) + 0.4 * offset - 0.2
        axis.bar(places, values, 0.38, label=label)
        for place, value in zip(places, values):
            axis.text(place, value, f"{value:.0f}", ha="center", va="bottom")
    axis.set(
        ylabel="kB per micro-batch of one worker",
        title="One push for K micro-batches of a worker",
        xticks=range(len(results)),
    )
    axis.set_xticklabels([f"K = {k}" for k in results])
    axis.margins(y=0.2)
    axis.legend(loc="upper right", ncol=2)
    common.save(figure, path)


def main(arguments):
    if arguments.serve:
        job, task = arguments.serve
        serve(job, int(task), arguments.addresses, arguments.batches_per_step[0], arguments.sync)
    print(
        f"TensorFlow {tf.__version__}, 1 parameter server and {WORKERS} workers, "
        f"{'in step' if arguments.sync else 'asynchronous'}, micro-batches of {MICRO_BATCH}",
        flush=True,
    )
    results = {}
    with common.Interruptible() as work, common.Progress() as progress:
        for k in arguments.batches_per_step:
            kill = k == arguments.batches_per_step[-1] and not arguments.sync
            results[k] = train(k, arguments.steps, arguments.sync, kill, progress)
    if results:
        print_table(results)
        if arguments.output:
            draw(arguments.output, results)
    return common.INTERRUPTED if work.interrupted else None


if __name__ == "__main__":
    sys.exit(main(ARGUMENTS))
