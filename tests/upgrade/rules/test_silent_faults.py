"""TFG3: programs that do something other than they say, and correct ones that look like them."""

import pytest

from announced_findings import read_cases

CASES = read_cases("""
=== accumulation
pairs = opt.compute_gradients(loss)
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for _, v in pairs]  #! TFG306
evaluate = [s.assign_add(g / 8) for s, (g, _) in zip(sums, pairs)]  #! TFG201 TFG305
reset = [s.assign(tf.zeros_like(s)) for s in sums]
apply = opt.apply_gradients([(s, v) for s, (_, v) in zip(sums, pairs)])
sess.run([apply, reset])  #! TFG310
sess.run([evaluate, loss])
=== counted divisors
pairs = opt.compute_gradients(loss)
count, size = tf.Variable(0., trainable=False), tf.placeholder(tf.float32, [])
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for _, v in pairs]
opt.apply_gradients([(s / tf.cast(count, tf.float32), v) for s, (_, v) in zip(sums, pairs)])
opt.apply_gradients([(s / size, v) for s, (_, v) in zip(sums, pairs)])
opt.apply_gradients([(s / 8, v) for s, (_, v) in zip(sums, pairs)])  #! TFG305
=== gradients that are parameters
class Optimizer(tf.train.Optimizer):
    def apply_gradients(self, grads_and_vars, global_step=None):
        for grad, variable in grads_and_vars:
            total = tf.get_variable(variable.op.name + "/sum", variable.shape)
            self.adds.append(tf.assign_add(total, grad / 8.))  #! TFG201 TFG305
            self.apply(), self.__class__.apply_gradients()
            tf.assign_add(variable, -0.1 * grad), variable.assign_add(-grad)
            total.assign_add(grad * grad), total.assign_add(tf.square(grad))
def accumulate(grads, tvars, scale):
    return [s.assign_add(g) for s, g in zip(sums(tvars), grads)]  #! TFG201
def count(values, tvars):
    return [s.assign_add(g) for s, g in zip(sums(tvars), values)]
tvars = tf.trainable_variables()
accumulate(tf.gradients(loss, tvars), tvars, 1.)
count([1., 2.], tvars)
=== conditions on counters
class Optimizer(tf.train.Optimizer):
    def apply_gradients(self, grads_and_vars, global_step=None):
        counter = tf.Variable(0, trainable=False)
        adds = tf.group(tf.assign_add(counter, 1), *self.adds)
        def update():
            return self.inner.apply_gradients(grads_and_vars)
        early = tf.equal(tf.mod(counter, 8), 0)
        with tf.control_dependencies([adds]):
            late = tf.equal(tf.mod(tf.identity(counter), 8), 0)
            tf.cond(early, update, tf.no_op)  #! TFG316
            tf.cond(late, update, tf.no_op)
            tf.cond(self.training, update, tf.no_op)
        return tf.cond(early, update, tf.no_op)
=== fed gradients
pairs = opt.compute_gradients(loss)
train = opt.apply_gradients(pairs)
feed = {pairs[0][0]: mean, x: batch}  #! TFG302
sess.run(train, feed_dict=feed)
holders = [tf.placeholder(tf.float32, v.shape) for g, v in pairs]
opt.apply_gradients([(p, v) for p, (g, v) in zip(holders, pairs)])  #! TFG202
=== fed variable
w = tf.Variable(1.0)
sess.run(loss, {w: 2.0})  #! TFG301
sess.run(loss, feed_dict={x: 2.0})
factors = {w: 2.0}
sess.run(loss, {tf.get_collection('inputs')[0]: 1, tf.get_collection(key)[0]: 2})
sess.run(loss, {tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)[0]: 1})  #! TFG301
=== fed variables that are found in several steps
from tensorflow.python.ops import variables  #! TFG105
class Optimizer:
    def __init__(self, loss, vs=None, others=None):
        self.vars = vs or variables.trainable_variables()
        self.others = tf.global_variables() if others is None else others
        self.inputs = tf.placeholder(tf.float32)
        self.step = tf.train.get_or_create_global_step()
    def feed(self, values):
        return {self.inputs: 1., self.step: 2}  #! TFG301
    def run(self, sess, values, feed_dict):
        feed = {self.inputs: 2.}
        feed.update(dict(zip(self.vars, values)))  #! TFG301
        sess.run(self.loss, feed_dict=feed)
        sess.run(self.loss, feed_dict=self.feed(values))
        for variable, value in zip(self.others, values):
            feed_dict[variable] = value  #! TFG301
            known[variable] = value
        sess.run(self.loss, feed_dict)
=== attributes of two classes
class One:
    def __init__(self):
        self.x = tf.placeholder(tf.float32)
    def run(self, sess):
        sess.run(self.x, {self.x: 1})
class Other:
    def __init__(self):
        self.x = tf.Variable(1.)
=== clipping of embeddings
tf.nn.embedding_lookup(table, ids)
tf.clip_by_global_norm(grads, 5)  #! TFG204 TFG313
=== clipping of embeddings by contrib
from tensorflow.contrib.layers import optimize_loss  #! TFG101
from tensorflow.contrib.slim import learning  #! TFG101
from tensorflow.contrib.training import clip_gradient_norms_fn  #! TFG101
tf.nn.embedding_lookup(table, ids)
optimize_loss(loss, step, 0.1, 'SGD', clip_gradients=5.)  #! TFG101 TFG313
optimize_loss(loss, step, 0.1, 'SGD')  #! TFG101
learning.create_train_op(loss, opt, clip_gradient_norm=5)  #! TFG101 TFG313
learning.create_train_op(loss, opt)  #! TFG101
clip = clip_gradient_norms_fn(5)  #! TFG101 TFG313
=== variables by name
tf.get_variable('D', [1]), tf.get_variable('D_w', [1]), tf.get_variable('G/w', [1])
tvars = tf.trainable_variables()
d_vars = [v for v in tvars if 'D' in v.name]  #! TFG303
g_vars = [v for v in tvars if v.name.startswith('G/')]
q_vars = [v for v in tvars if 'Q' in v.name or 'G' in v.name or v.name.startswith('D_')]
opt.minimize(loss, var_list=d_vars)  #! TFG205
opt.minimize(loss, var_list=g_vars)  #! TFG205
opt.minimize(loss, var_list=[w, b])
=== scopes with built names
for i in range(20):
    with tf.variable_scope("layer" + str(i)):
        tf.get_variable("w", [1])
tf.trainable_variables("layer1")  #! TFG303
tf.trainable_variables("1")
kind, end = "enc", "_"
for i in range(20):
    with tf.variable_scope(kind + end + str(i) + "_b"):
        tf.Variable(1.)
tf.trainable_variables("enc_1_b"), tf.trainable_variables("enc_1")
with tf.variable_scope(kind + "1" + end):
    tf.get_variable("w", [1])
with tf.variable_scope(kind + "1"):
    tf.get_variable("w", [1])
tf.trainable_variables("enc1")  #! TFG303
with tf.variable_scope('P'):
    layer(x)
    with tf.variable_scope('Q_in'):
        layer(x)
with tf.variable_scope('P_loss'):
    loss = tf.reduce_mean(x, name='Q_mean')
with tf.variable_scope('Q'):
    layer(x)
tf.trainable_variables("P"), tf.trainable_variables("Q")
def layer(name):
    with tf.variable_scope("Q_layer"):
        tf.get_variable("w", [1])
    name = name + "_w"
    tf.get_variable(name, [1])
=== variables by scope
tf.variable_scope('D%d' % i), tf.variable_scope('D'), tf.name_scope(name='E')
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='D')  #! TFG303
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='D1')  #! TFG303
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='E')
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='D/')
tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=None)
tf.get_collection(tf.GraphKeys.UPDATE_OPS)
tf.get_collection(key, scope), tf.get_collection('my_variables', scope)
tf.trainable_variables('D')  #! TFG303
=== zeroed gradients
pairs = opt.compute_gradients(loss)
opt.apply_gradients([(g * 0, v) if v in frozen else (g, v) for g, v in pairs if g is not None])  #! TFG312
opt.apply_gradients([(tf.zeros_like(g), v) for g, v in pairs if g is not None])  #! TFG312
=== averages of each run
import tf1grad
inner = tf.train.AdamOptimizer()
opt = tf1grad.AccumulatingOptimizer(inner, 8)
ema = tf.train.ExponentialMovingAverage(0.99)
plain = inner.minimize(loss)
train = opt.minimize(loss)
with tf.control_dependencies([train]):
    train = ema.apply([w])  #! TFG315
with tf.name_scope("a"), tf.control_dependencies([opt.apply_gradients(pairs), x]):
    average = tf.train.ExponentialMovingAverage(0.99).apply([w])  #! TFG315
with tf.control_dependencies([plain]):
    ema.apply([w])
train = tf.cond(opt.step_applied, lambda: ema.apply([w]), tf.no_op)
=== gradients of tf gradients
grads = tf.gradients(loss, tvars)
opt.apply_gradients(zip(grads, tvars))  #! TFG304
opt.apply_gradients(opt.compute_gradients(loss))
clipped, _ = tf.clip_by_global_norm(grads, 40.0)  #! TFG204
opt.apply_gradients([(tf.identity(g), v) for g, v in zip(grads, tvars)])  #! TFG304
opt.apply_gradients(zip(tf.gradients(loss, [w, b]), [w, b]))  #! TFG304
global_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, 'global/')
opt.apply_gradients(zip(clipped, global_vars))
opt.apply_gradients(zip(grads, global_vars))
=== hand-written updates with tf gradients
tvars, grads = tf.trainable_variables(), tf.gradients(loss, tf.trainable_variables())
own = tf.gradients(loss, tvars)
train = [v.assign(v - 0.1 * g) for v, g in zip(tvars, own)]  #! TFG304
one = [v.assign(v - 0.1 * g) for v, g in zip([w], tf.gradients(loss, [w]))]
for g, v in zip(own, tvars):
    with tf.name_scope("update"):
        updates.append(tf.assign_sub(v, 0.1 * g))  #! TFG304
slots = [slot.assign(0.9 * slot + g) for slot, g in zip(slots, own)]
with tf.control_dependencies(own):
    train = [v.assign(v - 0.1 * g) for v, g in zip(tvars, own)]
=== one gradient of tf gradients
g = tf.gradients(loss, [w, b])
opt.apply_gradients([(g[0], w)])
opt.apply_gradients(zip(tf.gradients(loss, [w]), [w]))
one = tf.gradients(loss, w)
opt.apply_gradients(list(zip(one, [w])))
opt.apply_gradients([(g[0], w), (g[1], b)])  #! TFG304
=== caught errors of solvers
class Model:
    def build(self):
        self.factor = tf.cholesky(self.matrix())
        self.loss = tf.reduce_sum(self.factor)
        self.image = tf.image.decode_png(data)
        self.train = opt.minimize(self.loss)
    def fit(self, sess):
        try:
            sess.run([self.train, self.loss])
        except tf.errors.InvalidArgumentError:  #! TFG314
            pass
        try:
            sess.run(self.image)
        except tf.errors.InvalidArgumentError:
            pass
        try:
            sess.run(self.train)
        except Exception as error:
            coord.request_stop(error)
        try:
            return self.factor.eval()
        except Exception:  #! TFG314
            return None
        solution = tf.linalg.triangular_solve(self.factor, x)
        try:
            sess.run([solution])
        except Exception:  #! TFG314
            pass
        try:
            value = sess.run(solution)
        except (ValueError, tf.OpError):  #! TFG314
            pass
=== softmax twice
y = tf.nn.softmax(x)
z = tf.layers.dense(x, 3, activation=tf.nn.softmax)  #! TFG111
tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=y)  #! TFG319
tf.losses.softmax_cross_entropy(t, z)  #! TFG319
tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=tf.sigmoid(x))  #! TFG319
tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)
tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=y)
=== shuffled batches
data.batch(8).shuffle(100)  #! TFG320
data.batch(8).map(f).prefetch(1).shuffle(buffer_size=100)  #! TFG320
data.shuffle(100).batch(8).repeat(), data.batch(8).unbatch().shuffle(100)
graph.V('i').batch(8).shuffle(traverse=True)
=== gradients of a loop that wait for its end
outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
last = tf.tanh(outputs[:, -1])
y = tf.layers.batch_normalization(last, training=True)  #! TFG111
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    train = tf.train.AdamOptimizer().minimize(loss)  #! TFG321
    pairs = opt.compute_gradients(loss)  #! TFG321
with tf.control_dependencies(tf.get_collection('update_ops')):
    gradients = tf.gradients(loss, tf.trainable_variables())  #! TFG321
pairs = opt.compute_gradients(loss)
with tf.control_dependencies(update_ops):
    opt.apply_gradients(pairs)
with tf.control_dependencies([global_step]):
    opt.minimize(loss)
tf.group(opt.minimize(loss), update_ops)
=== updates that do not wait for a loop
y = tf.layers.batch_normalization(x, training=True)  #! TFG111
outputs, _ = tf.nn.dynamic_rnn(cell, y, dtype=tf.float32)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.AdamOptimizer().minimize(loss)
=== swapped pairs
pairs = opt.compute_gradients(loss)
_, grads = zip(*pairs)  #! TFG308
grads, variables = zip(*pairs)
for v, g in pairs:  #! TFG308
    print(v.name)
for g, v in pairs:
    print(v.name)
=== leaked handle
handle = tf.get_session_handle(batch)  #! TFG203 TFG311
=== softmax within a function, and behind shapes
def net(x):
    h = tf.matmul(x, w)
    return tf.nn.softmax(h)
def logits_of(x):
    return tf.matmul(x, w)
def both(x):
    logits = tf.matmul(x, w)
    return logits, tf.nn.softmax(logits)
p = tf.squeeze(tf.nn.softmax(x), [1])
q = tf.reshape(tf.identity(tf.sigmoid(x)), [-1])
y, z = both(x)
tf.losses.softmax_cross_entropy(t, net(x))  #! TFG319
tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=p)  #! TFG319
tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=q)  #! TFG319
tf.losses.softmax_cross_entropy(t, logits_of(x))
tf.losses.softmax_cross_entropy(t, y)
tf.losses.softmax_cross_entropy(t, z)  #! TFG319
class Model:
    def head(self, x):
        return tf.squeeze(tf.nn.softmax(x))
    def loss(self, x):
        self.out = self.head(x)
        return tf.losses.softmax_cross_entropy(t, self.out)  #! TFG319
=== shuffled batches in several statements
data = tf.data.Dataset.range(10)
data = data.batch(8)
data = data.repeat()
data = data.shuffle(100)  #! TFG320
other = tf.data.Dataset.range(10).batch(8).prefetch(1)
other = other.shuffle(100).repeat()  #! TFG320
right = tf.data.Dataset.range(10)
right = right.shuffle(100)
right = right.batch(8)
again = right.unbatch()
again = again.shuffle(100)
def make(files):
    rows = tf.data.TextLineDataset(files)
    rows = rows.batch(4)
    if training:
        rows = rows.shuffle(buffer_size=9)  #! TFG320
    return rows
=== variables by name in a filter
tf.get_variable('G', [1]), tf.get_variable('G_2', [1])
g_vars = list(filter(lambda v: 'G' in v.name, tf.trainable_variables()))  #! TFG303
tvars = tf.trainable_variables()
h_vars = filter(lambda var: var.op.name.startswith('G'), tvars)  #! TFG303
names = filter(lambda v: 'G' in v.name, files)
=== gradients that are applied by hand, one statement each
w, b = tf.get_variable('w', [1]), tf.get_variable('b', [1])
gw, gb = tf.gradients(loss, [w, b])
steps = [w.assign_sub(0.1 * gw), tf.assign_sub(b, 0.1 * gb)]  #! TFG304
g = tf.gradients(loss_of_one, [w])[0]
one = w.assign_sub(0.1 * g)
hw, hb = tf.gradients(loss, [w, b])
with tf.control_dependencies([hw, hb]):
    gated = [w.assign_sub(0.1 * hw), b.assign_sub(0.1 * hb)]
hs = tf.gradients(loss, [w, b])
by_index = [w.assign(w - 0.1 * hs[0]), b.assign(b - 0.1 * hs[1])]  #! TFG304
=== gradients behind tf.tuple
ws = [w, b] = tf.get_variable('w', [1]), tf.get_variable('b', [1])
gs = tf.gradients(loss, ws)
gs = tf.tuple(gs)
opt.apply_gradients(zip(gs, ws))
hs = tf.gradients(loss, [w, b])
opt.apply_gradients(zip(tf.tuple(hs), [w, b]))
steps = [v.assign_sub(0.1 * g) for g, v in zip(gs, ws)]
=== own pairs in the other order
pairs = [(v, g) for g, v in opt.compute_gradients(loss)]
for v, g in pairs:
    print(v.name)
mine = []
for g, v in opt.compute_gradients(loss):
    mine.append((v, g))
for v, g in mine:
    print(v.name)
opt.apply_gradients([(g, v) for v, g in pairs])
opt.apply_gradients(pairs)  #! TFG308
=== a loop of clip_by_norm
pairs = opt.compute_gradients(loss)
clipped = []
for g, v in pairs:
    g = tf.clip_by_norm(g, 1.)  #! TFG204
    clipped.append((g, v))
grads, tvars = zip(*pairs)
grads = list(grads)
for i in range(len(grads)):
    grads[i] = tf.clip_by_norm(grads[i], 1.)  #! TFG204
more = [tf.clip_by_norm(pair[0], 1.) for pair in pairs]  #! TFG204
some = list(map(lambda g: tf.clip_by_norm(g, 1.), grads))  #! TFG204
=== zeroed gradients on a condition
pairs = opt.compute_gradients(loss)
opt.apply_gradients([(g if 'head' in v.name else tf.zeros_like(v), v) for g, v in pairs])  #! TFG312
zeroed = [tf.zeros_like(g) if v in frozen else g for g, v in pairs]  #! TFG312
masked = [(g * (0. if v in frozen else 1.), v) for g, v in pairs]  #! TFG312
grads = []
for g, v in pairs:
    if v in frozen:
        g = tf.zeros_like(g)  #! TFG312
    grads.append((g, v))
filled = [(tf.zeros_like(v) if g is None else g, v) for g, v in pairs]
given = [(g if g is not None else tf.zeros_like(v), v) for g, v in pairs]
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for _, v in pairs]
=== clipping of gathered rows
table = tf.get_variable('table', [9, 3])
rows = tf.gather(table, ids)
tf.clip_by_global_norm(grads, 5)  #! TFG204 TFG313
=== clipping with a gather of activations
rows = tf.gather(activations, ids)
tf.clip_by_global_norm(grads, 5)  #! TFG204
=== towers
def average(tower_grads):
    for grad_and_vars in zip(*tower_grads):
        grads = [g for g, _ in grad_and_vars]
        if isinstance(grads[0], tf.IndexedSlices):
            values = tf.add_n([g.values for g in grads]) / len(grads)
            grad = tf.IndexedSlices(values, grads[0].indices, grads[0].dense_shape)  #! TFG322
            scaled = tf.IndexedSlices(grads[0].values / 2., grads[0].indices)
            joined = tf.IndexedSlices(tf.concat([g.values for g in grads], 0), tf.concat([g.indices for g in grads], 0))
            first = grad_and_vars[0][0]
            mean = tf.IndexedSlices(values=tf.reduce_mean(tf.stack([g.values for g in grads]), 0), indices=first.indices)  #! TFG322
            halved = tf.IndexedSlices(first.values * 0.5, first.indices, first.dense_shape)
=== minimize beside losses of parts
d_step = opt.minimize(d_loss, var_list=d_vars)
g_step = opt.minimize(g_loss)  #! TFG323
=== minimize beside a network that is held fixed
with tf.variable_scope('target_net'):
    target = tf.layers.dense(x, 3)  #! TFG111
with tf.variable_scope('net'):
    q = tf.layers.dense(x, 3)
train = opt.minimize(tf.reduce_sum(target - q))  #! TFG323
=== minimize where the fixed part has no gradient
with tf.variable_scope('target_net'):
    target = tf.layers.dense(x, 3)  #! TFG111
with tf.variable_scope('net'):
    q = tf.layers.dense(x, 3)
train = opt.minimize(tf.reduce_sum(tf.stop_gradient(target) - q))
=== minimize of all after some
first = opt.minimize(loss, var_list=head)
then = opt.minimize(loss)
=== reuse left on
def tower(x):
    return tf.get_variable('w', [3])
one = tower(x)
tf.get_variable_scope().reuse_variables()  #! TFG324
two = tower(y)
other = tf.get_variable('w', [3])
with tf.variable_scope(tf.get_variable_scope()):
    three = tower(y)
    tf.get_variable_scope().reuse_variables()
def model(x, reuse):
    if reuse:
        tf.get_variable_scope().reuse_variables()  #! TFG324
    return tf.get_variable('v', [3])
model(x, False), model(x, True)
def inner(x, reuse):
    if reuse:
        tf.get_variable_scope().reuse_variables()
    return tf.get_variable('v', [3])
with tf.variable_scope('inner'):
    inner(x, False), inner(x, True)
""")


START = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"
KERAS = "import tf1grad.migrate.legacy\n" + START
TRAIN = "tf.train.AdamOptimizer().minimize(loss)\n"


def test_layers_that_train_are_told_so(rules_in):
    updates = "tf.get_collection(tf.GraphKeys.UPDATE_OPS)\n"
    normal = KERAS + "tf.layers.batch_normalization(x, training=is_training)\n"
    plain = KERAS + "tf.layers.dropout(x, 0.5), tf.layers.batch_normalization(x)\n"
    constant = KERAS + "tf.layers.batch_normalization(x, training=False)\n"
    assert rules_in([normal + TRAIN]) == {"TFG317"}
    assert rules_in([KERAS + "import p1\n" + TRAIN, normal]) == {"TFG317"}
    assert rules_in([normal]) == rules_in([normal + TRAIN + updates]) == set()
    assert rules_in([plain + TRAIN]) == {"TFG318"}
    assert rules_in([plain]) == rules_in([constant + TRAIN]) == set()


OBJECTS = (
    KERAS
    + """
class Model:
    def __init__(self):
        self.normal = tf.layers.BatchNormalization()
    def build(self, x, is_training):
        x = self.normal(x, training=is_training)
        return tf.layers.Dropout(0.5)(x, is_training)
"""
)


