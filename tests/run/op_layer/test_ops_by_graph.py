"""Tests the ops that installed modules make in the user's graphs: 1.15.5 prints the same."""

import pytest

from made_ops import lines_of

pytestmark = pytest.mark.period(on_1_15=True)


@pytest.mark.parametrize("reads", [[], ["ReadVariableOp"]], ids=["ref", "resource"])
def test_operators_of_variables_act_on_their_values(tmp_path, reads):
    script = f"""
v = tf.get_variable("v", [2], use_resource={bool(reads)})
result = made(lambda: 1.0 - v)
made(lambda: v + [1.0, 2.0])
made(lambda: v < 1.0)
assigned = made(lambda: v[:1].assign([3.0]))
made(lambda: print(v == v, v != v, v == 1.0))
with tf.Session() as session:
    session.run(v.initializer)
    session.run(assigned)
    print(session.run([v[0], result[0]]))
"""
    assign, read = (
        ("ResourceStridedSliceAssign", ["ReadVariableOp"]) if reads else ("StridedSliceAssign", [])
    )
    assert lines_of(script, tmp_path) == [
        " ".join(types)
        for types in (
            [*reads, "Const", "Sub"],
            [*reads, "Const", "AddV2"],
            [*reads, "Const", "Less"],
            [*reads, *["Const"] * 3, "StridedSlice", "Const", assign, *read],
            ["True False False"],
            [],
            ["[3.0, -2.0]"],
        )
    ]


def test_a_tensor_equals_itself_alone(tmp_path):
    script = """
x = tf.constant([1.0])
made(lambda: print(x == x, x == tf.identity(x), x != x))
"""
    assert lines_of(script, tmp_path) == ["True False False", "Identity"]


def test_the_default_kind_of_variables_is_the_one_that_the_program_sets(tmp_path):
    script = """
for switch in tf.enable_resource_variables, tf.disable_resource_variables:
    switch()
    print(type(tf.get_variable(switch.__name__, [2])).__name__)
def regularized():
    zeros = tf.zeros_initializer()
    return tf.get_variable("regularized", [2], initializer=zeros, regularizer=tf.nn.l2_loss)
made(regularized)
"""
    assert lines_of(script, tmp_path) == [
        "ResourceVariable",
        "RefVariable",
        "Const VariableV2 Assign Identity L2Loss",
    ]


def test_static_shapes_of_arrays_and_sparse_tensors(tmp_path):
    script = """
array = tf.TensorArray(tf.float32, 2, element_shape=[2], clear_after_read=False)
array = array.write(0, [1.0, 2.0]).write(1, [3.0, 4.0])
found = made(lambda: [array.stack(), array.concat(), array.size()])
print(*[each.shape for each in found])
sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 3])
print(sparse.shape, sparse.get_shape(), made(lambda: tf.sparse.reduce_sum(sparse, 1)).shape)
rows = tf.data.Dataset.from_tensors(sparse).make_one_shot_iterator().get_next()
print(rows.shape, made(lambda: rows * 2.0).shape)
with tf.Session() as session:
    print(*[value.tolist() for value in session.run(found)])
"""
    assert lines_of(script, tmp_path) == [
        "TensorArraySizeV3 Const Const Range TensorArrayGatherV3 TensorArrayConcatV3 TensorArraySizeV3",
        "(?, 2) (?,) ()",
        "Const SparseReduceSum",
        "(2, 3) (2, 3) (2,)",
        "Const SparseDenseCwiseMul",
        "(?, ?) (?, ?)",
        "[[1.0, 2.0], [3.0, 4.0]] [1.0, 2.0, 3.0, 4.0] 2",
    ]


def test_queues_are_where_the_program_makes_them(tmp_path):
    script = """
with tf.device("/device:CPU:1"):
    queues = tf.FIFOQueue(3, tf.float32), tf.PaddingFIFOQueue(3, tf.float32, shapes=[[None]])
print(*[each.queue_ref.device for each in queues])
"""
    assert lines_of(script, tmp_path) == ["/device:CPU:1 /device:CPU:1"]


def test_a_sharded_saver_decides_in_the_graph_where_its_parts_are(tmp_path):
    script = """
variables = tf.get_variable("v", [2]), tf.get_variable("w", [2], use_resource=True)
saver = made(lambda: tf.train.Saver(variables, sharded=True))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(saver.save(session, sys.argv[0] + ".model") == sys.argv[0] + ".model-?????-of-00001")
    print(sorted(name for name, _ in tf.train.list_variables(sys.argv[0] + ".model")))
"""
    first, *others = lines_of(script, tmp_path)
    assert (
        first.split()
        == (
            "Const PlaceholderWithDefault PlaceholderWithDefault Const StringJoin Const Const"
            " ShardedFilename Const Const SaveV2 Identity Pack MergeV2Checkpoints Identity Const Const"
            " RestoreV2 Assign Identity AssignVariableOp NoOp NoOp"
        ).split()
    )
    assert others == ["False", "['v', 'w']"]


def test_a_step_may_be_an_array_of_one_number(tmp_path):
    script = """
step = tf.get_variable("step", initializer=[5])
with tf.Session() as session:
    session.run(step.initializer)
    print(tf.train.global_step(session, step))
print(tf.train.Server.create_local_server().server_def.job_name)
"""
    assert lines_of(script, tmp_path) == ["5", "local"]
