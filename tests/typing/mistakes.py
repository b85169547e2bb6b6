"""Makes calls that a type checker has to accept, and wrong ones that it has to refuse,
each where its comment says so.

An unused ignore is an error too. Checked by `tox -e types`, and never run.
"""

from __future__ import annotations

from typing import Any

import tf1grad


def accumulate(loss: Any, optimizer: Any, session: Any, x: Any, batches: list[Any]) -> None:
    """Calls a window in each of its forms, then wrongly."""
    pairs = optimizer.compute_gradients(loss)
    accumulator = tf1grad.GradientAccumulator(pairs, loss=loss, weight=2.0)
    apply = accumulator.apply(optimizer)
    session.run(accumulator.reset)
    for batch in batches:
        session.run(accumulator.accumulate, {x: batch})
    session.run([apply, accumulator.average_loss, accumulator.after(apply).reset])
    step: tf1grad.AccumulatedStep = accumulator.step(optimizer)
    step(session, ({x: batch} for batch in batches))
    around = tf1grad.AccumulatingOptimizer(
        tf1grad.ClippingOptimizer(optimizer, 5.0), batches_per_step=8
    )
    session.run([around.minimize(loss), around.flush(), around.reset()])
    around.apply_gradients(around.compute_gradients(loss))
    around.get_slot(x, around.get_slot_names()[0])
    whole, split = tf1grad.split_batch(lambda part: part, x, micro_batch_size=4)
    fed: tf1grad.FedGradients = tf1grad.feed_gradients(split)
    fed.feed_dict([session.run(fed.fetches)], weights=[4])
    tf1grad.GradientAccumulator(pairs, reduction="man")  # type: ignore[arg-type]
    tf1grad.GradientAcumulator(pairs)  # type: ignore[attr-defined]
    accumulator.aply(optimizer)  # type: ignore[attr-defined]
    tf1grad.AccumulatingOptimizer(optimizer, batch_per_step=8)  # type: ignore[call-arg]


def transform(loss: Any, optimizer: Any, session: Any, x: Any) -> None:
    """Calls the transforms of pairs and what selects the variables that train, then wrongly."""
    pairs = tf1grad.without(tf1grad.drop_none(optimizer.compute_gradients(loss)), "encoder")
    clipped, norm = tf1grad.clip_by_global_norm(
        tf1grad.multiply_gradients(pairs, {"head": 0.1}), 5.0, nonfinite="skip"
    )
    tf1grad.summarize_gradients(pairs, clipped)
    tf1grad.chain(tf1grad.drop_none, lambda given: tf1grad.clip_by_norm(given, 1.0))(pairs)
    tf1grad.clip_by_value(pairs, -1.0, tf1grad.global_norm(pairs))
    guarded: tf1grad.GuardedGradients = tf1grad.drop_nonfinite(
        tf1grad.map_gradients(lambda gradient: gradient, pairs)
    )
    guarded.apply(optimizer)
    held = tf1grad.HeldGate(tf1grad.gate_gradient(loss, 0.5))
    session.run(held.redraw)
    tf1grad.gate_variables(pairs, {"encoder": held.value, "head": True}, lambda: optimizer)
    games = {"d": (loss, "d"), "g": (loss, ["g"])}
    players: tf1grad.Players = tf1grad.alternate(games, lambda: optimizer, steps={"d": 5})
    for player in players.order:
        session.run(players.train_ops[player])
    audit: tf1grad.Report = tf1grad.report(players.train_ops["d"], loss)
    print(audit.having("frozen"), [mover.op for entry in audit for mover in entry.movers])
    audit.with_status("frozen")  # type: ignore[attr-defined]
    optimizer.minimize(loss, var_list=tf1grad.trainable_in("head", "tail"))
    clipped.apply(optimizer)  # type: ignore[attr-defined]  # a list, unless it is guarded
    optimizer.apply_gradients(clipped), session.run(norm)
    tf1grad.clip_by_value(pairs, -1.0)  # type: ignore[call-arg]
    tf1grad.map_gradients(pairs, 2.0)  # type: ignore[arg-type]  # the function comes first
    tf1grad.HeldGate(x).redaw  # type: ignore[attr-defined]
    tf1grad.alternate({"d": (loss, "d")}, lambda: optimizer, steps={"d": "5"})  # type: ignore[dict-item]


def search(loss: Any, session: Any, batch: Any, x: Any) -> None:
    """Calls the caches, and what decides a step from outside, then wrongly."""
    cache = tf1grad.HandleBatchCache(batch)
    external = tf1grad.ScipyOptimizerInterface(loss, method="L-BFGS-B", options={"maxiter": 20})
    with cache.advance(session) as feed_dict:
        external.minimize(session, feed_dict=feed_dict, progress=tf1grad.print_progress(every=10))
        value, gradient = external.loss_and_gradient(session, feed_dict)(external.vector(session))
    external.assign(gradient, session)
    own: tf1grad.ExternalOptimizerInterface = tf1grad.ExternalOptimizerInterface(
        loss, var_to_bounds={"w": (0, 1)}
    )
    own.minimize(session, progress=_tell)
    tf1grad.fast_session(session)
    tf1grad.ExternalOptimizerInterface(loss, var_to_bounds=[(0, 1)])  # type: ignore[arg-type]
    tf1grad.print_progress(every="10")  # type: ignore[arg-type]


def _tell(now: tf1grad.Progress) -> None:
    print(now.evaluations + 1, now.loss / now.gradient_norm)


def monitor(loss: Any, optimizer: Any, session: Any, batch: Any, x: Any) -> list[Any]:
    """Calls the hooks of a monitored session wrongly, and returns them with each cache."""
    accumulator = tf1grad.GradientAccumulator(optimizer.compute_gradients(loss), loss=loss)
    players = tf1grad.alternate({"d": (loss, "d")}, lambda: optimizer)
    session.run(loss, tf1grad.VariableBatchCache(batch).advance(session, {x: 1.0}))
    norms = tf1grad.GradientNormHook("summaries", every=10)
    norms.watch(optimizer.compute_gradients(loss))
    tf1grad.AccumulateHook(accumulator, optimizer, 8, at_end="aply")  # type: ignore[arg-type]
    tf1grad.PlayersHook({"d": (x, "d")})  # type: ignore[arg-type]
    tf1grad.GradientNormHook(every="10")  # type: ignore[arg-type]
    return [
        tf1grad.AccumulateHook(accumulator, optimizer, batches_per_step=8, at_end="apply"),
        tf1grad.BatchCacheHook(tf1grad.VariableBatchCache(batch)),
        tf1grad.BatchCacheHook(tf1grad.HandleBatchCache(batch)),
        tf1grad.PlayersHook(players),
        norms,
        tf1grad.StopAfterStepsHook(last_step=1000),
    ]
