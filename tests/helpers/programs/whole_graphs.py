"""Builds the graphs of named programs, for `tf1grad run`, and prints each op of each graph.

Prints the values that a case returns, too.

`python tests/helpers/programs/whole_graphs.py --record` under TensorFlow 1.15 writes digests of the
ops to the record.
"""

import hashlib
import json
import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, rnn, seq2seq

import op_digests
import records
import training_graphs

# Attributes whose values differ, or differ from run to run, and never change a number; and outputs
# without a consumer.
KNOWN_ATTRIBUTES = {
    ("StridedSlice", "end_mask"),
    ("StridedSlice", "ellipsis_mask"),
    ("Unpack", "axis"),
    ("Enter", "parallel_iterations"),
    ("ShapeN", "_grappler_do_not_remove"),
}
UNUSED_OUTPUTS = {"FusedBatchNormGradV3": 3}  # the outputs from the third on
# Ops with the names of temporary files, or with a number that was drawn.
DRAWN = ("StringJoin/inputs_1", "/prefix", "/hash_table")
# Attributes that TensorFlow 1.15 does not have.
NEW_ATTRIBUTES = set(
    """
    Tcomplex Tk Treal Tsegmentids _collective_manager_ids _has_manual_control_dependencies
    _read_only_resource_inputs allow_missing_files allowed_devices bad_indices_policy blank_index
    buffer_size_min debug_name explicit_paddings exponential_avg_factor fill_mode force_synchronous
    grad_a grad_b grad_x grad_y index_type is_files log_warning metadata multiply_linear_by_lr
    offset ram_budget replicate_on_split reshuffle_each_iteration shape_type sparse_gradient
    stop_on_empty_dataset use_default_device validate_shape""".split()
)


def language_model():
    x = tf.placeholder(tf.int32, [None, 7])
    y = tf.placeholder(tf.int32, [None, 7])
    emb = tf.get_variable("emb", [11, 6])
    e = tf.nn.dropout(tf.nn.embedding_lookup(emb, x), 0.8)
    cell = tf.nn.rnn_cell.MultiRNNCell(
        [
            tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(6), output_keep_prob=0.7)
            for _ in range(2)
        ]
    )
    b = tf.shape(x)[0]
    init = cell.zero_state(b, tf.float32)
    o, s = tf.nn.dynamic_rnn(cell, e, initial_state=init)
    o = tf.reshape(o, [-1, 6])
    w = tf.get_variable("w", [6, 11])
    bb = tf.get_variable("b", [11])
    logits = tf.reshape(tf.nn.xw_plus_b(o, w, bb), [b, tf.shape(x)[1], 11])
    loss = seq2seq.sequence_loss(logits, y, tf.ones([b, 7]), average_across_timesteps=False)
    cost = tf.reduce_sum(loss)
    lr = tf.train.exponential_decay(
        0.1, tf.train.get_or_create_global_step(), 100, 0.9, staircase=True
    )
    tv = tf.trainable_variables()
    g, _ = tf.clip_by_global_norm(tf.gradients(cost, tv), 5)
    tf.train.GradientDescentOptimizer(lr).apply_gradients(
        zip(g, tv), global_step=tf.train.get_global_step()
    )
    tf.train.Saver(max_to_keep=2)
    tf.summary.scalar("cost", cost)
    tf.summary.merge_all()
    tf.global_variables_initializer()


def tagger():
    x = tf.placeholder(tf.int32, [None, None])
    n = tf.placeholder(tf.int32, [None])
    y = tf.placeholder(tf.int32, [None, None])
    emb = tf.Variable(tf.random_uniform([20, 8], -1, 1))
    e = tf.nn.embedding_lookup(emb, x)
    (f, b), st = tf.nn.bidirectional_dynamic_rnn(
        rnn.LSTMCell(5, num_proj=4, use_peepholes=True), rnn.GRUCell(5), e, n, dtype=tf.float32
    )
    h = tf.concat([f, b], -1)
    with tf.variable_scope("att"):
        a = tf.layers.dense(h, 6, tf.tanh)
        u = tf.get_variable("u", [6])
        al = tf.nn.softmax(tf.reduce_sum(a * u, -1))
        ctx = tf.reduce_sum(h * tf.expand_dims(al, -1), 1)
    d = tf.nn.relu(layers.fully_connected(h, 7, weights_regularizer=layers.l2_regularizer(0.1)))
    lg = tf.layers.dense(d, 4)
    from tensorflow.contrib import crf

    ll, tr = crf.crf_log_likelihood(lg, y, n)
    dec, _ = crf.crf_decode(lg, tr, n)
    loss = tf.reduce_mean(-ll) + tf.losses.get_regularization_loss() + tf.reduce_sum(ctx)
    opt = tf.train.AdamOptimizer(0.001)
    gv = opt.compute_gradients(loss)
    gv = [(tf.clip_by_value(g, -1, 1), v) for g, v in gv if g is not None]
    opt.apply_gradients(gv, tf.train.create_global_step())
    for v in tf.trainable_variables():
        tf.summary.histogram(v.op.name, v)
    mask = tf.sequence_mask(n, tf.shape(x)[1], dtype=tf.float32)
    acc = tf.reduce_sum(tf.cast(tf.equal(dec, y), tf.float32) * mask) / tf.reduce_sum(mask)
    tf.train.ExponentialMovingAverage(0.99).apply([acc])


