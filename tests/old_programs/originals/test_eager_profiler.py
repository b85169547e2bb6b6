"""Tests the profiler of Keras's TensorBoard callback under `run`."""

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period


def test_tensorboard_callback_writes_a_profile(tmp_path):
    assert output_of("""
        import glob, os
        from tensorflow.python.eager import profiler

        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
        model.compile("sgd", "mse")
        x, y = np.ones([8, 3], "f"), np.ones([8, 1], "f")
        model.fit(x, y, batch_size=2, epochs=2, verbose=0, callbacks=[tf.keras.callbacks.TensorBoard("log")])
        print([os.path.getsize(path) > 100 for path in glob.glob("log/plugins/profile/*/*")])
        profiler.start()
        try:
            profiler.start()
        except profiler.ProfilerAlreadyRunningError as error:
            print(error)
        profiler.stop()
        try:
            profiler.stop()
        except profiler.ProfilerNotRunningError as error:
            print(error)
    """, tmp_path).splitlines() == [
        "[True]", "Another profiler is running.", "Cannot stop profiling. No profiler is running."]
