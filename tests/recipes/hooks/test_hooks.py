"""Tests AccumulateHook: a plain `session.run(loss)` loop takes the steps of the large
batches, whatever ends it.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from numpy_optimizers import RULES
from steps import monitored
from tf1grad import AccumulateHook

K = 3
SIZES = [4, 4, 2]
BATCHES = [models.random_batch(10, seed) for seed in range(4)]
PARTS = [part for batch in BATCHES for part in models.split(batch, SIZES)]


def trained(steps, short=None):
    """NumPy: the values after `steps` large batches, and a last one of the parts `short`."""
    last = [] if short is None else [tuple(np.concatenate(arrays) for arrays in zip(*short))]
    return models.train_in_numpy(RULES["nesterov"][0](), BATCHES[:steps] + last)


class Training:
    """A model, its accumulator weighted by samples, and its hook."""

    def __init__(self, **options):
        self.model, self.global_step = models.Model(), tf.train.get_or_create_global_step()
        optimizer = RULES["nesterov"][1]()
        self.accumulator = tf1grad.GradientAccumulator(
            optimizer.compute_gradients(self.model.loss),
            loss=self.model.loss,
            weight=self.model.samples,
        )
        self.hook = AccumulateHook(self.accumulator, optimizer, K, **options)

    def run(self, session, parts):
        return [session.run(self.model.loss, self.model.feed_dict(part)) for part in parts]

    def state(self, session):
        """Returns the values and global_step, read past the hooks."""

        def read(step_context):
            return self.model.values(step_context.session), step_context.session.run(
                self.global_step
            )

        return session.run_step_fn(read)


def assert_saved(folder, values, global_step):
    """Checks the values in the last checkpoint of a folder,
    and that it holds nothing of the accumulation.
    """
    path = tf.train.latest_checkpoint(str(folder))
    found = {name: tf.train.load_variable(path, name) for name, _ in tf.train.list_variables(path)}
    assert found["global_step"] == global_step and not [
        name for name in found if "accumulator" in name
    ]
    models.assert_same_values({name: found[name] for name in values}, values)


def test_loop_over_the_loss_takes_the_steps_of_the_large_batches(graph, control_flow):
    training = Training()
    with monitored(hooks=[training.hook]) as session:
        assert training.hook.average_loss is None
        for index, part in enumerate(PARTS):
            before, _ = trained(index // K)
            # The fetched loss is the one before the update.
            np.testing.assert_allclose(
                training.run(session, [part]),
                [models.loss_and_gradients(before, part)[0]],
                rtol=1e-9,
            )
            steps = (index + 1) // K
            expected, losses = trained(steps)
            values, global_step = training.state(session)
            models.assert_same_values(values, expected)
            assert global_step == training.hook.applied == steps
            if steps:
                np.testing.assert_allclose(training.hook.average_loss, losses[-1], rtol=1e-9)


def test_everything_in_fetches_is_computed_before_the_update(graph):
    model = models.Model()
    optimizer = tf.train.GradientDescentOptimizer(0.125)
    matrix_before = model.variables["matrix"] + 0.0
    accumulator = tf1grad.GradientAccumulator(optimizer.compute_gradients(model.loss))
    hook, seen = AccumulateHook(accumulator, optimizer, 1, fetches=[model.loss, matrix_before]), []
    with monitored(hooks=[hook]) as session:
        for part in PARTS:
            before = session.run_step_fn(
                lambda step_context: model.values(step_context.session)["matrix"]
            )
            np.testing.assert_array_equal(
                session.run({"a": [matrix_before]}, model.feed_dict(part))["a"][0], before
            )
            seen.append(before)
    assert hook.applied == len(PARTS) and not np.array_equal(seen[0], seen[1])


@pytest.mark.parametrize(
    "fetch, counts",
    [
        (lambda t: [[t.model.loss], {"step": t.global_step}], 1),
        (lambda t: (t.model.loss, t.model.loss), 1),
        (lambda t: t.model.loss.name, 1),
        (lambda t: t.hook.train_op, 1),
        (lambda t: t.accumulator.count, 0),
        (lambda t: {"x": t.model.x}, 0),
    ],
    ids=["structures", "twice", "name", "train_op", "count", "input"],
)
def test_runs_that_count(fetch, counts, graph):
    training = Training()
    with monitored(hooks=[training.hook]) as session:
        session.run(fetch(training), training.model.feed_dict(PARTS[0]))
        assert session.run(training.accumulator.count) == counts


def test_stops_at_an_applied_step_and_each_checkpoint_is_one(graph, tmpdir):
    training = Training()
    parts = iter(PARTS)
    stop = tf.train.StopAtStepHook(last_step=3)
    with monitored(tmpdir, hooks=[training.hook, stop], save_checkpoint_steps=1) as session:
        while not session.should_stop():
            training.run(session, [next(parts)])
    assert len(list(parts)) == K
    assert_saved(tmpdir, trained(3)[0], 3)


@pytest.mark.parametrize(
    "at_end, checkpoints",
    [
        pytest.param("apply", "before", marks=pytest.mark.slow),
        pytest.param("apply", "after", marks=pytest.mark.slow),
        ("apply", "custom"),
        pytest.param("apply", "none", marks=pytest.mark.slow),
        ("drop", "before"),
    ],
)
def test_short_last_window(at_end, checkpoints, graph, tmpdir):
    # A Scaffold keeps its own saver out of the collection. Deferred, it comes to know every
    # variable.
    saver = tf.train.Saver(defer_build=True) if checkpoints == "custom" else None
    training = Training(at_end=at_end, saver=saver)
    options, hooks = {"scaffold": saver and tf.train.Scaffold(saver=saver)}, [training.hook]
    if checkpoints == "after":
        hooks.append(tf.train.CheckpointSaverHook(str(tmpdir), save_steps=100))
        options["save_checkpoint_secs"] = None
    with monitored(None if checkpoints == "none" else tmpdir, hooks=hooks, **options) as session:
        training.run(session, PARTS[: K + 2])
        raise tf.errors.OutOfRangeError(None, None, "the input has ended")
    steps = 2 if at_end == "apply" else 1
    expected, losses = trained(1, PARTS[K : K + 2] if at_end == "apply" else None)
    assert training.hook.applied == steps
    np.testing.assert_allclose(training.hook.average_loss, losses[-1], rtol=1e-9)
    if checkpoints != "none":
        assert_saved(tmpdir, expected, steps)
