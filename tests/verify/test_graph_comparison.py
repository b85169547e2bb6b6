"""Compares constructed graphs, of which each pair differs in one known way."""

import json

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import function

from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import checks_before_runs
from tf1grad.verify.graphs import graph_description, known_differences
from tf1grad.verify.graphs.graph_comparison import GraphComparison
from tf1grad.verify.graphs.graph_description import SeenGraphs
from tf1grad.verify.graphs.graph_report import GraphReport
from tf1grad.verify.record import Facts, Op, Record


def recorded(*builds, **facts):
    """Returns a record of graphs, each made by a function."""
    record = Record(Facts(has_ended=True, **facts))
    seen = SeenGraphs(record)
    for build in builds:
        with tf.Graph().as_default() as graph:
            build()
        seen.note_run(graph)
    seen.describe()
    return record


TEXT = """
def build():
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.multiply(x, 2., name="y")
    with tf.control_dependencies([y]):
        z = tf.identity(x, name="z")
    tf.add_n([y, z, tf.random_uniform([4, 3], seed=5, name="noise")], name="sum")
"""


def changed(old, new):
    """Returns the function in `TEXT` with one piece replaced."""
    assert old in TEXT
    namespace = {"tf": tf}
    exec(TEXT.replace(old, new), namespace)
    return namespace["build"]


base = changed("", "")


def compare(one, other):
    """Returns the report on the graphs that two functions make."""
    return GraphReport(recorded(one), recorded(other))


def causes(one, other):
    """Returns [cause, attribute or number, name of the op] of each difference."""
    (graph,) = compare(one, other).graphs
    return [[each.cause, each.what, each.op.name] for each in graph.differences]


def python_function():
    tf.py_func(lambda: np.float32("nan"), [], tf.float32)  # its token has a counter of the process
    tf.constant(float("nan"))


def saver_that_draws_a_folder():
    tf.train.Saver([tf.get_variable("w", [1])], sharded=True)


@pytest.mark.parametrize("build", [base, python_function, saver_that_draws_a_folder])
def test_the_same_program_twice(build):
    report = compare(build, build)
    assert report.outcome == "same" and report.verdict() == "Identical."


@pytest.mark.parametrize(
    "old, new, expected, may",
    [
        ("tf.multiply(x", "tf.maximum(x", [["type", "", "y"]], True),
        ("seed=5", "seed=6", [["seed", "seed2", "noise/RandomUniform"]], True),
        ("x, 2.", "x, 3.", [["attributes", "value", "y/y"]], True),
        ("[None, 3]", "[4, 3]", None, False),
        ("[y, z, ", "[z, y, ", [["inputs", "input 0", "sum"], ["inputs", "input 1", "sum"]], True),
        ("dependencies([y])", "dependencies([])", [["control inputs", "", "z"]], True),
        ('name="y"', 'name="w"', [["name", "", "y/y"], ["name", "", "y"]], False),
        (
            "        z = ",
            '        tf.identity(y, name="new")\n        z = ',
            [["only in one", "", "new"]],
            True,
        ),
        (
            "z = tf.identity(x",
            "with tf.device('/cpu:0'):\n            z = tf.identity(x",
            [["device", "", "z"]],
            True,
        ),
    ],
    ids="type seed value shape inputs control name new device".split(),
)
def test_one_change(old, new, expected, may):
    found = causes(base, changed(old, new))
    if expected is None:
        assert {cause for cause, _, _ in found} == {"shape", "attributes"}
        assert {what for cause, what, _ in found if cause == "attributes"} == {"shape"}
    else:
        assert found == expected
    report = compare(base, changed(old, new))
    assert report.outcome == ("differs" if may else "differs without effect")


def test_another_order():
    found = causes(
        lambda: [tf.constant(1, name=name) for name in "abcd"],
        lambda: [tf.constant(1, name=name) for name in "bcda"],
    )
    assert found == [["order", "", "a"]]


