"""Tests what is found in a training program:
keys of feeds, accumulation, clipping, application, guards.
"""

import ast

import pytest

from tf1grad.programs.source import feeds, guards, training_steps
from tf1grad.programs.source.files import Source
from tf1grad.programs.source.program import Program, argument, is_open


def _program(text):
    return Program(Source("program.py", "import tensorflow as tf\n" + text))


def _names(nodes):
    return [ast.literal_eval(node) if isinstance(node, ast.Constant) else node.id for node in nodes]


# The program, and the keys of its feeds.
FEEDS = {
    "a literal": ("session.run(op, feed_dict={x: 1, y: 2})", ["x", "y"]),
    "by position": ("session.run(op, {x: 1})", ["x"]),
    "by position of another method": ("loss.eval(op, {x: 1})", []),
    "of another method": ("loss.eval(feed_dict={x: 1})", ["x"]),
    "merged": ("session.run(op, {**common, x: 1})", ["x"]),
    "a name": ("feed = {x: 1}\nsession.run(op, feed)", ["x"]),
    "an attribute": ("self.feed = {x: 1}\nsession.run(op, self.feed)", ["x"]),
    "added later": ("feed = {x: 1}\nfeed[y] = 2\nother[z] = 3\nsession.run(op, feed)", ["x", "y"]),
    "read": ("feed = {x: 1}\nprint(feed[y])\nsession.run(op, feed)", ["x"]),
    "updated": (
        "feed = {x: 1}\nfeed.update({y: 2})\nother.update({z: 3})\nsession.run(op, feed)",
        ["x", "y"],
    ),
    "a comprehension": ("session.run(op, {key: 1 for key in keys})", ["key"]),
    "zipped": ("session.run(op, dict(zip(keys, values)))", ["keys"]),
    "a copy": ("feed = {x: 1}\nsession.run(op, dict(feed))", ["x"]),
    "a function": ("def made(a):\n    return {x: a}\nsession.run(op, feed_dict=made(1))", ["x"]),
    "a method": (
        "class A:\n    def made(self):\n        return {x: 1}\nsession.run(op, self.made())",
        ["x"],
    ),
    "a function of itself": ("def made():\n    return made()\nsession.run(op, made())", []),
    "nothing": ("session.run(op)", []),
}


@pytest.mark.parametrize("text, keys", list(FEEDS.values()), ids=list(FEEDS))
def test_keys_of_feeds_are_found(text, keys):
    assert _names(feeds.keys_of_feeds(_program(text))) == keys


STEP = """
optimizer = tf.train.AdamOptimizer()
pairs = optimizer.compute_gradients(loss)
sums = [tf.Variable(tf.zeros_like(v)) for v in tf.trainable_variables()]
"""


def _lines(calls):
    return [call.node.lineno - STEP.count("\n") - 1 for call in calls]


def test_accumulation_is_no_step_of_an_optimizer():
    program = _program(
        STEP
        + """adds = [s.assign_add(g) for s, (g, v) in zip(sums, pairs)]
first = pairs[0][0]; tf.assign_add(sums[0], first)
steps = [v.assign_add(-0.1 * g) for g, v in pairs]
squares = [s.assign_add(tf.square(g)) for s, (g, v) in zip(sums, pairs)]
squares = [s.assign_add(g * g) for s, (g, v) in zip(sums, pairs)]
count.assign_add(1)
"""
    )
    found = training_steps.accumulations(program)
    assert _lines(found) == [1, 2]
    targets = [training_steps.find_updated(call) for call in found]
    assert [ast.dump(each) for each in targets[:1]] == [ast.dump(ast.parse("s", mode="eval").body)]
    assert isinstance(targets[1], ast.Subscript)


