"""Tests one cache in several threads: no batch is lost,
mixed with another or released while its thread uses it.
"""

import tensorflow.compat.v1 as tf

from tf1grad.recipes.batches.cache import HandleBatchCache, VariableBatchCache
from threads import together

THREADS, ROUNDS = 4, 40


def counting_source():
    """Batches of two tensors that say which they are: [k, k, ...] of changing length, and k."""
    queue = tf.FIFOQueue(2 * THREADS * ROUNDS, [tf.int32], shapes=[[]])
    enqueue, value = queue.enqueue_many(tf.range(THREADS * ROUNDS) + 1), queue.dequeue()
    return enqueue, (tf.fill([1 + value % 5], value), tf.identity(value))


def test_threads_share_a_handle_cache(session):
    enqueue, live = counting_source()
    cache = HandleBatchCache(list(live))
    rows, number = cache.tensors
    session.run([tf.global_variables_initializer()])
    session.run(enqueue)

    def take():
        seen = []
        for _ in range(ROUNDS):
            feeds = cache.advance(session)
            for _ in range(3):
                values, which = session.run([rows, number], feeds)
                assert values.tolist() == [which] * (1 + which % 5)
            seen.append(which)
        return seen

    taken = sum(together(*[take] * THREADS), [])
    assert sorted(taken) == list(range(1, THREADS * ROUNDS + 1))
    assert cache.advances == THREADS * ROUNDS


def test_a_batch_of_a_thread_that_ended_is_released(session):
    cache = HandleBatchCache(tf.constant([1.0, 2.0]))
    (ended,) = together(lambda: cache.advance(session))
    assert ended
    mine = cache.advance(session)
    assert not ended
    together(lambda: cache.advance(session))
    assert session.run(cache.tensors[0], mine).tolist() == [1.0, 2.0]


def test_threads_share_a_variable_cache(session):
    enqueue, live = counting_source()
    cache = VariableBatchCache(list(live))
    session.run(tf.global_variables_initializer())
    session.run(enqueue)

    def advance():
        for _ in range(ROUNDS // 4):
            cache.advance(session)

    for taken in range(1, 5):
        together(*[advance] * THREADS)
        rows, number = session.run(cache.tensors)
        assert rows.tolist() == [number] * (1 + number % 5)
        assert cache.advances == taken * THREADS * (ROUNDS // 4)