def test_ops_of_one_type_are_a_pair_only_in_one_place():
    def build(*names):
        return lambda: [tf.constant(1, name=name) for name in names]

    other_name = [["name", "", "d"], ["order", "", "a"]]
    assert sorted(causes(build(*"abcd"), build(*"bcae"))) == other_name
    found = causes(build(*"abce"), build(*"adbc"))
    assert found == [["only in one", "", "d"], ["only in one", "", "e"]]


def test_new_ops_do_not_make_later_ones_differ():
    def build(count):
        x = tf.placeholder(tf.float32, [], name="x")
        for number in range(200):
            x = tf.add(x, 1.0)
            if number == 50:
                for _ in range(count):
                    x = tf.add(x, 1.0)
            x = tf.tanh(x)
        return x

    found = [cause for cause, _, _ in causes(lambda: build(0), lambda: build(1))]
    assert found.count("name") == 2 * 149
    assert sorted(set(found)) == ["inputs", "name", "only in one"] and len(found) == 2 * 149 + 3


def mapped(factor):
    """Returns a function that makes a dataset with a function."""
    return lambda: tf.data.make_initializable_iterator(
        tf.data.Dataset.range(3).map(lambda value: value * factor)
    )


def test_functions_of_datasets_are_compared_inside():
    one, again, other = [recorded(mapped(factor)) for factor in (2, 2, 3)]
    assert GraphReport(one, again).is_same
    report = GraphReport(one, other)
    ((difference,),) = [graph.differences for graph in report.graphs]
    assert (difference.cause, difference.what) == ("attributes", "value")
    assert difference.op.name.startswith("function_1/") and report.outcome == "differs"


@pytest.mark.filterwarnings("ignore")  # 1.15's function.Defun warns of itself
def test_functions_that_are_ops():
    def build(factor):
        def triple(x):
            return x * factor

        function.Defun(tf.float32)(triple)(tf.constant(1.0))

    assert causes(lambda: build(3.0), lambda: build(3.0)) == []
    found = causes(lambda: build(3.0), lambda: build(4.0))
    (value,) = [each for each in found if each[0] != "name"]  # its name has a hash of its ops
    assert value[:2] == ["attributes", "value"] and value[2].startswith("function_1/")


def test_values_of_constants():
    def constant(value):
        return lambda: tf.constant(value, name="a")

    differs = [["attributes", "value", "a"]]
    large = [0.0] * 9998
    assert causes(constant([*large, 0.0]), constant([*large, 1e-9])) == differs
    assert causes(constant(["a", "b"]), constant(["a", "c"])) == differs


@pytest.mark.parametrize(
    "name, differs", [("_XlaCompile", [["attributes", "_XlaCompile", "a"]]), ("_noted", [])]
)
def test_notes_of_python_are_no_differences(name, differs):
    def noted():
        tf.constant(1.0, name="a").op._set_attr(name, tf.AttrValue(b=True))

    assert causes(lambda: tf.constant(1.0, name="a"), noted) == differs


def test_defaults_are_no_differences():
    """Tests what lets graphs of two versions be compared, of which one has no such attribute."""

    def build():
        x = tf.placeholder(tf.float32, [2, 2])
        tf.matmul(x, x, name="product")

    ops = {op.name: op for op in recorded(build).graphs[0]}
    assert ops["product"].attributes == {"T": "float32"}


def test_known_differences_count_as_identical(monkeypatch):
    row = known_differences.KnownDifference("type", "Maximum", "", "", "It is another function.")
    monkeypatch.setattr(known_differences, "KNOWN", [row])
    other = changed("tf.multiply(x", "tf.maximum(x")
    assert compare(base, other).outcome == "differs"  # the row names the op under `run`: this one
    report = compare(other, base)
    assert report.outcome == "same"
    assert report.verdict() == "Identical, except for known differences: 1."
    assert report.as_dict("train.py")["graphs"][0]["known"][0]["reason"] == row.reason
    assert "known: type, ops: 1. It is another function." in report.as_text("train.py")


