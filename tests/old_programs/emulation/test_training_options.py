"""Tests that `--accumulate`, `--clip-global-norm` and `--freeze` equal the library's forms, to the bit."""

import gc

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from tf1grad.old_programs.emulation import training_options
from tf1grad.old_programs.process import patches

BATCHES = [
    (np.random.RandomState(seed).randn(4, 3).astype(np.float32), [0, 1, seed % 5, 1])
    for seed in range(6)
]


def adam():
    return tf.train.AdamOptimizer(0.125)


@pytest.fixture
def install():
    """`training.install`, undone at the end of the test."""
    before = len(patches.changes())
    yield training_options.install
    patches.undo(before)
    gc.collect()  # forgets classes of this test


class Model:
    """A dense and a sparse variable, one that the loss does not reach, and a step counter."""

    def __init__(self):
        self.x, self.ids = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None])
        self.dense = tf.get_variable(
            "model/dense", initializer=np.float32([[1, 2], [3, 4], [5, 6]]) / 8
        )
        self.table = tf.get_variable("model/table", initializer=np.ones([5, 2], np.float32))
        self.head = tf.get_variable("head/scale", initializer=np.float32([1, 2]))
        self.idle = tf.get_variable("idle", initializer=np.float32([7]))
        rows = tf.nn.embedding_lookup(self.table, self.ids)
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.dense) * self.head + rows))
        self.step = tf.train.get_or_create_global_step()

    def feed(self, batch):
        return {self.x: batch[0], self.ids: batch[1]}

    def train(self, session, train_op, batches=BATCHES):
        """Returns the losses of the runs, and the final values of all global variables."""
        session.run(tf.global_variables_initializer())
        losses = [session.run([self.loss, train_op], self.feed(batch))[0] for batch in batches]
        return losses, {
            variable.op.name: session.run(variable) for variable in tf.global_variables()
        }


def trained(build):
    """Trains a model in a new graph with the train op `build(model)` and returns its variables."""
    one_order = tf.ConfigProto(
        intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
    )  # of every sum
    one_order.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default() as graph, tf.Session(graph=graph, config=one_order) as session:
        model = Model()
        return model.train(session, build(model))[1]


def assert_same(found, expected):
    assert sorted(found) == sorted(expected)
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], name)


def minimize(optimizer):
    return lambda model: optimizer().minimize(model.loss, global_step=model.step)


def head_only(model):
    return adam().minimize(model.loss, model.step, var_list=[model.head, model.idle])


# Options, the library's form of them, and the report.
FORMS = {
    "accumulate": (
        {"accumulate": 3},
        minimize(lambda: tf1grad.AccumulatingOptimizer(adam(), 3)),
        "--accumulate 3: acted on 1 optimizer",
    ),
    "clip": (
        {"clip_global_norm": 0.5},
        minimize(lambda: tf1grad.ClippingOptimizer(adam(), 0.5)),
        "--clip-global-norm 0.5: acted on 1 optimizer",
    ),
    "clip the average": (
        {"accumulate": 3, "clip_global_norm": 0.5},
        minimize(lambda: tf1grad.AccumulatingOptimizer(tf1grad.ClippingOptimizer(adam(), 0.5), 3)),
        "--accumulate 3: acted on 1 optimizer",
    ),
    "freeze": ({"freeze": ["model"]}, head_only, "--freeze model: removed 2 variables"),
}


@pytest.mark.parametrize("form", FORMS)
def test_options_are_the_librarys_forms(form, install, variable_kind):
    given, build, report = FORMS[form]
    expected = trained(build)
    options = install(**given)
    assert_same(trained(minimize(adam)), expected)
    assert options.report()[0] == report
    assert expected["global_step"] == (2 if "accumulate" in given else 6)


def test_freeze_that_matches_nothing_says_what_is_there(install, graph):
    install(freeze=["modle"])
    with pytest.raises(ValueError, match="--freeze: 'modle' matches none.*model"):
        minimize(adam)(Model())


def test_freeze_leaves_another_optimizer_alone(install, session):
    install(freeze=["head"])
    model = Model()
    train_op = tf.train.GradientDescentOptimizer(1.0).minimize(model.loss, var_list=[model.dense])
    before = np.float32([[1, 2], [3, 4], [5, 6]]) / 8
    assert np.all(model.train(session, train_op)[1]["model/dense"] != before)


def test_monitored_session(install, graph):
    install(accumulate=2)
    model, runs = Model(), 0
    train_op = minimize(adam)(model)
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=2)]) as session:
        while not session.should_stop():
            session.run(train_op, model.feed(BATCHES[0]))
            runs += 1
    assert runs == 4


