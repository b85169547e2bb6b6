"""Tests 1.15's `tf.data` where it meets the installed TensorFlow: variables, lists of tensors, and strategies."""


import pytest

from script_folder import output_of, values_of

pytestmark = pytest.mark.period

DATASETS = """
numbers = tf.data.Dataset.range(5)
fibonacci = tf.data.Dataset.from_tensors(1).repeat(5).apply(tf.data.experimental.scan(
    [0, 1], lambda pair, _: ([pair[1], pair[0] + pair[1]], pair[1])))
sums = numbers.apply(tf.data.experimental.group_by_reducer(lambda number: number % 2, tf.data.experimental.Reducer(
    lambda _: [0, 0], lambda state, number: [state[0] + 1, state[1] + tf.cast(number, tf.int32)],
    lambda count, total: [count, total])))
variables = [tf.get_variable(name, initializer=[1.0, 2.0], use_resource=name == "resource")
             for name in ("ref", "resource")]
found = []
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for dataset in (fibonacci, sums, *map(tf.data.Dataset.from_tensor_slices, variables)):
        iterator, rows = dataset.make_initializable_iterator(), []
        element = iterator.get_next()
        session.run(iterator.initializer)
        try:
            while True:
                rows.append(np.array(session.run(element)).tolist())
        except tf.errors.OutOfRangeError:
            found.append(rows)
print(json.dumps(found))
"""


def test_elements_are_converted_to_tensors(tmp_path):
    """Tests lists of tensors that a function returns for one tensor, and variables; the values are 1.15.5's."""
    assert values_of(DATASETS, tmp_path) == [[1, 1, 2, 3, 5], [[3, 6], [2, 4]], [1.0, 2.0], [1.0, 2.0]]


STRATEGIES = """
x = np.arange(24, dtype=np.float32).reshape(8, 3) / 24
y = x.sum(1, keepdims=True)


def dataset():
    options = tf.data.Options()
    options.experimental_distribute.auto_shard = False
    options.experimental_threading.private_threadpool_size = 2
    options.experimental_deterministic = True
    return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(4, drop_remainder=True).with_options(options)


def model_fn(features, labels, mode):
    predictions = tf.layers.dense(features, 1, kernel_initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, predictions)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def train_keras(strategy):
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), kernel_initializer="zeros")])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    histories = [model.fit(dataset(), steps_per_epoch=4, epochs=2, verbose=0),
                 model.fit(x, y, batch_size=4, shuffle=False, epochs=1, verbose=0)]
    losses = [float(loss) for history in histories for loss in history.history["loss"]]
    return losses + model.predict(x, batch_size=4)[0].tolist()


def train_estimator(strategy):
    config = tf.estimator.RunConfig(train_distribute=strategy, eval_distribute=strategy)
    made = tf.estimator.Estimator(model_fn, config=config)
    made.train(dataset, steps=8)
    return [float(made.evaluate(dataset, steps=2)["loss"])]


if sys.argv[1] == "eager":
    tf.enable_eager_execution()
trainers = [train_keras] if sys.argv[1] == "eager" else [train_keras, train_estimator]
strategies = [lambda: tf.distribute.OneDeviceStrategy("/cpu:0"), lambda: tf.distribute.MirroredStrategy(["/cpu:0"])]
print(json.dumps([train(make()) for train in trainers for make in strategies]))
"""
KERAS = [1.40915760, 0.21526425, 0.16686353, 0.76452911]
ESTIMATOR = [0.13877328]
LOSSES = [3.0234375, 5.84973383, 0.30869684, 0.29384860]


@pytest.mark.slow
@pytest.mark.parametrize("mode, expected", [("graph", [KERAS, KERAS, ESTIMATOR, ESTIMATOR]), ("eager", [KERAS, KERAS])])
def test_strategies_distribute_datasets(tmp_path, mode, expected):
    """Tests Keras, with datasets and arrays, and estimators; the numbers are TensorFlow 1.15.5's."""
    found = values_of(STRATEGIES, tmp_path, mode)
    assert len(found) == len(expected)
    for values, numbers in zip(found, expected):
        assert values == pytest.approx(numbers, rel=1e-5)


