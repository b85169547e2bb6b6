"""Tests that summaries show the norms before and after a transform."""

import numpy as np
import tensorflow.compat.v1 as tf

from steps import summary_values
from tf1grad.recipes.gradients.clip import clip_by_global_norm
from tf1grad.recipes.gradients.summaries import summarize_gradients


def test_norms_and_histograms(pairs, session):
    made = summarize_gradients(pairs, clip_by_global_norm(pairs, 2.0)[0])
    assert len(made) == 6
    scalars, histograms = summary_values(session.run(tf.summary.merge_all()))
    expected = {
        "global_norm": np.sqrt(169 + 125),
        "clipped_global_norm": 2,
        "norm/model/dense": 13,
        "norm/model/table": np.sqrt(125),
    }
    assert set(scalars) == {"gradients/" + tag for tag in expected}
    for tag, value in expected.items():
        np.testing.assert_allclose(scalars["gradients/" + tag], value, rtol=1e-6)
    assert set(histograms) == {"gradients/histogram/model/dense", "gradients/histogram/model/table"}
    rows = histograms["gradients/histogram/model/table"]  # two rows, merged from three
    assert (rows.num, rows.min, rows.max, rows.sum) == (4, -4, 8, 13)


def test_gradients_that_are_not_finite_are_shown_and_stop_nothing(session):
    pairs = [
        (
            tf.constant([1.0, np.nan, 3.0]),
            tf.get_variable("w", initializer=np.zeros(3, np.float32)),
        ),
        (tf.constant([np.inf]), tf.get_variable("b", initializer=np.zeros(1, np.float32))),
    ]
    scalars, histograms = summary_values(
        session.run(tf.summary.merge(summarize_gradients(pairs, name="raw")))
    )
    assert sorted(scalars) == ["raw/global_norm", "raw/norm/b", "raw/norm/w"]
    assert np.isnan(scalars["raw/norm/w"]) and np.isinf(scalars["raw/norm/b"])
    assert histograms["raw/histogram/w"].num == 2 and histograms["raw/histogram/b"].num == 0
