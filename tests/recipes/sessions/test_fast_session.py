"""Tests that a fast session gives what a plain one gives:
the same programs run through both, run by run.
"""

import inspect
import traceback

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from run_cases import CASES, KINDS, Program
from tf1grad.recipes.sessions import fast_sessions
from threads import together

RUNS = 4


def run(session, arguments):
    """Returns what a run gives, in a form that can be compared:
    its value and its types, or its error.
    """
    try:
        return described(session.run(*arguments))
    except Exception as error:
        where = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        assert where[0] == "run"
        return (
            type(error),
            str(error),
            getattr(getattr(error, "op", None), "name", None),
            getattr(getattr(error, "node_def", None), "name", None),
            type(error.__cause__),
            type(error.__context__),
        )


def described(value):
    if isinstance(value, (list, tuple)):
        return type(value), [described(part) for part in value]
    if isinstance(value, dict):
        return type(value), [(str(key), described(part)) for key, part in value.items()]
    if isinstance(value, np.ndarray):
        return (
            "array",
            value.dtype,
            value.shape,
            value.tolist(),
            value.flags.writeable,
            value.flags.owndata,
        )
    return type(value), str(value)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_same_as_plain(kind, graph):
    program = Program()
    for case, arguments in KINDS[kind].items():
        with tf.Session(graph=graph) as plain, tf1grad.fast_session(
            tf.Session(graph=graph)
        ) as quick:
            for session in (plain, quick):
                session.run([program.w.initializer, program.count.initializer])
            for _ in range(RUNS):
                assert (case, run(quick, arguments(program))) == (
                    case,
                    run(plain, arguments(program)),
                )
            after = [
                described(session.run([program.w, program.count, program.size]))
                for session in (plain, quick)
            ]
            assert (case, after[0]) == (case, after[1])


def _plain_runs(monkeypatch):
    """Returns a list that collects every run that a fast session leaves to the plain one."""
    seen, fast_plain_run = [], fast_sessions.plain_run

    def plain_run(session, fetches, *arguments):
        seen.append(fetches)
        return fast_plain_run(session, fetches, *arguments)

    monkeypatch.setattr(fast_sessions, "plain_run", plain_run)
    return seen


@pytest.mark.parametrize(
    "case",
    [
        "tensor",
        "op",
        "dict",
        "names",
        "variable",
        "slices",
        "strings",
        "feed a list",
        "feed an unknown shape",
        "queue",
        "options",
        "assertion",
    ],
)
def test_repeated_runs_are_not_looked_up(case, graph, monkeypatch):
    program = Program()
    with tf1grad.fast_session(tf.Session(graph=graph)) as session:
        session.run(tf.global_variables_initializer())
        seen = _plain_runs(monkeypatch)
        for _ in range(RUNS):
            run(session, CASES[case](program))
        assert len(seen) <= 1


@pytest.mark.parametrize("make", [tf.Session, tf.InteractiveSession])
def test_is_the_session_itself(graph, make):
    session = make(graph=graph)
    assert tf1grad.fast_session(session) is session and isinstance(session, make)
    assert tf1grad.fast_session(session) is session
    assert type(session).__name__ == make.__name__
    assert inspect.signature(session.run) == inspect.signature(tf.Session(graph=graph).run)
    v = tf.get_variable("v", initializer=2.0)
    with session.as_default():
        for _ in range(RUNS):
            v.initializer.run()
            assert v.eval() == 2.0 and session.run(v, {}) == 2.0
    session.close()
    with pytest.raises(RuntimeError, match="closed"):
        session.run(v)


def test_sessions_with_their_own_run_are_refused(graph):
    class Session(tf.Session):
        def run(self, *args, **kwargs):
            return super().run(*args, **kwargs)

    with pytest.raises(TypeError, match="Session overrides run"):
        tf1grad.fast_session(Session())
    with pytest.raises(
        TypeError, match=r"session must be a tf.Session .* such as tf.Session\(\); got"
    ):
        tf1grad.fast_session(graph)