def part_of(source, **masks):
    """Returns a function that slices a vector: a shape, a shape that was cast, or a fed one."""

    def build():
        vector = tf.placeholder(tf.int32, [2], name="fed")
        if source != "fed":
            vector = tf.shape(tf.placeholder(tf.float32, [None, None], name="x"))
        if source == "cast":
            vector = tf.cast(vector, tf.int64)
        tf.raw_ops.StridedSlice(input=vector, begin=[1], end=[2], strides=[1], **masks)

    return build


def parts_of(source, axis):
    """Returns a function that unpacks a shape, or a fed matrix; in a branch if there is one."""

    def build(is_true=None):
        x = tf.placeholder(tf.float32, [2, 2] if source == "fed" else [None, None], name="x")
        value = x if source == "fed" else tf.shape(x)

        def unpack():
            return tf.unstack(value, axis=axis, num=2)[0]

        return unpack() if is_true is None else tf.cond(is_true, unpack, lambda: value[0])

    return build


def in_a_branch(build):
    """Returns a function that makes a branch of ops, as control flow version 1 does."""

    def build_branch():
        build(tf.placeholder(tf.bool, [], name="is_true"))

    return build_branch


ONE = {"shrink_axis_mask": 1}


@pytest.mark.parametrize(
    "this, other, is_known",
    [
        (part_of("shape", end_mask=1, **ONE), part_of("shape", **ONE), True),
        (part_of("shape", **ONE), part_of("shape", end_mask=1, **ONE), False),
        (part_of("shape", end_mask=1), part_of("shape"), False),  # x[1:] and x[1:2]
        (part_of("cast", ellipsis_mask=2), part_of("cast"), True),
        (part_of("cast", ellipsis_mask=1), part_of("cast"), False),  # x[...] and x[1:2]
        (part_of("fed", ellipsis_mask=2), part_of("fed"), False),
        (parts_of("shape", -1), parts_of("shape", 0), True),
        (in_a_branch(parts_of("shape", -1)), in_a_branch(parts_of("shape", 0)), True),
        (parts_of("fed", -1), parts_of("fed", 0), False),  # columns and rows
    ],
)
def test_attributes_are_known_only_where_the_value_is_the_same(this, other, is_known):
    report = compare(this, other)
    (graph,) = report.graphs
    assert (report.is_same, len(graph.known)) == (is_known, int(is_known))
    assert report.may_change_numbers != is_known


@pytest.mark.parametrize(
    "op_type, attribute, values, is_known",
    [
        ("GatherTree", "T", (None, "int32"), True),
        ("GatherTree", "T", ("int64", "int32"), False),
        ("GatherTree", "end", (1, 2), False),
        ("Enter", "parallel_iterations", (1, None), True),
        (
            "Const",
            "value",
            ({"tensor": "int64", "values": [4]}, {"tensor": "int64", "values": [-1]}),
            True,
        ),
        (
            "Const",
            "value",
            ({"tensor": "int64", "values": [4]}, {"tensor": "int64", "values": [2]}),
            False,
        ),
        ("Enter", "parallel_iterations", (None, 1), False),  # 1.15's is in order, `run`'s is not
    ],
)
def test_other_attributes_are_known_where_run_writes_them(op_type, attribute, values, is_known):
    def one(value):
        attributes = {} if value is None else {attribute: value}
        return [Op(op_type, "cycle_length", [], [], attributes, [[]], "", None)]

    graph = GraphComparison(*map(one, values))
    assert (len(graph.known), len(graph.differences)) == (int(is_known), int(not is_known))