@pytest.mark.parametrize(
    "text, expected",
    [
        (OBJECTS, {"TFG317"}),
        (OBJECTS.replace("training=is_training", "is_training"), {"TFG317"}),
        (OBJECTS.replace("training=is_training", "training=False"), set()),
        (OBJECTS.replace(", training=is_training", ""), {"TFG318"}),
        (OBJECTS + "tf.get_collection(tf.GraphKeys.UPDATE_OPS)\n", set()),
        (OBJECTS.replace(", is_training)\n", ")\n") + "tf.GraphKeys.UPDATE_OPS\n", {"TFG318"}),
        (START + "tf.contrib.layers.batch_norm(x)\n", {"TFG101", "TFG317"}),
        (START + "tf.contrib.layers.batch_norm(x, is_training=False)\n", {"TFG101"}),
        (START + "tf.contrib.layers.batch_norm(x, updates_collections=None)\n", {"TFG101"}),
        (
            START
            + "from tensorflow.contrib import slim\nslim.batch_norm(x, is_training=training)\n",
            {"TFG101", "TFG317"},
        ),
    ],
)
def test_layer_objects_and_those_of_contrib_are_told_so(rules_in, text, expected):
    assert rules_in([text + TRAIN]) == expected


def test_files_for_tensorflow_2_have_no_recipes(rules_in):
    text = "import tensorflow as tf\ng = tf.gradients(loss, ws)\nopt.apply_gradients(zip(g, ws))\n"
    assert rules_in([text]) == {"TFG304"}
    assert rules_in([text + "with tf.GradientTape() as tape:\n    pass\n"]) == set()