def test_clips_and_applications_are_found():
    program = _program(
        STEP
        + """clipped = [(tf.clip_by_norm(g, 1.0), v) for g, v in pairs]
values = tf.clip_by_value(loss, 0.0, 1.0)
with tf.control_dependencies([loss]), other():
    optimizer.apply_gradients(clipped, global_step=step)
optimizer.apply_gradients(grads_and_vars=pairs)
optimizer.apply_gradients()
"""
    )
    clips = [call for call in program.calls if training_steps.clips_gradient(program, call)]
    assert _lines(clips) == [1]
    assert training_steps.is_in_loop(program, clips[0].node)
    applied = list(training_steps.applied_pairs(program))
    assert _lines(call for call, _ in applied) == [4, 5]
    assert _names(pairs for _, pairs in applied) == ["clipped", "pairs"]
    around = [
        [
            each.lineno - STEP.count("\n") - 1
            for each in training_steps.control_dependencies(program, call.node)
        ]
        for call, _ in applied
    ]
    assert around == [[3], []]
    assert not training_steps.is_in_loop(program, applied[0][0].node)


def test_the_class_of_a_called_layer():
    program = _program(
        "drop = tf.layers.Dropout(0.5)\ndrop(x)\ntf.layers.Dense(2)(x)\nunknown(x)\ntf.nn.relu(x)\n"
    )
    found = [training_steps.called_layer(program, call.node) for call in program.calls]
    assert [name for name in found if name] == [
        "tensorflow.layers.Dropout",
        "tensorflow.layers.Dense",
    ]


# A program, and whether its `tf.new` is guarded.
GUARDS = {
    "nothing": ("{}", False),
    "the error of a name": ("try:\n    {}\nexcept AttributeError:\n    pass", True),
    "another error": ("try:\n    {}\nexcept KeyError:\n    pass", False),
    "one of two": ("try:\n    {}\nexcept (KeyError, AttributeError):\n    pass", True),
    "any error of one statement": ("try:\n    {}\nexcept Exception:\n    pass", True),
    "all errors of one statement": ("try:\n    {}\nexcept:\n    pass", True),
    "any error of more": ("try:\n    {}\n    y()\nexcept Exception:\n    pass", False),
    "any error of a loop": ("try:\n    for a in b:\n        {}\nexcept:\n    pass", False),
    "a handler of another name": ("try:\n    tf.other\nexcept AttributeError:\n    {}", True),
    "a handler of another error": ("try:\n    tf.other()\nexcept KeyError:\n    {}", False),
    "an import before it": ("try:\n    import b\nexcept ImportError:\n    {}", True),
    "an else": ("try:\n    tf.new\nexcept AttributeError:\n    pass\nelse:\n    {}", True),
    "an else of another": (
        "try:\n    tf.old\nexcept AttributeError:\n    pass\nelse:\n    {}",
        False,
    ),
    "a finally": ("try:\n    y()\nexcept AttributeError:\n    pass\nfinally:\n    {}", False),
    "errors with a name": ("E = (AttributeError,)\ntry:\n    {}\nexcept E:\n    pass", True),
}


@pytest.mark.parametrize("text, expected", list(GUARDS.values()), ids=list(GUARDS))
def test_a_try_guards_a_name(text, expected):
    program = _program(text.format("last = tf.new"))
    node = next(node for node, _ in program.nodes(ast.Assign) if node.targets[0].id == "last").value
    assert guards.is_guarded(program, node) is expected


def test_a_try_guards_an_import_and_a_call():
    text = "try:\n    {}\nexcept {}:\n    pass"
    for error, of_import, of_call in (
        ("ImportError", True, False),
        ("TypeError", False, True),
        ("AttributeError", False, False),
    ):
        program = _program(text.format("import b", error))
        assert guards.is_guarded(program, program.names.imports[-1].node) is of_import
        program = _program(text.format("tf.f(old=1)", error))
        assert guards.is_guarded_call(program, program.calls[0].node) is of_call


def test_arguments_are_found_by_place_and_keyword():
    calls = [node.value for node in ast.parse("f(a, b=c)\nf(*a)\nf(**a)\nf()").body]
    assert argument(calls[0], 0, "x").id == "a" and argument(calls[0], 5, "b").id == "c"
    assert argument(calls[0], None, "a") is None and argument(calls[0], 1, "x") is None
    assert argument(calls[1], 0, "x") is None
    assert [is_open(call) for call in calls] == [False, True, True, False]