@pytest.mark.parametrize("options", [{"accumulate": 1}, {"clip_global_norm": 1.0}])
@pytest.mark.parametrize("name, expected", [(None, "scope/Adam"), ("train", "scope/train")])
def test_the_op_is_the_same_to_its_users(install, session, options, name, expected):
    install(**options)
    model = Model()
    with tf.name_scope("scope"):
        train_op = tf.train.AdamOptimizer(0.125).minimize(model.loss, model.step, name=name)
    assert train_op.name == expected and isinstance(train_op, tf.Operation)
    with tf.control_dependencies([train_op]):
        after = tf.identity(model.loss)
    session.run(tf.global_variables_initializer())
    assert session.run(train_op, model.feed(BATCHES[0])) is None
    session.run(after, model.feed(BATCHES[0]))
    assert session.run(model.step) == 2


class Twice(tf.train.GradientDescentOptimizer):
    """Applies doubled gradients by way of its base class."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        doubled = [(2 * gradient, variable) for gradient, variable in grads_and_vars]
        return super().apply_gradients(doubled, global_step, name)


def test_subclasses_act_once(install, session):
    options = install(clip_global_norm=1.0)

    class Later(Twice):
        """Defined after the options were installed."""

        def apply_gradients(self, *args, **kwargs):
            return super().apply_gradients(*args, **kwargs)

    weights = tf.get_variable("w", initializer=np.float32([0, 0]))
    train_ops = [
        kind(1.0).apply_gradients([(tf.constant([3.0, 4.0]), weights)]) for kind in (Twice, Later)
    ]
    session.run(tf.global_variables_initializer())
    for train_op in train_ops:
        session.run(train_op)
    np.testing.assert_allclose(session.run(weights), [-2.4, -3.2], rtol=1e-6)
    assert options.report() == ["--clip-global-norm 1: acted on 2 optimizers"]


def test_the_librarys_own_wrappers_act_once_a_step(install, session):
    options = install(clip_global_norm=1e9)
    model = Model()
    model.train(
        session,
        minimize(lambda: tf1grad.AccumulatingOptimizer(tf.train.AdamOptimizer(0.125), 3))(model),
    )
    assert options.report()[0].endswith("acted on 1 optimizer")


SEEDS = """
    import tensorflow.compat.v1 as tf
    from tf1grad.old_programs.emulation import training_options
    from tf1grad.old_programs import seeds
    tf.disable_v2_behavior()
    results = []
    seeds.install("{rule}")
    for options in ({{}}, dict({options})):
        if options:
            training_options.install(**options)
        with tf.Graph().as_default() as graph:
            tf.set_random_seed(1)
            x = tf.get_variable("x", [3])
            step = tf.train.get_or_create_global_step()
            for make in (lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9)):
                make().minimize(tf.nn.l2_loss(x) + tf.nn.l2_loss(tf.gather(x, [1, 1])), global_step=step)
                tf.random_normal([2])
            results.append([operation.get_attr("seed2") for operation in graph.get_operations()
                            if "seed2" in operation.node_def.attr])
    print(results[0] == results[1], len(set(results[0])))
"""


@pytest.mark.slow
@pytest.mark.skipif(
    tf.__version__.startswith("1."), reason="TensorFlow 1 itself counts the ops of the options too"
)
@pytest.mark.parametrize(
    "rule, options",
    [
        ("tf1", "accumulate=2, clip_global_norm=1."),
        ("count", "clip_global_norm=1."),
    ],
)
def test_options_move_no_seed(run_forked, rule, options):
    assert run_forked(SEEDS.format(rule=rule, options=options)).split() == ["True", "3"]


UNDER_VERIFY = """
    import tensorflow.compat.v1 as tf
    from tf1grad.old_programs.emulation import training_options
    from tf1grad.old_programs.verify.training_ops import Watch
    tf.disable_v2_behavior()
    options = training_options.install(accumulate=2)
    watch = Watch()
    watch.start()

    class Mine(tf.train.Optimizer):
        def __init__(self):
            super(Mine, self).__init__(False, "Mine")

        def apply_gradients(self, grads_and_vars, global_step=None, name=None):
            return tf.group(*[tf.assign_sub(variable, gradient) for gradient, variable in grads_and_vars])

    x = tf.Variable(8.0)
    step = Mine().minimize(x * 2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = []
        for _ in range(4):
            session.run(step)
            values.append(float(session.run(x)))
    print(values, len(watch.applied(tf.get_default_graph().get_operations())), options.report())
"""


@pytest.mark.slow
def test_optimizers_of_the_script_accumulate_under_verify(run_forked):
    output = run_forked(UNDER_VERIFY)
    assert output.splitlines()[-1] == (
        "[8.0, 6.0, 6.0, 4.0] 2 ['--accumulate 2: acted on 1 optimizer']"
    )