def decoder():
    x = tf.placeholder(tf.float32, [None, 9, 6])
    B = tf.shape(x)[0]
    c = seq2seq.AttentionWrapper(
        rnn.GRUCell(5),
        seq2seq.BahdanauAttention(5, x, normalize=True),
        alignment_history=True,
        output_attention=False,
    )
    emb = tf.get_variable("e", [10, 4])
    d = seq2seq.BasicDecoder(
        c,
        seq2seq.SampleEmbeddingHelper(emb, tf.fill([B], 1), 2, seed=3),
        c.zero_state(B, tf.float32),
        tf.layers.Dense(10),
    )
    _, s, _ = seq2seq.dynamic_decode(d, maximum_iterations=8)
    s.alignment_history.stack()


def image_classifier():
    x = tf.placeholder(tf.float32, [None, 28, 28, 3])
    y = tf.placeholder(tf.int64, [None])
    tr = tf.placeholder(tf.bool, [])
    h = x
    for i, k in enumerate([8, 16]):
        h = tf.layers.conv2d(
            h, k, 3, padding="same", kernel_regularizer=layers.l2_regularizer(0.0001), name=f"c{i}"
        )
        h = tf.layers.batch_normalization(h, training=tr, fused=bool(i))
        h = tf.nn.leaky_relu(h)
        h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.separable_conv2d(h, 12, 3)
    h = tf.layers.conv2d_transpose(h, 6, 3, 2, padding="same")
    h = tf.layers.dropout(tf.layers.flatten(h), 0.4, training=tr)
    lg = tf.layers.dense(h, 10)
    tf.losses.sparse_softmax_cross_entropy(y, lg)
    loss = tf.losses.get_total_loss()
    gs = tf.train.get_or_create_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        t = tf.train.MomentumOptimizer(
            tf.train.piecewise_constant(gs, [10, 20], [0.1, 0.01, 0.001]), 0.9, use_nesterov=True
        ).minimize(loss, gs)
    tf.metrics.accuracy(y, tf.argmax(lg, 1))
    tf.metrics.auc(tf.equal(y, 1), tf.nn.softmax(lg)[:, 1])
    tf.metrics.mean_iou(y, tf.argmax(lg, 1), 10)
    tf.nn.in_top_k(lg, y, 3)
    ema = tf.train.ExponentialMovingAverage(0.999, gs)
    with tf.control_dependencies([t]):
        ema.apply(tf.trainable_variables())
    tf.train.Saver(ema.variables_to_restore())
    tf.summary.image("x", x)
    tf.local_variables_initializer()


