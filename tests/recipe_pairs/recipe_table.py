"""Holds the recipes that are paired: each changes a program and, as it documents,
the plain large batch.
"""

import functools

import numpy as np
import scipy.optimize
import tensorflow.compat.v1 as tf

import models
import plain_batch
import tf1grad
from paired_program import each
from plain_batch import DECAY, GROUPS, SIZES, STEPS, bad_batch


def gradient_accumulator(program, plain, **options):
    def reduce(program, pairs, loss):
        accumulator = tf1grad.GradientAccumulator(pairs, loss, program.samples, **options)

        def take(session, parts, op):
            session.run(accumulator.reset)
            for part in parts:
                program.run(session, accumulator.accumulate, part)
            session.run(op)

        return accumulator.grads_and_vars, take

    program.reducer, plain.sizes = reduce, SIZES


def accumulated_sum(program, plain):
    gradient_accumulator(program, plain, reduction="sum")
    plain.factor = float(sum(SIZES))


def accumulated_dense(program, plain):
    gradient_accumulator(program, plain, dense=True)
    plain.sparse = False


def ordered_run(program, plain):
    """Accumulates the last micro-batch in the run that applies."""

    def reduce(program, pairs, loss):
        accumulator = tf1grad.GradientAccumulator(pairs, loss, program.samples)

        def take(session, parts, op):
            session.run(accumulator.reset)
            for part in parts[:-1]:
                program.run(session, accumulator.accumulate, part)
            program.run(session, op, parts[-1])

        return accumulator.after(accumulator.accumulate).grads_and_vars, take

    program.reducer, plain.sizes = reduce, SIZES


def accumulated_step(program, plain):
    def take_steps(program, pairs, loss):
        accumulator = tf1grad.GradientAccumulator(pairs, loss, weight=program.samples)
        step = accumulator.step(program.applying_optimizer(), program.global_step)
        return lambda session, parts: step(session, (program.feed(session, part) for part in parts))

    program.taker, plain.sizes = take_steps, SIZES


def accumulate_hook(program, plain):
    def take_runs(program, pairs, loss):
        accumulator = tf1grad.GradientAccumulator(pairs, loss, weight=program.samples)
        number = (len(SIZES) + program.has_bad) // program.windows
        hook = tf1grad.AccumulateHook(
            accumulator, program.applying_optimizer(), number, program.global_step
        )
        program.new_hooks.insert(0, lambda: hook)

        def take(session, parts):
            for part in parts:
                program.run(session, loss, part)

        return take

    program.taker, plain.sizes, program.batches_of_hook = take_runs, SIZES, len(SIZES)


def stacked_feed_gradients(program, plain):
    feed_gradients(program, plain, stacked=True)


def feed_gradients(program, plain, stacked=False):
    def reduce(program, pairs, loss):
        fed = tf1grad.feed_gradients(pairs, stacked)
        guarded = isinstance(pairs, tf1grad.GuardedGradients)
        weight = pairs.keep(program.samples) if guarded else program.samples
        fetches = [fed.fetches, weight, program.updates]

        def take(session, parts, op):
            fetched = [program.run(session, fetches, part)[:2] for part in parts]
            gradients, weights = zip(*fetched)
            session.run(op, fed.feed_dict(gradients, weights))

        return fed.grads_and_vars, take

    program.reducer, plain.sizes = reduce, SIZES


def accumulating_optimizer(program, plain):
    """Wraps the optimizer; where another recipe accumulates,
    two of its windows are the micro-batches.
    """
    if plain.sizes == SIZES:
        program.windows = 2
        program.wraps.append(lambda optimizer: tf1grad.AccumulatingOptimizer(optimizer, 2))
        return

    def accumulating(optimizer):
        number = len(SIZES) + program.has_bad
        return tf1grad.AccumulatingOptimizer(optimizer, number, weight=program.samples)

    program.reducer, program.accumulating, plain.sizes = each, accumulating, SIZES
    program.batches_of_hook = len(SIZES)


def split_batch_with_collections(program, plain):
    """Returns the sum of the collection of losses from `loss_fn`."""

    def loss_of(*tensors):
        tf.losses.add_loss(program.loss_of(*tensors))
        return tf.losses.get_total_loss()

    split_batch(program, plain, loss_of)


