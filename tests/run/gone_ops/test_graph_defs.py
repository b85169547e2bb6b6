"""Tests that graphs that TensorFlow 1.15.5 made give its values,
once they have functions for the ops that are gone.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import gone_op_cases
from tf1grad.run.gone_ops import graph_defs, table

IS_TF1 = tf.__version__.startswith("1.")
pytestmark = pytest.mark.skipif(IS_TF1, reason="TensorFlow 1 has the ops itself")
RECORDED = gone_op_cases.recorded()
TOLERANCES = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}


def _check(found, expected, case):
    found = np.asarray(found)
    assert found.shape == expected.shape and (
        found.dtype == expected.dtype or expected.dtype == object
    )
    if found.dtype.kind == "f":
        np.testing.assert_allclose(
            found, expected, rtol=TOLERANCES[found.dtype.name], atol=TOLERANCES[found.dtype.name]
        )
    else:
        assert [tf.compat.as_str_any(each) for each in found.ravel()] == [
            tf.compat.as_str_any(each) for each in expected.ravel()
        ]


@pytest.mark.parametrize("case", sorted(RECORDED))
def test_graphs_of_1_15_give_its_values(case):
    graph_def, names, expected, _ = RECORDED[case]
    assert graph_defs.missing_ops(graph_def)
    provided = graph_defs.provide_missing_ops(graph_def)
    assert graph_defs.missing_ops(provided) == []
    with tf.Graph().as_default(), tf.Session() as session:
        outputs = tf.import_graph_def(provided, return_elements=names, name="")
        for output, found, value in zip(outputs, session.run(outputs), expected):
            _check(found, value, case)
            assert output.shape.is_compatible_with(value.shape)


@pytest.mark.parametrize("case", sorted(RECORDED))
def test_calls_from_code_give_the_same_values(case):
    with tf.Graph().as_default(), tf.Session() as session:
        outputs = gone_op_cases.CASES[case](gone_op_cases.op_function())
        for output, shape in zip(outputs, RECORDED[case][3]):
            assert output.shape.is_compatible_with(shape) and (
                output.shape.rank is not None or shape is None
            )
        for found, value in zip(session.run(outputs), RECORDED[case][2]):
            _check(found, value, case)


def test_every_replacement_is_compared():
    recorded = {node.op for graph_def, *_ in RECORDED.values() for node in graph_def.node}
    assert set(table.OF_TENSORFLOW) <= recorded
