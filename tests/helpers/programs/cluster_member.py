"""Runs a process of a test's cluster: `cluster_member.py JOB TASK ps=ADDRESSES worker=ADDRESSES`.

It says "ready" when its server is up. A worker then trains one micro-batch for each line `SEED` on
its input, and answers with `global_step`. It ends with its input, so that it never outlives the
test.
"""

import os
import signal
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "builders")]

import tensorflow.compat.v1 as tf

import clusters
import models
import tf1grad
from numpy_optimizers import RULES

BATCHES_PER_STEP = 3
RULE = "nesterov"


def build(cluster, task):
    """Builds a worker's model; returns it, its train op and `global_step`."""
    with clusters.on_worker(cluster, task):
        model, global_step = models.Model(), tf.train.get_or_create_global_step()
        optimizer = tf1grad.AccumulatingOptimizer(RULES[RULE][1](), BATCHES_PER_STEP)
        return model, optimizer.minimize(model.loss, global_step), global_step


def work(cluster, task, target):
    """Trains on the micro-batches that standard input names."""
    model, train_op, global_step = build(cluster, task)
    with clusters.monitored_session(target, task) as session:
        print("session", flush=True)
        for line in sys.stdin:
            session.run(train_op, model.feed_dict(models.random_batch(4, int(line))))
            print(session.run(global_step), flush=True)


def main():
    job, task = sys.argv[1], int(sys.argv[2])
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    jobs = dict(argument.split("=") for argument in sys.argv[3:])
    cluster = tf.train.ClusterSpec({name: addresses.split(",") for name, addresses in jobs.items()})
    server = clusters.server(cluster, job, task)
    print("ready", flush=True)
    if job == "worker":
        work(cluster, task, server.target)
    sys.stdin.read()
    # Servers cannot be stopped, and may hang where others are gone.
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