LOOPS = """
import warnings

warnings.filterwarnings("error", "To make it possible to preserve")  # as 1.15 kept options outside of the graph
if sys.argv[1] == "eager":
    tf.enable_v2_behavior()
strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
x = np.arange(24, dtype=np.float32).reshape(8, 3) / 24
found = []


def pair(features, label):
    label = tf.py_func(lambda value: value + 1, [label], tf.float32)
    label.set_shape([1])
    return features * 2, label


def dataset(context=None):
    rows = tf.data.Dataset.from_generator(
        lambda: ((row, row.sum(keepdims=True)) for row in x), (tf.float32, tf.float32), ([3], [1]))
    return rows.map(pair).repeat().batch(4, drop_remainder=True).prefetch(1)


def step(inputs):
    def loss():
        return tf.reduce_mean(tf.square(tf.matmul(inputs[0], variable) - inputs[1]))
    if sys.argv[1] == "eager":
        with tf.GradientTape() as tape:
            value = loss()
        optimizer.apply_gradients([(tape.gradient(value, variable), variable)])
        return value
    value = loss()
    with tf.control_dependencies([optimizer.minimize(value, var_list=[variable])]):
        return tf.identity(value)


def mean(losses):
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)


with strategy.scope():
    variable = tf.Variable(np.zeros([3, 1], np.float32), use_resource=True)
    if sys.argv[1] == "eager":
        optimizer = tf.keras.optimizers.SGD(0.1)
        train = tf.function(lambda inputs: mean(strategy.experimental_run_v2(step, (inputs,))))
        for inputs, _ in zip(strategy.experimental_distribute_dataset(dataset()), range(3)):
            found.append(float(train(inputs)))
        found.append(float(train(next(iter(strategy.experimental_distribute_datasets_from_function(dataset))))))
    else:
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        iterators = [strategy.make_dataset_iterator(dataset()), strategy.make_input_fn_iterator(dataset)]
        losses = [mean(strategy.experimental_run(step, iterator)) for iterator in iterators]
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), *(iterator.initialize() for iterator in iterators)])
            found = [float(session.run(loss)) for loss in (losses[0], losses[0], losses[0], losses[1])]
print(json.dumps(found))
"""


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_loops_over_distributed_datasets(tmp_path, mode):
    """Tests the iterators of strategies, the first use of `tf.data` in the process; the losses are 1.15.5's."""
    assert values_of(LOOPS, tmp_path, mode) == pytest.approx(LOSSES, rel=1e-5)


ON_DEMAND = """
import time
np.random.seed(3)
found, calls = {}, []
count = tf.get_variable("count", initializer=0, use_resource=True)
scale = tf.get_variable("scale", initializer=1.0, use_resource=True)
numbers = tf.data.Dataset.range(1, 9)


def counted(number):
    with tf.control_dependencies([count.assign_add(1)]):
        return tf.identity(number)


def generated():
    for number in range(9):
        yield number * factor


def drawn(number):
    calls.append(int(number))
    return np.int64(np.random.randint(1000))


def initializable(dataset):
    iterator = dataset.make_initializable_iterator()
    session.run(iterator.initializer)
    return iterator


def one_shot(dataset):
    return dataset.make_one_shot_iterator()


def from_structure(dataset):
    iterator = tf.data.Iterator.from_structure(dataset.output_types, dataset.output_shapes)
    session.run(iterator.make_initializer(dataset))
    return iterator


session = tf.Session()
session.run(tf.global_variables_initializer())
for get in initializable, from_structure:
    element = get(numbers.map(counted)).get_next()
    rows = found[get.__name__] = []
    for _ in range(3):
        rows.append([int(session.run(element)), int(session.run(count))])
element = initializable(numbers.map(lambda number: tf.cast(number, tf.float32) * scale).batch(1)).get_next()
found["read"] = []
for step in range(3):
    found["read"].append(float(session.run(element)[0]))
    time.sleep(0.5)  # one batch is read ahead, as on 1.15: it is there by then
    session.run(scale.assign_add(1.0))
factor = 1
element = one_shot(tf.data.Dataset.from_generator(generated, tf.int64, [])).get_next()
found["generated"] = []
for _ in range(3):
    found["generated"].append(int(session.run(element)))
    factor *= 10
element = one_shot(numbers.flat_map(lambda number: tf.data.Dataset.from_tensors(
    tf.py_func(drawn, [number], tf.int64)))).get_next()
found["drawn"] = []
for _ in range(3):
    found["drawn"] += [int(session.run(element)), np.random.randint(1000)]
found["calls"] = calls
tf.set_random_seed(1)
found["seeded"] = session.run(tf.random_uniform([2])).tolist()


def set_options():
    return [op for op in tf.get_default_graph().get_operations() if op.type == "OptionsDataset"]


before = set_options()
element = initializable(numbers.map(lambda number: number + tf.random_uniform([], 0, 5, tf.int64, seed=1))).get_next()
found["pure"] = [int(session.run(element)) for _ in range(3)]
assert set_options() == before
print(json.dumps(found))
"""
# The steps of TensorFlow 1.15.5.
ON_DEMAND_STEPS = {
    "initializable": [[1, 1], [2, 2], [3, 3]], "from_structure": [[1, 4], [2, 5], [3, 6]], "read": [1.0, 2.0, 6.0],
    "generated": [0, 10, 200], "drawn": [874, 664, 249, 643, 952, 968], "calls": [1, 2, 3],
    "seeded": [0.13447082042694092, 0.16743338108062744], "pure": [4, 3, 4]}

