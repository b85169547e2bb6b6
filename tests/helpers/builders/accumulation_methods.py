"""Holds the methods by which the library takes a large step:
(model, optimizer, global_step) -> step(session, parts).

`step` trains on the parts of one batch, weighed by their numbers of samples, and returns their mean
loss or None. The first three take further `options` of the window.
"""

import tensorflow.compat.v1 as tf

import tf1grad


def merged(*feed_dicts):
    """Merges feed_dicts into one; tensors cannot be keyword arguments."""
    return {key: value for feed_dict in feed_dicts for key, value in feed_dict.items()}


def _accumulator(model, optimizer, options):
    return tf1grad.GradientAccumulator(
        optimizer.compute_gradients(model.loss), loss=model.loss, weight=model.samples, **options
    )


def explicit_ops(model, optimizer, global_step=None, **options):
    accumulator = _accumulator(model, optimizer, options)
    apply = accumulator.apply(optimizer, global_step)

    def step(session, parts):
        session.run(accumulator.reset)
        for part in parts:
            session.run(accumulator.accumulate, model.feed_dict(part))
        session.run(apply)
        return session.run(accumulator.average_loss)

    return step


def prepared_step(model, optimizer, global_step=None, **options):
    run = _accumulator(model, optimizer, options).step(optimizer, global_step)
    return lambda session, parts: run(session, (model.feed_dict(part) for part in parts))


def wrapped_optimizer(model, optimizer, global_step=None, **options):
    wanted = tf.placeholder_with_default(1, [])
    wrapper = tf1grad.AccumulatingOptimizer(optimizer, wanted, weight=model.samples, **options)
    train_op = wrapper.minimize(model.loss, global_step=global_step)

    def step(session, parts):
        for part in parts:
            session.run(train_op, merged(model.feed_dict(part), {wanted: len(parts)}))

    return step


def _fed(stacked):
    def way(model, optimizer, global_step=None):
        pairs = optimizer.compute_gradients(model.loss)
        fed = tf1grad.feed_gradients(pairs, stacked=stacked)
        apply = optimizer.apply_gradients(fed.grads_and_vars, global_step=global_step)

        def step(session, parts):
            fetched = (session.run(fed.fetches, model.feed_dict(part)) for part in parts)
            session.run(apply, fed.feed_dict(fetched, weights=[len(part[0]) for part in parts]))

        return step

    return way


def split_in_graph(model, optimizer, global_step=None):
    batch = [model.x, model.ids, model.y]
    size = tf.placeholder(tf.int32, [])
    loss, pairs = tf1grad.split_batch(model.loss_of, batch, size)
    apply = optimizer.apply_gradients(pairs, global_step=global_step)

    def step(session, parts):
        whole = [sum((list(part[index]) for part in parts), []) for index in range(3)]
        with_size = merged(model.feed_dict(whole), {size: len(parts[0][0])})
        return session.run([loss, apply], with_size)[0]

    return step


METHODS = {
    "explicit_ops": explicit_ops,
    "prepared_step": prepared_step,
    "wrapped_optimizer": wrapped_optimizer,
    "fed_average": _fed(False),
    "fed_stacked": _fed(True),
    "split_in_graph": split_in_graph,
}
