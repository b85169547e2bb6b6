"""Builds ops of factorization and of the search for neighbors."""

from typing import Tuple

from tf1grad._compat import tf

_AT_ONCE = 1 << 22  # elements of products that are held at one time
_BLOCK = 16  # entries of a row that are multiplied together
_PLACE = 1 << 32


def masked_matmul(
    a: tf.Tensor,
    b: tf.Tensor,
    mask_indices: tf.Tensor,
    transpose_a: tf.Tensor,
    transpose_b: tf.Tensor,
) -> tf.Tensor:
    """Returns (a b)[i, j] for each row (i, j) of `mask_indices`.

    Matrices that do not fit end the run with an InvalidArgumentError.
    """
    left = tf.cond(transpose_a, lambda: tf.transpose(a), lambda: tf.identity(a))
    right = tf.cond(transpose_b, lambda: tf.identity(b), lambda: tf.transpose(b))
    check = tf.Assert(
        tf.equal(tf.shape(left)[1], tf.shape(right)[1]),
        [
            "Matrix shapes are incompatible: a has shape ",
            tf.shape(a),
            ", while b has shape ",
            tf.shape(b),
        ],
    )
    with tf.control_dependencies([check]):
        rows = tf.gather(left, mask_indices[:, 0])
    return tf.reduce_sum(rows * tf.gather(right, mask_indices[:, 1]), axis=1)


