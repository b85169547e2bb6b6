"""Holds cases of names: what imports bring, and which objects are the same; see
`recorded_cases.py`.
"""

import copy
import inspect
import pickle

import numpy as np
import tensorflow as tf

from recorded_cases import case

STATEMENTS = """
    type(tf.constant(1)) is tf.Tensor
    isinstance(tf.get_variable("r", [2], use_resource=True), tf.Variable)
    issubclass(tf.keras.layers.Dense, tf.keras.layers.Layer)
    not isinstance(tf.Variable(1.0), tf.Tensor)
    tf.Tensor is ops.Tensor is tf.compat.v2.Tensor is tf.compat.v1.Tensor
    tf.data.Dataset.from_tensors(1).output_classes is tf.Tensor
    tf.placeholder(tf.float32, [None]).shape != tf.placeholder(tf.float32, [None]).shape
    tf.placeholder(tf.float32, [None, 2]).shape[1:] == [2]
    bool(tf.placeholder(tf.float32, [None]).shape[0])
    hasattr(tf.distribute.get_strategy(), "experimental_run_v2")
    pickle.loads(pickle.dumps(tf.Tensor)) is tf.Tensor
    type(copy.copy(tf.constant(1))) is tf.Tensor
    isinstance(tf.Tensor(tf.constant(1).op, 0, tf.int32), tf.Tensor)
    not isinstance(tf.constant(1), type("Mine", (tf.Tensor,), {}))
    inspect.getfullargspec(tf.compat.v2.greater) == inspect.getfullargspec(lambda x, y, name=None: None)
    tf.compat.v2.random.normal([2]).op.type == "Add"
    tf.compat.v2.compat.v1.placeholder is tf.placeholder
    tf.compat.v2.initializers is tf.compat.v2.keras.initializers
    issubclass(tf.estimator.FinalExporter, tf.estimator.Exporter)
    tf.estimator.Estimator is by_import.Estimator is estimator.Estimator is own.Estimator
    pickle.loads(pickle.dumps(tf.estimator.Estimator)) is own.Estimator
    boosted_trees.BoostedTreesClassifier is tf.estimator.BoostedTreesClassifier
    early_stopping.stop_if_lower_hook is tf.estimator.experimental.stop_if_lower_hook
    head.regression_head is tf.contrib.estimator.regression_head
    multi_head.multi_head is tf.contrib.estimator.multi_head
    tf.contrib.tpu.TPUEstimator is tf.estimator.tpu.TPUEstimator
    tf.compat.v2.estimator.DNNClassifier is not tf.estimator.DNNClassifier is tf.compat.v1.estimator.DNNClassifier
    tf.estimator.export.ServingInputReceiver.__module__ == "tensorflow_estimator.python.estimator.export.export"
    tf.estimator.inputs.numpy_input_fn.__name__ == "numpy_input_fn"
    "BestExporter" in dir(tf.estimator) and "TPUConfig" in dir(tf.estimator.tpu)
    tf.nn.rnn_cell.LSTMStateTuple is rnn_cell_impl.LSTMStateTuple is tf.contrib.rnn.LSTMStateTuple
    tf.nn.rnn_cell.RNNCell is rnn_cell_impl.RNNCell
    issubclass(tf.contrib.rnn.NASCell, rnn_cell_impl.RNNCell)
    tf.layers.Layer is base.Layer and tf.layers.Dense is core.Dense
    tf.contrib.framework.nest.is_sequence([1]) and nest.is_sequence([1]) and not nest.is_sequence(1)
    pickle.loads(pickle.dumps(tf.contrib.training.HParams(a=3))).a == 3
    tf.newaxis is None
"""
IMPORTS = """
import tensorflow.estimator as by_import
from tensorflow.contrib.estimator.python.estimator import early_stopping, head
from tensorflow.contrib.rnn.python.ops import core_rnn_cell
from tensorflow.python.estimator import estimator
from tensorflow.python.estimator.canned import boosted_trees
from tensorflow.python.framework import ops
from tensorflow.python.layers import base, core
from tensorflow.python.ops import rnn_cell_impl
from tensorflow.python.util import nest
from tensorflow_estimator.contrib.estimator.python.estimator import multi_head
from tensorflow_estimator.python.estimator import estimator as own
"""


