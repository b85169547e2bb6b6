"""Holds cases of graphs, ops and private names of TensorFlow 1.15; see `recorded_cases.py`."""

import hashlib
import json
import sys

import numpy as np
import tensorflow as tf

from recorded_cases import case


def _md5(value):
    return hashlib.md5(json.dumps(value).encode()).hexdigest()


@case("graph")
def frozen_graphs():
    from tensorflow.python.framework import graph_util

    def digest(graph):
        return _md5([[node.name, node.op, list(node.input)] for node in graph.node])

    found = {}
    for use_resource in (False, True):
        tf.reset_default_graph()
        with tf.variable_scope("net", use_resource=use_resource):
            x = tf.placeholder(tf.float32, [None, 3], name="x")
            y = tf.layers.batch_normalization(tf.layers.dense(x, 2, name="d"), training=False)
            y = tf.identity(
                y + tf.nn.embedding_lookup(tf.get_variable("t", [5, 2]), [1]), name="out"
            )
            y = tf.cond(
                tf.reduce_sum(y) > 0, lambda: y * 2, lambda: y + tf.get_variable("w", [2]), name="c"
            )
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            graph_def = tf.get_default_graph().as_graph_def()
            frozen = graph_util.convert_variables_to_constants(session, graph_def, [y.op.name])
        found[str(use_resource)] = (
            digest(frozen),
            digest(tf.graph_util.remove_training_nodes(frozen)),
        )
    return found


@case("graph")
def copies_of_ops():
    from tensorflow.contrib import graph_editor

    weight = tf.get_variable("weight", initializer=3.0)
    first, second = tf.constant(2.0, name="first"), tf.constant(5.0, name="second")
    loss = tf.square(first * weight, name="loss")
    graph = tf.get_default_graph()
    before = len(graph.get_operations())
    replaced = graph_editor.graph_replace(loss, {first: second})  # as unrolled steps of a GAN do
    (gradient,) = tf.gradients(replaced, weight)
    scoped, _ = graph_editor.copy_with_input_replacements(
        [loss.op], {loss.op.inputs[0]: second}, dst_scope="copied"
    )
    copied = [each.name for each in graph.get_operations()[before:]]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        # Libraries read the list.
        return copied, session.run([loss, replaced, gradient.op._outputs[0], scoped.outputs[0]])


@case("graph")
def servers():
    from tensorflow.core.protobuf import config_pb2

    server = tf.train.Server.create_local_server()
    config = config_pb2.ConfigProto(rpc_options=config_pb2.RPCOptions())
    with tf.Session(server.target, config=config) as session, tf.device("/job:local"):
        step = tf.Variable([7])
        session.run(step.initializer)
        return server.server_def.job_name, tf.train.global_step(session, step)


@case("graph")
def true_classes_out_of_range():
    true = tf.placeholder(tf.int64, [None, 1])
    sampled, count, _ = tf.nn.fixed_unigram_candidate_sampler(
        true,
        num_true=1,
        num_sampled=4,
        unique=False,
        range_max=3,
        distortion=0.75,
        unigrams=[1, 2, 3],
        seed=1,
    )
    with tf.Session() as session:
        fetches = [sampled, tf.identity(count), tf.reduce_sum(tf.exp(count))]
        return [session.run(fetches, {true: classes}) for classes in ([[0]], [[3]], [[-1], [2]])]


@case("graph")
def whole_floats_are_dimensions():
    n = 8
    image, steps = tf.zeros([1, 4, 4, 3]), tf.zeros([2, 3, 4])
    cells = tf.nn.rnn_cell
    found = [
        str(function())
        for function in (
            lambda: tf.placeholder(tf.float32, [None, n / 2]).shape,
            lambda: tf.zeros([n / 2, 3]).shape,
            lambda: tf.contrib.slim.conv2d(image, n / 2, 3).shape,
            lambda: (
                tf.nn.dynamic_rnn(
                    cells.BasicLSTMCell(n / 2), steps, dtype=tf.float32, scope="lstm"
                )[0].shape
            ),
            lambda: cells.GRUCell(n / 2).zero_state(4 / 2, tf.float32).shape,
            lambda: tf.FIFOQueue(3, tf.float32, shapes=[[n / 2]]).dequeue().shape,
            lambda: tf.TensorShape([4, 2]).is_compatible_with([n / 2, 2]),
            lambda: [tf.Dimension(np.float32(2)), tf.Dimension("3"), tf.Dimension(4) == 4.0],
        )
    ]
    for wrong in (n / 16, tf.float32, -1.0):
        try:
            tf.Dimension(wrong)
        except (TypeError, ValueError) as error:
            found.append([type(error).__name__, str(error)])
    return found