def fully_convolutional():
    x = tf.placeholder(tf.float32, [None, None, None, 3])
    h = tf.nn.conv2d(x, tf.get_variable("k", [3, 3, 3, 4]), [1, 2, 2, 1], "SAME")
    h = tf.layers.conv2d(h, 8, 3, 2, "same", activation=tf.nn.relu)
    h = tf.contrib.layers.instance_norm(h)
    up = tf.image.resize_bilinear(h, tf.shape(x)[1:3])
    nn = tf.image.resize_nearest_neighbor(h, [tf.shape(h)[1] * 2, tf.shape(h)[2] * 2])
    s = tf.shape(x)
    dc = tf.nn.conv2d_transpose(
        h, tf.get_variable("k2", [3, 3, 5, 8]), [s[0], s[1], s[2], 5], [1, 4, 4, 1]
    )
    g = tf.reduce_mean(dc, [1, 2], keepdims=True)
    cat = tf.concat([dc, tf.tile(g, [1, s[1], s[2], 1]), up], -1)
    p = tf.pad(cat, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    c = tf.slice(p, [0, 1, 1, 0], [-1, s[1], s[2], -1])
    d2s = tf.depth_to_space(tf.space_to_depth(tf.zeros([s[0], 8, 8, 4]), 2), 2)
    a = tf.nn.atrous_conv2d(c, tf.get_variable("k3", [3, 3, 18, 2]), 2, "SAME")
    loss = tf.reduce_mean(tf.squared_difference(a, 0.0)) + tf.reduce_sum(d2s) + tf.reduce_mean(nn)
    tf.train.RMSPropOptimizer(0.001, centered=True, momentum=0.1).minimize(loss)


def keras_model():
    K = tf.keras
    i = K.layers.Input([12])
    e = K.layers.Embedding(20, 6)(i)
    c = K.layers.Conv1D(5, 3, activation="relu", padding="same")(e)
    c = K.layers.BatchNormalization()(c)
    b = K.layers.Bidirectional(K.layers.LSTM(4, return_sequences=True))(c)
    g = K.layers.GRU(3)(b)
    m = K.layers.GlobalMaxPooling1D()(b)
    o = K.layers.Dense(2, activation="softmax")(K.layers.Dropout(0.3)(K.layers.concatenate([g, m])))
    model = K.Model(i, o)
    model.compile(K.optimizers.Adam(0.001), "sparse_categorical_crossentropy", metrics=["accuracy"])
    model._make_train_function()
    model._make_test_function()
    model._make_predict_function()


def gradient_penalty():
    z = tf.random_normal([16, 4])
    x = tf.placeholder(tf.float32, [None, 6])

    def G(z):
        with tf.variable_scope("G", reuse=tf.AUTO_REUSE):
            return tf.layers.dense(tf.layers.dense(z, 8, tf.nn.relu), 6)

    def D(x):
        with tf.variable_scope("D", reuse=tf.AUTO_REUSE):
            h = tf.layers.dense(x, 8, tf.nn.leaky_relu)
            h = tf.contrib.layers.layer_norm(h)
            return tf.layers.dense(tf.nn.elu(h), 1)

    f = G(z)
    eps = tf.random_uniform([tf.shape(x)[0], 1])
    xh = eps * x + (1 - eps) * G(tf.random_normal([tf.shape(x)[0], 4]))
    g = tf.gradients(D(xh), xh)[0]
    gp = tf.reduce_mean(tf.square(tf.sqrt(tf.reduce_sum(tf.square(g), 1)) - 1))
    dl = tf.reduce_mean(D(f)) - tf.reduce_mean(D(x)) + 10 * gp
    tf.train.AdamOptimizer(0.0001, 0.5).minimize(
        dl, var_list=[v for v in tf.trainable_variables() if v.name.startswith("D")]
    )
    tf.train.AdamOptimizer(0.0001, 0.5).minimize(
        -tf.reduce_mean(D(f)),
        var_list=[v for v in tf.trainable_variables() if v.name.startswith("G")],
    )


def transformer():
    x = tf.placeholder(tf.int32, [None, 16])
    B, T = (tf.shape(x)[0], tf.shape(x)[1])
    E = tf.get_variable("E", [50, 12])
    pos = tf.get_variable("P", [16, 12])
    h = tf.gather(E, x) + tf.gather(pos, tf.tile(tf.expand_dims(tf.range(T), 0), [B, 1]))

    def norm(h, s):
        with tf.variable_scope(s):
            g = tf.get_variable("g", [12])
            u = tf.reduce_mean(h, -1, keepdims=True)
            v = tf.reduce_mean(tf.square(h - u), -1, keepdims=True)
            return (h - u) * tf.rsqrt(v + 1e-05) * g

    def shape_list(t):
        st = t.shape.as_list()
        d = tf.shape(t)
        return [d[i] if s is None else s for i, s in enumerate(st)]

    def lin(h, n, s):
        with tf.variable_scope(s):
            *st, nx = shape_list(h)
            w = tf.get_variable("w", [1, nx, n])
            return tf.reshape(tf.matmul(tf.reshape(h, [-1, nx]), tf.reshape(w, [-1, n])), st + [n])

    def split(h, n):
        *a, m = shape_list(h)
        return tf.transpose(tf.reshape(h, a + [n, m // n]), [0, 2, 1, 3])

    q, k, v = map(lambda t: split(t, 3), tf.split(lin(norm(h, "n1"), 36, "qkv"), 3, axis=2))
    w = tf.matmul(q, k, transpose_b=True) * 0.5
    nd, ns = shape_list(w)[-2:]
    i = tf.range(nd)[:, None]
    j = tf.range(ns)
    m = tf.cast(i >= j - ns + nd, w.dtype)
    m = tf.reshape(m, [1, 1, nd, ns])
    w = tf.nn.dropout(tf.nn.softmax(w * m - 10000000000.0 * (1 - m)), keep_prob=0.9)
    a = tf.transpose(tf.matmul(w, v), [0, 2, 1, 3])
    *st, aa, bb = shape_list(a)
    a = tf.reshape(a, st + [aa * bb])
    h = h + lin(a, 12, "o")
    ei = tf.einsum("bij,jk->bik", h, tf.get_variable("ek", [12, 12]))
    oh = tf.one_hot(x, tf.shape(E)[0])
    lg = tf.matmul(tf.reshape(h, [B * T, 12]), E, transpose_b=True)
    lg = tf.reshape(lg, [B, T, 50])
    loss = (
        tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=x[:, 1:], logits=lg[:, :-1])
        )
        + tf.reduce_mean(ei)
        + tf.reduce_mean(oh * lg)
        + tf.reduce_sum(tf.matrix_band_part(tf.ones([nd, ns]), -1, 0))
    )

    def body(p, o):
        lgts = tf.reduce_sum(tf.gather(E, o[:, -1:]), 1)[:, :5]
        nx = tf.multinomial(lgts, 1, output_dtype=tf.int32)
        return [p, tf.concat([o, nx], 1)]

    tf.while_loop(
        lambda p, o: tf.shape(o)[1] < 20,
        body,
        [tf.zeros([B, 2]), x],
        shape_invariants=[tf.TensorShape([None, None]), tf.TensorShape([None, None])],
        back_prop=False,
    )
    gv = tf.train.AdamOptimizer(
        tf.minimum(0.1, tf.cast(tf.train.get_or_create_global_step(), tf.float32))
    ).compute_gradients(loss)
    g, n = tf.clip_by_global_norm([g for g, v in gv], 1.0)
    tf.train.AdamOptimizer(0.1).apply_gradients(zip(g, [v for _, v in gv]))


def loops_and_conditionals():
    x = tf.placeholder(tf.float32, [None, 5, 3])
    n = tf.shape(x)[1]
    ta = tf.TensorArray(tf.float32, n)
    xt = tf.transpose(x, [1, 0, 2])
    inp = tf.TensorArray(tf.float32, size=tf.shape(xt)[0]).unstack(xt)
    w = tf.get_variable("w", [3, 3])

    def body(t, s, ta):
        s = tf.tanh(tf.matmul(s, w) + inp.read(t)) + tf.random_normal(tf.shape(s)) * 0.01
        s.set_shape([None, 3])
        return (t + 1, s, ta.write(t, s))

    _, s, ta = tf.while_loop(lambda t, *_: t < n, body, (0, tf.zeros([tf.shape(x)[0], 3]), ta))
    out = ta.stack()
    con = ta.concat()
    c = tf.cond(
        tf.shape(x)[2] > 2,
        lambda: tf.reshape(out, [tf.shape(x)[0], tf.shape(x)[1] * tf.shape(out)[2]]),
        lambda: tf.zeros([tf.shape(out)[0], 15]),
    )
    ca = tf.case(
        [(tf.reduce_sum(c) > 1, lambda: c * 2.0), (tf.reduce_sum(c) < -1, lambda: c * 3.0)],
        default=lambda: c,
    )
    m = tf.map_fn(lambda r: tf.reshape(r, [tf.shape(r)[0] * tf.shape(r)[1]]), x)
    sc = tf.scan(lambda a, r: a + tf.reduce_sum(r, 0), x, initializer=tf.zeros([3]))
    fo = tf.foldl(lambda a, r: a + tf.reduce_mean(r), x, initializer=0.0)
    loss = tf.reduce_sum(ca) + tf.reduce_sum(m) + tf.reduce_sum(sc) + fo + tf.reduce_mean(con)
    tf.gradients(loss, [w, x])
    tf.train.AdagradOptimizer(0.1).minimize(loss)
    wl = tf.while_loop(
        lambda i, a: tf.less(i, tf.shape(x)[0]),
        lambda i, a: (
            i + 1,
            tf.while_loop(
                lambda j, b: j < tf.shape(x)[1], lambda j, b: (j + 1, b + x[i, j]), [0, a]
            )[1],
        ),
        [0, tf.zeros([3])],
    )
    tf.gradients(wl[1], x)
    tf.Print(s, [tf.shape(s)])
    asr = tf.Assert(tf.reduce_all(s < 1), [s])
    with tf.control_dependencies(
        [
            tf.assert_equal(tf.shape(x)[0], tf.shape(s)[0]),
            tf.assert_rank(x, 3),
            tf.assert_positive(s),
            asr,
        ]
    ):
        tf.identity(s)
    py = tf.py_func(lambda a: a, [x], tf.float32)
    py.set_shape(x.shape)
    tf.stop_gradient(py)


def datasets():
    ds = tf.data.Dataset.from_tensor_slices(
        (np.zeros([10, 4], np.float32), np.zeros([10], np.int64))
    )
    ds = (
        ds.map(lambda x, y: (x + tf.random_uniform(tf.shape(x)), y), num_parallel_calls=2)
        .shuffle(5)
        .repeat(2)
        .batch(3)
        .prefetch(1)
    )
    it = ds.make_initializable_iterator()
    x, y = it.get_next()
    d2 = (
        tf.data.TFRecordDataset(["a", "b"])
        .apply(tf.data.experimental.shuffle_and_repeat(10, seed=4))
        .apply(
            tf.data.experimental.map_and_batch(
                lambda s: tf.parse_single_example(
                    s, {"a": tf.FixedLenFeature([3], tf.float32), "b": tf.VarLenFeature(tf.int64)}
                ),
                4,
                drop_remainder=True,
            )
        )
    )
    d2.make_one_shot_iterator().get_next()
    loops = tf.data.Dataset.from_tensors(np.zeros([4, 3], np.float32))
    loops = loops.map(lambda x: tf.map_fn(lambda row: row * 2, x, back_prop=False))
    loops = loops.map(lambda x: tf.while_loop(lambda y: tf.reduce_sum(y) < 3, lambda y: y + 1, [x]))
    loops.make_one_shot_iterator().get_next()
    d3 = (
        tf.data.Dataset.list_files("/tmp/*.x", shuffle=True)
        .apply(
            tf.data.experimental.parallel_interleave(
                lambda f: tf.data.TextLineDataset(f).skip(1), cycle_length=2, sloppy=True
            )
        )
        .filter(lambda s: tf.strings.length(s) > 2)
        .map(lambda s: tf.string_split([s]).values)
        .padded_batch(2, [None], "")
        .cache()
    )
    i3 = d3.make_initializable_iterator()
    i3.get_next()
    d4 = (
        tf.data.Dataset.zip((tf.data.Dataset.range(5), tf.data.Dataset.range(3).repeat()))
        .flat_map(lambda a, b: tf.data.Dataset.from_tensors(a + b))
        .interleave(lambda a: tf.data.Dataset.range(a), 2, 1)
        .take(4)
    )
    d4.make_one_shot_iterator().get_next()
    d5 = tf.data.Dataset.from_generator(lambda: iter([1, 2]), tf.int32, [])
    d5.make_one_shot_iterator().get_next()
    h = tf.placeholder(tf.string, [])
    tf.data.Iterator.from_string_handle(h, ds.output_types, ds.output_shapes).get_next()
    r = tf.data.Iterator.from_structure(ds.output_types, ds.output_shapes)
    r.make_initializer(ds)
    r.get_next()
    it.string_handle()
    d6 = (
        tf.data.Dataset.range(10)
        .shard(2, 0)
        .shuffle(3, reshuffle_each_iteration=False)
        .map(lambda x: x * 2, num_parallel_calls=tf.data.experimental.AUTOTUNE)
        .apply(tf.data.experimental.group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), 3))
    )
    d6.make_one_shot_iterator().get_next()
    d7 = (
        tf.data.FixedLengthRecordDataset(["x"], 10)
        .map(lambda s: tf.reshape(tf.decode_raw(s, tf.uint8), [2, 5]))
        .apply(tf.contrib.data.batch_and_drop_remainder(2))
    )
    d7.make_one_shot_iterator().get_next()


