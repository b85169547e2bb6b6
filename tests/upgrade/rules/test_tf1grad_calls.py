"""TFG2: what tf1grad has a call for, and what only looks like it."""

import pytest

from announced_findings import read_cases

CASES = read_cases("""
=== accumulation without faults
class Model(object):
    def __init__(self):
        self.pairs = [(g, v) for g, v in opt.compute_gradients(loss) if g is not None]
        self.sums = [tf.Variable(tf.zeros(v.shape), trainable=False, collections=['mine']) for g, v in self.pairs]
        self.add = [s.assign_add(g) for s, (g, v) in zip(self.sums, self.pairs)]  #! TFG201
=== counters and moving averages
counter = tf.Variable(0, trainable=False)
counter.assign_add(1)
total = tf.Variable(tf.zeros([3]), trainable=False)
tf.assign_add(total, values / 8)
rates = [rate / 2 for rate in rates]
=== clipping by global norm
grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), 5)  #! TFG204
opt.apply_gradients(zip(grads, tvars))
=== clipped probability
tf.clip_by_value(probability, 1e-10, 1.0)
=== gates
y = do * x + (1 - do) * tf.stop_gradient(x)  #! TFG206
z = tf.stop_gradient((1.0 - do) * x) + x * do  #! TFG206
baseline = a * x + (1 - a) * y
mean = x + tf.stop_gradient(y - x)
=== deleted handle
handle = tf.get_session_handle(batch)  #! TFG203
sess.run(handle).delete()
=== clipping one by one
opt.minimize(other)
pairs = opt.compute_gradients(loss)
[(tf.clip_by_value(g, -1., 1.), v) for g, v in pairs]  #! TFG204
[(tf.clip_by_norm(g, 1.), v) for g, v in pairs if g is not None]  #! TFG204
for i, (g, v) in enumerate(pairs):
    if g is not None:
        pairs[i] = (tf.clip_by_norm(g, 5), v)  #! TFG204
=== one loss
[(tf.clip_by_value(g, -1., 1.), v) for g, v in opt.compute_gradients(loss)]  #! TFG204
""")


@pytest.mark.parametrize("title", CASES)
def test_findings(check_announced, title):
    check_announced(CASES[title])
