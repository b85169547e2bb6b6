"""Tests that `tf.contrib.summary` and local servers are TensorFlow 1.15's under `run`."""


import pytest

from script_folder import output_of, values_of

pytestmark = pytest.mark.period
SCRIPT = """
import glob
import hashlib
from tensorflow.core.protobuf import config_pb2

found = {}
step = tf.train.create_global_step()
with tf.contrib.summary.create_file_writer(sys.argv[1]).as_default(), tf.contrib.summary.always_record_summaries():
    with tf.name_scope("scope"):
        tf.contrib.summary.scalar("loss", 2.0)
        tf.contrib.summary.histogram("values", [1.0, 2.0])
    found["recorded"] = len(tf.contrib.summary.all_summary_ops())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.contrib.summary.initialize()
        session.run(tf.contrib.summary.all_summary_ops())
        session.run(tf.contrib.summary.flush())
file, = glob.glob(sys.argv[1] + "/events*")
found["tags"] = sorted(value.tag for event in tf.train.summary_iterator(file) for value in event.summary.value)
ops = json.dumps([[each.type, each.name] for each in tf.get_default_graph().get_operations()])
found["ops"] = hashlib.md5(ops.encode()).hexdigest()
tf.reset_default_graph()
server = tf.train.Server.create_local_server()
found["job"] = server.server_def.job_name
config = config_pb2.ConfigProto(rpc_options=config_pb2.RPCOptions())
with tf.Session(server.target, config=config) as session, tf.device("/job:local"):
    found["sum"] = float(session.run(tf.constant(1.0) + 2.0))
    one = tf.Variable([7])
    session.run(one.initializer)
    found["step"] = tf.train.global_step(session, one)
print(json.dumps(found))
"""
# What the script prints on TensorFlow 1.15.5.
RECORDED = {"recorded": 2, "tags": ["scope/loss", "scope/values"], "ops": "5c6bd40104724356277bb2a2a21625a7",
            "job": "local", "sum": 3.0, "step": 7}


def test_summaries_and_servers_are_those_of_1_15(tmp_path):
    """Tests the graph of two summaries, op for op, the name of a local server's job, and a step of one element."""
    assert values_of(SCRIPT, tmp_path, str(tmp_path / "events")) == RECORDED


SHARED = """
import glob
from tf1grad.old_programs._compat import resolve

tf.enable_eager_execution()
writer = tf.contrib.summary.create_file_writer(sys.argv[1])
with writer.as_default(), tf.contrib.summary.always_record_summaries():
    tf.contrib.summary.scalar("old", 1.0, step=1)
    resolve("tensorflow.python.ops.summary_ops_v2").write("new", 2.0, step=1)
    tf.contrib.summary.flush()
file, = glob.glob(sys.argv[1] + "/events*")
print(sorted(value.tag for event in tf.train.summary_iterator(file) for value in event.summary.value))
"""


def test_both_kinds_of_summaries_have_one_writer(tmp_path):
    """Tests a summary of the installed TensorFlow, such as those of TensorBoard behind `tf.compat.v2.summary`."""
    assert output_of(SHARED, tmp_path, str(tmp_path / "events")).strip() == "['new', 'old']"


TEST_CASE = """
class Test(tf.test.TestCase):
    def test_job(self):
        self.assertEqual(tf.train.Server.create_local_server().server_def.job_name, "local")

tf.test.main()
"""


def test_the_default_graph_is_the_users_whoever_asks_first(tmp_path):
    """Tests a program of tests, in which absl is the first that asks for the default graph."""
    output_of(TEST_CASE, tmp_path)