def saver():
    tf.get_variable("a", [2, 3])
    tf.get_variable("b", [4], use_resource=True)
    tf.train.Saver()
    tf.train.Saver(sharded=True)


def static_shapes():
    """Uses partly known shapes in many ways."""
    for x in (tf.placeholder(tf.float32, each) for each in ([None, 8, 16], [2, None, 16])):
        shape = tf.shape(x)
        pieces = tf.unstack(shape, 3)
        numbers = [
            shape[1],
            shape[-1],
            tf.cast(shape[1], tf.int64),
            shape[1] * shape[2],
            shape[2] // 2,
            tf.reduce_prod(shape[1:]),
            pieces[1],
            tf.size(x),
            tf.rank(x),
            tf.stack([shape[1], 3])[0],
        ]
        for number in numbers:
            tf.zeros([2, number])
            tf.range(number)
            tf.reshape(tf.placeholder(tf.float32), [-1, number])
            tf.tile(x, tf.stack([1, tf.cast(number, tf.int32), 1]))
            tf.zeros([200])[:number]
        vectors = [
            shape,
            shape[1:],
            tf.stack([shape[0], 4]),
            tf.concat([shape[:1], [3, 4]], 0),
            shape * [1, 2, 2],
            tf.slice(shape, [1], [2]),
        ]
        for vector in vectors:
            tf.fill(vector, 1.0)
            tf.random_uniform(vector)
            tf.reshape(tf.placeholder(tf.float32), vector)
        tf.convert_to_tensor(tf.gradients(tf.gather(x, tf.placeholder(tf.int32, [None])), x)[0])
        tf.SparseTensor([[0, 0]], [1.0], tf.stack([tf.cast(shape[0], tf.int64), 3])).get_shape()