def test_feeds_and_structures_that_change(graph):
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder_with_default(3.0, [])
    product = x * y
    fetches, inner = {"a": y}, [y]
    with tf1grad.fast_session(tf.Session()) as session:
        for size in (1, 2, 3) * 3:
            assert session.run(product, {x: np.ones(size)}).tolist() == [3.0] * size
            assert session.run(product, {x: [1.0] * size, y: 2}).tolist() == [2.0] * size
            assert session.run(product, {y: size, x: [2.0]}).tolist() == [2.0 * size]
            assert session.run([fetches, inner]) == [{"a": 3}, [3]]
        fetches["b"] = inner[0] = 2 * y  # in the same objects
        for _ in range(RUNS):
            assert session.run([fetches, inner]) == [{"a": 3, "b": 6}, [6]]


def test_a_graph_that_grows_and_shapes_that_are_set(graph):
    x = tf.placeholder(tf.float32, [None])
    total = tf.reduce_sum(x)
    with tf1grad.fast_session(tf.Session()) as session:
        for size in range(1, 2 * RUNS):
            assert session.run(total, {x: np.ones(size)}) == size
            total = total + 0
        doubled = 2 * total
        for _ in range(RUNS):
            assert session.run(doubled, {x: [1.0]}) == 2
        x.set_shape([1])
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(doubled, {x: [1.0, 2.0]})


def test_the_session_ends_with_its_last_reference(graph):
    import weakref

    a = tf.constant(1)
    session = tf1grad.fast_session(tf.Session())
    for _ in range(RUNS):
        session.run(a)
    kept = weakref.ref(session)
    del session
    assert kept() is None


def test_fast_session_works_beneath_hooks(graph, monkeypatch):
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [])
    train, total = tf.assign_add(step, 1), x + 1
    seen, hook = [], tf.train.StopAtStepHook(last_step=2 * RUNS)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert tf1grad.fast_session(session) is session
        plain = _plain_runs(monkeypatch)
        while not session.should_stop():
            seen.append(session.run({"total": total, "step": [train]}, {x: len(seen)}))
    assert seen == [{"total": index + 1, "step": [index + 1]} for index in range(2 * RUNS)]
    assert len(plain) < RUNS


def test_metadata(graph):
    a = tf.constant(1) + 2
    with tf.Session() as plain, tf1grad.fast_session(tf.Session()) as quick:
        for options in (None, tf.RunOptions(), tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)):
            for _ in range(RUNS):
                found = []
                for session in (plain, quick):
                    metadata = tf.RunMetadata()
                    metadata.step_stats.dev_stats.add(device="stale")
                    assert session.run(a, options=options, run_metadata=metadata) == 3
                    found.append([stats.device for stats in metadata.step_stats.dev_stats])
                assert found[0] == found[1] != ["stale"]


def test_handles(graph):
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    more, handle, handle_of_y = (
        x + 1,
        tf.get_session_handle(tf.constant([1.0, 2.0])),
        tf.get_session_handle(y),
    )
    holder, held = tf.get_session_tensor("/job:localhost/replica:0/task:0/device:CPU:0", tf.float32)
    total = tf.reduce_sum(held)
    with tf1grad.fast_session(tf.Session()) as session:
        for _ in range(RUNS):
            assert session.run(total, {holder: session.run(handle).handle}) == 3.0
            assert session.run(more, {x: session.run(handle_of_y, {y: 1.0})}) == 2.0


def test_threads_share_a_session(graph):
    v = tf.get_variable("v", initializer=0, use_resource=True)
    x = tf.placeholder(tf.int32, [None])
    total, up = tf.reduce_sum(x), v.assign_add(1)
    with tf1grad.fast_session(tf.Session()) as session:
        session.run(tf.global_variables_initializer())

        def work(index):
            for size in (0, 1, 2) * 16:
                fetched = session.run([total, {"up": up.op}], {x: [index] * size})
                assert fetched == [index * size, {"up": None}]

        together(*[lambda index=index: work(index) for index in range(4)])
        assert session.run(v) == 4 * 3 * 16