@pytest.mark.parametrize("cause", ["inputs", "control inputs"])
def test_ops_that_run_adds_are_known(cause):
    def build(adds):
        x = tf.placeholder(tf.float32, [], name="x")
        with checks_before_runs.ops_are_added("tf1grad_checks/solve_/"):
            added = tf.identity(x, name="check") if adds else x
        with tf.control_dependencies([added] if cause == "control inputs" and adds else []):
            tf.identity(added if cause == "inputs" else x, name="y")

    report = compare(lambda: build(True), lambda: build(False))
    assert report.is_same
    assert [each.cause for each in report.graphs[0].known] == ["only in one", cause]


@pytest.mark.parametrize("cause", ["inputs", "control inputs"])
def test_an_op_of_the_user_below_the_scope_of_added_ops_is_told(cause):
    def build(plants):
        x = tf.placeholder(tf.float32, [], name="x")
        planted = tf.identity(x, name="tf1grad_checks/solve_/check") if plants else x
        with tf.control_dependencies([planted] if cause == "control inputs" and plants else []):
            tf.identity(planted if cause == "inputs" else x, name="y")

    graph = compare(lambda: build(True), lambda: build(False)).graphs[0]
    assert graph.known == []
    assert [each.cause for each in graph.differences] == ["only in one", cause]


@pytest.mark.filterwarnings("ignore")  # 1.15's function.Defun warns of itself
@pytest.mark.parametrize("is_added", [True, False])
def test_ops_that_run_adds_to_a_function_are_known(is_added):
    """Tests a function, such as the pipeline of a one-shot iterator."""
    scope = checks_before_runs.ops_are_added if is_added else tf.name_scope

    def build(adds):
        @function.Defun(tf.float32)
        def pipeline(x):
            with scope("tf1grad_checks/"):
                made = tf.identity(x) if adds else x
            return tf.negative(made, name="y")

        pipeline(tf.constant(1.0), name="call")

    graph = compare(lambda: build(True), lambda: build(False)).graphs[0]
    known, told = (graph.known, graph.differences)[:: 1 if is_added else -1]
    assert told == []
    assert [each.cause for each in known] == ["only in one", "inputs"]


def test_several_graphs_of_which_one_program_has_more():
    other = changed("x, 2.", "x, 3.")
    report = GraphReport(recorded(base, other), recorded(base, other))
    assert report.outcome == "same" and report.verdict() == "Identical."
    report.other.facts.has_ended = False
    ended = "One of the programs trained, and the other ended before."
    assert report.outcome == "differs" and report.verdict() == "Identical. " + ended
    extra = recorded(base, other, lambda: tf.constant(1, name="extra"))
    report = GraphReport(recorded(base, other), extra)
    assert report.outcome == "differs"
    assert [len(graph.this) > 0 for graph in report.graphs] == [True, True, False]
    assert "graph 3, 0 ops | 1 op: different" in report.as_text("train.py")


def test_an_early_end_is_told_where_only_names_differ():
    report = compare(base, changed('name="y"', 'name="w"'))
    told = "The graphs part at the op y/y. The differences cannot change a number."
    assert report.verdict() == told and report.outcome == "differs without effect"
    report.other.facts.has_ended = False
    assert report.outcome == "differs"
    assert report.verdict() == told + " One of the programs trained, and the other ended before."


def test_scripts_that_end_before_they_train_are_told():
    report = compare(base, base)
    assert report.notes() == []
    report.this.facts.has_ended = False
    assert report.notes() == []
    report.other.facts.has_ended = False
    (told,) = report.notes()
    assert told.startswith("The script ended before the step at which verify stops")
    assert f"Note: {told}" in report.as_text("train.py").splitlines()


