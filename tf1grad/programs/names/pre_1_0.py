"""Holds the names and argument orders that TensorFlow dropped between 1.0 and
1.15: one table, as data.

`run` provides them, `check` names what to use, `upgrade` rewrites them. A lookup imports nothing.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from tf1grad.programs.names.tensorflow_rows import CELLS


class Old(NamedTuple):
    """Describes a pre-1.0 name.

    target: its replacement in 1.15, below `tensorflow`.
    old: the old parameters, in their order; empty where they are those of the target.
    new: the target's parameters, in their order: {its name: the old name, or the two old names that
        a list replaces}.
    keyword_only: those that follow and are keyword-only.
    recognized_by: the key of the test that recognizes a pre-1.0 call where 1.15 kept the name (see
        `is_old_call`); "" where the name itself shows it.
    """

    target: str
    old: tuple[str, ...] = ()
    new: Mapping[str, str | tuple[str, str]] = {}
    keyword_only: Mapping[str, str] = {}
    recognized_by: str = ""

    def changed(self) -> dict[str, tuple[str, ...]]:
        """Returns the target's parameters, in their order,
        each with the old parameters that it takes.
        """
        entries = {**self.new, **self.keyword_only}
        return {
            name: (before,) if isinstance(before, str) else before
            for name, before in entries.items()
        }


class Reading(NamedTuple):
    """Reads an argument, a value or an expression:
    is it a number, its items or None, does it hold labels.
    """

    is_number: Callable[[Any], bool]
    items: Callable[[Any], Sequence[Any] | None]
    is_labels: Callable[[Any], bool]


# The functions of the cells moved several times, and then the cells without them.
_CORE_CELLS = "contrib.rnn.python.ops.core_rnn_cell"
_OLD_CELLS = ("nn.rnn_cell", "python.ops.rnn_cell", "python.ops.rnn_cell_impl")
_BATCHED = (
    "cholesky",
    "cholesky_solve",
    "fft",
    "fft2d",
    "fft3d",
    "ifft",
    "ifft2d",
    "ifft3d",
    "self_adjoint_eig",
    "self_adjoint_eigvals",
    "svd",
)
_MATRIX = (
    "band_part",
    "determinant",
    "diag",
    "diag_part",
    "inverse",
    "set_diag",
    "solve",
    "solve_ls",
    "transpose",
    "triangular_solve",
)
_WRAPPERS = ("EmbeddingWrapper", "InputProjectionWrapper", "OutputProjectionWrapper")
_SAME = {
    "complex_abs": "abs",
    "inv": "reciprocal",
    "listdiff": "setdiff1d",
    "mul": "multiply",
    "neg": "negative",
    "sub": "subtract",
    "merge_all_summaries": "summary.merge_all",
    "merge_summary": "summary.merge",
    "train.SummaryWriter": "summary.FileWriter",
    "concat_v2": "concat",
    "python.ops.rnn.rnn": "nn.static_rnn",
    "python.ops.rnn.bidirectional_rnn": "nn.static_bidirectional_rnn",
    "image.per_image_whitening": "image.per_image_standardization",
    "nn.deconv2d": "nn.conv2d_transpose",
    "nn.bidirectional_rnn": "nn.static_bidirectional_rnn",
    "nn.rnn": "nn.static_rnn",
    "nn.state_saving_rnn": "nn.static_state_saving_rnn",
    "flags.FlagsError": "flags.Error",
    "app.flags.FlagsError": "flags.Error",
    **{"batch_" + name: name for name in _BATCHED},
    **{"batch_matrix_" + name: "matrix_" + name for name in _MATRIX},
    **{"python.ops.rnn_cell." + name: "contrib.rnn." + name for name in _WRAPPERS},
    **{f"{_CORE_CELLS}.{name}": "contrib.rnn." + name for name in CELLS},
    **{module + "._linear": _CORE_CELLS + "._linear" for module in _OLD_CELLS},
    **{module + "._Linear": _CORE_CELLS + "._Linear" for module in _OLD_CELLS},
}

_DATASETS = (
    "Dataset",
    "Iterator",
    "TFRecordDataset",
    "TextLineDataset",
    "FixedLengthRecordDataset",
)
# Modules that had another name: their names are looked for there.
_MODULES = {
    "distributions.bijectors": "contrib.distributions.bijectors",
    "nn.seq2seq": "contrib.legacy_seq2seq",
    "python.ops.seq2seq": "contrib.legacy_seq2seq",
    "models.rnn.seq2seq": "contrib.legacy_seq2seq",
    "models.rnn.rnn_cell": "nn.rnn_cell",
    "models.rnn.rnn": "nn",
    "contrib.rnn.core_rnn_cell": _CORE_CELLS,
    "contrib.rnn.python.ops.core_rnn_cell_impl": _CORE_CELLS,
    "contrib.distributions.python.ops.bernoulli": "distributions",
    "contrib.distributions.python.ops.categorical": "distributions",
    "python.keras._impl": "python",
    "types": "",
    # Modules that `import tensorflow` left in its namespace.
    "ops": "",
    "array_ops": "",
    "math_ops": "",
    "control_flow_ops": "",
    "nn_ops": "nn",
    "contrib.linalg.LinearOperatorTriL": "linalg.LinearOperatorLowerTriangular",
    "contrib.linalg.LinearOperatorMatrix": "linalg.LinearOperatorFullMatrix",
    **{"contrib.data." + name: "data." + name for name in _DATASETS},
}

# Methods that had another name, by their class.
METHODS = {"TensorArray": {"pack": "stack", "unpack": "unstack"}}

_SAMPLED = (
    "num_sampled",
    "num_classes",
    "num_true",
    "sampled_values",
    "remove_accidental_hits",
    "partition_strategy",
    "name",
)
_CHANGED = {
    "pack": Old(
        "stack",
        ("values", "name", "axis"),
        new={"values": "values", "axis": "axis", "name": "name"},
    ),
    "unpack": Old(
        "unstack",
        ("value", "num", "name", "axis"),
        new={"value": "value", "num": "num", "axis": "axis", "name": "name"},
    ),
    "select": Old(
        "where",
        ("condition", "t", "e", "name"),
        new={"condition": "condition", "x": "t", "y": "e", "name": "name"},
    ),
    "batch_matmul": Old(
        "matmul",
        ("x", "y", "adj_x", "adj_y", "name"),
        new={"a": "x", "b": "y"},
        keyword_only={"adjoint_a": "adj_x", "adjoint_b": "adj_y", "name": "name"},
    ),
    "scalar_summary": Old(
        "summary.scalar",
        ("tags", "values", "collections", "name"),
        new={"name": "tags", "tensor": "values", "collections": "collections"},
    ),
    "histogram_summary": Old(
        "summary.histogram",
        ("tag", "values", "collections", "name"),
        new={"name": "tag", "values": "values", "collections": "collections"},
    ),
    "image_summary": Old(
        "summary.image",
        ("tag", "tensor", "max_images", "collections", "name"),
        new={
            "name": "tag",
            "tensor": "tensor",
            "max_outputs": "max_images",
            "collections": "collections",
        },
    ),
    "audio_summary": Old(
        "summary.audio",
        ("tag", "tensor", "sample_rate", "max_outputs", "collections", "name"),
        new={
            "name": "tag",
            "tensor": "tensor",
            "sample_rate": "sample_rate",
            "max_outputs": "max_outputs",
            "collections": "collections",
        },
    ),
}
# The names that 1.15 kept, with another order of arguments.
_KEPT = {
    "concat": Old(
        "concat",
        ("concat_dim", "values", "name"),
        new={"values": "values", "axis": "concat_dim", "name": "name"},
        recognized_by="axis first",
    ),
    "split": Old(
        "split",
        ("split_dim", "num_split", "value", "name"),
        new={"value": "value", "num_or_size_splits": "num_split", "axis": "split_dim"},
        keyword_only={"name": "name"},
        recognized_by="number first",
    ),
    "reverse": Old(
        "reverse",
        ("tensor", "dims", "name"),
        new={"tensor": "tensor", "axis": "dims", "name": "name"},
        recognized_by="booleans",
    ),
    "image.resize_images": Old(
        "image.resize_images",
        ("images", "new_height", "new_width", "method", "align_corners"),
        new={
            "images": "images",
            "size": ("new_height", "new_width"),
            "method": "method",
            "align_corners": "align_corners",
        },
        recognized_by="number second",
    ),
    "nn.ctc_loss": Old(
        "nn.ctc_loss",
        (
            "inputs",
            "labels",
            "sequence_length",
            "preprocess_collapse_repeated",
            "ctc_merge_repeated",
        ),
        new={
            "labels": "labels",
            "inputs": "inputs",
            "sequence_length": "sequence_length",
            "preprocess_collapse_repeated": "preprocess_collapse_repeated",
            "ctc_merge_repeated": "ctc_merge_repeated",
        },
        recognized_by="labels last",
    ),
    "nn.weighted_cross_entropy_with_logits": Old(
        "nn.weighted_cross_entropy_with_logits",
        ("logits", "targets", "pos_weight", "name"),
        new={"targets": "targets", "logits": "logits", "pos_weight": "pos_weight", "name": "name"},
        recognized_by="labels last",
    ),
    **{
        name: Old(
            name,
            ("weights", "biases", "inputs", "labels", *_SAMPLED),
            new={each: each for each in ("weights", "biases", "labels", "inputs", *_SAMPLED)},
            recognized_by="labels last",
        )
        for name in ("nn.nce_loss", "nn.sampled_softmax_loss")
    },
    "nn.softmax_cross_entropy_with_logits": Old(
        "nn.softmax_cross_entropy_with_logits",
        ("logits", "labels", "dim", "name"),
        keyword_only={"labels": "labels", "logits": "logits", "dim": "dim", "name": "name"},
        recognized_by="by position",
    ),
    "nn.sparse_softmax_cross_entropy_with_logits": Old(
        "nn.sparse_softmax_cross_entropy_with_logits",
        ("logits", "labels", "name"),
        keyword_only={"labels": "labels", "logits": "logits", "name": "name"},
        recognized_by="by position",
    ),
    "nn.sigmoid_cross_entropy_with_logits": Old(
        "nn.sigmoid_cross_entropy_with_logits",
        ("logits", "targets", "name"),
        keyword_only={"labels": "targets", "logits": "logits", "name": "name"},
        recognized_by="by position",
    ),
}
NAMES = frozenset([*_SAME, *_CHANGED])
MODULES = frozenset(_MODULES)


@functools.lru_cache(maxsize=None)
def find_gone(dotted_name: str) -> Old | None:
    """Returns the `Old` of a name that 1.15 lacks, such as "tensorflow.mul";
    None for any other name.
    """
    path = _below_tensorflow(dotted_name)
    if path in _CHANGED:
        return _CHANGED[path]
    if path in _SAME:
        return Old(_SAME[path])
    for module in MODULES:
        if (path + ".").startswith(module + "."):
            return Old((_MODULES[module] + path[len(module) :]).strip("."))
    return None


def find_kept(dotted_name: str) -> Old | None:
    """Returns the `Old` of a name that 1.15 has with another order of arguments;
    None for any other name.
    """
    return _KEPT.get(_below_tensorflow(dotted_name))


def _below_tensorflow(dotted_name: str) -> str:
    root, _, path = dotted_name.partition(".")
    return path if root == "tensorflow" else ""


def is_old_call(
    old: Old, positional: Sequence[Any], keywords: Iterable[str | None], reading: Reading
) -> bool:
    """Says whether a call has its arguments in the pre-1.0 order,
    where the name alone does not show it.
    """
    unchanged = {name for name, parts in old.changed().items() if parts == (name,)}
    if not old.recognized_by or set(keywords) & (set(old.old) - unchanged):
        return True
    given = [*positional, None, None, None, None]
    are_numbers = [each is not None and reading.is_number(each) for each in given[:3]]
    items = [None if each is None else reading.items(each) for each in given[:2]]
    if old.recognized_by == "number first":  # and the value to split is no number
        return are_numbers[0] and not are_numbers[2]
    if old.recognized_by == "number second":
        return are_numbers[1]
    if old.recognized_by == "axis first":  # before the values, which are a list or unknown
        return are_numbers[0] and not are_numbers[1] or items[0] is None and items[1] is not None
    if old.recognized_by == "labels last":  # after the output of the model
        place = next(index for index, name in enumerate(old.old) if name in ("labels", "targets"))
        return (
            given[place] is not None
            and reading.is_labels(given[place])
            and not reading.is_labels(given[place - 1])
        )
    if old.recognized_by == "booleans":
        return bool(items[1]) and all(
            isinstance(getattr(flag, "value", flag), bool) for flag in items[1] or ()
        )
    return given[0] is not None  # by position


def arrange_arguments(
    old: Old, positional: Sequence[Any], keywords: Sequence[tuple[str, Any]]
) -> tuple[list[Any], list[tuple[str, Any]]]:
    """Returns the arguments of a pre-1.0 call as the target takes them:
    by position, and as (name, argument).

    An argument that the target does not have is left out. A TypeError says which argument was
    unknown or missing.
    """
    parameters = old.old
    given = dict(zip(parameters, positional), **dict(keywords))
    if len(positional) > len(parameters) or len(given) < len(positional) + len(keywords):
        raise TypeError(f"expected at most the arguments {', '.join(parameters)}")
    by_position: list[Any] = []
    by_keyword: list[tuple[str, Any]] = []
    in_order = True
    for name, parts in old.changed().items():
        is_given_by_position = set(parts) <= set(parameters[: len(positional)])
        in_order = in_order and name not in old.keyword_only and is_given_by_position
        arguments = [given.pop(part) for part in parts if part in given]
        if arguments:
            argument = _joined(arguments, parts)
            by_position += [argument] if in_order else []
            by_keyword += [] if in_order else [(name, argument)]
    unknown = sorted(set(given) - set(parameters))
    if unknown:
        raise TypeError(f"there was no argument {unknown[0]!r}")
    return by_position, by_keyword


def _joined(arguments: list[Any], parts: tuple[str, ...]) -> Any:
    """Returns the argument, or the list of the two arguments that it replaces."""
    if len(arguments) < len(parts):
        raise TypeError(f"expected both {' and '.join(parts)}")
    return arguments if len(parts) > 1 else arguments[0]