def images_of_spectra():
    """Builds gradients of modules that load when they are first used,
    and NumPy's functions of lists of tensors.
    """
    spectrum = tf.complex(tf.get_variable("real", [4, 3]), tf.get_variable("imaginary", [4, 3]))
    image = tf.contrib.image.rotate(tf.spectral.irfft2d(spectrum)[None, :, :, None], 0.1)
    parts = np.array([tf.reduce_sum(image), tf.reduce_max(image)])
    loss = np.sum(parts * 2.0) + np.prod([tf.norm(image), 3])
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)


CASES = {
    case.__name__: case
    for case in (
        language_model,
        tagger,
        decoder,
        image_classifier,
        fully_convolutional,
        keras_model,
        gradient_penalty,
        transformer,
        loops_and_conditionals,
        datasets,
        saver,
        static_shapes,
        images_of_spectra,
    )
}
CASES.update(training_graphs.CASES)


def rows(graph):
    """Returns a text of each op: all that decides what it computes, and its static shapes."""
    found = []
    for operation in graph.get_operations():
        attributes = {
            name: _attribute(operation, name)
            for name in sorted(operation.node_def.attr)
            if (operation.type, name) not in KNOWN_ATTRIBUTES and name not in NEW_ATTRIBUTES
        }
        outputs = operation.outputs[: UNUSED_OUTPUTS.get(operation.type)]
        found.append(
            json.dumps(
                [
                    operation.type,
                    operation.name,
                    [str(each.get_shape()) for each in outputs],
                    [each.name for each in operation.inputs],
                    sorted(each.name for each in operation.control_inputs),
                    attributes,
                    operation.device,
                ]
            )
        )
    return found


