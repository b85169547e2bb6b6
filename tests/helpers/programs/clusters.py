"""Starts the servers of a cluster in this process, on this machine's loopback."""

import socket

import waiting  # isort: skip  # measures the import of TensorFlow, and so comes before it
import tensorflow.compat.v1 as tf

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
    """Returns the configuration with which a worker's session begins and continues while other workers are away."""
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