EAGERLY = """
tf.enable_eager_execution()
np.random.seed(3)
drawn = tf.data.Dataset.range(3).map(
    lambda number: tf.py_func(lambda _: np.int64(np.random.randint(1000)), [number], tf.int64))
print(json.dumps([[int(number), np.random.randint(1000)] for number in drawn]))
"""


@pytest.mark.parametrize("program, steps", [
    (ON_DEMAND, ON_DEMAND_STEPS), (EAGERLY, [[874, 664], [249, 643], [952, 968]])], ids=["graph", "eager"])
def test_pipelines_with_state_do_not_read_ahead(tmp_path, program, steps):
    """Tests functions of variables, generators, and NumPy's random numbers that the program shares."""
    assert values_of(program, tmp_path) == steps


COUNTS = """
if sys.argv[1] == "eager":
    tf.enable_eager_execution()
scale = tf.Variable(2.0, use_resource=True)
x = np.arange(20, dtype=np.float32).reshape(10, 2)
rows = tf.data.Dataset.from_tensor_slices((x, x[:, :1]))
mapped = rows.map(lambda row, label: (row * 2, label))
pipelines = [
    mapped, mapped.batch(3), mapped.shuffle(10, seed=1).repeat(3).batch(4, drop_remainder=True), mapped.repeat(),
    mapped.map(lambda row, label: tf.py_func(lambda value: value, [row], tf.float32), num_parallel_calls=2).take(7),
    mapped.map(lambda row, label: (row * scale, label)), tf.data.Dataset.zip((rows, mapped)).skip(1),
    mapped.filter(lambda row, label: row[0] > 4), mapped.apply(tf.data.experimental.map_and_batch(lambda *row: row, 4))]
counts = [tf.data.experimental.cardinality(each) for each in pipelines]
if tf.executing_eagerly():
    found = [int(count) for count in counts]
else:
    session = tf.keras.backend.get_session()
    found = [int(session.run(count)) for count in counts]
    ops = tf.get_default_graph().get_operations()
    found.append(len([op for op in ops if not op.name.startswith("tf1grad_checks/")]))
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="zeros")])
model.compile(tf.keras.optimizers.SGD(0.1 / 400), "mse")
steps = []
model.fit(mapped.batch(4), epochs=2, verbose=0, callbacks=[tf.keras.callbacks.LambdaCallback(
    on_train_begin=lambda logs: steps.append(str(model.history.params["steps"])))])
print(json.dumps(found + steps))
"""


@pytest.mark.parametrize("mode, expected", [
    ("graph", [10, 4, 7, -1, 7, 10, 9, -2, 3, 52, "3"]), ("eager", [10, 4, 7, -1, 7, 10, 9, -2, 3, "None"])])
def test_elements_after_a_map_are_counted(tmp_path, mode, expected):
    """Tests cardinalities, the number of the user's ops, and the steps of `fit`; the values are 1.15.5's."""
    assert values_of(COUNTS, tmp_path, mode) == expected


NOTHING = """
for function in (lambda number: None), (lambda number: {"a": None}):
    try:
        tf.data.Dataset.range(3).map(function)
    except TypeError as error:
        print(error)
"""


def test_functions_that_return_nothing_are_named(tmp_path):
    """Tests the error of a `map` whose function lacks its `return`; the words are TensorFlow 1.15.5's."""
    words = "Unsupported return value from function passed to Dataset.map(): "
    assert output_of(NOTHING, tmp_path).splitlines()[-2:] == [words + "None.", words + "{'a': None}."]


INTERLEAVED = """
import os

if sys.argv[1] == "eager":
    tf.enable_eager_execution()
numbers = tf.data.Dataset.from_tensor_slices(tf.range(4, 10))


def repeated(number):
    return tf.data.Dataset.from_tensors(number).repeat(3)


def nested(_):
    return numbers.interleave(repeated, block_length=2, num_parallel_calls=1)


def elements(dataset):
    if tf.executing_eagerly():
        return [int(each) for each in dataset]
    element, found = dataset.make_one_shot_iterator().get_next(), []
    for _ in range(18):
        found.append(int(session.run(element)))
    return found


session = None if tf.executing_eagerly() else tf.Session()
given = elements(numbers.interleave(repeated, len(os.sched_getaffinity(0)), 2, num_parallel_calls=1))
automatic = [elements(numbers.interleave(repeated, block_length=2, num_parallel_calls=calls))
             for calls in (1, tf.data.experimental.AUTOTUNE)]
automatic.append(elements(tf.data.Dataset.range(1).flat_map(nested)))
print(json.dumps([given == found for found in automatic]))
"""


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_interleave_takes_the_number_of_processors(tmp_path, mode):
    """Tests that its default is that number, as in 1.15, with one parallel call, and with an automatic number."""
    assert values_of(INTERLEAVED, tmp_path, mode) == [True] * 3
