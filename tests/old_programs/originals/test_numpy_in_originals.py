"""Tests originals that use what NumPy 2 removed; the expected values are TensorFlow 1.15.5's."""


import pytest

from script_folder import ScriptFolder, values_of

pytestmark = pytest.mark.period

SCRIPT = """
from tensorflow.contrib.learn.python.learn.learn_io import data_feeder
from tensorflow.contrib.learn.python.learn.preprocessing import text

feeder = data_feeder.setup_train_data_feeder(
    np.array([[1, 2], [3, 4], [5, 6]]), np.array([0, 1, 2]), n_classes=3, batch_size=3)
feeder.input_builder()
fed = [value.tolist() for value in feeder.get_feed_dict_fn()().values()]
columns = data_feeder.setup_train_data_feeder(
    iter(np.array([[1, 2], [3, 4]])), iter(np.array([1, 0])), n_classes=2, batch_size=2)
columns.input_builder()
fed += [value.tolist() for value in columns.get_feed_dict_fn()().values()]
processor = text.ByteProcessor(6)
words = [value.tolist() for value in processor.transform(["ab", "c"])]
print(json.dumps([fed, words, list(processor.reverse(np.array([[97, 98, 0]])))]))
"""


def test_feeders_and_preprocessors(tmp_path):
    """Tests `np.array(copy=False)`, `itemset` and `tostring`, which contrib.learn calls."""
    fed, words, text = values_of(SCRIPT, tmp_path)
    assert fed == [[[1, 2], [3, 4], [5, 6]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 2], [3, 4]], [[0, 1], [1, 0]]]
    assert words == [[97, 98, 0, 0, 0, 0], [99, 0, 0, 0, 0, 0]]
    assert text == ["ab"]


STRICT = """
import warnings
warnings.filterwarnings("error", "numpy.core is deprecated")
import tensorflow as tf
print(tf.stack([1, 2]).shape)
"""


def test_originals_load_where_warnings_are_errors(tmp_path):
    """Tests `numpy.core`, of which NumPy 2 warns; test suites make errors of warnings."""
    folder = ScriptFolder(tmp_path)
    folder.write("train.py", STRICT)
    assert folder.lines("train.py") == ["(2,)"]


LOSSES = """
if sys.argv[1] == "eager":
    tf.enable_eager_execution()
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(0.0), "mse")
x = np.arange(1, 8, dtype=np.float32)[:, None]
print(json.dumps(model.fit(x, x * 1.1, batch_size=3, shuffle=False, verbose=0).history["loss"]))
"""


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_losses_of_keras_are_averaged_in_float64(mode, tmp_path):
    """Tests that a history can be written as JSON; NumPy 1 made a float64 of a float32 times a Python number."""
    assert values_of(LOSSES, tmp_path, mode) == [0.20000016263553075]  # TensorFlow 1.15.5's


MIXTURE = """
means = np.array([[0.0, 0.0], [10.0, 10.0]], np.float32)
points = np.concatenate([mean + np.array([[0, 1], [1, 0], [0, -1], [-1, 0]], np.float32) for mean in means])
gmm = tf.contrib.factorization.GMM(2, initial_clusters=means + 0.5, params="wmc")
gmm.fit(input_fn=lambda: (tf.constant(points), None), steps=5)
print(json.dumps(gmm.clusters().tolist()))
"""



def test_mixture_starts_from_an_array(tmp_path):
    """Tests `contrib.factorization.GMM` with given clusters; the means are TensorFlow 1.15.5's."""
    clusters = values_of(MIXTURE, tmp_path)
    assert clusters[0] == pytest.approx([0, 0], abs=1e-5) and clusters[1] == pytest.approx([10, 10], abs=1e-5)
