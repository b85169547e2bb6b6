"""Tests parameter servers and workers: variables there, state here, one push a window;
asynchronous and synchronous.
"""

import threading

import pytest
import tensorflow.compat.v1 as tf

import clusters
import models
import tf1grad
import waiting
from accumulation_methods import explicit_ops, prepared_step, wrapped_optimizer
from numpy_optimizers import RULES
from threads import together

BATCHES = [models.random_batch(12, seed) for seed in range(3)]
K = 3


@pytest.fixture(scope="module")
def servers():
    """Starts a parameter server and two workers in this process;
    returns the cluster and each worker's target.
    """
    cluster = clusters.cluster_of(workers=2)
    started = [
        clusters.server(cluster, job, task)
        for job, task in [("ps", 0), ("worker", 0), ("worker", 1)]
    ]
    return cluster, [server.target for server in started[1:]]


@pytest.fixture
def cluster(servers, variable_kind):
    cluster, targets = servers
    tf.Session.reset(targets[0])  # the variables of the test before
    return cluster, targets


WAYS = [
    explicit_ops,
    pytest.param(prepared_step, marks=pytest.mark.slow),
    wrapped_optimizer,
]


def parts_of(batch):
    return models.split(batch, [4] * K)


def _devices(kind):
    return {op.name: op.device for op in tf.get_default_graph().get_operations() if op.type in kind}


