"""Tests how the ops of `tf.estimator`'s boosted trees share the state of an ensemble; their values have other tests."""

import numpy as np
import pytest

pytestmark = pytest.mark.period


def test_ops_of_a_step_parse_the_ensemble_once(session):
    from tf1grad.old_programs.gone_ops.of_numpy import boosted_trees, tree_ensembles
    from tf1grad.old_programs.originals import loader
    ensemble = loader.module("core.kernels.boosted_trees.boosted_trees_pb2").TreeEnsemble()
    tree_ensembles.add_tree(ensemble, 0.5)
    handle = boosted_trees.handle(shared_name="ensemble")
    split = (np.int32([0]), np.float32([1]), np.int32([3]), np.float32([[2]]), np.float32([[-2]]))
    columns = [[each] for each in split]
    created = boosted_trees.create_ensemble(handle, 0, message=ensemble.SerializeToString())
    counts = boosted_trees.states(handle)
    logits = boosted_trees.predict(handle, [np.int32([3, 4])], 1)
    grown = boosted_trees.update_ensemble(handle, [0], *columns, max_depth=5, learning_rate=1., pruning_mode=0)
    session.run(created)
    boosted_trees._parsed.cache_clear()
    session.run(counts)
    np.testing.assert_array_equal(session.run(logits), [[.5], [.5]])
    assert boosted_trees._parsed.cache_info().misses == 1
    session.run(grown)  # it changes a message of its own
    assert boosted_trees._parsed.cache_info().misses == 1
    np.testing.assert_array_equal(session.run(logits), [[2.5], [-1.5]])
    assert boosted_trees._parsed.cache_info().misses == 2
