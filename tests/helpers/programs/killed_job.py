"""Runs a training job that is killed again and again, for test_restart.py.

    python tests/helpers/programs/killed_job.py KILLS FOLDER

The process imports TensorFlow and builds the graph. Each start of the job is a fork of it, which
opens a session on the last checkpoint and trains until SIGKILL comes at a random moment. (A fork is
sound only as long as no session was ever open here: TensorFlow's threads do not survive it.) Prints
a line of JSON for each kind of variables and of window.
"""

import itertools
import json
import os
import random
import signal
import sys
import time
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "builders"))

import tensorflow.compat.v1 as tf

import tf1grad
from linear import K, Linear
from numpy_optimizers import RULES
from tf1grad import AccumulateHook

# A kill comes after fewer than this many lines of the log, and up to this long after them.
RUNS, SECONDS = (
    14,
    0.02,
)


class SometimesSaves(tf.train.SessionRunHook):
    """Saves after two runs in five, wherever the window is, and never to the same name.

    TensorFlow's hook also writes the graph as text, which takes longer than the job lives. And when
    a session opens, it overwrites the checkpoint that was just restored, and a kill can leave it
    half written.
    """

    def __init__(self, saver, folder, position, chance):
        self.saver, self.path, self.position = saver, os.path.join(folder, "model"), position
        self.chance = chance

    def after_run(self, run_context, run_values):
        if self.chance.random() < 0.4:
            self.saver.save(
                run_context.session, self.path, global_step=self.position, write_meta_graph=False
            )


class Job:
    """The linear model with a saved input position and its hook,
    in a graph that holds nothing else.
    """

    def __init__(self, persistent):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.global_step = tf.train.get_or_create_global_step()
            self.model, optimizer = Linear(), RULES["nesterov"][1]()
            accumulator = tf1grad.GradientAccumulator(
                optimizer.compute_gradients(self.model.loss),
                loss=self.model.loss,
                persistent=persistent,
            )
            self.hook = AccumulateHook(accumulator, optimizer, K)
            self.scaffold = tf.train.Scaffold(saver=tf.train.Saver()).finalize()

    def session(self, folder, chance):
        saves = SometimesSaves(self.scaffold.saver, folder, self.model.position, chance)
        config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        # Otherwise optimizing the graph takes most of the first run's time.
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        creator = tf.train.ChiefSessionCreator(self.scaffold, config=config, checkpoint_dir=folder)
        return tf.train.MonitoredSession(creator, hooks=[saves, self.hook])

    def train(self, folder, chance, log, runs):
        """Trains from the last checkpoint; logs the start, each run and,
        after `runs` runs, the end.
        """
        with self.graph.as_default(), self.session(folder, chance) as session:
            _log(session, log, [self.model.position, self.global_step])
            for _ in itertools.repeat(None) if runs is None else range(runs):
                session.run(self.model.loss)
                os.write(log, b"\n")
            _log(session, log, [self.model.position, self.global_step, self.model.values])


def _log(session, log, fetches):
    values = session.run_step_fn(lambda step_context: step_context.session.run(fetches))
    os.write(log, (json.dumps(values, default=lambda array: array.tolist()) + "\n").encode())


def fork(job, folder, seed, runs):
    """Starts the job in a new process; returns its id and the pipe that the job logs to."""
    read, write = os.pipe()
    child = os.fork()
    if child:
        os.close(write)
        return child, os.fdopen(read, "rb")
    try:
        job.train(folder, random.Random(seed), write, runs)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def killed_and_restarted(job, kills, folder, chance):
    """Returns where each start began, as (position, global_step),
    and the end of the last one, with the weights.
    """
    starts = []
    for kill in range(kills):
        child, log = fork(job, folder, kill, None)
        # 0 lines: the session may not be open.
        lines = [log.readline() for _ in range(chance.randrange(RUNS))]
        time.sleep(chance.uniform(0, SECONDS))
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1]), "the job ended before it was killed"
        start = (lines + [log.readline()])[0]
        starts += [json.loads(start.decode())] if start else []
        log.close()
    child, log = fork(job, folder, kills, 2 * K + 1)
    start, end = filter(None, log.read().decode().splitlines())
    assert os.waitpid(child, 0)[1] == 0
    return starts + [json.loads(start)], json.loads(end)


def main(kills, folder):
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    chance = random.Random(1)
    for kind in ("ref", "resource"):
        (tf.enable_resource_variables if kind == "resource" else tf.disable_resource_variables)()
        for window in ("default", "persistent"):
            job = Job(window == "persistent")
            starts, end = killed_and_restarted(
                job, kills, os.path.join(folder, kind + window), chance
            )
            print(json.dumps([kind, window, starts, end]))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
