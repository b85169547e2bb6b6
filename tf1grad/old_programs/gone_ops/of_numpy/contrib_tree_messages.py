"""Builds the classes of the messages of `tf.contrib.boosted_trees`, which TensorFlow 1.15's wheel has in C++ only.

They have the fields that predictions read. Parsing keeps the others.
"""

import functools
from typing import Any, Dict

from google.protobuf import descriptor_pb2, descriptor_pool

from tf1grad.old_programs import _compat

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


def parsed(name: str, message: bytes) -> Any:
    """Returns the message that was serialized."""
    return _classes()[name].FromString(message)


@functools.lru_cache(maxsize=None)
def _classes() -> Dict[str, Any]:
    """Returns the classes by the names of the messages. They are built at the first call, as few programs need them."""
    file = descriptor_pb2.FileDescriptorProto(name="tf1grad/contrib_trees.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        if "?" in fields:
            message.oneof_decl.add(name="choice")
        for number, field, kind in (each.split() for each in fields.split(",")):
            plain = kind.strip("*?")
            added = message.field.add(name=field, number=int(number), label=3 if kind[0] == "*" else 1)
            if kind[0] == "?":
                added.oneof_index = 0
            if plain in _MESSAGES:
                added.type, added.type_name = added.TYPE_MESSAGE, f".{_PACKAGE}.{plain}"
            else:
                added.type = getattr(added, "TYPE_" + plain.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: _compat.message_class(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _MESSAGES}