def split_batch_with_layers(program, plain):
    """Makes a layer in `loss_fn`, in a numbered scope, that returns its input."""

    def loss_of(x, ids, y):
        with tf.variable_scope(None, default_name="layer"):
            start = np.eye(3, dtype=x.dtype.as_numpy_dtype)
            kernel = tf.get_variable("kernel", initializer=start, trainable=False)
        return program.loss_of(tf.matmul(x, kernel), ids, y)

    split_batch(program, plain, loss_of)


def split_batch(program, plain, loss_of=None):
    def new_loss():
        return tf1grad.split_batch(
            loss_of or program.loss_of, program.tensors, 2, var_list=program.var_list()
        )

    program.new_loss = new_loss
    plain.sizes, plain.seen = [2] * 6, 1


def trainable_in(program, plain):
    program.var_list = functools.partial(tf1grad.trainable_in, "table", "bias", "unused")
    plain.frozen.add("matrix")
    plain.kept.add("matrix")


def without(program, plain):
    def freeze(pairs):
        return tf1grad.without(pairs, "bias") if "bias" in names_of(pairs) else pairs

    program.micro_transforms.append(freeze)
    plain.frozen.add("bias")


def gate_gradient(program, plain):
    program.gate = plain.gate = 0.5


def batch_normalization(program, plain):
    program.normalizes = plain.normalizes = True


def drop_nonfinite(program, plain):
    program.micro_transforms.append(tf1grad.drop_nonfinite)
    program.has_bad, plain.bad = True, [bad_batch(2)]


def summarize_gradients(program, plain):
    def summarize(pairs):
        program.summaries.append(tf1grad.summarize_gradients(pairs)[0])  # of the global norm
        return pairs

    program.micro_transforms.append(summarize)


def clip_by_global_norm(program, plain):
    program.transforms.append(
        lambda pairs: tf1grad.clip_by_global_norm(pairs, program.kind.limit)[0]
    )
    plain.changes.append(plain_batch.clip_by_global_norm)


def skipped_step(program, plain):
    """Clips by the global norm, and before each step runs one whose norm is not finite,
    which changes nothing.
    """
    limit = program.kind.limit
    program.transforms.append(
        lambda pairs: tf1grad.clip_by_global_norm(pairs, limit, nonfinite="skip")[0]
    )
    plain.changes.append(plain_batch.clip_by_global_norm)
    program.bad_steps = True


def clip_by_norm(program, plain):
    program.transforms.append(lambda pairs: tf1grad.clip_by_norm(pairs, program.kind.limit))
    plain.changes.append(plain_batch.clip_by_norm)


def clip_by_value(program, plain):
    limit = program.kind.limit
    program.transforms.append(lambda pairs: tf1grad.clip_by_value(pairs, -limit, limit))
    plain.changes.append(plain_batch.clip_by_value)


def multiply_gradients(program, plain):
    def multiply(pairs):
        has_bias = "bias" in names_of(pairs)
        factors = {"bias": program.kind.multiplier}
        return tf1grad.multiply_gradients(pairs, factors) if has_bias else pairs

    program.transforms.append(multiply)
    plain.changes.append(plain_batch.multiply_the_bias)


def clipping_optimizer(program, plain):
    limit = program.kind.limit
    program.wraps.append(lambda optimizer: tf1grad.ClippingOptimizer(optimizer, limit))
    plain.group_changes.append(plain_batch.clip_by_global_norm)


def gate_variables(program, plain):
    program.gates = True
    (closed, opened) = GROUPS
    plain.turns = [[plain.group(closed, lambda step: step % 2 == 0), plain.group(opened)]]


def alternate(program, plain, steps=(1, 1)):
    program.alternates, program.steps_of_players = True, steps
    groups = [plain.group(names) for names in GROUPS]
    plain.turns = [[group] for group, number in zip(groups, steps) for _ in range(number)]


def players_hook(program, plain, steps=(1, 1)):
    alternate(program, plain, steps)
    program.hook_of_players = tf1grad.PlayersHook


def uneven_alternate(program, plain):
    alternate(program, plain, (2, 1))


def uneven_players_hook(program, plain):
    players_hook(program, plain, (1, 2))


def gradient_norm_hook(program, plain):
    hooks = {}  # of each player one

    def watch(pairs):
        names = names_of(pairs)
        if names not in hooks:
            program.lines.append([])
            hooks[names] = hook = tf1grad.GradientNormHook(
                write=program.lines[-1].append, global_step=program.global_step
            )
            program.new_hooks.append(lambda: hook)
        return hooks[names].watch(pairs)

    program.transforms.append(watch)


