"""Tests two clients, each with a graph and a session, on one server:
which state they share, and which they do not.

TensorFlow's own variables of the same names are one variable on a server. The tests use that to
compare.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import clusters
import models
import tf1grad
from threads import together
from variable_kinds import BOTH_KINDS

pytestmark = BOTH_KINDS

BATCHES = [models.random_batch(4, seed) for seed in range(4)]


@pytest.fixture(scope="module")
def server():
    """Starts a server in this process; returns its target."""
    cluster = tf.train.ClusterSpec({"local": clusters.free_addresses(1)})
    return clusters.server(cluster, "local", 0).target


@pytest.fixture
def target(server, variable_kind):
    tf.Session.reset(server)  # the variables of the test before
    return server


class Client:
    """A program: what `build` makes in a graph, and a session on the server."""

    def __init__(self, target, build, container=""):
        with tf.Graph().as_default() as self.graph, tf.container(container):
            self.built = build()
            self.initializer = tf.global_variables_initializer()
        self.session = tf.Session(target, graph=self.graph)

    def run(self, fetches, feed_dict=None):
        return self.session.run(fetches, feed_dict)


class Accumulated(Client):
    """A client that accumulates the gradients of the model."""

    def __init__(self, target, container="", **options):
        def build():
            self.model = models.Model()
            pairs = tf.gradients(self.model.loss, list(self.model.variables.values()))
            pairs = list(zip(pairs, self.model.variables.values()))
            return tf1grad.GradientAccumulator(
                pairs, self.model.loss, self.model.samples, **options
            )

        super().__init__(target, build, container)

    def accumulate(self, batch):
        self.run(self.built.accumulate, self.model.feed_dict(batch))

    def assert_holds(self, *batches):
        """Checks that the window is the large batch made of these."""
        count, weight, mean_loss, pairs = self.run(
            [
                self.built.count,
                self.built.total_weight,
                self.built.average_loss,
                {v.op.name: tf_dense(g) for g, v in self.built.grads_and_vars if g is not None},
            ]
        )
        assert (count, weight) == (len(batches), sum(len(batch[0]) for batch in batches))
        loss, expected, _ = models.loss_and_gradients(
            models.START, tuple(map(np.concatenate, zip(*batches)))
        )
        np.testing.assert_allclose(mean_loss, loss, rtol=1e-12)
        models.assert_same_values({name: dense(value) for name, value in pairs.items()}, expected)


def tf_dense(gradient):
    """Returns what to fetch of a gradient."""
    if isinstance(gradient, tf.IndexedSlices):
        return gradient.values, gradient.indices
    return gradient


def dense(value):
    """Returns a fetched gradient of the table as an array like it."""
    if not isinstance(value, tuple):
        return value
    table = np.zeros_like(models.START["table"])
    np.add.at(table, value[1], value[0])
    return table


def test_each_client_has_a_window(target):
    one, other = Accumulated(target), Accumulated(target)
    one.run(one.initializer)
    for client, batch in zip([one, other, one, other], BATCHES):
        client.accumulate(batch)
    one.assert_holds(BATCHES[0], BATCHES[2])
    other.assert_holds(BATCHES[1], BATCHES[3])
    one.run(one.built.reset)
    other.assert_holds(BATCHES[1], BATCHES[3])


def test_clients_share_a_persistent_window(target):
    one, other = [Accumulated(target, persistent=True) for _ in range(2)]
    one.run(one.initializer)
    for client, batch in zip([one, other, one, other], BATCHES):
        client.accumulate(batch)
    for client in (one, other):
        client.assert_holds(*BATCHES)
    other.run(other.built.reset)
    assert one.run(one.built.count) == 0


@pytest.mark.slow
@pytest.mark.each_release
def test_a_client_that_starts_again(target):
    first, other = Accumulated(target), Accumulated(target)
    first.run(first.initializer)
    first.accumulate(BATCHES[0])
    other.accumulate(BATCHES[1])
    first.session.close()
    again = Accumulated(target)
    assert again.run(again.built.count) == 0
    again.accumulate(BATCHES[2])
    again.assert_holds(BATCHES[2])
    other.assert_holds(BATCHES[1])


def test_a_client_that_starts_again_finds_its_persistent_window(target):
    first = Accumulated(target, persistent=True)
    first.run(first.initializer)
    first.accumulate(BATCHES[0])
    first.session.close()
    again = Accumulated(target, persistent=True)
    again.accumulate(BATCHES[1])
    again.assert_holds(*BATCHES[:2])


@pytest.mark.parametrize("persistent", [False, True])
def test_clearing_the_server_clears_the_window(persistent, target):
    client = Accumulated(target, persistent=persistent)
    client.run(client.initializer)
    client.accumulate(BATCHES[0])
    client.session.close()
    tf.Session.reset(target)
    with tf.Session(target, graph=client.graph) as client.session:
        if not persistent:
            assert client.run(client.built.count) == 0
        client.run(client.initializer)
        client.accumulate(BATCHES[1])
        client.assert_holds(BATCHES[1])


@pytest.mark.parametrize("persistent", [False, True])
def test_the_window_is_in_the_container_of_the_variables(persistent, target):
    client = Accumulated(target, container="experiment", persistent=persistent)
    client.run(client.initializer)
    client.accumulate(BATCHES[0])
    client.session.close()
    tf.Session.reset(target)  # another container
    with tf.Session(target, graph=client.graph) as client.session:
        client.assert_holds(BATCHES[0])
    tf.Session.reset(target, ["experiment"])
    with tf.Session(target, graph=client.graph) as client.session:
        with pytest.raises(tf.errors.OpError):
            client.run(list(client.model.variables.values()))
        assert client.run(client.built.count) == 0


@pytest.mark.parametrize("persistent", [False, True])
def test_no_micro_batch_is_lost_between_clients_that_run_together(persistent, target):
    def build():
        w = tf.get_variable("w", initializer=tf.zeros([100], tf.float64))
        return tf1grad.GradientAccumulator([(tf.ones([100], tf.float64), w)], persistent=persistent)

    clients = [Client(target, build) for _ in range(2)]
    clients[0].run(clients[0].initializer)

    def hammer(client):
        for _ in range(100):
            client.run(client.built.accumulate)

    together(*[lambda client=client: hammer(client) for client in clients])
    for client in clients:
        count, (mean,) = client.run(
            [client.built.count, [gradient for gradient, _ in client.built.grads_and_vars]]
        )
        assert count == (200 if persistent else 100)
        np.testing.assert_array_equal(mean, np.ones(100))


@pytest.mark.parametrize(
    "persistent, expected",
    [(False, [0.0, 0.0, -3.0, -3.0, -8.0, -8.0]), (True, [0.0, -2.0, -2.0, -2.0, -8.0, -8.0])],
)
def test_a_persistent_window_and_its_schedule_are_filled_by_both_clients(
    persistent, expected, target
):
    def build():
        x = tf.placeholder(tf.float64, [])
        w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
        optimizer = tf1grad.AccumulatingOptimizer(
            tf.train.GradientDescentOptimizer(1.0),
            lambda updates: 2 + updates,
            persistent=persistent,
        )
        return x, w.read_value(), optimizer.minimize(w * x)

    one, other = Client(target, build), Client(target, build)
    one.run(one.initializer)
    values = []
    for client, fed in zip([one, other, one, one, other, one], [1.0, 3.0, 5.0, 6.0, 7.0, 100.0]):
        x, w, train_op = client.built
        client.run(train_op, {x: fed})
        values.append(client.run(w))
    assert values == expected


def test_a_client_that_is_no_chief_finds_a_persistent_window_ready(target):
    def build():
        w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
        accumulator = tf1grad.GradientAccumulator([(tf.identity(w) + 1, w)], persistent=True)
        tf.train.get_or_create_global_step()
        return accumulator

    def open_session(client, is_chief):
        with client.graph.as_default():
            return tf.train.MonitoredSession(
                (tf.train.ChiefSessionCreator if is_chief else tf.train.WorkerSessionCreator)(
                    tf.train.Scaffold(), target, **({} if is_chief else {"max_wait_secs": 20})
                )
            )

    one, other = Client(target, build), Client(target, build)
    with open_session(one, True) as chief:
        chief.run(one.built.accumulate)
        with open_session(other, False) as worker:
            worker.run(other.built.accumulate)
        assert chief.run(one.built.count) == 2


def cached_batch():
    x = tf.placeholder(tf.float64, [None])
    cache = tf1grad.VariableBatchCache([x])
    return lambda session, value: cache.advance(session, {x: [value]}), cache.tensors[0]


def held_gate():
    x = tf.placeholder(tf.float64, [])
    held = tf1grad.HeldGate(x)
    return lambda session, value: session.run(held.redraw, {x: value}), held.value


def dropped_gradients():
    x = tf.placeholder(tf.float64, [])
    w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
    guarded = tf1grad.drop_nonfinite([(x / 0, w)])

    def drop(session, value):
        for _ in range(int(value)):
            session.run(guarded[0][0], {x: value})

    return drop, guarded.dropped


def steps_of_a_player():
    w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
    players = tf1grad.alternate(
        {"one": (w * w, [w])}, lambda: tf.train.GradientDescentOptimizer(0.1)
    )

    def take(session, value):
        for _ in range(int(value)):
            session.run(players.train_ops["one"])

    return take, players.steps["one"]


@pytest.mark.parametrize(
    "build",
    [cached_batch, held_gate, dropped_gradients, steps_of_a_player],
    ids=lambda build: build.__name__,
)
def test_other_state_is_each_clients(build, target):
    one, other = Client(target, build), Client(target, build)
    one.run(one.initializer)
    for client, value in ((one, 2.0), (other, 3.0)):
        client.built[0](client.session, value)
    assert np.ravel([client.run(client.built[1]) for client in (one, other)]).tolist() == [2, 3]


def test_watched_norms_are_each_clients(target):
    def build():
        x = tf.placeholder(tf.float64, [])
        w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
        lines = []
        hook = tf1grad.GradientNormHook(
            write=lines.append, global_step=tf.train.get_or_create_global_step()
        )
        pairs = hook.watch([(x, w)])
        return hook, x, pairs[0][0], lines

    one, other = Client(target, build), Client(target, build)
    sessions = []
    for client in (one, other):
        with client.graph.as_default():
            sessions.append(
                tf.train.MonitoredSession(
                    tf.train.ChiefSessionCreator(tf.train.Scaffold(), target),
                    hooks=[client.built[0]],
                )
            )
    for session, client, fed in zip(sessions, (one, other), (2.0, 3.0)):
        session.run(client.built[2], {client.built[1]: fed})
    for session in sessions:
        session.close()
    assert [len(client.built[3]) for client in (one, other)] == [1, 1]
    assert "2.000000e+00" in one.built[3][0] and "3.000000e+00" in other.built[3][0]


def test_clients_that_import_one_graph_share_its_windows(target):
    one = Accumulated(target)
    one.run(one.initializer)
    one.accumulate(BATCHES[0])
    meta_graph = tf.train.export_meta_graph(graph=one.graph)
    names = {key.name: value for key, value in one.model.feed_dict(BATCHES[1]).items()}
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta_graph)
        with tf.Session(target, graph=graph) as session:
            session.run(one.built.accumulate.name, names)
    one.assert_holds(*BATCHES[:2])
