"""Tests checkpoints of objects over installed classes, and which objects are the user's."""

import types

import pytest

from script_folder import output_of
from tf1grad._compat import VERSION
from tf1grad.programs.process import ownership

of_tensorflow_2 = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has one Trackable")
of_the_period = pytest.mark.period(on_1_15=True)

HELPERS = """
from tensorflow.python.training.tracking import base, tracking

def variable(name, value):
    return tf.get_variable(name, initializer=float(value), use_resource=True)

def saved(session, suffix, **children):
    checkpoint = tf.train.Checkpoint(**children)
    session.run(checkpoint.save_counter.initializer)
    path = checkpoint.save(sys.argv[0] + suffix, session=session)
    print(*[name.partition("/.ATTR")[0] for name, _ in tf.train.list_variables(path)])
    return path
"""


@of_the_period
def test_lists_and_dicts_of_objects_are_saved_and_tuples_are_not(tmp_path):
    """1.15.5 prints the same."""
    script = """
class Holder(tracking.AutoTrackable):
    def __init__(self, value):
        self.kept = [variable("a%d" % value, value)]
        self.named = {"b": variable("b%d" % value, value + 1)}
        self.pair = (variable("c%d" % value, value + 2),)

first, second = Holder(1), Holder(10)
print(type(first.kept).__name__, type(first.named).__name__, type(first.pair).__name__)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = saved(session, ".a", holder=first)
    tf.train.Checkpoint(holder=second).restore(path).assert_consumed().run_restore_ops(session)
    print(session.run([second.kept[0], second.named["b"], second.pair[0]]))
"""
    assert output_of(HELPERS + script, tmp_path).splitlines() == [
        "ListWrapper _DictWrapper tuple",
        "_CHECKPOINTABLE_OBJECT_GRAPH holder/kept/0 holder/named/b save_counter",
        "[1.0, 2.0, 12.0]",
    ]


@of_the_period
def test_an_object_may_list_and_look_up_its_dependencies(tmp_path):
    """1.15.5 prints the same."""
    script = """
class Listing(base.Trackable):
    def __init__(self):
        self.child = variable("listed", 5)
    @property
    def _checkpoint_dependencies(self):
        return [base.TrackableReference("renamed", self.child)]
    def _lookup_dependency(self, name):
        return self.child if name == "renamed" else None

class Renaming(tf.train.Checkpoint):
    asked = []
    def _lookup_dependency(self, name):
        self.asked.append(name)
        return super(Renaming, self)._lookup_dependency("old" if name == "new" else name)

table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, checkpoint=True)
listing = Listing()
with tf.Session() as session:
    session.run([listing.child.initializer, table.insert(["a"], tf.constant([3], tf.int64))])
    path = saved(session, ".b", listing=listing)
    session.run(listing.child.assign(0.0))
    tf.train.Checkpoint(listing=listing).restore(path).assert_consumed().run_restore_ops(session)
    print(session.run(listing.child))
    path = saved(session, ".c", new=listing.child)
    session.run(listing.child.assign(0.0))
    Renaming(old=listing.child).restore(path).run_restore_ops(session)
    print(session.run(listing.child), "new" in Renaming.asked)
    saved(session, ".d", table=table)
"""
    start = "_CHECKPOINTABLE_OBJECT_GRAPH"
    assert output_of(HELPERS + script, tmp_path).splitlines() == [
        start + " listing/renamed save_counter",
        "5.0",
        start + " new save_counter",
        "5.0 True",
        start + " save_counter table table",
    ]


@of_the_period
def test_a_variable_that_is_made_later_gets_its_value_from_the_checkpoint(tmp_path):
    """1.15.5 prints the same."""
    script = """
from tensorflow.python.eager import context

class Late(base.Trackable):
    def make(self):
        self.v = self._add_variable_with_custom_getter(
            "v", shape=[], initializer=tf.zeros_initializer(), getter=tf.get_variable,
            use_resource=True)

with context.eager_mode():
    path = tf.train.Checkpoint(late=tf.train.Checkpoint(v=tf.Variable(3.0))).save(sys.argv[0])
    late = Late()
    tf.train.Checkpoint(late=late).restore(path)
    late.make()
    print(late.v.numpy())
"""
    assert output_of(HELPERS + script, tmp_path) == "3.0\n"


@of_tensorflow_2
def test_objects_without_a_file_or_of_the_users_files_are_the_users(monkeypatch):
    from tf1grad.run.op_layer import checkpoints
    from tf1grad.run.originals import loader

    files = {"users": "/users.py", "librarys": "/library.py", "builtin": None}
    for name, file in files.items():
        module = types.ModuleType(name)
        if file:
            module.__file__ = file
        monkeypatch.setitem(checkpoints.sys.modules, name, module)
    monkeypatch.setattr(ownership, "is_users_file", lambda file: file == "/users.py")
    monkeypatch.setattr(loader, "is_original", lambda name: name == "tensorflow.python.toy")

    def is_users(module):
        return bool(checkpoints._is_users(type("Any", (), {"__module__": module})()))

    assert is_users("users") and is_users("builtin") and is_users("no_module")
    assert not is_users("librarys")
    assert is_users("tensorflow.python.trackable.base") and is_users("tensorflow.python.toy")


@of_tensorflow_2
def test_an_installed_object_without_saveables_is_asked_for_its_tensors(monkeypatch):
    from tensorflow.python.training.saving import saveable_object_util

    from tf1grad.run.op_layer import checkpoints

    monkeypatch.setattr(
        saveable_object_util, "trackable_has_serialize_to_tensor", lambda owner: owner == "tensors"
    )
    monkeypatch.setattr(
        saveable_object_util, "saveable_objects_from_trackable", lambda owner: {"of": owner}
    )
    assert checkpoints._saveables_of(lambda owner: {}, "tensors") == {"of": "tensors"}
    assert checkpoints._saveables_of(lambda owner: {"own": 1}, "tensors") == {"own": 1}
    assert checkpoints._saveables_of(lambda owner: {}, "none") == {}


@of_tensorflow_2
def test_the_first_registration_of_a_type_stays_and_takes_the_later_ones_objects():
    from tf1grad.run.op_layer import checkpoints

    types_ = checkpoints._RevivedTypes()
    types_["optimizer"] = (lambda value: value == 1, ["first"])
    types_["other"] = (lambda value: value == 5, ["other"])
    types_["optimizer"] = (lambda value: value == 2, ["second"])
    accepts, versions = types_["optimizer"]
    assert [accepts(value) for value in (1, 2, 3)] == [True, True, False]
    assert versions == ["first"] and types_["other"][1] == ["other"]
