"""TFG2: recipes for which tf1grad has a call."""

import pytest

CASES = {
    "accumulation_without_faults": """
    class Model(object):
        def __init__(self):
            self.pairs = [(g, v) for g, v in opt.compute_gradients(loss) if g is not None]
            self.sums = [tf.Variable(tf.zeros(v.shape), trainable=False, collections=['mine']) for g, v in self.pairs]
            self.add = [s.assign_add(g) for s, (g, v) in zip(self.sums, self.pairs)]  #! TFG201
    """,
    "counters_and_moving_averages": """
    counter = tf.Variable(0, trainable=False)
    counter.assign_add(1)
    total = tf.Variable(tf.zeros([3]), trainable=False)
    tf.assign_add(total, values / 8)
    rates = [rate / 2 for rate in rates]
    """,
    "clipping_by_global_norm": """
    grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), 5)  #! TFG204
    opt.apply_gradients(zip(grads, tvars))
    """,
    "clipped_probability": """
    tf.clip_by_value(probability, 1e-10, 1.0)
    """,
    "gates": """
    y = do * x + (1 - do) * tf.stop_gradient(x)  #! TFG206
    z = tf.stop_gradient((1.0 - do) * x) + x * do  #! TFG206
    baseline = a * x + (1 - a) * y
    mean = x + tf.stop_gradient(y - x)
    """,
    "deleted_handle": """
    handle = tf.get_session_handle(batch)  #! TFG203
    sess.run(handle).delete()
    """,
}


@pytest.mark.parametrize("text", list(CASES.values()), ids=list(CASES))
def test_findings(check_announced, text):
    check_announced(text)
