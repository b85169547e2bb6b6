"""Builds the graphs that `ops.py` measures,
one for each op or family of ops that public programs use.

A case is a function of `tf` and of a `Data`; it returns what is fetched. Inputs are variables,
which nothing folds.
"""

import itertools

import numpy as np

CASES = {}


class Data:
    """Makes variables of random numbers, the same in each process."""

    def __init__(self, tf):
        self._tf, self._random = tf, np.random.RandomState(0)

    def variable(self, value, **options):
        return self._tf.Variable(value, trainable=False, **options)

    def floats(self, *shape, **options):
        return self.variable(self._random.normal(size=shape).astype(np.float32), **options)

    def integers(self, high, *shape, **options):
        return self.variable(self._random.randint(0, high, shape).astype(np.int32), **options)

    def sorted_integers(self, high, count):
        return self.variable(np.sort(self._random.randint(0, high, count)).astype(np.int32))

    def strings(self, template, count):
        return self.variable([template.format(number).encode() for number in range(count)])

    def sparse(self, rows, columns, entries):
        """Returns a SparseTensor with its entries in order, none of them twice."""
        places = np.sort(self._random.choice(rows * columns, entries, replace=False))
        indices = np.stack([places // columns, places % columns], axis=1)
        return self._tf.SparseTensor(
            self.variable(indices) + 0, self.floats(entries) + 0, [rows, columns]
        )

    def sparse_ids(self, rows, per_row, high):
        """Returns a SparseTensor of ids: a row has 1 to `per_row` of them."""
        counts = self._random.randint(1, per_row + 1, rows)
        indices = np.array([[row, i] for row, count in enumerate(counts) for i in range(count)])
        ids = self.variable(self._random.randint(0, high, len(indices)))
        return self._tf.SparseTensor(self.variable(indices) + 0, ids + 0, [rows, per_row])


def case(name):
    """Registers the decorated function as a case."""

    def registered(function):
        CASES[name] = function
        return function

    return registered


def cases(**functions):
    """Registers short cases; a double underscore in a name stands for a space."""
    CASES.update({name.replace("__", " "): function for name, function in functions.items()})


def gradients(tf, y, *inputs):
    """Returns the gradients of a weighted sum of `y`."""
    return tf.gradients(y, list(inputs), tf.random_uniform(tf.shape(y), seed=1))


def product(columns, rows=3000, inner=2900, entries=150000):
    """Registers a product with a sparse matrix, alone and with the gradient of the dense one."""

    def forward(tf, data):
        return tf.sparse_tensor_dense_matmul(
            data.sparse(rows, inner, entries), data.floats(inner, columns) + 0
        )

    def trained(tf, data):
        dense = data.floats(inner, columns) + 0
        found = tf.sparse_tensor_dense_matmul(data.sparse(rows, inner, entries), dense)
        return [found + 0, *[gradient + 0 for gradient in gradients(tf, found, dense)]]

    size = f"{rows}x{inner}, {entries} entries, {columns} columns"
    CASES[f"sparse_tensor_dense_matmul {size}"] = lambda tf, data: forward(tf, data) + 0
    CASES[f"sparse_tensor_dense_matmul with gradient {size}"] = trained


for columns in (16, 32, 64, 128, 512):
    product(columns)
product(64, 2708, 2708, 13264)


@case("matmul without a rank, with gradient")
def product_without_rank(tf, data):
    rows = tf.placeholder_with_default(data.floats(32, 20) + 0, None)
    weights = data.floats(20, 20) + 0
    found = tf.matmul(rows, weights)
    return [found + 0, *[gradient + 0 for gradient in gradients(tf, found, weights)]]


for batch, rows, inner, columns in ((32, 10, 10, 10), (32, 1, 64, 50), (32, 50, 64, 50)):

    @case(f"batch_matmul with gradients, {batch} of {rows}x{inner} and {inner}x{columns}")
    def products(tf, data, left=(batch, rows, inner), right=(batch, inner, columns)):
        x, y = data.floats(*left) + 0, data.floats(*right) + 0
        found = tf.matmul(x, y)
        return [found + 0, *[gradient + 0 for gradient in gradients(tf, found, x, y)]]


for reduction in ("sum", "mean", "max", "prod"):
    CASES[f"segment_{reduction}"] = lambda tf, data, name=f"segment_{reduction}": getattr(tf, name)(
        data.floats(50000, 32), data.sorted_integers(1000, 50000)
    )
for reduction in ("sum", "mean", "max", "sqrt_n"):
    CASES[f"unsorted_segment_{reduction}"] = lambda tf, data, name=f"unsorted_segment_{reduction}": (
        getattr(tf, name)(data.floats(50000, 32), data.integers(1000, 50000), 1000)
    )
for reduction in ("sum", "mean", "sqrt_n"):

    @case(f"sparse_segment_{reduction} with gradient")
    def sparse_segment(tf, data, name=f"sparse_segment_{reduction}"):
        table = data.floats(20000, 32) + 0
        found = getattr(tf, name)(
            table, data.integers(20000, 30000), data.sorted_integers(3000, 30000)
        )
        return gradients(tf, found, table)


@case("unsorted_segment_sum gradient")
def unsorted_gradient(tf, data):
    x = data.floats(50000, 32) + 0
    return gradients(tf, tf.unsorted_segment_sum(x, data.integers(1000, 50000), 1000), x)


@case("segment_max gradient")
def segment_max_gradient(tf, data):
    x = data.floats(50000, 32) + 0
    return gradients(tf, tf.segment_max(x, data.sorted_integers(1000, 50000)), x)


for resource, optimizer in itertools.product((False, True), ("sgd", "adam", "adagrad", "momentum")):

    @case(f"gather and {optimizer}, {'resource' if resource else 'ref'}")
    def trained_table(tf, data, resource=resource, optimizer=optimizer):
        made = {
            "sgd": tf.train.GradientDescentOptimizer(0.1),
            "adam": tf.train.AdamOptimizer(0.1),
            "adagrad": tf.train.AdagradOptimizer(0.1),
            "momentum": tf.train.MomentumOptimizer(0.1, 0.9),
        }[optimizer]
        table = data.floats(20000, 32, use_resource=resource)
        rows = tf.gather(table, data.integers(20000, 20000))
        return made.minimize(tf.reduce_mean(rows**2), var_list=[table])


for resource, name in itertools.product(
    (False, True),
    (
        "scatter_update",
        "scatter_add",
        "scatter_mul",
        "scatter_max",
        "scatter_nd_update",
        "scatter_nd_add",
    ),
):

    @case(f"{name}, {'resource' if resource else 'ref'}")
    def scattered(tf, data, resource=resource, name=name):
        table, rows = data.floats(20000, 32, use_resource=resource), data.integers(20000, 20000)
        if "nd" in name:
            rows = tf.expand_dims(rows, 1)
        return getattr(tf, name)(table, rows, data.floats(20000, 32))


for resource in (False, True):
    kind = "resource" if resource else "ref"
    CASES[f"gather, {kind}"] = lambda tf, data, resource=resource: tf.gather(
        data.floats(20000, 64, use_resource=resource), data.integers(20000, 20000)
    )
    CASES[f"embedding_lookup of 4 parts, {kind}"] = lambda tf, data, resource=resource: (
        tf.nn.embedding_lookup(
            [data.floats(5000, 32, use_resource=resource) for _ in range(4)],
            data.integers(20000, 10000),
        )
    )
    for combiner in ("mean", "sqrtn", "sum"):

        @case(f"embedding_lookup_sparse {combiner} with gradient, {kind}")
        def combined(tf, data, resource=resource, combiner=combiner):
            table = data.floats(20000, 32, use_resource=resource)
            found = tf.nn.embedding_lookup_sparse(
                table, data.sparse_ids(4000, 8, 20000), None, combiner=combiner
            )
            (gradient,) = gradients(tf, found, table)
            return gradient.values


cases(
    gather_axis_1=lambda tf, data: tf.gather(
        data.floats(200, 2000), data.integers(2000, 2000), axis=1
    ),
    gather_nd=lambda tf, data: tf.gather_nd(data.floats(2000, 20, 16), data.integers(20, 40000, 2)),
    scatter_nd=lambda tf, data: tf.scatter_nd(
        data.integers(20000, 20000, 1), data.floats(20000, 32), [20000, 32]
    ),
    boolean_mask=lambda tf, data: tf.boolean_mask(
        data.floats(50000, 16), tf.cast(data.integers(2, 50000), tf.bool)
    ),
    dynamic_partition=lambda tf, data: tf.dynamic_partition(
        data.floats(50000, 16), data.integers(4, 50000), 4
    ),
    where=lambda tf, data: tf.where(tf.cast(data.integers(2, 1000, 300), tf.bool)),
    where_of_two=lambda tf, data: tf.where(
        data.floats(1000, 300) > 0, data.floats(1000, 300), data.floats(1000, 300)
    ),
    unique=lambda tf, data: tf.unique(data.integers(20000, 50000)),
    one_hot=lambda tf, data: tf.one_hot(data.integers(1000, 2000), 1000),
    top_k=lambda tf, data: tf.nn.top_k(data.floats(500, 2000), 10),
    in_top_k=lambda tf, data: tf.nn.in_top_k(data.floats(1000, 1000), data.integers(1000, 1000), 5),
    argmax=lambda tf, data: tf.argmax(data.floats(1000, 1000), 1),
    cumsum=lambda tf, data: tf.cumsum(data.floats(1000, 500), 1),
    reverse_sequence=lambda tf, data: tf.reverse_sequence(
        data.floats(100, 100, 50), data.integers(100, 100), 1, 0
    ),
    tile=lambda tf, data: tf.tile(data.floats(100, 1, 200), [1, 50, 1]),
    transpose=lambda tf, data: tf.transpose(data.floats(100, 200, 50), [1, 2, 0]),
    concat=lambda tf, data: tf.concat([data.floats(2000, 100) for _ in range(5)], 1),
    pad=lambda tf, data: tf.pad(data.floats(64, 32, 32, 16), [[0, 0], [2, 2], [2, 2], [0, 0]]),
    matmul=lambda tf, data: tf.matmul(data.floats(300, 300), data.floats(300, 300)),
    batch_matmul=lambda tf, data: tf.matmul(data.floats(64, 50, 64), data.floats(64, 64, 50)),
    einsum=lambda tf, data: tf.einsum("bij,jk->bik", data.floats(32, 50, 64), data.floats(64, 64)),
    reduce_sum_axis_0=lambda tf, data: tf.reduce_sum(data.floats(2000, 500), 0),
    reduce_max=lambda tf, data: tf.reduce_max(data.floats(2000, 500), 1),
    softmax=lambda tf, data: tf.nn.softmax(data.floats(1000, 500)),
    tanh=lambda tf, data: tf.tanh(data.floats(1000, 500)),
    sigmoid=lambda tf, data: tf.sigmoid(data.floats(1000, 500)),
    exp=lambda tf, data: tf.exp(data.floats(1000, 500)),
    log=lambda tf, data: tf.log(tf.abs(data.floats(1000, 500))),
    pow=lambda tf, data: tf.pow(tf.abs(data.floats(1000, 200)), 1.7),
    broadcast_add=lambda tf, data: data.floats(1000, 500) + data.floats(500),
    sparse_softmax_cross_entropy=lambda tf, data: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=data.integers(1000, 500), logits=data.floats(500, 1000)
    ),
    sigmoid_cross_entropy=lambda tf, data: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=data.floats(500, 500), logits=data.floats(500, 500)
    ),
    dropout=lambda tf, data: tf.nn.dropout(data.floats(1000, 300), 0.5, seed=1),
    random_normal=lambda tf, data: tf.random_normal([1000, 300], seed=1),
    truncated_normal=lambda tf, data: tf.truncated_normal([1000, 300], seed=1),
    random_shuffle=lambda tf, data: tf.random_shuffle(data.floats(20000, 20), seed=1),
    multinomial=lambda tf, data: tf.multinomial(data.floats(200, 200), 10, seed=1),
    sparse_softmax=lambda tf, data: tf.sparse_softmax(data.sparse(2000, 2000, 50000)).values,
    sparse_reduce_sum=lambda tf, data: tf.sparse_reduce_sum(data.sparse(2000, 2000, 50000), 1),
    sparse_add=lambda tf, data: (
        tf.sparse_add(data.sparse(2000, 2000, 30000), data.sparse(2000, 2000, 30000)).values
    ),
    sparse_transpose=lambda tf, data: tf.sparse_transpose(data.sparse(2000, 2000, 50000)).values,
    sparse_reorder=lambda tf, data: tf.sparse_reorder(data.sparse(2000, 2000, 50000)).values,
    sparse_concat=lambda tf, data: (
        tf.sparse_concat(1, [data.sparse(2000, 500, 20000), data.sparse(2000, 500, 20000)]).values
    ),
    sparse_retain=lambda tf, data: (
        lambda sparse: tf.sparse_retain(sparse, sparse.values > 0).values
    )(data.sparse(2000, 2000, 50000)),
    sparse_to_dense=lambda tf, data: tf.sparse_tensor_to_dense(data.sparse(1000, 1000, 50000)),
    sparse_times_dense=lambda tf, data: (
        (data.sparse(2000, 2000, 50000) * data.floats(2000, 1)).values
    ),
    string_split=lambda tf, data: tf.string_split(data.strings("a word {} and more", 3000)).values,
    string_join=lambda tf, data: tf.string_join([data.strings("{}", 5000), "x"]),
    regex_replace=lambda tf, data: tf.regex_replace(data.strings("a {} b", 3000), "[0-9]+", "#"),
    substr=lambda tf, data: tf.substr(data.strings("word {}", 5000), 0, 4),
    string_to_number=lambda tf, data: tf.string_to_number(data.strings("{}.5", 5000)),
    as_string=lambda tf, data: tf.as_string(data.floats(5000)),
    hash_bucket=lambda tf, data: tf.string_to_hash_bucket_fast(
        data.strings("word {}", 10000), 1000
    ),
    decode_raw=lambda tf, data: tf.decode_raw(
        data.variable([b"0123456789ab" * 300] * 100), tf.uint8
    ),
    decode_csv=lambda tf, data: tf.decode_csv(
        data.strings("{},1.5,a,2", 2000), [[0], [0.0], [""], [0]]
    ),
    matrix_inverse=lambda tf, data: tf.matrix_inverse(data.floats(100, 100)),
    cholesky=lambda tf, data: (lambda x: tf.cholesky(tf.matmul(x, x, transpose_b=True)))(
        data.floats(100, 120)
    ),
    svd=lambda tf, data: tf.svd(data.floats(60, 60)),
    fft=lambda tf, data: tf.fft(tf.cast(data.floats(200, 512), tf.complex64)),
    moments=lambda tf, data: tf.nn.moments(data.floats(64, 32, 32, 16), [0, 1, 2]),
    resize_bilinear=lambda tf, data: tf.image.resize_bilinear(
        data.floats(8, 64, 64, 3), [128, 128]
    ),
    resize_nearest=lambda tf, data: tf.image.resize_nearest_neighbor(
        data.floats(8, 64, 64, 16), [128, 128]
    ),
    crop_and_resize=lambda tf, data: tf.image.crop_and_resize(
        data.floats(4, 64, 64, 16),
        tf.abs(data.floats(50, 4)) / 4,
        data.integers(4, 50),
        [14, 14],
    ),
    non_max_suppression=lambda tf, data: tf.image.non_max_suppression(
        data.floats(1000, 4), data.floats(1000), 100
    ),
    extract_image_patches=lambda tf, data: tf.extract_image_patches(
        data.floats(8, 32, 32, 8), [1, 3, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME"
    ),
    space_to_depth=lambda tf, data: tf.space_to_depth(data.floats(16, 32, 32, 16), 2),
    lrn=lambda tf, data: tf.nn.lrn(data.floats(16, 32, 32, 32)),
    edit_distance=lambda tf, data: tf.edit_distance(
        data.sparse_ids(200, 20, 30), data.sparse_ids(200, 20, 30)
    ),
    sequence_mask=lambda tf, data: tf.sequence_mask(data.integers(500, 1000), 500),
    histogram=lambda tf, data: tf.histogram_fixed_width(data.floats(100000), [-3.0, 3.0]),
    confusion_matrix=lambda tf, data: tf.confusion_matrix(
        data.integers(100, 20000), data.integers(100, 20000), 100
    ),
    bincount=lambda tf, data: tf.bincount(data.integers(100, 50000), minlength=100),
    py_func=lambda tf, data: tf.py_func(lambda x: x + 1, [data.floats(100)], tf.float32),
)


def convolved(build):
    """Returns a case of a layer over images with the gradients of its inputs."""

    def layer(tf, data):
        x, w = data.floats(16, 24, 24, 16) + 0, data.floats(3, 3, 16, 16) + 0
        y = build(tf, x, w)
        return [y, *[gradient for gradient in gradients(tf, y, x, w) if gradient is not None]]

    return layer


cases(
    conv2d=convolved(lambda tf, x, w: tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")),
    depthwise_conv2d=convolved(
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w[..., :1], [1, 1, 1, 1], "SAME")
    ),
    atrous_conv2d=convolved(lambda tf, x, w: tf.nn.atrous_conv2d(x, w, 2, "SAME")),
    conv2d_transpose=convolved(
        lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [16, 48, 48, 16], [1, 2, 2, 1])
    ),
    max_pool=convolved(lambda tf, x, w: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")),
    avg_pool=convolved(lambda tf, x, w: tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")),
    fused_batch_norm=convolved(
        lambda tf, x, w: tf.nn.fused_batch_norm(x, w[0, 0, 0], w[0, 0, 1])[0]
    ),
    bias_add=convolved(lambda tf, x, w: tf.nn.bias_add(x, w[0, 0, 0])),
    relu=convolved(lambda tf, x, w: tf.nn.relu(x)),
    leaky_relu=convolved(lambda tf, x, w: tf.nn.leaky_relu(x)),
    conv3d=convolved(
        lambda tf, x, w: tf.nn.conv3d(x[:, None], w[None, :, :], [1, 1, 1, 1, 1], "SAME")
    ),
)


@case("ctc_loss with gradient")
def ctc_loss(tf, data):
    inputs = data.floats(50, 16, 30) + 0
    labels = data.sparse_ids(16, 10, 28)
    labels = tf.SparseTensor(labels.indices, tf.cast(labels.values, tf.int32), labels.dense_shape)
    loss = tf.nn.ctc_loss(labels, inputs, [50] * 16)
    return [loss, *gradients(tf, loss, inputs)]


@case("ctc_greedy_decoder")
def ctc_greedy_decoder(tf, data):
    return tf.nn.ctc_greedy_decoder(data.floats(100, 32, 50), [100] * 32)[0][0].values


@case("ctc_beam_search_decoder")
def ctc_beam_search_decoder(tf, data):
    return tf.nn.ctc_beam_search_decoder(data.floats(20, 4, 30), [20] * 4, 20)[0][0].values


@case("nce_loss with gradient")
def nce_loss(tf, data):
    weights, biases = data.floats(20000, 32) + 0, data.floats(20000) + 0
    labels = tf.cast(data.integers(20000, 128, 1), tf.int64)
    loss = tf.nn.nce_loss(weights, biases, labels, data.floats(128, 32), 64, 20000)
    return [gradient.values for gradient in gradients(tf, loss, weights, biases)]


@case("sampled_softmax_loss")
def sampled_softmax_loss(tf, data):
    labels = tf.cast(data.integers(20000, 128, 1), tf.int64)
    return tf.nn.sampled_softmax_loss(
        data.floats(20000, 32), data.floats(20000), labels, data.floats(128, 32), 64, 20000
    )


@case("parse_example")
def parse_example(tf, data):
    def example(number):
        features = tf.train.Features(
            feature={
                "dense": tf.train.Feature(float_list=tf.train.FloatList(value=[number] * 20)),
                "ids": tf.train.Feature(int64_list=tf.train.Int64List(value=range(number % 9))),
                "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"name"])),
            }
        )
        return tf.train.Example(features=features).SerializeToString()

    features = {
        "dense": tf.FixedLenFeature([20], tf.float32),
        "ids": tf.VarLenFeature(tf.int64),
        "name": tf.FixedLenFeature([], tf.string),
    }
    parsed = tf.parse_example(data.variable([example(number) for number in range(500)]), features)
    return [parsed["dense"], parsed["ids"].values, parsed["name"]]


@case("decode_png")
def decode_png(tf, data):
    return tf.image.decode_png(
        tf.image.encode_png(tf.cast(data.integers(256, 64, 64, 3), tf.uint8))
    )


@case("decode_jpeg")
def decode_jpeg(tf, data):
    return tf.image.decode_jpeg(
        tf.image.encode_jpeg(tf.cast(data.integers(256, 128, 128, 3), tf.uint8))
    )


@case("hash table lookup")
def table_lookup(tf, data):
    keys = data.strings("word {}", 5000)
    pairs = tf.lookup.KeyValueTensorInitializer(keys.initialized_value(), tf.range(5000))
    table = tf.lookup.StaticHashTable(pairs, -1)
    return table.lookup(keys)


@case("map_fn")
def map_fn(tf, data):
    return tf.map_fn(lambda row: row * 2 + 1, data.floats(500, 20))


@case("map_fn with gradient")
def map_fn_gradient(tf, data):
    x = data.floats(200, 20) + 0
    return gradients(tf, tf.map_fn(lambda row: tf.tanh(row) * 2, x), x)


@case("while_loop")
def while_loop(tf, data):
    return tf.while_loop(
        lambda i, x: i < 500, lambda i, x: (i + 1, x * 0.5 + 1), [0, data.floats(20) + 0]
    )[1]


@case("while_loop with gradient")
def while_loop_gradient(tf, data):
    x, w = data.floats(20, 20) + 0, data.floats(20, 20) / 20
    y = tf.while_loop(lambda i, x: i < 100, lambda i, x: (i + 1, tf.matmul(x, w)), [0, x])[1]
    return gradients(tf, y, x, w)


@case("scan")
def scan(tf, data):
    return tf.scan(lambda before, row: before * 0.5 + row, data.floats(300, 20))


@case("cond")
def cond(tf, data):
    x = data.floats(20)
    return [tf.cond(x[i] > 0, lambda: x + 1, lambda: x - 1) for i in range(20)]


@case("dynamic_rnn with gradient")
def dynamic_rnn(tf, data):
    x = data.floats(32, 30, 32) + 0
    cell = tf.nn.rnn_cell.BasicLSTMCell(64)
    y = tf.nn.dynamic_rnn(cell, x, data.integers(30, 32), dtype=tf.float32)[0]
    return tf.gradients(tf.reduce_sum(y), tf.trainable_variables())


@case("FIFO queue")
def fifo_queue(tf, data):
    queue = tf.FIFOQueue(200, [tf.float32], [[100]])
    with tf.control_dependencies([queue.enqueue_many([data.floats(100, 100)])]):
        return queue.dequeue_many(100)


@case("shuffle queue")
def shuffle_queue(tf, data):
    queue = tf.RandomShuffleQueue(400, 0, [tf.float32], [[100]], seed=1)
    with tf.control_dependencies([queue.enqueue_many([data.floats(100, 100)])]):
        return queue.dequeue_many(100)


@case("padding queue")
def padding_queue(tf, data):
    queue = tf.PaddingFIFOQueue(200, [tf.float32], [[None]])
    with tf.control_dependencies([queue.enqueue_many([data.floats(50, 100)])]):
        return queue.dequeue_many(50)


@case("dataset")
def dataset(tf, data):
    numbers = tf.data.Dataset.range(10**9).map(lambda x: x * 2).shuffle(1000, seed=1).batch(100)
    return numbers.make_one_shot_iterator().get_next()


@case("dataset from_generator")
def dataset_generator(tf, data):
    numbers = tf.data.Dataset.from_generator(itertools.count, tf.int64).batch(20)
    return numbers.make_one_shot_iterator().get_next()
