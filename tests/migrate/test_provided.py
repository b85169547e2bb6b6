"""Tests names of tf.contrib and the tutorials for upgraded programs: those provided here, and 1.15's own."""

import re

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import estimators
from tf1grad.migrate.provided import graph_transforms


@pytest.mark.period(on_1_15=True)
def test_digits_and_words_of_1_15_work_with_the_installed_numpy(run_program, tmp_path):
    output = run_program(f"""
        import gzip
        import numpy as np
        import tensorflow.compat.v1 as tf
        from tf1grad.contrib.learn import preprocessing
        from tf1grad.contrib.learn.python.learn.datasets import mnist
        from tf1grad.contrib.training import HParams

        for name, number in (("train", 50), ("t10k", 20)):
            for kind, header, data in (("images-idx3", [2051, number, 28, 28], np.arange(number).repeat(784)),
                                       ("labels-idx1", [2049, number], np.arange(number) % 10)):
                with gzip.open(r"{tmp_path}/%s-%s-ubyte.gz" % (name, kind), "wb") as file:
                    file.write(np.array(header, ">u4").tobytes() + data.astype(np.uint8).tobytes())
        train = mnist.read_data_sets(r"{tmp_path}", one_hot=True, validation_size=10, seed=1).train
        batches = [train.next_batch(16) for _ in range(5)]  # two epochs, the third batch in both
        rows = np.concatenate([images[:, 0] * 255 for images, _ in batches]).round().astype(int)
        print([sorted(epoch) == list(range(10, 50)) for epoch in (rows[:40], rows[40:])], batches[0][1].shape)
        processor = preprocessing.VocabularyProcessor(3)
        print([row.tolist() for row in processor.fit_transform(["a cat sat down", "a mat"])])
        print(HParams(rate=0.1, steps=10).parse("rate=0.5").values())
    """)
    assert output.splitlines()[-3:] == [
        "[True, True] (16, 10)", "[[1, 2, 3], [1, 5, 0]]", "{'rate': 0.5, 'steps': 10}"]


@estimators.needs_package
def test_heads_average_over_the_batch():
    estimators.module()
    from tf1grad.migrate.provided import estimator as heads
    logits, labels = np.float32([[0.5], [-1], [2]]), np.float32([[1], [0], [4]])
    share = labels / 4
    stirling = np.where(labels > 1, labels * np.log(np.maximum(labels, 1)) - labels
                        + 0.5 * np.log(2 * np.pi * np.maximum(labels, 1)), 0)
    with tf.Graph().as_default(), tf.Session() as session:
        losses = [getattr(heads, name)().create_loss({}, "train", tf.constant(logits),
                                                     tf.constant(given)).training_loss
                  for name, given in (("regression_head", labels), ("poisson_regression_head", labels),
                                      ("logistic_regression_head", share))]
        losses = session.run(losses)
    np.testing.assert_allclose(losses, [np.mean((logits - labels) ** 2),
                                        np.mean(np.exp(logits) - labels * logits + stirling),
                                        np.mean(np.log1p(np.exp(logits)) - share * logits)], rtol=1e-5)


def test_graphs_are_transformed():
    """Tests the graph that TensorFlow 1.15.5 returns, and its error, on all versions."""
    with tf.Graph().as_default() as graph:
        scale = tf.constant(1.0, name="b") + tf.constant(2.0, name="c")
        tf.multiply(tf.placeholder(tf.float32, [2], name="a"), scale, name="d")
    given = graph.as_graph_def(), ["a"], ["d"]
    made = graph_transforms.TransformGraph(*given, ["fold_constants(ignore_errors=true)", "strip_unused_nodes"])
    folded = re.compile(r"__cf__\d+$")  # TensorFlow 1.15 counts the constants that a process has folded
    assert [(folded.sub("__cf__0", node.name), node.op) for node in made.node] == [
        ("d", "Mul"), ("add/_0__cf__0", "Const"), ("a", "Placeholder")]
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.import_graph_def(made, return_elements=["d:0"]), {"import/a:0": [1, 2]})[0].tolist() == [
            3, 6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Transform 'none' not recognized"):
        graph_transforms.TransformGraph(*given, ["none"])
