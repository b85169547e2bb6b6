"""Computes the ops that predict with `tf.contrib.boosted_trees`, for which TensorFlow 2 has no kernels.

The state of an ensemble is its stamp and the serialized message, which checkpoints hold too. Training is not supported.
TensorFlow 1.15.5's wheel had the ops only, without the estimators and the classes of messages, which are built here.
They have the fields that predictions read. Parsing keeps the others.
"""

from __future__ import annotations

import functools
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool

from tf1grad.old_programs import _compat
from tf1grad.old_programs.gone_ops.of_numpy import boosted_trees, tree_ensembles
from tf1grad.old_programs.gone_ops.of_numpy.numpy_ops import as_bytes, computed

# A message -> its fields: number, name and type. "*" marks repeated fields, "?" those of the oneof.
_MESSAGES = {
    "DecisionTreeEnsembleConfig": "1 trees *DecisionTreeConfig, 2 tree_weights *float, "
    "3 tree_metadata *DecisionTreeMetadata",
    "DecisionTreeMetadata": "3 is_finalized bool",
    "DecisionTreeConfig": "1 nodes *TreeNode",
    "TreeNode": "1 leaf ?Leaf, 2 dense_float_binary_split ?Split, 3 sparse_float_binary_split_default_left ?SparseSplit"
    ", 4 sparse_float_binary_split_default_right ?SparseSplit, 5 categorical_id_binary_split ?IdSplit, "
    "6 categorical_id_set_membership_binary_split ?IdsSplit, 7 oblivious_dense_float_binary_split ?Split, "
    "8 oblivious_categorical_id_binary_split ?IdSplit",
    "Leaf": "1 vector ?Vector, 2 sparse_vector ?SparseVector",
    "Vector": "1 value *float",
    "SparseVector": "1 index *int32, 2 value *float",
    "Split": "1 feature_column int32, 2 threshold float, 3 left_id int32, 4 right_id int32, 5 dimension_id int32",
    "SparseSplit": "1 split Split",
    "IdSplit": "1 feature_column int32, 2 feature_id int64, 3 left_id int32, 4 right_id int32",
    "IdsSplit": "1 feature_column int32, 2 feature_ids *int64, 3 left_id int32, 4 right_id int32",
    "LearnerConfig": "1 num_classes uint32, 6 learning_rate_tuner LearningRateConfig, 9 growing_mode int32, "
    "11 averaging_config AveragingConfig",
    "LearningRateConfig": "2 dropout Dropout",
    "Dropout": "1 dropout_probability float",
    "AveragingConfig": "1 average_last_n_trees ?float, 2 average_last_percent_trees ?float",
}
_PACKAGE = "tf1grad.contrib_trees"
_WHOLE_TREE = 1


def _shapes(
    learner_config: str, apply_dropout: bool, reduce_dim: bool
) -> List[List[Optional[int]]]:
    config = _parsed("LearnerConfig", as_bytes(learner_config))
    if config.num_classes < 2:
        raise ValueError(
            f"learner_config has num_classes={config.num_classes}, but predictions need at least 2"
        )
    if apply_dropout and config.learning_rate_tuner.HasField("dropout"):
        raise NotImplementedError(
            "apply_dropout=True drops trees in training, which tf1grad does not support for "
            "tf.contrib.boosted_trees: pass apply_dropout=False"
        )
    return [[None, config.num_classes - reduce_dim], [2, 0], [None, None]]


@computed(shapes_for=_shapes)
def predict(
    state: bytes,
    seed: Any,
    dense: List[Any],
    number_places: List[Any],
    numbers: List[Any],
    number_shapes: List[Any],
    id_places: List[Any],
    ids: List[Any],
    id_shapes: List[Any],
    learner_config: str,
    apply_averaging: bool,
    reduce_dim: bool,
) -> Tuple[Any, Any, Any]:
    """Returns the predictions, [example, class], the dropped trees: none, and the leaf of each tree, [example, tree].

    The leaf is 0 for trees that are left out.
    """
    config = _parsed("LearnerConfig", as_bytes(learner_config))
    ensemble = _parsed("DecisionTreeEnsembleConfig", boosted_trees.message_of(state))
    sizes = [len(each) for each in dense] + [int(shape[0]) for shape in number_shapes + id_shapes]
    if not sizes:
        raise ValueError("GradientTreesPrediction has no features")
    if any(each.shape[1:] != (1,) for each in dense):
        raise ValueError(
            "a dense column of GradientTreesPrediction does not have the shape [example, 1]"
        )
    columns = _Columns(
        sizes[0], dense, list(zip(number_places, numbers)), list(zip(id_places, ids))
    )
    weights = np.array(ensemble.tree_weights, np.float32)
    if apply_averaging:
        _average(weights, config.averaging_config)
    result: Any = np.zeros([columns.batch, config.num_classes - reduce_dim], np.float32)
    leaves: Any = np.zeros([columns.batch, len(ensemble.trees)], np.int32)
    for number, tree in enumerate(ensemble.trees):
        if (
            config.growing_mode == _WHOLE_TREE
            and ensemble.tree_metadata
            and not ensemble.tree_metadata[number].is_finalized
        ):
            continue
        # A node is its number, and the bits of the leaf so far: in oblivious trees all examples go through the same
        # splits, one for each bit.
        split = functools.partial(columns.split, tree.nodes)
        for (node, bits), examples in tree_ensembles.reached((0, 0), columns.batch, split):
            leaves[examples, number] = node + bits
            for place, value in _values(tree.nodes[node + bits].leaf):
                result[examples, place] += weights[number] * np.float32(value)
    return result, np.zeros([2, 0], np.float32), leaves