def _attribute(operation, name):
    value = operation.node_def.attr[name]
    kind = value.WhichOneof("value")
    if kind == "func" or "uuid" in name or operation.name.endswith(DRAWN):
        return kind  # the names of functions differ from run to run, too
    return hashlib.sha1(value.SerializeToString(deterministic=True)).hexdigest()[:8]


def functions(graph):
    """Returns the types and numbers of elements of each function's ops,
    without those that `run` adds.
    """
    made = graph.as_graph_def().library.function
    return sorted(
        " ".join(
            sorted(
                node.op + str(node.attr["num_elements"].i or "")
                for node in each.node_def
                if node.op != "NoOp" and not node.name.startswith("tf1grad_checks/")
            )
        )
        for each in made
    )


def described(graph):
    """Returns the rows of a graph, and its functions."""
    return {"ops": rows(graph), "functions": functions(graph)}


def derive(case):
    """Returns the graph of a case, and its values."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        values = case() or []
        return dict(described(graph), values=values)


def recorded(found):
    """Returns a finding with digests in the place of the ops."""
    return dict(found, ops=op_digests.digests(found["ops"]))


def main(arguments):
    tf.logging.set_verbosity(tf.logging.ERROR)
    recording = arguments == ["--record"]
    found = {name: derive(case) for name, case in CASES.items() if recording or name in arguments}
    if recording:
        records.write("whole_graphs", {name: recorded(found[name]) for name in sorted(found)})
    else:
        print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
