"""Starts a cluster on this machine's loopback:
servers in this process, or processes that end with it.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading

import waiting  # isort: skip  # measures the import of TensorFlow, and so comes before it
import tensorflow.compat.v1 as tf

from paths import ROOT

MEMBER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cluster_member.py")
THREADS = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=4)


def free_addresses(count):
    """Returns loopback addresses that nobody listens at, as `host:port`."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    return addresses


def cluster_of(workers):
    """Returns the ClusterSpec of one parameter server and some workers."""
    addresses = free_addresses(1 + workers)
    return tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:]})


def server(cluster, job, task):
    """Starts a server in this process; it lasts as long as the process."""
    return tf.train.Server(cluster, job, task, config=THREADS)


def on_worker(cluster, task):
    """Returns the device scope of a worker: variables go to the parameter server."""
    return tf.device(
        tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{task}")
    )


def worker_config(task):
    """Returns the configuration with which a worker's session begins and continues
    while other workers are away.
    """
    config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{task}"])
    config.MergeFrom(THREADS)
    return config


def monitored_session(target, task, **options):
    """Opens a `MonitoredTrainingSession` of one worker, which ends at once; task 0 is the chief."""
    return tf.train.MonitoredTrainingSession(
        target,
        is_chief=task == 0,
        config=worker_config(task),
        stop_grace_period_secs=1,
        max_wait_secs=int(waiting.SECONDS),
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
        **options,
    )


def pushed(session, runs, feed_dict=None):
    """Returns what each run sent from a worker to a parameter server:
    a dict from tensor names to bytes a run.

    TensorFlow switches its log of transfers on without waiting for it: a log may lack entries, and
    invents none. So the runs are repeated, all of them, and what any of the repetitions logged
    counts.
    """
    sent = [{} for _ in runs]
    for _ in range(8):
        for known, fetches in zip(sent, runs):
            known.update(_logged(session, fetches, feed_dict))
    assert all(sent), "TensorFlow logged no transfers"
    return sent


def _logged(session, fetches, feed_dict):
    metadata = tf.RunMetadata()
    session.run(
        fetches,
        feed_dict,
        options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
        run_metadata=metadata,
    )
    labels = [
        node.timeline_label
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
        if node.node_name == "RecvTensor"
    ]
    found = [
        re.match(r"\[(\d+)B\] .* edge_\d+_(\S+) from /job:worker\S* to /job:ps", label)
        for label in labels
    ]
    return {
        match.group(2): int(match.group(1)) for match in found if match and match.group(1) != "0"
    }


class Member:
    """A process of the cluster that runs `cluster_member.py` and takes
    its commands line by line.
    """

    def __init__(self, cluster, job, task):
        environment = dict(
            os.environ,
            PYTHONPATH=os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")])),
        )
        addresses = [f"{name}={','.join(cluster.job_tasks(name))}" for name in ("ps", "worker")]
        self.process = subprocess.Popen(
            [sys.executable, MEMBER, job, str(task)] + addresses,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        )

    def tell(self, line):
        """Sends a line."""
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def ask(self, line=None):
        """Sends a line if one is given, and returns the next line that it answers."""
        timer = threading.Timer(waiting.SECONDS, self.process.kill)
        timer.start()
        try:
            if line is not None:
                self.tell(line)
            answer = self.process.stdout.readline()
        finally:
            timer.cancel()
        assert answer, (
            f"no answer to {line!r}, and an end after at most {int(waiting.SECONDS)} seconds"
        )
        return answer.strip()

    def kill(self):
        """Sends SIGKILL and waits until the process has ended."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@contextlib.contextmanager
def members():
    """Yields a function that starts a `Member`, and kills all of them at the end."""
    started = []

    def start(*arguments):
        started.append(Member(*arguments))
        return started[-1]

    try:
        yield start
    finally:
        for member in started:
            if member.process.poll() is None:
                member.kill()
