"""Tests private names and conversions that libraries ask for."""

import pytest

from script_folder import output_of
from tf1grad._compat import VERSION

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has them itself")


def test_names_of_libraries(tmp_path):
    assert output_of("""
        from tensorflow.python.framework import op_def_registry, ops

        dense, variable = tf.constant([1.0]), tf.Variable(1.0, use_resource=True)
        sparse = tf.SparseTensor([[0]], [1.0], [1])
        slices = tf.IndexedSlices(dense, tf.constant([0]))
        print([isinstance(value, ops._TensorLike) for value in (dense, sparse, slices, 1.0)],
              [ops.is_dense_tensor_like(value) for value in (dense, variable, sparse, 1.0)])
        found = op_def_registry.get_registered_ops()
        print({"MatMul", "Relu", "Unpack"} <= set(found.keys()), len(found) == len(list(found)) > 900,
              found["Relu"].name, "NoSuchOp" in found)
    """, tmp_path).splitlines() == [
        "[True, True, True, False] [True, True, False, False]", "True True Relu False"]


@pytest.mark.period
def test_conversions_and_private_functions_are_those_of_1_15(tmp_path):
    assert output_of("""
        from tensorflow.python import pywrap_tensorflow
        from tensorflow.python.eager import execute
        from tensorflow.python.framework import tensor_util

        x = tf.ones([2, 3])

        def refuses(call):
            try:
                return call()
            except NotImplementedError:
                return True
        print(refuses(lambda: np.array(x)), refuses(lambda: np.asarray(x)), refuses(lambda: np.sum(x)),
              refuses(lambda: np.mean(x)), refuses(lambda: np.stack([x, x])))
        print(np.array([x, x])[[True, False]][0] is x, np.shape(x), (np.float32(2) * x).shape)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                y = x * 2.0
            execute.record_gradient("Neg", [x], ("T", x.dtype.as_datatype_enum), [y], None)
        gradient = tape.gradient(y, x)
        print(tensor_util.shape_tensor([1, 2]).dtype, tf.Session().run(gradient)[0, 0])
        print(pywrap_tensorflow.TF_bfloat16_type() is tf.bfloat16.as_numpy_dtype,
              callable(pywrap_tensorflow.TF_NewSessionOptions))
    """, tmp_path).splitlines() == [
        "True True True True True", "True (2, 3) (2, 3)", "<dtype: 'int32'> -1.0", "True True"]


@pytest.mark.period
def test_definitions_of_graphs_and_test_cases_are_those_of_1_15(tmp_path):
    assert output_of("""
        class Case(tf.test.TestCase):
            def runTest(self):
                x, y = tf.ones([2]), tf.zeros([3])
                self.assertAllEqual((x, y), [x, y])
                with self.assertRaises(AssertionError):
                    self.assertAllEqual((x, y), [x])

        x = tf.ones([2], name="x")
        with tf.control_dependencies([x]):
            tf.no_op(name="y")
        print([(node.name, sorted(node.attr)) for node in tf.get_default_graph().as_graph_def().node])
        print(Case().run().wasSuccessful())
    """, tmp_path).splitlines() == ["[('x', ['dtype', 'value']), ('y', [])]", "True"]


@pytest.mark.period
def test_combinations_of_strategies_have_the_optimizers_of_1_15(tmp_path):
    assert output_of("""
        from tensorflow.python.distribute import strategy_combinations

        print(isinstance(strategy_combinations.adagrad_optimizer_v1_fn(), tf.train.AdagradOptimizer),
              isinstance(strategy_combinations.adam_optimizer_keras_v2_fn(), tf.keras.optimizers.Optimizer),
              strategy_combinations.default_strategy.strategy.num_replicas_in_sync)
    """, tmp_path).splitlines() == ["True True 1"]
