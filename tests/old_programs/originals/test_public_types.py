"""Tests that classes and objects of the user's TensorFlow are what they were in 1.15.5, but for a table of reasons."""

import json
import re

import pytest

import public_types
import records
from script_folder import ScriptFolder, output_of, run_output

pytestmark = pytest.mark.period

# The differences: a pattern of "class NAME: question" or of an expression, and the reason.
KNOWN = {
    r"class .*: pickle|pickle\.loads\(.*": "Pickle looks for classes in the installed modules of the same names.",
    r"(str|repr)\(ds\)|ds\.\w+\(.*|tf\.data\.\w*Dataset\b.*|class data\.experimental\.RandomDataset: \w+":
        "Datasets are the installed ones, which print their element_spec.",
    r"(str|repr)\(dev\)|class DeviceSpec: (made|text)": "The installed class has a readable text.",
    r"(str|repr)\(sp\)|sp [*/] 2(\.0)?": "The installed class has a readable text.",
    r"class distribute\.InputContext: text": "The installed class has a readable text.",
    r"str\(op\)|op\.node_def|v\.to_proto\(\)": "Some versions of protobuf print fields and maps in another order.",
    r"tf\.train\.Feature\(float_list.*": "The installed protobuf prints 0.0 as 0.",
    r"tf\.train\.Int64List\(value=\[True\]\)": "The installed protobuf refuses bool for int.",
    r"op\.inputs|type\(op\.inputs\).*|\(c \+ 1\)\.op\.inputs\[:\]": "The inputs of an operation are a tuple, from C++.",
    r"type\(copy\.copy\((op|graph)\)\).*|class Graph: copy": "Operations and graphs are C++ objects.",
    r"(iter|list)\((x|c|i|v|r)\)|1 in c|c in c|round\(c\)|np\.float32\(c\)|int\(r\)":
        "The same mistake is an error of another class, in most cases a subclass, or comes one call earlier.",
    r"tf\.(is_variable_initialized|report_uninitialized_variables)\(.*": "The installed wrapper has another text.",
    r"hash\((shape|unknown)\).*|\{(shape|unknown): 1\}.*|float\(d\)|int\(tf\.float32\)|tf\.bool\.limits":
        "The installed class can do more.",
    r"tf\.Dimension\(('a'|2\.5|True)\)|tf\.TensorShape\(\[2\.0\]\)|tf\.placeholder\(tf\.float32, \[2\.5\]\)":
        "The installed class takes integers only.",
    r"(str|repr)\(tf\.Variable\)|tf\.name_scope\(3\)|class (distribute|config)\..*: name":
        "The installed class has another module or name.",
    r"class (train\.Checkpoint|data\.(experimental\.)?\w*Options): (made|text)":
        "The installed class has another module or name.",
    r"class config\.experimental\.VirtualDeviceConfiguration: .*": "The installed class has more fields.",
    r"class distribute\.experimental\.TPUStrategy: made": "Without a TPU it is an error of another class.",
    r"class data\.experimental\.(MapVectorizationOptions|StatsAggregator|StatsOptions)": "TensorFlow 2 dropped it.",
    r"class (tpu\.CrossShardOptimizer|train\.experimental\.MixedPrecisionLossScaleOptimizer): bases":
        "These optimizers are the installed ones.",
    r"type\(tf\.Tensor\)\.__name__|tf\.convert_to_tensor\(tf\.Tensor\)":
        "A metaclass makes eager tensors instances of the class of the tensors of graphs.",
    r"tf\.nn\.softmax_cross_entropy_with_logits\(c, c\)": "The pre-1.0 order of arguments is accepted.",
    r"tf\.(contrib|train|nn|layers)\.__name__": "Modules have the names by which programs import them.",
    r"sess\.run\(.*|np\.prod\(.*|tf\.float32\.(min|max)": "NumPy 2 prints the types of numbers.",
    r"tf\.estimator\..*": "The Estimator is a package that may not be installed.",
}


@pytest.fixture(scope="module")
def differences(tmp_path_factory):
    """Returns {question: (1.15.5's answer, the answer under `run`)} for all that differ."""
    folder = ScriptFolder(tmp_path_factory.mktemp("public_types"))  # programs write event files into theirs
    run_output(public_types.__file__, "answers.json", folder=folder.path)
    with open(f"{folder.path}/answers.json", encoding="utf-8") as file:
        answers = json.load(file)
    before, now = records.read("public_types"), {}
    for name, entry in before["classes"].items():
        today = answers["classes"].get(name)
        now.update({f"class {name}": (entry, None)} if today is None else
                   {f"class {name}: {each}": (entry[each], today.get(each)) for each in entry})
    for group, expressions in before["expressions"].items():
        now.update({code: (answer, answers["expressions"][group][code]) for code, answer in expressions.items()})
    assert len(now) > 5000
    return {question: pair for question, pair in now.items() if pair[0] != pair[1]}


def test_what_differs_from_1_15_is_in_the_table(differences):
    unknown = {question: pair for question, pair in differences.items()
               if not any(re.fullmatch(pattern, question, re.DOTALL) for pattern in KNOWN)}
    assert unknown == {}


IS_1_15 = """
    type(tf.constant(1)) is tf.Tensor
    isinstance(tf.get_variable("r", [2], use_resource=True), tf.Variable)
    issubclass(tf.keras.layers.Dense, tf.keras.layers.Layer)
    not isinstance(tf.Variable(1.0), tf.Tensor)
    tf.Tensor is ops.Tensor is tf.compat.v2.Tensor is tf.compat.v1.Tensor
    tf.data.Dataset.from_tensors(1).output_classes is tf.Tensor
    tf.placeholder(tf.float32, [None]).shape != tf.placeholder(tf.float32, [None]).shape
    tf.placeholder(tf.float32, [None, 2]).shape[1:] == [2]
    bool(tf.placeholder(tf.float32, [None]).shape[0])
    hasattr(tf.distribute.get_strategy(), "experimental_run_v2")
    pickle.loads(pickle.dumps(tf.Tensor)) is tf.Tensor
    type(copy.copy(tf.constant(1))) is tf.Tensor
    isinstance(tf.Tensor(tf.constant(1).op, 0, tf.int32), tf.Tensor)
    not isinstance(tf.constant(1), type("Mine", (tf.Tensor,), {}))
    inspect.getfullargspec(tf.compat.v2.greater) == inspect.getfullargspec(lambda x, y, name=None: None)
    tf.compat.v2.random.normal([2]).op.type == "Add"
    tf.compat.v2.compat.v1.placeholder is tf.placeholder
    tf.compat.v2.initializers is tf.compat.v2.keras.initializers
    issubclass(tf.estimator.FinalExporter, tf.estimator.Exporter)
"""


def test_statements_that_are_true_in_1_15(tmp_path):
    statements = [line.strip() for line in IS_1_15.strip().splitlines()]
    assert output_of(f"""
        import copy, inspect, pickle
        from tensorflow.python.framework import ops

        for statement in {statements!r}:
            if not eval(statement):
                print(statement)
    """, tmp_path).splitlines() == []


def test_eager_tensors_are_tensors(tmp_path):
    assert output_of("""
        tf.enable_eager_execution()
        tensor = tf.constant(1)
        with tf.Graph().as_default():
            of_graph = tf.constant(1)
        print(isinstance(tensor, tf.Tensor), issubclass(type(tensor), tf.Tensor), type(of_graph) is tf.Tensor)
    """, tmp_path).splitlines() == ["True True True"]
