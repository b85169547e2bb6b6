"""Provides the ops of `tf.estimator`'s boosted trees: TensorFlow 2 declares these ops and does not have their kernels.

`OPS` names, for the type of each op, its function in `op_functions`. The functions compute with NumPy: the trees in
`tree_ensembles`, the boundaries of buckets in `weighted_quantiles`.
"""

_QUANTILES = "BoostedTreesQuantileStreamResource"
OPS = {
    "BoostedTreesBucketize": "bucketize",
    "BoostedTreesCalculateBestGainsPerFeature": "best_gains",
    "BoostedTreesCenterBias": "center_bias",
    "BoostedTreesCreateEnsemble": "create_ensemble",
    "BoostedTreesCreateQuantileStreamResource": "create_streams",
    "BoostedTreesDeserializeEnsemble": "deserialize_ensemble",
    "BoostedTreesEnsembleResourceHandleOp": "handle",
    "BoostedTreesExampleDebugOutputs": "debug_outputs",
    "BoostedTreesGetEnsembleStates": "states",
    "BoostedTreesMakeQuantileSummaries": "make_quantile_summaries",
    "BoostedTreesMakeStatsSummary": "make_stats_summary",
    "BoostedTreesPredict": "predict",
    "BoostedTreesSerializeEnsemble": "serialize_ensemble",
    "BoostedTreesTrainingPredict": "training_predict",
    "BoostedTreesUpdateEnsemble": "update_ensemble",
    _QUANTILES + "AddSummaries": "add_summaries",
    _QUANTILES + "Deserialize": "set_boundaries",
    _QUANTILES + "Flush": "flush_streams",
    _QUANTILES + "GetBucketBoundaries": "bucket_boundaries",
    _QUANTILES + "HandleOp": "handle",
    "IsBoostedTreesEnsembleInitialized": "is_initialized",
    "Is" + _QUANTILES + "Initialized": "is_initialized",
}
