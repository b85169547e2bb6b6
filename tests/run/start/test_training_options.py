"""Tests that `--accumulate`, `--clip-global-norm` and `--freeze` equal the
library's forms, to the bit.
"""

import gc

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from tf1grad.programs.process import patches
from tf1grad.run.start import training_options

BATCHES = [models.random_batch(4, seed) for seed in range(6)]


def adam():
    return tf.train.AdamOptimizer(0.125)


@pytest.fixture
def install():
    """`training.install`, undone at the end of the test."""
    before = len(patches.changes())
    yield training_options.install
    patches.undo(before)
    gc.collect()  # forgets classes of this test


def trained(optimizer, without=()):
    """Returns the final values of all variables of a model;
    the variables `without` are not trained.
    """
    # One order of every sum.
    one_order = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    one_order.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default() as graph, tf.Session(graph=graph, config=one_order) as session:
        model, step = models.Model(tf.float32), tf.train.get_or_create_global_step()
        wanted = [value for name, value in sorted(model.variables.items()) if name not in without]
        train_op = optimizer().minimize(model.loss, step, var_list=wanted)
        session.run(tf.global_variables_initializer())
        for batch in BATCHES:
            session.run(train_op, model.feed_dict(batch))
        return {variable.op.name: session.run(variable) for variable in tf.global_variables()}


# Options, the library's form of them, and the report.
FORMS = {
    "accumulate": (
        {"accumulate": 3},
        lambda: trained(lambda: tf1grad.AccumulatingOptimizer(adam(), 3)),
        "--accumulate 3: acted on 1 optimizer",
    ),
    "clip": (
        {"clip_global_norm": 0.5},
        lambda: trained(lambda: tf1grad.ClippingOptimizer(adam(), 0.5)),
        "--clip-global-norm 0.5: acted on 1 optimizer",
    ),
    "clip the average": (
        {"accumulate": 3, "clip_global_norm": 0.5},
        lambda: trained(
            lambda: tf1grad.AccumulatingOptimizer(tf1grad.ClippingOptimizer(adam(), 0.5), 3)
        ),
        "--accumulate 3: acted on 1 optimizer",
    ),
    "freeze": (
        {"freeze": ["table"]},
        lambda: trained(adam, without=["table"]),
        "--freeze table: removed 1 variable",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_options_are_the_librarys_forms(form, install, variable_kind):
    given, build, report = FORMS[form]
    expected = build()
    options = install(**given)
    found = trained(adam)
    assert sorted(found) == sorted(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, name)
    assert options.report()[0] == report
    assert found["global_step"] == (2 if "accumulate" in given else 6)


def test_freeze_that_matches_nothing_says_what_is_there(install, graph):
    install(freeze=["tabel"])
    with pytest.raises(SystemExit, match="tf1grad run: --freeze: str 'tabel' matches none.*table"):
        adam().minimize(models.Model().loss)


def test_freeze_leaves_another_optimizer_alone(install, session):
    install(freeze=["table"])
    model = models.Model()
    trained = model.variables["matrix"]
    train_op = tf.train.GradientDescentOptimizer(1.0).minimize(model.loss, var_list=[trained])
    session.run(tf.global_variables_initializer())
    session.run(train_op, model.feed_dict(BATCHES[0]))
    assert np.all(session.run(trained) != models.START["matrix"])


@pytest.mark.parametrize("options", [{"accumulate": 1}, {"clip_global_norm": 1.0}])
@pytest.mark.parametrize("name, expected", [(None, "scope/Adam"), ("train", "scope/train")])
def test_the_op_is_the_same_to_its_users(install, session, options, name, expected):
    install(**options)
    model, step = models.Model(), tf.train.get_or_create_global_step()
    with tf.name_scope("scope"):
        train_op = adam().minimize(model.loss, step, name=name)
    assert train_op.name == expected and isinstance(train_op, tf.Operation)
    with tf.control_dependencies([train_op]):
        after = tf.identity(model.loss)
    session.run(tf.global_variables_initializer())
    assert session.run(train_op, model.feed_dict(BATCHES[0])) is None
    session.run(after, model.feed_dict(BATCHES[0]))
    assert session.run(step) == 2


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


def test_the_librarys_own_wrappers_act_once_a_step(install, graph):
    options = install(clip_global_norm=1e9)
    tf1grad.AccumulatingOptimizer(adam(), 3).minimize(models.Model().loss)
    assert options.report() == ["--clip-global-norm 1e+09: acted on 1 optimizer"]


UNDER_VERIFY = """
    import tensorflow.compat.v1 as tf
    from tf1grad.run.start import training_options
    from tf1grad.verify.training_ops import Watch
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


SEEDS = """
    import tensorflow.compat.v1 as tf
    from tf1grad.run import seeds
    from tf1grad.run.start import training_options
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
            results.append([op.get_attr("seed2") for op in graph.get_operations() if "seed2" in op.node_def.attr])
    print(results[0] == results[1], len(set(results[0])))
"""


@pytest.mark.slow
@pytest.mark.skipif(
    tf.__version__.startswith("1."), reason="TensorFlow 1 itself counts the ops of the options too"
)
@pytest.mark.parametrize(
    "rule, options",
    [
        ("tf1", "clip_global_norm=1."),
        ("tf1", "accumulate=2, clip_global_norm=1."),
        ("count", "accumulate=2"),
    ],
)
def test_options_move_no_seed(run_forked, rule, options):
    assert run_forked(SEEDS.format(rule=rule, options=options)).split() == ["True", "3"]
