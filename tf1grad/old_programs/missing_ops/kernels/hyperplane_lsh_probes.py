"""Builds HyperplaneLSHProbes, which lists the buckets of hash tables that are nearest to points."""

from typing import Tuple

from tf1grad._compat import tf


def build(point_hyperplane_product: tf.Tensor, num_tables: tf.Tensor, num_hyperplanes_per_table: tf.Tensor,
          num_probes: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns buckets of each point: its own in each table, then those with bits changed.

    A bit is 1 where the product is not negative. The score of a change is the sum of the squared products of the
    changed bits; buckets come in the order of the score. A heap of candidates gives them: the best is taken, and adds
    two, one with its last changed bit replaced by the bit with the next larger product, one with that bit as well.

    Args:
        point_hyperplane_product: [points, tables * hyperplanes], float32 or float64.
        num_tables: scalar int32.
        num_hyperplanes_per_table: scalar int32, the number of bits of a bucket.
        num_probes: scalar int32, the number of buckets for each point.

    Returns:
        The buckets and their tables, [points, num_probes] int32.

    Source: the op of `tf.contrib.nearest_neighbor` in TensorFlow 1.15; Lv, Josephson, Wang, Charikar, Li: Multi-probe
    LSH (2007).
    """
    points = tf.shape(point_hyperplane_product)[0]
    products = tf.reshape(point_hyperplane_product, tf.stack([points, num_tables, num_hyperplanes_per_table]))
    bits = tf.bitwise.left_shift(tf.ones([num_hyperplanes_per_table], tf.int32),
                                 tf.range(num_hyperplanes_per_table - 1, -1, -1))
    own = tf.reduce_sum(tf.where_v2(products >= 0, bits, 0), axis=2)
    order = tf.argsort(tf.abs(products), axis=2, stable=True)
    squares = tf.square(tf.gather(products, order, batch_dims=2))
    masks = tf.gather(bits, order)
    steps = tf.maximum(num_probes - num_tables, 0)
    capacity = num_tables + steps
    infinity = tf.constant(float("inf"), products.dtype)
    room = [[0, 0], [0, steps]]
    tables = tf.tile(tf.expand_dims(tf.range(num_tables), 0), [points, 1])
    start = (tf.pad(squares[:, :, 0], room, constant_values=infinity), tf.pad(tables, room),
             tf.pad(masks[:, :, 0], room), tf.zeros(tf.stack([points, capacity]), tf.int32))

    def take(step: tf.Tensor, scores: tf.Tensor, tables: tf.Tensor, changes: tf.Tensor, lasts: tf.Tensor,
             probes: tf.Tensor, chosen: tf.Tensor) -> Tuple[tf.Tensor, ...]:
        best = tf.argmin(scores, axis=1, output_type=tf.int32)
        score, table, change, last = (tf.gather(each, best, batch_dims=1) for each in (scores, tables, changes, lasts))
        following = tf.minimum(last + 1, num_hyperplanes_per_table - 1)
        number = tf.range(points)
        here, there = (tf.stack([number, table, each], axis=1) for each in (last, following))
        bit, next_bit = tf.gather_nd(masks, here), tf.gather_nd(masks, there)
        square, next_square = tf.gather_nd(squares, here), tf.gather_nd(squares, there)
        is_last = tf.equal(last, num_hyperplanes_per_table - 1)
        place = tf.range(capacity)
        is_best = tf.equal(tf.expand_dims(place, 0), tf.expand_dims(best, 1))
        is_new = tf.expand_dims(tf.equal(place, num_tables + step), 0)

        def updated(values: tf.Tensor, replaced: tf.Tensor, added: tf.Tensor) -> tf.Tensor:
            values = tf.where_v2(is_best, tf.expand_dims(replaced, 1), values)
            return tf.where_v2(is_new, tf.expand_dims(added, 1), values)

        probe = tf.bitwise.bitwise_xor(tf.gather(own, table, batch_dims=1), change)
        added = tf.bitwise.bitwise_xor(change, next_bit)
        is_step = tf.expand_dims(tf.equal(tf.range(steps), step), 0)
        return (step + 1,
                updated(scores, tf.where_v2(is_last, infinity, score - square + next_square),
                        tf.where_v2(is_last, infinity, score + next_square)),
                updated(tables, table, table), updated(changes, tf.bitwise.bitwise_xor(added, bit), added),
                updated(lasts, following, following),
                tf.where_v2(is_step, tf.expand_dims(probe, 1), probes),
                tf.where_v2(is_step, tf.expand_dims(table, 1), chosen))

    none = tf.zeros(tf.stack([points, steps]), tf.int32)
    found = tf.while_loop(lambda step, *_: step < steps, take, [tf.constant(0), *start, none, none],
                          [tf.TensorShape([])] + [tf.TensorShape([None, None])] * 6, back_prop=False)
    return (tf.concat([own, found[-2]], axis=1)[:, :num_probes],
            tf.concat([tables, found[-1]], axis=1)[:, :num_probes])
