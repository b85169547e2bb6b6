"""Holds the advice for ops that TensorFlow does not have any more:
a sentence for each, or for its library.
"""

from __future__ import annotations

from typing import NamedTuple

from tf1grad.run.gone_ops.signatures import signatures
from tf1grad.run.gone_ops.table import OF_TENSORFLOW

_PROVIDED = "tf1grad provides it as a function of the graph, which `tf1grad model convert` writes into the file."

_OPS = {
    "AdjustHsvInYiq": "tf.image.adjust_hue and tf.image.adjust_saturation change the image, with other numbers",
    "BigQueryReader": "read from BigQuery with google-cloud-bigquery",
    "BipartiteMatch": "take the smallest distance again and again with np.argmin, in tf.py_func",
    "CompareAndBitpack": "compare with tf.greater, and pack the bits with np.packbits outside of the graph",
    "DecodeLibsvm": "read the file with sklearn.datasets.load_svmlight_file, and feed the arrays",
    "FusedConv2DBiasActivation": "take tf.nn.conv2d, tf.nn.bias_add and tf.nn.relu",
    "GenerateBigQueryReaderPartitions": "read from BigQuery with google-cloud-bigquery",
    "GcsConfigureBlockCache": "remove the op; GCS_READ_CACHE_BLOCK_SIZE_MB in the environment sets the size of blocks",
    "GcsConfigureCredentials": "remove the op; GOOGLE_APPLICATION_CREDENTIALS in the environment names the credentials",
    "HyperplaneLSHProbes": "search the neighbors outside of the graph, for instance with scikit-learn",
    "ImageConnectedComponents": "label the areas with scipy.ndimage.label, in tf.py_func",
    "MaskedMatmul": "gather the rows and the columns with tf.gather, multiply them and sum",
    "ObtainNext": "take the elements from tf.data.Dataset.from_tensor_slices(...).repeat()",
    "PeriodicResample": "take tf.nn.depth_to_space, or tf.reshape and tf.transpose",
    "PeriodicResampleOpGrad": "take tf.nn.depth_to_space, or tf.reshape and tf.transpose",
    "RemoteFusedGraphExecute": "run the graph on the CPU, or on Hexagon with TensorFlow Lite's delegate",
    "Rpc": "call the service from Python, in tf.py_function with grpcio",
    "SkipGramGenerateCandidates": "make the pairs with tf.keras.preprocessing.sequence.skipgrams, and feed them",
    "TryRpc": "call the service from Python, in tf.py_function with grpcio",
    "WALSComputePartialLhsAndRhs": "factorize outside of the graph, for instance with implicit's ALS",
    "ZeroInitializer": "take the variable's initializer with tf.zeros_initializer",
    "ZeroVarInitializer": "take the variable's initializer with tf.zeros_initializer",
}
_PREFIXES = {
    "LoadTPUEmbedding": "the op served the debugging of TPU embeddings; remove it",
    "RetrieveTPUEmbedding": "the op served the debugging of TPU embeddings; remove it",
    "ReduceSlice": "take tf.math.segment_sum and its like, or tf.reduce_sum for each slice",
    "TensorForest": "train the forest again, for instance with tensorflow_decision_forests or scikit-learn",
    "BoostedTrees": "under `tf1grad run`, the program that builds the trees with tf.estimator trains them, restores "
    "its checkpoint and predicts; instead of a file of the graph alone, take trees that are trained "
    "again, for instance with tensorflow_decision_forests or xgboost",
}
_LIBRARIES = {
    "contrib.bigtable": "read from Bigtable with google-cloud-bigtable in tf.data.Dataset.from_generator",
    "contrib.boosted_trees": "take tf.estimator's boosted trees under `tf1grad run`, or "
    "tensorflow_decision_forests or xgboost",
    "contrib.ffmpeg": "decode with tf.audio.decode_wav, or outside of the graph with ffmpeg, and feed the samples",
    "contrib.hadoop": "read the sequence files with tensorflow-io's hadoop.SequenceFileDataset, or convert them",
    "contrib.ignite": "read from Ignite with pyignite in tf.data.Dataset.from_generator",
    "contrib.image": "compute the image with NumPy and feed it",
    "contrib.kafka": "read from Kafka with tensorflow-io's tfio.IODataset.from_kafka",
    "contrib.kinesis": "read from Kinesis with boto3 in tf.data.Dataset.from_generator",
    "contrib.memory_stats": "it told the memory of a GPU and had no kernel for CPUs; "
    "tf.config.experimental.get_memory_info tells it",
    "contrib.tensor_forest": "under `tf1grad run`, the program that builds the forest restores it from its "
    "checkpoint and predicts; to train it, take tensorflow_decision_forests or scikit-learn",
    "contrib.tensorrt": "convert the original model again with tf.experimental.tensorrt.Converter",
}
# Ops of builds that are not the CPU's wheel of 1.15.5.
_OTHERS = {
    "TRTEngineOp": "contrib.tensorrt",
    "GetSerializedResourceOp": "contrib.tensorrt",
    "InitializeTRTResource": "contrib.tensorrt",
    "CreateTRTResourceHandle": "contrib.tensorrt",
}


class MissingOp(NamedTuple):
    """Describes an op of a graph that this TensorFlow does not have.

    `origin` is its former home, "" for an op that TensorFlow 1.15 did not have either. A node of a
    function is "function/node". `advice` is a sentence on the replacement that users can take.
    """

    op: str
    origin: str
    nodes: list[str]
    is_provided: bool
    advice: str


def describe(op: str, nodes: list[str]) -> MissingOp:
    """Returns the `MissingOp` of nodes with an op that today's TensorFlow does not have."""
    is_provided = op in OF_TENSORFLOW
    return MissingOp(op, origin(op), nodes, is_provided, _PROVIDED if is_provided else advise(op))


def origin(op: str) -> str:
    """Returns the former home of an op that is gone, such as "tf.contrib.seq2seq";
    "" where 1.15 did not have it.
    """
    library = signatures()[op].library if op in signatures() else _OTHERS.get(op, "")
    return "TensorFlow 1.15" if library == "core" else library and "tf." + library


def advise(op: str) -> str:
    """Returns a sentence about an op that is gone:
    its former home, and what users can take today.
    """
    home = origin(op)
    if not home:
        return "TensorFlow 1.15 did not have the op either. Load the library of a custom op with tf.load_op_library."
    prefix = next(
        (text for start, text in _PREFIXES.items() if op.startswith((start, "Is" + start))), ""
    )
    library = _LIBRARIES.get(
        home[len("tf.") :], "compute the values outside of the graph and feed them"
    )
    return f"It was an op of {home}. Today: {_OPS.get(op) or prefix or library}."