def wals_normal_equations(
    factors: tf.Tensor,
    factor_weights: tf.Tensor,
    unobserved_weights: tf.Tensor,
    input_weights: tf.Tensor,
    input_indices: tf.Tensor,
    input_values: tf.Tensor,
    entry_weights: tf.Tensor,
    input_block_size: tf.Tensor,
    input_is_transpose: tf.Tensor,
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns the left and right sides of the equations of a block of rows, without the unobserved entries.

    With the weight w = entry_weights[n], or input_weights[i] factor_weights[j] where that is empty, for each entry n
    of row i and column j,

        lhs[i] = sum w f_j f_j^T,   rhs[i] = sum (unobserved_weights + w) input_values[n] f_j.

    The f_j are the rows of `factors`, [columns, k]; the result is [input_block_size, k, k] and [input_block_size, k].
    The indices are (j, i) if `input_is_transpose` is true.
    """
    rows = tf.where_v2(input_is_transpose, input_indices[:, 1], input_indices[:, 0])
    columns = tf.where_v2(input_is_transpose, input_indices[:, 0], input_indices[:, 1])
    weights = tf.cond(
        tf.size(entry_weights) > 0,
        lambda: tf.identity(entry_weights),
        lambda: tf.gather(input_weights, rows) * tf.gather(factor_weights, columns),
    )
    places, rows_of_blocks = _blocks(rows, input_block_size)
    shape = tf.stack([tf.size(rows_of_blocks), _BLOCK, 1])

    def padded(values: tf.Tensor) -> tf.Tensor:
        return tf.reshape(
            tf.math.unsorted_segment_sum(values, places, tf.reduce_prod(shape)), shape
        )

    count = tf.shape(factors, out_type=tf.int64)[0]
    # Places without an entry get a row of zeros. Columns that do not exist must not: they are an error of `tf.gather`.
    extended = tf.pad(factors, [[0, 1], [0, 0]])
    columns += tf.cast(columns >= count, tf.int64)
    plain = tf.gather(extended, tf.squeeze(padded(columns - count) + count, 2))
    right = tf.matmul(
        padded(input_values * (unobserved_weights + weights)), plain, transpose_a=True
    )
    return (
        _products(plain * padded(weights), plain, rows_of_blocks, input_block_size),
        tf.math.segment_sum(tf.squeeze(right, 1), rows_of_blocks),
    )


def _products(
    weighted: tf.Tensor, plain: tf.Tensor, rows: tf.Tensor, count: tf.Tensor
) -> tf.Tensor:
    """Returns the products of `weighted` and `plain`, [block, entry, k], summed for each row, [count, k, k]."""
    blocks, _, rank = tf.unstack(tf.shape(plain))
    step = tf.maximum(_AT_ONCE // (rank * rank), 1)

    def add(start: tf.Tensor, left: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        some = slice(start, start + step)
        outer = tf.matmul(weighted[some], plain[some], transpose_a=True)
        return start + step, left + tf.math.unsorted_segment_sum(outer, rows[some], count)

    def in_steps() -> tf.Tensor:
        zero = tf.zeros(tf.stack([count, tf.cast(rank, tf.int64), tf.cast(rank, tf.int64)]))
        return tf.while_loop(
            lambda start, _: start < blocks,
            add,
            [tf.constant(0), zero],
            [tf.TensorShape([]), tf.TensorShape([None, None, None])],
            back_prop=False,
        )[1]

    # Sums of sorted rows take a third of the time.
    return tf.cond(
        blocks <= step,
        lambda: tf.math.segment_sum(tf.matmul(weighted, plain, transpose_a=True), rows),
        in_steps,
    )


def _blocks(rows: tf.Tensor, count: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns the place of each entry in blocks of `_BLOCK` entries of one row, and the row of each block."""
    is_sorted = tf.reduce_all(rows[1:] >= rows[:-1])
    order = tf.cond(
        is_sorted, lambda: tf.range(tf.size(rows)), lambda: tf.argsort(rows, stable=True)
    )
    entries = tf.math.unsorted_segment_sum(tf.ones_like(rows), rows, count)
    blocks = tf.maximum((entries + _BLOCK - 1) // _BLOCK, 1)
    room = (tf.cumsum(blocks, exclusive=True) * _BLOCK) - tf.cumsum(entries, exclusive=True)
    number = tf.cast(
        tf.math.invert_permutation(order), tf.int64
    )  # of the entry, in the order of rows
    return number + tf.gather(room, rows), tf.repeat(tf.range(count), blocks)


def hyperplane_lsh_probes(
    point_hyperplane_product: tf.Tensor,
    num_tables: tf.Tensor,
    num_hyperplanes_per_table: tf.Tensor,
    num_probes: tf.Tensor,
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns buckets of each point: its own in each table, then those with bits changed.

    A bit is 1 where the product is not negative. The score of a change is the sum of the squared products of the
    changed bits; buckets come in the order of the score. A heap of candidates gives them: the best is taken, and adds
    two, one with its last changed bit replaced by the bit with the next larger product, one with that bit as well.

    The products are [points, tables * hyperplanes], the buckets and their tables [points, num_probes] int32.

    Source: Lv, Josephson, Wang, Charikar, Li: Multi-probe LSH (2007).
    """
    points = tf.shape(point_hyperplane_product)[0]
    buckets = tf.cast(num_tables, tf.float32) * 2.0 ** tf.cast(
        num_hyperplanes_per_table, tf.float32
    )
    with tf.control_dependencies(
        [
            tf.debugging.assert_less_equal(
                tf.cast(num_probes, tf.float32),
                buckets,
                message="num_probes is larger than the number of buckets",
            )
        ]
    ):
        steps = num_probes - num_tables
    products = tf.reshape(
        point_hyperplane_product, tf.stack([points, num_tables, num_hyperplanes_per_table])
    )
    bits = tf.bitwise.left_shift(
        tf.ones([num_hyperplanes_per_table], tf.int64),
        tf.cast(tf.range(num_hyperplanes_per_table - 1, -1, -1), tf.int64),
    )
    own = tf.reduce_sum(tf.where_v2(products >= 0, tf.cast(bits, tf.int32), 0), axis=2)
    negative, order = tf.math.top_k(-tf.abs(products), num_hyperplanes_per_table)
    squares = tf.reshape(tf.square(negative), [-1])
    order = tf.reshape(order, [-1])
    number = tf.range(points)
    first = tf.expand_dims(tf.range(num_tables), 1) + tf.expand_dims(number * num_tables, 0)
    first *= num_hyperplanes_per_table
    infinity = tf.constant(float("inf"), products.dtype)
    # A candidate is a number: the place of its last changed bit in `squares`, times _PLACE, and its changes.
    start = (
        tf.gather(squares, first),
        _PLACE * tf.cast(first, tf.int64) + tf.gather(bits, tf.gather(order, first)),
    )

    def take(
        step: tf.Tensor, scores: tf.Tensor, candidates: tf.Tensor, taken: tf.Tensor
    ) -> Tuple[tf.Tensor, ...]:
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
        with_next = tf.bitwise.bitwise_xor(
            candidate + _PLACE, tf.gather(bits, tf.gather(order, following))
        )
        with_next_only = tf.bitwise.bitwise_xor(with_next, tf.gather(bits, tf.gather(order, last)))

        def updated(values: tf.Tensor, replaced: tf.Tensor, added: tf.Tensor) -> tf.Tensor:
            return tf.concat([tf.where_v2(is_best, replaced, values), [added]], axis=0)

        return (
            step - 1,
            updated(scores, score - tf.gather(squares, last) + square, score + square),
            updated(candidates, with_next_only, with_next),
            tf.concat([taken, [candidate]], axis=0),
        )

    found = tf.while_loop(
        lambda step, *_: step > 0,
        take,
        [steps, *start, tf.zeros(tf.stack([0, points]), tf.int64)],
        [steps.shape] + [tf.TensorShape([None, None])] * 3,
        back_prop=False,
    )
    taken = tf.transpose(found[-1])
    tables = tf.cast(taken // _PLACE, tf.int32) // num_hyperplanes_per_table % num_tables
    probes = tf.bitwise.bitwise_xor(
        tf.gather(own, tables, batch_dims=1), tf.cast(taken % _PLACE, tf.int32)
    )
    every = tf.tile(tf.expand_dims(tf.range(num_tables), 0), [points, 1])
    return tf.concat([own, probes], axis=1)[:, :num_probes], tf.concat([every, tables], axis=1)[
        :, :num_probes
    ]
