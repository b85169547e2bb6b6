"""Tests that a batch stays for many evaluations, that the source moves in `advance` only,
and releases of handles.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.recipes.batches.cache import HandleBatchCache, VariableBatchCache
from tf1grad.recipes.sessions.memory import aligned_empty

BATCHES = [np.arange(2.0 * n, dtype=np.float32).reshape(n, 2) + 10 * n for n in (3, 1, 4)]


def filled_queue(session, shapes=None):
    """Makes a closed queue that holds BATCHES."""
    queue = tf.FIFOQueue(10, [tf.float32], shapes=shapes)
    x = tf.placeholder(tf.float32)
    enqueue = queue.enqueue(x)
    for batch in BATCHES:
        session.run(enqueue, {x: batch})
    session.run(queue.close())
    return queue


def from_queue(session):
    batch = filled_queue(session).dequeue()
    batch.set_shape([None, 2])
    return batch


def dataset():
    return tf.data.Dataset.from_generator(lambda: iter(BATCHES), tf.float32, [None, 2])


@pytest.fixture(params=[VariableBatchCache, HandleBatchCache])
def cache_of(request):
    return request.param


def test_a_batch_stays_until_the_next_advance_and_after_the_end(session, cache_of):
    cache = cache_of(from_queue(session))
    (batch,) = cache.tensors
    w = tf.get_variable("w", initializer=[1.0, -2.0])
    loss = tf.reduce_sum(tf.square(tf.linalg.matvec(batch, w)))
    (gradient,) = tf.gradients(loss, w)
    session.run(tf.global_variables_initializer())
    assert batch.shape.as_list() == [None, 2]
    assert cache.advances == 0
    for count, expected in enumerate(BATCHES, 1):
        feed_dict = cache.advance(session)
        for _ in range(3):
            value, size = session.run([batch, tf.shape(batch)], feed_dict)
            np.testing.assert_array_equal(value, expected)
            np.testing.assert_array_equal(size, expected.shape)
            slope = 2 * expected.T.dot(expected.dot([1.0, -2.0]))
            np.testing.assert_allclose(session.run(gradient, feed_dict), slope, rtol=1e-6)
        assert cache.advances == count
    with pytest.raises(tf.errors.OutOfRangeError):
        cache.advance(session)
    np.testing.assert_array_equal(session.run(batch, feed_dict), BATCHES[-1])
    assert cache.advances == len(BATCHES)


def test_a_source_is_fed_once_for_all_evaluations(session, cache_of):
    x = tf.placeholder(tf.float32, [None, 2])
    cache = cache_of(x)
    total = tf.reduce_sum(cache.tensors[0])
    for batch in BATCHES:
        fed = batch.copy()
        with cache.advance(session, {x: fed}) as feed_dict:
            fed[:] = 0
            assert [session.run(total, feed_dict) for _ in range(3)] == [batch.sum()] * 3
    with pytest.raises(ValueError, match=r"shape \(3,\) for Placeholder:0"):
        cache.advance(session, {x: np.zeros(3)})
    assert cache.advances == len(BATCHES)


@pytest.mark.parametrize(
    "dtype, values",
    [
        (tf.string, [b"a", b"bc"]),
        (tf.bool, [True, False]),
        (tf.float16, [1.5, 2.5]),
        (tf.complex64, [1j, 2.0]),
        (tf.int8, [1, -1]),
        (tf.float64, [1e-300, 2.0]),
    ],
)
def test_every_dtype_is_kept_and_any_rank(session, cache_of, dtype, values):
    queue = tf.FIFOQueue(2, [dtype])
    cache = cache_of(queue.dequeue())
    shape = tf.shape(cache.tensors[0])
    for fed in (values, values[0]):
        session.run(queue.enqueue([tf.constant(fed, dtype)]))
        value, size = session.run([cache.tensors[0], shape], cache.advance(session))
        assert np.array(value).tolist() == fed and size.tolist() == list(np.shape(fed))


def test_sparse_tensors_and_dicts(session, cache_of):
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [3.0, 4.0], [3, 2])
    cache = cache_of({"sparse": sparse, "dense": tf.constant([1, 2])})
    feed_dict = cache.advance(session)
    dense = session.run(tf.sparse.to_dense(cache.tensors["sparse"]), feed_dict)
    np.testing.assert_array_equal(dense, [[0, 3], [0, 0], [4, 0]])
    np.testing.assert_array_equal(session.run(cache.tensors["dense"], feed_dict), [1, 2])


def test_one_source_that_ends_leaves_the_whole_batch(session, cache_of):
    long, short = tf.FIFOQueue(4, [tf.float32]), tf.FIFOQueue(4, [tf.float32])
    session.run([long.enqueue([1.0]), short.enqueue([1.0])])
    session.run([long.enqueue([2.0]), short.close()])
    cache = cache_of([long.dequeue(), short.dequeue()])
    feed_dict = cache.advance(session)
    with pytest.raises(tf.errors.OutOfRangeError):
        cache.advance(session)
    assert session.run(cache.tensors, feed_dict) == [1.0, 1.0]
    assert cache.advances == 1


def test_the_batch_does_not_share_memory_with_what_was_fed_or_with_a_variable(session, cache_of):
    fed = aligned_empty([1000], np.float32)
    fed[:] = 1
    x = tf.placeholder_with_default(fed, [1000])
    queue = tf.FIFOQueue(1, [tf.float32])
    session.run(queue.enqueue([x]), {x: fed})
    weights = tf.get_variable("weights", initializer=np.ones(1000, np.float32))
    session.run(tf.global_variables_initializer())
    cache = cache_of([queue.dequeue(), weights + 0, tf.convert_to_tensor(weights)])
    feed_dict = cache.advance(session)
    fed[:] = 7
    session.run(weights.assign_add(np.ones(1000)).op)
    for value in session.run(cache.tensors, feed_dict):
        np.testing.assert_array_equal(value, np.ones(1000))


def test_neither_saved_nor_trained_nor_initialised(session, cache_of, tmp_path):
    tf.get_variable("w", initializer=1.0)
    collections = {
        key: list(tf.get_collection(key))
        for key in tf.get_default_graph().get_all_collection_keys()
    }
    cache_of(tf.placeholder_with_default([1.0], [None]))
    for key in (
        tf.GraphKeys.GLOBAL_VARIABLES,
        tf.GraphKeys.TRAINABLE_VARIABLES,
        tf.GraphKeys.LOCAL_VARIABLES,
    ):
        assert len(tf.get_collection(key)) == len(collections.get(key, []))
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, str(tmp_path / "model"))
    assert [name for name, _ in tf.train.list_variables(path)] == ["w"]


def test_monitored_session_runs_no_hook_for_an_advance(graph, cache_of):
    step = tf.train.get_or_create_global_step()
    cache = cache_of(tf.data.make_one_shot_iterator(dataset()).get_next())
    total = tf.reduce_sum(cache.tensors[0])
    train = step.assign_add(1)
    seen = []
    with tf.train.MonitoredSession() as session:
        while not session.should_stop():
            feed_dict = cache.advance(session)  # ends the loop when the source does
            seen += [session.run(total, feed_dict), session.run(total, feed_dict)]
            session.run(train)
    np.testing.assert_array_equal(seen, np.repeat([batch.sum() for batch in BATCHES], 2))


def test_remote_session_has_variables_of_any_size_and_no_handles(graph):
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        live = from_queue(session)
        cache, handles = VariableBatchCache(live), HandleBatchCache(live)
        shape = tf.shape(cache.tensors[0])
        with pytest.raises(ValueError, match="grpc.*VariableBatchCache"):
            handles.advance(session)
        for batch in BATCHES:  # of which the refused cache has dequeued none
            cache.advance(session)
            assert session.run(shape).tolist() == list(batch.shape)
            np.testing.assert_array_equal(session.run(cache.tensors[0]), batch)


def held(session, handles):
    """Counts the `handles` that the session still holds."""
    count = 0
    for handle in handles:
        name = tf.placeholder(tf.string, [])
        try:
            session.run(tf.raw_ops.GetSessionTensor(handle=name, dtype=tf.float32), {name: handle})
            count += 1
        except tf.errors.InvalidArgumentError as error:
            assert "not in the session store" in str(error)
    return count


def handles_in(feed_dict):
    return [
        value
        for value in feed_dict.values()
        if isinstance(value, bytes) and b"GetSessionHandle_1;" in value
    ]


def test_the_previous_batch_is_released_at_each_advance_and_at_the_end(session):
    cache = HandleBatchCache(from_queue(session))
    first = handles_in(cache.advance(session))
    second = cache.advance(session)
    second_handles = handles_in(second)
    assert (held(session, first), held(session, second_handles)) == (0, 1)
    second.release()
    second.release()
    assert held(session, second_handles) == 0 and not second
    with pytest.raises(ZeroDivisionError), cache.advance(session) as feed_dict:
        handles = handles_in(feed_dict)
        assert held(session, handles) == 1
        raise ZeroDivisionError
    assert held(session, handles) == 0


@pytest.mark.parametrize("open_session", [tf.Session, tf.train.MonitoredSession])
def test_a_session_that_closes_first(graph, open_session):
    cache = HandleBatchCache(tf.placeholder_with_default([1.0], [None]))
    session = open_session()
    with cache.advance(session) as feed_dict:
        session.close()
    assert not feed_dict
    with pytest.raises((RuntimeError, tf.errors.CancelledError), match="closed"):
        cache.advance(session)
    with open_session() as session:
        with cache.advance(session) as feed_dict:
            assert session.run(cache.tensors[0], feed_dict) == [1.0]


def test_a_batch_of_another_session_is_refused_even_where_the_names_agree(graph):
    x = tf.placeholder_with_default([1.0], [None])
    cache = HandleBatchCache(x)
    for _ in range(100):  # the order in which a session names its first two tensors is left to luck
        with tf.Session() as first, tf.Session() as second:
            foreign = dict(cache.advance(first))
            with pytest.raises(tf.errors.InvalidArgumentError, match="not in the session store"):
                second.run(cache.tensors, foreign)
            own = cache.advance(second)
            if handles_in(foreign) == handles_in(own):
                with pytest.raises(tf.errors.InvalidArgumentError, match="another session"):
                    second.run(cache.tensors, foreign)
                assert second.run(cache.tensors, own) == [[1.0]]
                return
    raise AssertionError("100 pairs of sessions never used the same names")


def test_an_evaluation_without_its_feed_says_what_is_missing(session):
    cache = HandleBatchCache(from_queue(session))
    with pytest.raises(tf.errors.InvalidArgumentError, match="feed_what_advance_returned|key"):
        session.run(cache.tensors)
    feed_dict = cache.advance(session)
    # Nothing was dequeued.
    np.testing.assert_array_equal(session.run(cache.tensors, feed_dict)[0], BATCHES[0])


MISUSES = [
    (lambda s, cache: cache([]), ValueError, "empty.*dequeue"),
    (
        lambda s, cache: cache(tf.FIFOQueue(1, [tf.float32])),
        TypeError,
        r"FIFOQueue.*queue\.dequeue\(\)",
    ),
    (
        lambda s, cache: cache(tf.ragged.constant([[1], [2, 3]])),
        TypeError,
        "RaggedTensor.*row_splits",
    ),
    (lambda s, cache: cache(tf.Variable(1.0, use_resource=True).handle), TypeError, "resource"),
]


@pytest.mark.parametrize(
    "misuse, error, message", MISUSES, ids=[message for _, _, message in MISUSES]
)
@pytest.mark.parametrize("cache", [VariableBatchCache, HandleBatchCache])
def test_misuse_at_graph_build(session, cache, misuse, error, message):
    with pytest.raises(error, match=message) as caught:
        misuse(session, cache)
    assert str(caught.value).startswith(cache.__name__)
