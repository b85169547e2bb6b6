"""Says which ops of a stranger's graph may run:
those that know no file, no other process and no Python function.

An op without a state, without text among its inputs and without an attribute of free text knows
none of these. All others have to be named here. TensorFlow may run ops without a state while it
imports a graph, to infer shapes.
"""

from __future__ import annotations

import re
from typing import Any, Container, Iterable, Iterator

from tf1grad._compat import tf
from tf1grad.model.graph_facts import node_name
from tf1grad.programs import _compat
from tf1grad.recipes.sessions.reached import reached

Node = Any  # a `NodeDef`
REASON = "may read or write files, or call code outside of the graph"
PERMITTED = re.compile(
    r"""(
    # texts and their encodings
    String\w+|AsString|Substr|(Static)?Regex(Replace|FullMatch)|ReduceJoin|UnsortedSegmentJoin|Unicode\w+|Fingerprint|
    (Encode|Decode)(Base64|Jpeg)|Decode(AndCropJpeg|Png|Gif|Bmp|Image|WebP|Wav|Raw|PaddedRaw|Compressed|CSV|JSONExample)|
    ExtractJpegShape|Parse(Single)?(Sequence)?Example|ParseTensor|DeserializeManySparse|SdcaFprint|
    Sharded(Filename|Filespec)|(Scalar|Histogram|Image|Audio|Tensor|Merge)Summary|
    # arrays, with the name of a mode
    (Xla)?Einsum|GatherNd|(Tensor)?Scatter(Nd)?(Add|Sub|Update|Min|Max|NonAliasingAdd)?|DataFormat(DimMap|VecPermute)|
    RaggedTensorToTensor|(Sparse|Ragged)Cross|(Dense|Sparse)To(Dense|Sparse)SetOperation|ImageProjectiveTransform|
    ExtractGlimpse|ScaleAndTranslate(Grad)?|PreventGradient|GuaranteeConst|CudnnRNN(Backprop)?|DeepCopy|Empty|
    # control flow
    (Ref)?Enter|(Stateful)?PartitionedCall|If|While|Case|Assert|CheckNumerics|Print|Timestamp|
    # what lives as long as a session
    Variable|VarHandleOp|VarIsInitializedOp|VariableShape|ReadVariableOp|Assign(Add|Sub)?VariableOp|
    (Destroy)?TemporaryVariable|Resource(Gather|GatherNd|Scatter\w+|StridedSliceAssign|CountUpTo|(Sparse)?Apply\w+)|
    (Anonymous)?(Mutable)?(Dense)?HashTable(OfTensors)?|InitializeTable|LookupTable\w+|TensorArray\w*|
    Stack(Push|Pop|Close)?|Add(Many)?SparseToTensorsMap|TakeManySparseFromTensorsMap|\w*BoostedTrees\w+|
    # random numbers
    Random(Uniform|UniformInt|StandardNormal|Gamma|Poisson|Shuffle|Crop)|TruncatedNormal|ParameterizedTruncatedNormal|
    Multinomial|Stateful(Uniform|UniformInt|UniformFullInt|StandardNormal|TruncatedNormal|RandomBinomial)|
    Rng(Skip|ReadAndSkip)|NonDeterministicInts|StatelessRandomGetAlg|SampleDistortedBoundingBox|
    (Uniform|LogUniform|LearnedUnigram|ThreadUnsafeUnigram|FixedUnigram|All)CandidateSampler
    )(V\d)?$""",
    re.X,
)
# Ops that read a file, each with the input that names it.
READERS = {"InitializeTableFromTextFile": 1, "InitializeTableFromTextFileV2": 1, "RestoreV2": 0}
# Attributes that name a file, with the values that name none.
FILE_ATTRIBUTES = {
    "vocab_file": re.compile(rb"\Z"),
    "output_stream": re.compile(rb"(stderr|stdout|log\(\w+\))?\Z"),
}


def first_refused(
    graph_def: tf.GraphDef, ends: Iterable[str], files: Container[str] = frozenset()
) -> Node | None:
    """Returns a node that must not run, of those that `ends` need;
    or one that the import of the graph may run.

    Args:
        graph_def: the graph, which may be imported if the result is None.
        ends: the names of nodes or tensors that are run.
        files: the nodes whose texts are names of the model's own files.
    """
    inputs = {node.name: node.input for node in graph_def.node}
    run = reached(set(map(node_name, ends)), lambda name: map(node_name, inputs.get(name, ())))
    nodes = [node for node in graph_def.node if node.name in run]
    for function in functions_of(nodes, graph_def.library):
        nodes.extend(function.node_def)
    refused = (node for node in nodes if not _may_run(node, files))
    return next(refused, None) or first_refused_of_import(graph_def)


def first_refused_of_import(graph_def: tf.GraphDef) -> Node | None:
    """Returns a node that must not run, and that TensorFlow may run while it
    imports the graph; or None.
    """
    nodes = [*graph_def.node]
    for function in graph_def.library.function:
        nodes.extend(function.node_def)
    return next((node for node in nodes if _has_no_state(node.op) and not _may_run(node)), None)


def describe_refused(node: Node) -> str:
    """Returns the sentence's end that names a refused node, with the reason."""
    return f"its op {node.op} ({node.name!r}), which {REASON}."


def functions_of(nodes: Iterable[Node], library: Any) -> list[Any]:
    """Returns the functions of a library that nodes call, directly or through others."""
    functions = {function.signature.name: function for function in library.function}
    gradients = {each.function_name: each.gradient_func for each in library.gradient}

    def called_by(name: str) -> Iterator[str]:
        if name in functions:
            yield from _names_in(functions[name].node_def)
        if name in gradients:
            yield gradients[name]

    called = reached(_names_in(nodes), called_by)
    return [function for name, function in functions.items() if name in called]


def _names_in(nodes: Iterable[Node]) -> Iterator[str]:
    """Yields the names that functions have which nodes may call."""
    for node in nodes:
        yield node.op
        for attribute in node.attr.values():
            yield from _names_of(attribute)


def _names_of(attribute: Any) -> Iterator[str]:
    for function in [attribute.func, *attribute.list.func]:
        if function.name:
            yield function.name
            for inner in function.attr.values():
                yield from _names_of(inner)


def _has_no_state(op: str) -> bool:
    definition = _compat.op_definition(op)
    return definition is not None and not definition.is_stateful


def _may_run(node: Node, files: Container[str] = frozenset()) -> bool:
    definition = _compat.op_definition(node.op)
    if definition is None:
        return True  # a function, or an op that TensorFlow cannot import
    for name, harmless in FILE_ATTRIBUTES.items():
        if name in node.attr and not harmless.match(node.attr[name].s):
            return False
    if node.op in READERS:
        named = node.input[READERS[node.op] :][:1]
        return any(node_name(name) in files for name in named)
    return PERMITTED.match(node.op) is not None or _knows_no_text(definition)


def _knows_no_text(definition: Any) -> bool:
    text = tf.string.as_datatype_enum
    return not (
        definition.is_stateful
        or any(each.type == text for each in definition.input_arg)
        or any(
            each.type in ("string", "list(string)")
            and not each.HasField("allowed_values")
            and each.name != "metadata"  # of datasets, for messages
            for each in definition.attr
        )
    )