@pytest.mark.parametrize("colocate", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_parameters_on_the_servers_and_state_on_the_worker(inside, colocate, graph):
    cluster = tf.train.ClusterSpec({"ps": ["127.0.0.1:1"], "worker": ["127.0.0.1:2"]})
    with clusters.on_worker(cluster, 0):
        model = models.Model()
        parameters = set(_devices(["VarHandleOp", "VariableV2"]))
        regularized = model.loss + tf.nn.l2_loss(model.variables["matrix"])
    with clusters.on_worker(cluster, 0) if inside else tf.device(None):
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        pairs = optimizer.compute_gradients(regularized, colocate_gradients_with_ops=colocate)
        tf1grad.GradientAccumulator(pairs)
        tf1grad.AccumulatingOptimizer(optimizer, K).apply_gradients(
            pairs, global_step=tf.train.get_or_create_global_step()
        )
        tf1grad.VariableBatchCache([model.x, model.ids])
        tf1grad.drop_nonfinite(pairs)
    state = {
        name: device
        for name, device in _devices(["VarHandleOp"]).items()
        if name.startswith(("accumulator", "variable_batch_cache", "tf1grad_guard"))
    }
    assert len(state) == 2 * (1 + 2 + 3) + 2 + 1
    assert set(state.values()) <= ({"/job:worker/task:0"} if inside else {"/job:worker/task:0", ""})
    assert {_devices(["VarHandleOp", "VariableV2"])[name] for name in parameters} == {
        "/job:ps/task:0"
    }


class Worker:
    """A worker's graph, and a session on its server."""

    def __init__(self, cluster, task, build):
        cluster, targets = cluster
        with tf.Graph().as_default() as graph, clusters.on_worker(cluster, task):
            self.model, self.global_step = models.Model(), tf.train.get_or_create_global_step()
            self.built = build(self.model, self.global_step)
            self.initializer = tf.global_variables_initializer()
        self.session = tf.Session(targets[task], graph=graph)

    def run(self, fetch, part=None):
        return self.session.run(fetch, part and self.model.feed_dict(part))

    def values(self):
        return self.model.values(self.session)


@pytest.mark.parametrize("way", WAYS)
def test_a_worker_trains_as_a_single_process(way, cluster):
    worker = Worker(
        cluster, 1, lambda model, global_step: way(model, RULES["adam"][1](), global_step)
    )
    worker.run(worker.initializer)
    for batch in BATCHES:
        worker.built(worker.session, parts_of(batch))
    models.assert_same_values(
        worker.values(), models.train_in_numpy(RULES["adam"][0](), BATCHES)[0]
    )
    assert worker.run(worker.global_step) == 3


@pytest.mark.parametrize("monitored", [False, True])
def test_open_window_of_an_earlier_session_is_not_found(monitored, cluster):
    def build(model, global_step):
        return tf1grad.AccumulatingOptimizer(tf.train.AdamOptimizer(0.1), K).minimize(
            model.loss, global_step
        )

    worker = Worker(cluster, 0, build)
    for _ in range(2):  # the servers keep what the first has left in the middle of a window
        if monitored:
            with worker.session.graph.as_default(), clusters.on_worker(cluster[0], 0):
                session = clusters.monitored_session(cluster[1][0], 0)
        else:
            worker = Worker(cluster, 0, build)
            session = worker.session
            session.run(worker.initializer)
        for runs in range(1, 2 * K):
            session.run(worker.built, worker.model.feed_dict(models.random_batch(4, runs)))
            assert session.run(worker.global_step) == runs // K
        session.close()


def test_persistent_window_is_the_chiefs(graph):
    cluster = tf.train.ClusterSpec(
        {"ps": ["127.0.0.1:1"], "worker": ["127.0.0.1:2", "127.0.0.1:3"]}
    )
    for task in range(2):
        with tf.Graph().as_default(), clusters.on_worker(cluster, task):
            optimizer = tf1grad.AccumulatingOptimizer(tf.train.AdamOptimizer(), K, persistent=True)
            model = models.Model()
            if task == 0:
                optimizer.minimize(model.loss)
            else:
                message = "persistent=True: .* is on /job:worker/task:1.*Leave persistent out"
                with pytest.raises(ValueError, match=message):
                    optimizer.minimize(model.loss)


def synchronize(optimizer, workers=2):
    return tf.train.SyncReplicasOptimizer(
        optimizer, replicas_to_aggregate=workers, total_num_replicas=workers
    )


# Its queue runner is cancelled when the session closes, and says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("way", WAYS)
def test_workers_in_step_train_as_one_on_all_their_micro_batches(way, cluster):
    cluster, targets = cluster
    begun = threading.Event()

    def work(task):
        with tf.Graph().as_default(), clusters.on_worker(cluster, task):
            model, global_step = models.Model(), tf.train.get_or_create_global_step()
            optimizer = synchronize(RULES["adam"][1]())
            step = way(model, optimizer, global_step, dense=True)
            hook = optimizer.make_session_run_hook(task == 0, num_tokens=0)
            # Who does not wait looks for the variables once, and again in 30 seconds.
            assert task == 0 or begun.wait(waiting.SECONDS)
            with clusters.monitored_session(targets[task], task, hooks=[hook]) as session:
                begun.set()
                for index, batch in enumerate(BATCHES):
                    half = models.split(batch, [6, 6])[task]
                    step(session, models.split(half, [2] * K))
                    assert session.run(global_step) == index + 1
                return model.values(session)

    expected, _ = models.train_in_numpy(RULES["adam"][0](), BATCHES)
    for values in together(lambda: work(0), lambda: work(1)):
        models.assert_same_values(values, expected)


INSIDE = r"inside SyncReplicasOptimizer.* AccumulatingOptimizer\(SyncReplicasOpt"


@pytest.mark.parametrize(
    "wrap, counted, flushed, message",
    [
        (lambda adam: synchronize(tf1grad.AccumulatingOptimizer(adam, K)), True, False, INSIDE),
        (
            lambda adam: synchronize(tf1grad.ClippingOptimizer(adam, 1.0, nonfinite="skip")),
            True,
            False,
            INSIDE,
        ),
        (
            lambda adam: tf1grad.AccumulatingOptimizer(synchronize(adam), K),
            True,
            True,
            r"applied before, .* instead of flush\(\)",
        ),
        (
            lambda adam: tf1grad.AccumulatingOptimizer(synchronize(adam), K),
            False,
            False,
            "pass global_step=",
        ),
    ],
    ids=["accumulating", "skipping", "flush", "no global_step"],
)
def test_what_synchronization_cannot_do_is_refused(wrap, counted, flushed, message, graph):
    optimizer, model = wrap(tf.train.AdamOptimizer(0.1)), models.Model()
    with pytest.raises(ValueError, match=message):
        optimizer.minimize(model.loss, tf.train.get_or_create_global_step() if counted else None)
        assert flushed
        optimizer.flush()