class _Columns(NamedTuple):
    """Holds the columns of `batch` examples; those of numbers and ids are the places and the values."""

    batch: int
    dense: List[Any]
    numbers: List[Tuple[Any, Any]]
    ids: List[Tuple[Any, Any]]

    def split(self, nodes: Sequence[Any], place: Tuple[int, int]) -> Any:
        """Returns which examples go left at a node, and its children; None for a leaf."""
        number, bits = place
        if not 0 <= number < len(nodes):
            raise ValueError(f"the tree has {len(nodes)} nodes, but no node {number}")
        kind = nodes[number].WhichOneof("choice")
        if not kind:
            raise ValueError("a node of a tree is neither a leaf nor a known split")
        if kind == "leaf":
            return None
        split = getattr(nodes[number], kind)
        split = split.split if kind.startswith("sparse_float") else split
        left, right = (split.left_id, 0), (split.right_id, 0)
        if kind.startswith("oblivious"):
            left, right = (number + 1, 2 * bits), (number + 1, 2 * bits + 1)
        if min(left[0], right[0]) <= number:
            raise ValueError(
                f"the node {number} of a tree has a child before it: {min(left[0], right[0])}"
            )
        return self._goes_left(kind, split), left, right

    def _goes_left(self, kind: str, split: Any) -> Any:
        if kind in ("dense_float_binary_split", "oblivious_dense_float_binary_split"):
            return self.dense[split.feature_column][:, 0] <= np.float32(split.threshold)
        if kind.startswith("sparse_float"):
            places, values = self.numbers[split.feature_column]
            # These examples have no value.
            is_left: Any = np.full(self.batch, kind.endswith("left"))
            chosen = places[:, 1] == split.dimension_id
            is_left[places[chosen, 0]] = values[chosen] <= np.float32(split.threshold)
            return is_left
        places, values = self.ids[split.feature_column]
        is_set = kind == "categorical_id_set_membership_binary_split"
        is_there: Any = np.zeros(self.batch, bool)
        is_there[
            places[np.isin(values, list(split.feature_ids) if is_set else [split.feature_id]), 0]
        ] = True
        return is_there


def _values(leaf: Any) -> Iterable[Tuple[int, float]]:
    if leaf.HasField("sparse_vector"):
        return zip(leaf.sparse_vector.index, leaf.sparse_vector.value)
    return enumerate(leaf.vector.value)


def _average(weights: Any, config: Any) -> None:
    """Makes the weights of trees those of the average of the last ensembles, each of which has one tree less."""
    first: float = len(weights)
    if config.HasField("average_last_n_trees"):
        first -= config.average_last_n_trees
    elif config.HasField("average_last_percent_trees"):
        first *= 1.0 - config.average_last_percent_trees
    start = int(max(0.0, first))
    count = len(weights) - start
    weights[start:] = (
        weights[start:] * np.arange(count, 0, -1).astype(np.float32) / np.float32(count)
    )


def _parsed(name: str, message: bytes) -> Any:
    return _classes()[name].FromString(message)


@functools.lru_cache(maxsize=None)
def _classes() -> Dict[str, Any]:
    """Returns the classes by the names of the messages. They are built at the first call, as few programs need them."""
    file = descriptor_pb2.FileDescriptorProto(
        name="tf1grad/contrib_trees.proto", package=_PACKAGE, syntax="proto3"
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        if "?" in fields:
            message.oneof_decl.add(name="choice")
        for number, field, kind in (each.split() for each in fields.split(",")):
            plain = kind.strip("*?")
            added = message.field.add(
                name=field, number=int(number), label=3 if kind[0] == "*" else 1
            )
            if kind[0] == "?":
                added.oneof_index = 0
            if plain in _MESSAGES:
                added.type, added.type_name = added.TYPE_MESSAGE, f".{_PACKAGE}.{plain}"
            else:
                added.type = getattr(added, "TYPE_" + plain.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: _compat.message_class(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in _MESSAGES
    }