def names_of(pairs):
    return tuple(variable.op.name for _, variable in pairs)


def stop_after_steps_hook(program, plain):
    def new_hook():
        program.stop = tf1grad.StopAfterStepsHook(last_step=STEPS * len(plain.turns))
        return program.stop

    program.new_hooks.append(new_hook)


def queue_of(program, tensors):
    """Returns tensors from a queue, and the function that puts a batch of
    the given tensors into it.
    """
    made = tf.FIFOQueue(9, [tensor.dtype for tensor in tensors])
    enqueue, taken = made.enqueue(tensors), made.dequeue()
    for tensor, old in zip(taken, tensors):
        tensor.set_shape(old.shape)

    def feed(session, feed_dict):
        program.raw_session.run(enqueue, feed_dict)
        return {}

    return taken, feed


def queue(program, plain):
    program.sources.append(lambda tensors: queue_of(program, tensors))


def handle_batch_cache(program, plain):
    program.sources.append(functools.partial(cache_of, tf1grad.HandleBatchCache))


def variable_batch_cache(program, plain):
    program.sources.append(functools.partial(cache_of, tf1grad.VariableBatchCache))


def cache_of(new_cache, tensors):
    cache = new_cache(tensors)
    return cache.tensors, cache.advance


def batch_cache_hook(program, plain):
    """Holds a batch for all runs of a step, or of a micro-batch:
    each micro-batch of a window is the whole batch.
    """

    def source(tensors):
        live, feed = queue_of(program, tensors)
        cache = tf1grad.VariableBatchCache(live)
        program.new_hooks.append(
            lambda: tf1grad.BatchCacheHook(cache, global_step=program.global_step)
        )

        def begin(batch):
            bad = [bad_batch(2)] if program.has_bad else []
            for each_batch in bad + [batch] * (len(plain.turns) * program.batches_of_hook):
                feed(None, dict(zip(tensors, each_batch)))

        program.begin = begin
        return cache.tensors, lambda session, feed_dict: {}

    program.sources.append(source)
    program.parts_of = lambda batch: [batch] * len(SIZES)


def scipy_optimizer_interface(program, plain):
    options = {"maxiter": 2}

    def new_search():
        return tf1grad.ScipyOptimizerInterface(
            program.loss_of(*program.tensors),
            program.var_list(),
            method="L-BFGS-B",
            options=options,
        )

    def search(function, start):
        return scipy.optimize.minimize(
            function, start, jac=True, method="L-BFGS-B", options=options
        ).x

    program.new_searches.append(new_search)
    plain.searches.append(search)


class Descent(tf1grad.ExternalOptimizerInterface):
    def _minimize(self, initial_val, loss_grad_func, **kwargs):
        return descend(loss_grad_func, initial_val)


def descend(function, vector):
    for _ in range(2):
        vector = vector - 0.125 * np.asarray(function(vector)[1])
    return vector


def external_optimizer_interface(program, plain):
    program.new_searches.append(
        lambda: Descent(program.loss_of(*program.tensors), program.var_list())
    )
    plain.searches.append(descend)


def fast_session(program, plain):
    program.opened = tf1grad.fast_session


def exponential_moving_average(program, plain):
    program.averages = tf.train.ExponentialMovingAverage(DECAY)
    plain.average = {name: models.START[name] for names in GROUPS for name in names}


RECIPES = {
    function.__name__: function
    for function in (
        gradient_accumulator,
        accumulated_step,
        accumulate_hook,
        feed_gradients,
        split_batch,
        trainable_in,
        without,
        gate_gradient,
        batch_normalization,
        drop_nonfinite,
        summarize_gradients,
        clip_by_global_norm,
        clip_by_norm,
        clip_by_value,
        multiply_gradients,
        clipping_optimizer,
        accumulating_optimizer,
        gate_variables,
        alternate,
        players_hook,
        gradient_norm_hook,
        stop_after_steps_hook,
        queue,
        variable_batch_cache,
        handle_batch_cache,
        batch_cache_hook,
        scipy_optimizer_interface,
        external_optimizer_interface,
        fast_session,
        exponential_moving_average,
    )
}
# Variants of recipes above, which need no pairs of their own.
VARIANTS = {
    function.__name__: function
    for function in (
        ordered_run,
        accumulated_sum,
        accumulated_dense,
        stacked_feed_gradients,
        split_batch_with_collections,
        split_batch_with_layers,
        skipped_step,
        uneven_alternate,
        uneven_players_hook,
    )
}
