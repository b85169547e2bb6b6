"""Makes calls that a type checker has to refuse, each where its comment says so: an unused ignore is an error too.

Checked by `tox -e types`, and never run.
"""

from typing import Any

import tf1grad


def windows(loss: Any, optimizer: Any, pairs: Any, session: Any, x: Any) -> None:
    """Calls what accumulates: one right call, then the wrong ones."""
    accumulator = tf1grad.GradientAccumulator(pairs, loss=loss, weight=2.0)
    tf1grad.GradientAccumulator(pairs, los=loss)  # type: ignore[call-arg]
    tf1grad.GradientAccumulator(pairs, reduction="man")  # type: ignore[arg-type]
    tf1grad.GradientAcumulator(pairs)  # type: ignore[attr-defined]
    accumulator.aply(optimizer)  # type: ignore[attr-defined]
    accumulator.step(optimizer)(session, 1.0)  # type: ignore[arg-type]
    tf1grad.AccumulatingOptimizer(optimizer, batch_per_step=8)  # type: ignore[call-arg]
    tf1grad.AccumulatingOptimizer(optimizer, 8).flush()
    tf1grad.AccumulatingOptimizer(optimizer, 8).flsh()  # type: ignore[attr-defined]
    tf1grad.AccumulatingOptimizer(optimizer, 8).minimise(loss)  # type: ignore[attr-defined]
    tf1grad.AccumulatingOptimizer(optimizer, 8).minimize(loss, var_lits=[x])  # type: ignore[call-arg]
    tf1grad.ClippingOptimizer(optimizer, clip_nrom=5.0)  # type: ignore[call-arg]
    tf1grad.ClippingOptimizer(optimizer, transform=5.0)  # type: ignore[arg-type]
    tf1grad.ClippingOptimizer(optimizer, 5.0).droped  # type: ignore[attr-defined]
    tf1grad.split_batch(lambda part: part, x, micro_batchsize=4)  # type: ignore[call-arg]
    tf1grad.split_batch(lambda part: part, x, 4, reduction="max")  # type: ignore[arg-type]
    tf1grad.feed_gradients(pairs, stack=True)  # type: ignore[call-arg]
    tf1grad.feed_gradients(pairs).feed_dict([x], weigths=[1.0])  # type: ignore[call-arg]


def transforms(optimizer: Any, pairs: Any) -> None:
    """Calls the transforms of pairs."""
    clipped = tf1grad.clip_by_global_norm(pairs, 5.0, nonfinite="skip")
    clipped.apply(optimizer)  # type: ignore[attr-defined]  # a list, unless it is guarded
    tf1grad.clip_by_global_norm(pairs, clip_nrom=5.0)  # type: ignore[call-arg]
    tf1grad.clip_by_global_norm(pairs, 5.0, nonfinite="skpi")  # type: ignore[arg-type]
    tf1grad.clip_by_norm(pairs, 1.0, nonfinite="drop")  # type: ignore[arg-type]
    tf1grad.clip_by_value(pairs, -1.0)  # type: ignore[call-arg]
    tf1grad.map_gradients(pairs, 2.0)  # type: ignore[arg-type]  # the function comes first
    tf1grad.multiply_gradients(pairs, multiplier={"head": 0.1})  # type: ignore[call-arg]
    tf1grad.drop_none(pairs, "head")  # type: ignore[call-arg]
    tf1grad.drop_nonfinite(pairs).apply(optimizer)
    tf1grad.drop_nonfinite(pairs).aply(optimizer)  # type: ignore[attr-defined]
    tf1grad.drop_nonfinite(pairs, "skip")  # type: ignore[call-arg]
    tf1grad.global_norm(pairs, 5.0)  # type: ignore[call-arg]
    tf1grad.chain(tf1grad.drop_none, 5.0)  # type: ignore[arg-type]
    tf1grad.summarize_gradients(pairs, cliped=pairs)  # type: ignore[call-arg]


def trained(loss: Any, optimizer: Any, pairs: Any, x: Any) -> None:
    """Calls what selects the variables that train."""
    tf1grad.trainable_in(scope="head")  # type: ignore[call-arg]
    tf1grad.without(pairs)  # type: ignore[call-arg]
    tf1grad.gate_gradient(x, do_gradients=True)  # type: ignore[call-arg]
    tf1grad.gate_variables(pairs, ["head"], lambda: optimizer)  # type: ignore[arg-type]
    tf1grad.HeldGate(x).redaw  # type: ignore[attr-defined]
    tf1grad.alternate({"d": (loss, "d")}, lambda: optimizer, steps={"d": "5"})  # type: ignore[dict-item]
    tf1grad.alternate({"d": (loss, "d")}, lambda: optimizer).train_op  # type: ignore[attr-defined]
    tf1grad.report(x, losses=loss)  # type: ignore[call-arg]
    tf1grad.report(x).having("frozn")  # type: ignore[arg-type]
    tf1grad.report(x)[0].staus  # type: ignore[attr-defined]


def searches(loss: Any, session: Any, x: Any) -> None:
    """Caches, and what decides a step from outside."""
    tf1grad.VariableBatchCache(lives=x)  # type: ignore[call-arg]
    tf1grad.HandleBatchCache(x).advance(sess=session)  # type: ignore[call-arg]
    tf1grad.AlignedBatchCache(x).advnce(x)  # type: ignore[attr-defined]
    tf1grad.ExternalOptimizerInterface(loss, var_to_bounds=[(0, 1)])  # type: ignore[arg-type]
    tf1grad.ScipyOptimizerInterface(loss, method="L-BFGS-B").minimize(session)
    tf1grad.ScipyOptimizerInterface(method="L-BFGS-B")  # type: ignore[call-arg]
    tf1grad.ScipyOptimizerInterface(loss).minimize(session, progress=10)  # type: ignore[arg-type]
    tf1grad.print_progress(every="10")  # type: ignore[arg-type]
    tf1grad.fast_session(sesion=session)  # type: ignore[call-arg]


def hooks(optimizer: Any, pairs: Any, x: Any) -> None:
    """Calls the hooks of a monitored session."""
    accumulator = tf1grad.GradientAccumulator(pairs)
    tf1grad.AccumulateHook(accumulator, optimizer, 8, at_end="aply")  # type: ignore[arg-type]
    tf1grad.AccumulateHook(accumulator, optimizer, batch_per_step=8)  # type: ignore[call-arg]
    tf1grad.BatchCacheHook(x, batch=[x])  # type: ignore[call-arg]
    tf1grad.BatchCacheHook(accumulator)  # type: ignore[arg-type]
    tf1grad.PlayersHook({"d": (x, "d")})  # type: ignore[arg-type]
    tf1grad.GradientNormHook(every="10")  # type: ignore[arg-type]
    tf1grad.StopAfterStepsHook(last_step=1000, num_step=3)  # type: ignore[call-arg]
    tf1grad.GradientNormHook("gradients").wacth(pairs)  # type: ignore[attr-defined]


def results(step: tf1grad.AccumulatedStep, fed: tf1grad.FedGradients, guarded: tf1grad.GuardedGradients,
            players: tf1grad.Players, now: tf1grad.Progress, audit: tf1grad.Report) -> None:
    """Uses what the calls return."""
    step(None)  # type: ignore[call-arg]
    fed.fetch  # type: ignore[attr-defined]
    guarded.finit  # type: ignore[attr-defined]
    players.ordr  # type: ignore[attr-defined]
    now.evaluation  # type: ignore[attr-defined]
    now.evaluations.loss  # type: ignore[attr-defined]
    audit.with_status("frozen")  # type: ignore[attr-defined]
