"""Tests that the user's classes, functions and objects are what they were in 1.15.5,
but for two tables of reasons.
"""

import json
import re

import pytest

import public_api
import records
from script_folder import run_output

pytestmark = [pytest.mark.period, pytest.mark.slow]

# The differences: a pattern of "class NAME: question" or of an expression, and the reason.
KNOWN = {
    r"pickle\.loads\(.*": "Pickle looks for classes in the installed modules of the same names.",
    r"(str|repr)\(ds\)|ds\.\w+\(.*|tf\.data\.\w*Dataset\b.*|class data\.experimental\.RandomDataset: \w+": "Datasets are the installed ones, which print their element_spec.",
    r"(str|repr)\(dev\)|class DeviceSpec: made": "The installed class has a readable text.",
    r"(str|repr)\(sp\)|sp [*/] 2(\.0)?": "The installed class has a readable text.",
    r"str\(op\)|op\.node_def|v\.to_proto\(\)": "Some versions of protobuf print fields and maps in another order.",
    r"tf\.train\.Feature\(float_list.*": "The installed protobuf prints 0.0 as 0.",
    r"tf\.train\.Int64List\(value=\[True\]\)": "The installed protobuf refuses bool for int.",
    r"op\.inputs|type\(op\.inputs\).*|\(c \+ 1\)\.op\.inputs\[:\]": "The inputs of an operation are a tuple, from C++.",
    r"type\(copy\.copy\((op|graph)\)\).*": "Operations and graphs are C++ objects.",
    r"(iter|list)\((x|c|i|v|r)\)|1 in c|c in c|round\(c\)|np\.float32\(c\)|int\(r\)": "The same mistake is an error of another class, in most cases a subclass, or comes one call earlier.",
    r"tf\.(is_variable_initialized|report_uninitialized_variables)\(.*": "The installed wrapper has another text.",
    r"hash\((shape|unknown)\).*|\{(shape|unknown): 1\}.*|float\(d\)|int\(tf\.float32\)|tf\.bool\.limits": "The installed class can do more.",
    r"tf\.Dimension\(('a'|2\.5|True)\)|tf\.TensorShape\(\[2\.0\]\)|tf\.placeholder\(tf\.float32, \[2\.5\]\)": "The installed class takes integers only.",
    r"(str|repr)\(tf\.Variable\)|tf\.name_scope\(3\)|class (distribute|config)\..*: name": "The installed class has another module or name.",
    r"class (train\.Checkpoint|data\.(experimental\.)?\w*Options): made": "The installed class has another module or name.",
    r"class config\.experimental\.VirtualDeviceConfiguration: .*": "The installed class has more fields.",
    r"class distribute\.experimental\.TPUStrategy: made": "Without a TPU it is an error of another class.",
    r"class data\.experimental\.(MapVectorizationOptions|StatsAggregator|StatsOptions)": "TensorFlow 2 dropped it.",
    r"class (tpu\.CrossShardOptimizer|train\.experimental\.MixedPrecisionLossScaleOptimizer): bases": "These optimizers are the installed ones.",
    r"type\(tf\.Tensor\)\.__name__|tf\.convert_to_tensor\(tf\.Tensor\)": "A metaclass makes eager tensors instances of the class of the tensors of graphs.",
    r"tf\.nn\.softmax_cross_entropy_with_logits\(c, c\)": "The pre-1.0 order of arguments is accepted.",
    r"tf\.(contrib|train|nn|layers)\.__name__": "Modules have the names by which programs import them.",
    r"sess\.run\(.*|np\.prod\(.*|tf\.float32\.(min|max)": "NumPy 2 prints the types of numbers.",
    r"tf\.estimator\..*": "The Estimator is a package that may not be installed.",
}


# The differences of signatures: a pattern of names, and the reason.
KNOWN_SIGNATURES = {
    r"lite\.experimental\..*|train\.experimental\.(en|dis)able_mixed_precision.*": "TensorFlow 2 dropped it.",
    r"config\.experimental_list_devices": "It has an annotation.",
    r"tpu\..*|config\.experimental_connect_to_cluster|vectorized_map|custom_gradient|function|test\.compute_gradient": "The installed function has more arguments, or defaults, at the end.",
    r"saved_model\..*|train\.MonitoredTrainingSession": "The installed function has more arguments at the end.",
    r"(numpy|py)_function": "The installed function is also a decorator, so all its arguments have defaults.",
    r"autograph\.experimental\.set_loop_options|random\.experimental\.create_rng_state"
    r"|config\.experimental\.set_virtual_device_configuration": "The installed function renamed an argument.",
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Returns the answers under `run` by the name of the record."""
    folder = str(tmp_path_factory.mktemp("public_api"))  # programs write event files into theirs
    return json.loads(run_output(public_api.__file__, folder=folder).splitlines()[-1])


def test_types_differ_from_1_15_by_the_table(answers):
    found, now = answers["public_types"], {}
    before = records.read("public_types")
    for name, entry in before["classes"].items():
        today = found["classes"].get(name)
        now.update(
            {f"class {name}": (entry, None)}
            if today is None
            else {f"class {name}: {each}": (entry[each], today.get(each)) for each in entry}
        )
    for group, expressions in before["expressions"].items():
        now.update(
            {
                code: (answer, found["expressions"][group][code])
                for code, answer in expressions.items()
            }
        )
    assert len(now) > 3000
    unknown = {
        question: pair
        for question, pair in now.items()
        if pair[0] != pair[1]
        and not any(re.fullmatch(pattern, question, re.DOTALL) for pattern in KNOWN)
    }
    assert unknown == {}


def test_signatures_differ_from_1_15_by_the_table(answers):
    before, now = map(
        public_api.by_name, (records.read("public_signatures"), answers["public_signatures"])
    )
    assert len(before) > 2500
    unknown = {
        name: (before[name], now.get(name))
        for name in before
        if before[name] != now.get(name)
        and not any(
            re.fullmatch(rf"tf\.(compat\.v2\.)?({pattern})", name) for pattern in KNOWN_SIGNATURES
        )
    }
    assert unknown == {}