@case("graph")
def operations_of_definitions():
    definition = tf.NodeDef(name="copy", op="Identity")
    definition.attr["T"].type = 1
    x = tf.constant([1.0, 2.0])
    copy = tf.Operation(definition, tf.get_default_graph(), inputs=[x], output_types=[tf.float32])
    with tf.Session() as session:
        return [copy.name, type(copy.outputs[0]) is tf.Tensor, session.run(copy.outputs[0])]


@case("graph")
def calls_of_functions_without_outputs():
    total = tf.Variable(0.0, use_resource=True)

    @tf.function
    def add(number):
        total.assign_add(number)

    calls = [
        add(1.0),
        add.get_concrete_function(tf.TensorSpec([]))(tf.constant(4.0)),
        tf.function(lambda number: None)(1.0),
    ]
    found = [call.type for call in calls]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for call in calls:
            session.run(call)
        found.append(session.run(total))
    return found


@case("graph")
def variables_are_not_numbers():
    variables = [
        tf.get_variable(str(each), initializer=2.0, use_resource=each) for each in (True, False)
    ]
    found = []
    for convert in (float, int, complex, "{0:.1f}".format, "%d".__mod__):
        for variable in variables:
            try:
                found.append(convert(variable))
            except TypeError:
                found.append("TypeError")
    return found


@case("graph")
def rare_ops(session):
    from tensorflow.python.ops import spectral_ops_test_util  # TensorFlow 2 lacks it

    wave = np.sin(np.arange(12, dtype=np.float32) ** 2)
    ragged = tf.RaggedTensor.from_row_splits([1.0, 2.0, 3.0], [0, 2, 2, 3])
    sparse = tf.SparseTensor([[0, 1]], [-4.0], [1, 2])
    operator = tf.linalg.LinearOperatorFullMatrix(
        [[4.0, 2.0], [2.0, 5.0]], is_self_adjoint=True, is_positive_definite=True
    )
    padded = tf.pad(tf.placeholder(tf.float32, [2, 3]), [tf.placeholder(tf.int32, [2]), [1, 1]])
    with spectral_ops_test_util.fft_kernel_label_map():
        transformed = session.run(tf.signal.stft(wave, 4, 4, window_fn=None))
    fetched = session.run(ragged + ragged)
    return [
        transformed.real,
        session.run([tf.sign(sparse).values, tf.linalg.cholesky(operator).to_dense()]),
        fetched.to_list(),
        isinstance(fetched, tf.compat.v1.ragged.RaggedTensorValue),
        padded.shape.as_list(),
        [tf.get_static_value(value) for value in (tf.identity(2), tf.constant(2))],
    ]


@case("graph")
def sparse_placeholder_of_constant_shape(session):
    x = tf.sparse_placeholder(tf.float32, shape=tf.constant([2, 3], dtype=tf.int64))
    first = tf.sparse_tensor_to_dense(tf.sparse_retain(x, x.values > 1.0))
    return session.run(first, {x: ([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])})


@case("graph")
def shapes_of_convolutions():
    x, w = tf.placeholder(tf.float32, [None, 2, 2, 8]), tf.get_variable("w", [5, 5, 6, 8])
    found = [
        tf.nn.conv2d_transpose(x, w, output_shape=[batch, 4, 4, 6], strides=[1, 2, 2, 1])
        for batch in (4, tf.shape(x)[0])
    ]
    y = tf.placeholder(tf.float32, [3, 4, 4, 6])
    found.append(tf.gradients(tf.nn.conv2d(y, w, [1, 2, 2, 1], "SAME"), y)[0])
    return [str(each.shape) for each in found]


@case("graph")
def draws_of_loops_in_order(session):
    """Draws in the order of the iterations; on 1.15 itself, numbers vary without
    `parallel_iterations=1`.
    """

    def step(i, x, chain):
        x = 0.5 * x + tf.random_normal([], seed=3)
        return i + 1, x, chain.write(i, x)

    one = {"parallel_iterations": 1} if sys.version_info < (3, 8) else {}
    tf.set_random_seed(1)
    start = [0, 1.0, tf.TensorArray(tf.float32, 5)]
    chain = tf.while_loop(lambda i, *_: i < 5, step, start, **one)[2].stack()
    return session.run(
        [chain, tf.map_fn(lambda i: tf.random_uniform([], seed=4), tf.range(5.0), **one)]
    )