@case("graph")
def false_statements():
    names = {"tf": tf, "copy": copy, "inspect": inspect, "pickle": pickle}
    exec(IMPORTS, names)
    return [
        statement
        for statement in STATEMENTS.split("\n")
        if statement and not eval(statement.strip(), names)
    ]


@case("eager")
def eager_tensors_are_tensors():
    tensor = tf.constant(1)
    with tf.Graph().as_default():
        of_graph = tf.constant(1)
    return (
        isinstance(tensor, tf.Tensor),
        issubclass(type(tensor), tf.Tensor),
        type(of_graph) is tf.Tensor,
    )


@case("graph")
def star_imports():
    found = []
    for module in ("tensorflow.compat.v1", "tensorflow"):
        names = {}
        exec(f"from {module} import *", names)
        found.append([name in names for name in ("estimator", "train", "no_such_name")])
        found.append(names["estimator"].__name__.rpartition(".")[2])
    return found, "contrib" in names


@case("graph")
def imports_of_a_module_of_contrib():
    names = {}
    exec(
        "import tensorflow.contrib.crf as crf\nimport tensorflow.contrib.crf.python.ops.crf\n"
        "from tensorflow.contrib.crf import *\nfrom tensorflow.contrib import crf as again\n"
        "from tensorflow.contrib.crf.python.ops import crf as inner\n"
        "from tensorflow.contrib.crf.python.ops.crf import viterbi_decode as decode",
        names,
    )
    crf, inner, decode = names["crf"], names["inner"], names["decode"]
    try:
        exec("from tensorflow.contrib.crf import no_such_name")
    except ImportError as error:
        refusal = str(error).split(" (")[0]
    return [
        crf is tf.contrib.crf is names["again"],
        names["viterbi_decode"] is inner.viterbi_decode is decode,
        inner.__name__,
        "absolute_import" in names,
        hasattr(crf, "no_such_name"),
        refusal,
        decode(np.array([[1.0, 2.0]]), np.zeros([2, 2])),
    ]


@case("graph")
def symbolic_tensor_types():
    from tensorflow.python.keras.utils import tf_utils

    return [tf_utils.is_symbolic_tensor(each) for each in (tf.sparse_placeholder(tf.float32), 1.0)]


@case("graph")
def private_names_that_moved(folder, session):
    from tensorflow.python import pywrap_tensorflow
    from tensorflow.python.framework import tensor_shape
    from tensorflow.python.ops.parallel_for import jacobian
    from tensorflow.python.ops.parallel_for.gradients import batch_jacobian
    from tensorflow.python.training import training_ops

    w, x = tf.Variable(3.0, name="w"), tf.constant([[1.0, 2.0]])
    session.run(tf.global_variables_initializer())
    found = [
        session.run(training_ops.apply_gradient_descent(w, 0.5, 2.0)),
        [session.run(each(x * x, x)).ravel() for each in (jacobian, batch_jacobian)],
    ]
    path = tf.train.Saver().save(session, folder + "/model.ckpt")
    writer = pywrap_tensorflow.EventsWriter((folder + "/events").encode())
    writer.WriteEvent(tf.Event(step=7))
    writer.Flush()
    found += [
        pywrap_tensorflow.NewCheckpointReader(path).get_tensor("w"),
        [event.step for event in tf.train.summary_iterator(writer.FileName())][1:],
    ]
    writer.Close()
    layers = np.array([tf.get_variable(name, [2], use_resource=True) for name in "ab"])
    return found + [
        tensor_shape.scalar().as_list(),
        tensor_shape.vector(3).as_list(),
        tensor_shape.matrix(None, 2).as_list(),
        layers.shape,
        [each.name for each in layers[[False, True]]],
    ]