def test_scopes_count_whose_variables_an_imported_file_makes(rules_in):
    layers = START + "def layer(x):\n    return tf.get_variable('w', [1])\n"
    scopes = "for i in range(20):\n    with tf.variable_scope('D' + str(i)):\n        p1.layer(x)\n"
    train = START + "import p1\n" + scopes + "tf.trainable_variables('D1')\n"
    assert rules_in([train, layers]) == {"TFG303"}


def test_scopes_of_imported_files_count(rules_in):
    start = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"
    model = start + "tf.variable_scope('D')\ntf.variable_scope('D_2')\n"
    train = start + "import p1\ntf.trainable_variables('D')\n"
    assert rules_in([train, model]) == {"TFG303"}
    assert rules_in([train.replace("import p1\n", ""), model]) == set()


@pytest.mark.parametrize("title", CASES)
def test_findings(check_announced, title):
    check_announced(CASES[title])


def test_values_that_are_made_of_themselves_take_no_time(check_announced):
    lines = [f"x{index % 7} = x{(index + 1) % 7} + x{(index + 3) % 7}" for index in range(300)]
    chain = "loss = " + " + ".join(f"x{index % 7}" for index in range(200))
    text = (
        "grads = tf.gradients(loss, tvars)\ngrads = [tf.clip_by_norm(g, 1) for g in grads]  #! TFG204\n"
        "opt.minimize(loss)\n"
    )
    check_announced("\n".join(lines + [chain]) + "\n" + text)