def test_the_first_op_that_can_change_numbers_is_named_after_those_that_cannot():
    def build(name, value):
        def build():
            tf.placeholder(tf.float32, [], name=name)
            tf.constant(value, name="c")

        return build

    report = compare(build("a", 1.0), build("b", 2.0))
    assert [each.op.name for each in report.graphs[0].differences] == ["a", "c"]
    before = "The first difference that can change numbers is at the op c. Others, which cannot, are before it."
    assert report.verdict() == before
    text = report.as_text("train.py")
    assert "  the first op where they part in what can change numbers:\n    c (Const)" in text
    names, value = build("b", 1.0), build("a", 2.0)
    report = GraphReport(recorded(build("a", 1.0), build("a", 1.0)), recorded(names, value))
    assert report.verdict() == before
    report = GraphReport(recorded(build("a", 1.0), build("a", 1.0)), recorded(value, names))
    assert report.verdict() == "The graphs part at the op c. The difference can change numbers."


def test_a_program_that_differs_from_itself_is_told_apart():
    def built(first, second, factor):
        def build():
            for name in (first, second):
                tf.get_variable(name, [1]).initializer  # noqa: B018 - makes the ops
            tf.multiply(tf.constant(1.0), factor, name="product")

        return recorded(build)

    this, other, again = built("a", "b", 2.0), built("b", "a", 2.0), built("a", "b", 2.0)
    assert GraphReport(this, other).outcome == "differs without effect"
    report = GraphReport(this, other, again)
    assert report.outcome == "noisy"
    assert report.verdict().startswith("Too noisy to tell: identical except for ")
    report = GraphReport(built("a", "b", 3.0), other, again)
    assert report.outcome == "differs"
    assert report.verdict().startswith("The graphs part at the op product/y.")


def test_graphs_survive_their_file(tmp_path):
    path = tmp_path / "graphs.json"
    record = recorded(base, mapped(2))
    record.save(str(path))
    loaded = Record.load(str(path))
    assert len(loaded.graphs) == 2 and vars(loaded) == vars(record)
    content = json.loads(path.read_text())
    for broken in ({}, [], dict(content, format="0"), dict(content, graphs=[[1]])):
        path.write_text(json.dumps(broken))
        with pytest.raises(UsageError, match="is damaged, or not a file that --record-graph"):
            Record.load(str(path))


def test_the_report_shows_the_first_op_that_differs_and_the_lines_that_made_it():
    report = compare(base, changed("multiply(x, 2.", "multiply(x, 3."))
    (graph,) = report.as_dict("train.py")["graphs"]
    first = graph["first"]
    assert (first["op"], first["type"]) == ("y/y", "Const")
    assert "3" in first["example"]
    text = report.as_text("train.py")
    assert "the first op where they part:" in text and "y/y (Const)" in text


def test_the_report_names_the_user_lines_that_made_the_ops(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    builds = []
    for name, factor in (("this.py", "2."), ("other.py", "3.")):
        path, text = tmp_path / name, TEXT.replace("x, 2.", f"x, {factor}")
        path.write_text(text)
        namespace = {"tf": tf}
        exec(compile(text, str(path), "exec"), namespace)
        builds.append(namespace["build"])
    monkeypatch.setattr(
        graph_description, "is_users_file", lambda file: file.startswith(str(tmp_path))
    )
    (graph,) = compare(*builds).as_dict("train.py")["graphs"]
    assert graph["first"]["lines"] == [
        'this.py:5: y = tf.multiply(x, 2., name="y")',
        'other.py:5: y = tf.multiply(x, 3., name="y")',
    ]


def test_the_report_says_which_differences_can_change_numbers():
    effects = {}
    for new in ("x, 3.", 'x, 2., name="w"'):
        (graph,) = compare(base, changed('x, 2., name="y"', new)).as_dict("train.py")["graphs"]
        effects.update((group["cause"], group["effect"]) for group in graph["causes"])
    (graph,) = compare(base, changed("[None, 3]", "[4, 3]")).as_dict("train.py")["graphs"]
    effects.update((group["cause"], group["effect"]) for group in graph["causes"])
    assert effects == {
        "attribute value": "yes",
        "name": "no, only in checkpoints",
        "shape": "no, only through Python",
        "attribute shape": "no",
    }