@case("graph")
def draws_of_loops_of_datasets_in_order(session):
    """Draws in the order of the iterations, in a loop of a function that a dataset maps."""

    def draws(size):
        def step(i, chain):
            return i + 1, chain.write(i, tf.random.uniform([], 0, 99, tf.int32, 5))

        chain = tf.TensorArray(tf.int32, size)
        one = {"parallel_iterations": 1} if sys.version_info < (3, 8) else {}
        return tf.while_loop(lambda i, _: i < size, step, [0, chain], **one)[1].stack()

    tf.set_random_seed(1)
    dataset = tf.data.Dataset.range(30, 34).map(lambda size: draws(tf.cast(size, tf.int32)))
    batch = tf.data.make_one_shot_iterator(dataset).get_next()
    return [session.run(batch) for _ in range(4)]


@case("graph")
def names_that_libraries_ask_for():
    from tensorflow.python.framework import op_def_registry, ops

    dense, sparse = tf.constant([1.0]), tf.SparseTensor([[0]], [1.0], [1])
    found = op_def_registry.get_registered_ops()
    return [
        [isinstance(value, ops._TensorLike) for value in (dense, sparse, 1.0)],
        [ops.is_dense_tensor_like(value) for value in (dense, sparse, 1.0)],
        {"MatMul", "Relu", "Unpack"} <= set(found.keys()),
        len(found) == len(list(found)) > 900,
        found["Relu"].name,
        "NoSuchOp" in found,
    ]


@case("graph")
def conversions_of_tensors_to_arrays():
    x = tf.ones([2, 3])

    def refuses(call):
        try:
            return call()
        except NotImplementedError:
            return True

    refused = [
        refuses(lambda convert=convert: convert(x))
        for convert in (np.array, np.asarray, np.sum, np.mean)
    ]
    return [
        refused,
        refuses(lambda: np.stack([x, x])),
        np.array([x, x])[[True, False]][0] is x,
        str(np.shape(x)),
        (np.float32(2) * x).shape.as_list(),
    ]


@case("graph")
def definitions_of_graphs_and_test_cases():
    class Case(tf.test.TestCase):
        def runTest(self):
            x, y = tf.ones([2]), tf.zeros([3])
            self.assertAllEqual((x, y), [x, y])
            with self.assertRaises(AssertionError):
                self.assertAllEqual((x, y), [x])

    x = tf.ones([2], name="x")
    with tf.control_dependencies([x]):
        tf.no_op(name="y")
    nodes = [(node.name, sorted(node.attr)) for node in tf.get_default_graph().as_graph_def().node]
    return nodes, Case().run().wasSuccessful()


@case("graph")
def names_of_ops_by_position():
    from tensorflow.python.ops import gen_array_ops

    indices, values = tf.constant([[0]]), tf.constant([1.0])
    image, kernel = tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 1])
    named = [
        tf.scatter_nd(indices, values, [2], "mine"),
        gen_array_ops.gather_nd(values, indices, "theirs"),
        tf.nn.depthwise_conv2d_native(image, kernel, [1] * 4, "SAME", "NHWC", [1] * 4, "conv"),
        tf.numpy_function(lambda x: x, [values], tf.float32, "numpy"),
    ]
    try:
        tf.scatter_nd(indices, values, [2], "mine", 5)
    except TypeError as error:
        return [each.op.name for each in named], type(error).__name__


@case("graph")
def fed_images_that_are_computed(session):
    def filter_gradient(image, use_resource):
        kernel = tf.get_variable(
            f"kernel_{use_resource}",
            [3, 3, 3, 5],
            initializer=tf.constant_initializer(0.1),
            use_resource=use_resource,
        )
        output = tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME")
        return tf.gradients(tf.reduce_sum(output * output), kernel)[0]

    image = tf.identity(tf.placeholder(tf.float32, [None, 8, 8, 3]))
    gradients = [filter_gradient(image, use_resource) for use_resource in (False, True)]
    value = np.linspace(-1, 1, 2 * 8 * 8 * 3).reshape([2, 8, 8, 3])
    session.run(tf.global_variables_initializer())
    sums = [float(session.run(gradient, {image: value}).sum()) for gradient in gradients]
    meta_graph = tf.train.export_meta_graph()
    with tf.Graph().as_default(), tf.Session() as other:
        tf.train.import_meta_graph(meta_graph)
        other.run(tf.global_variables_initializer())
        sums.append(float(other.run(gradients[0].name, {image.name: value}).sum()))
    return sums
