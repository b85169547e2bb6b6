"""Builds HyperplaneLSHProbes, which lists the buckets of hash tables that are nearest to points."""

from typing import Tuple

from tf1grad._compat import tf

_PLACE = 1 << 32


def build(point_hyperplane_product: tf.Tensor, num_tables: tf.Tensor, num_hyperplanes_per_table: tf.Tensor,
          num_probes: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns buckets of each point: its own in each table, then those with bits changed.

    A bit is 1 where the product is not negative. The score of a change is the sum of the squared products of the
    changed bits; buckets come in the order of the score. A heap of candidates gives them: the best is taken, and adds
    two, one with its last changed bit replaced by the bit with the next larger product, one with that bit as well.

    The products are [points, tables * hyperplanes], the buckets and their tables [points, num_probes] int32.

    Source: Lv, Josephson, Wang, Charikar, Li: Multi-probe LSH (2007).
    """
    points = tf.shape(point_hyperplane_product)[0]
    buckets = tf.cast(num_tables, tf.float32) * 2. ** tf.cast(num_hyperplanes_per_table, tf.float32)
    with tf.control_dependencies([tf.debugging.assert_less_equal(
            tf.cast(num_probes, tf.float32), buckets, message="num_probes is larger than the number of buckets")]):
        steps = num_probes - num_tables
    products = tf.reshape(point_hyperplane_product, tf.stack([points, num_tables, num_hyperplanes_per_table]))
    bits = tf.bitwise.left_shift(tf.ones([num_hyperplanes_per_table], tf.int64),
                                 tf.cast(tf.range(num_hyperplanes_per_table - 1, -1, -1), tf.int64))
    own = tf.reduce_sum(tf.where_v2(products >= 0, tf.cast(bits, tf.int32), 0), axis=2)
    negative, order = tf.math.top_k(-tf.abs(products), num_hyperplanes_per_table)
    squares = tf.reshape(tf.square(negative), [-1])
    order = tf.reshape(order, [-1])
    number = tf.range(points)
    first = tf.expand_dims(tf.range(num_tables), 1) + tf.expand_dims(number * num_tables, 0)
    first *= num_hyperplanes_per_table
    infinity = tf.constant(float("inf"), products.dtype)
    # A candidate is a number: the place of its last changed bit in `squares`, times _PLACE, and its changes.
    start = (tf.gather(squares, first), _PLACE * tf.cast(first, tf.int64) + tf.gather(bits, tf.gather(order, first)))

    def take(step: tf.Tensor, scores: tf.Tensor, candidates: tf.Tensor, taken: tf.Tensor) -> Tuple[tf.Tensor, ...]:
        # `tf.argmin` takes twice the time.
        row = tf.expand_dims(tf.range(tf.shape(scores)[0]), 1)
        is_least = tf.equal(scores, tf.reduce_min(scores, axis=0))
        best = tf.reduce_min(tf.where_v2(is_least, row, tf.size(row) - 1), axis=0)
        is_best = tf.equal(row, best)
        best = best * points + number
        score = tf.gather(tf.reshape(scores, [-1]), best)
        candidate = tf.gather(tf.reshape(candidates, [-1]), best)
        last = tf.cast(candidate // _PLACE, tf.int32)
        is_last = tf.equal(last % num_hyperplanes_per_table, num_hyperplanes_per_table - 1)
        following = tf.where_v2(is_last, last, last + 1)
        square = tf.where_v2(is_last, infinity, tf.gather(squares, following))
        with_next = tf.bitwise.bitwise_xor(candidate + _PLACE, tf.gather(bits, tf.gather(order, following)))
        with_next_only = tf.bitwise.bitwise_xor(with_next, tf.gather(bits, tf.gather(order, last)))

        def updated(values: tf.Tensor, replaced: tf.Tensor, added: tf.Tensor) -> tf.Tensor:
            return tf.concat([tf.where_v2(is_best, replaced, values), [added]], axis=0)

        return (step - 1, updated(scores, score - tf.gather(squares, last) + square, score + square),
                updated(candidates, with_next_only, with_next), tf.concat([taken, [candidate]], axis=0))

    found = tf.while_loop(lambda step, *_: step > 0, take,
                          [steps, *start, tf.zeros(tf.stack([0, points]), tf.int64)],
                          [steps.shape] + [tf.TensorShape([None, None])] * 3, back_prop=False)
    taken = tf.transpose(found[-1])
    tables = tf.cast(taken // _PLACE, tf.int32) // num_hyperplanes_per_table % num_tables
    probes = tf.bitwise.bitwise_xor(tf.gather(own, tables, batch_dims=1), tf.cast(taken % _PLACE, tf.int32))
    every = tf.tile(tf.expand_dims(tf.range(num_tables), 0), [points, 1])
    return tf.concat([own, probes], axis=1)[:, :num_probes], tf.concat([every, tables], axis=1)[:, :num_probes]
