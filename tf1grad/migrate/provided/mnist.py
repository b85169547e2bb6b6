"""Provides `tensorflow.examples.tutorials.mnist.input_data`:
the handwritten digits, in the same batches as before.
"""

from __future__ import annotations

import gzip
import os
import urllib.request
from typing import IO, Any, NamedTuple

import numpy as np

from tf1grad._compat import tf
from tf1grad.programs._compat import op_seeds

__all__ = [
    "DataSet",
    "Datasets",
    "dense_to_one_hot",
    "extract_images",
    "extract_labels",
    "read_data_sets",
]

MIRRORS = [
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
]
FILES = [
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
]


class Datasets(NamedTuple):
    """The digits in three parts."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: object = tf.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str | None = None,
) -> Datasets:
    """Reads the digits as `train`, `validation` and `test` from a folder,
    into which it downloads missing files.

    Pixels are float32 from 0 to 1, or uint8. `reshape` gives images as rows of 784 pixels, not [28,
    28, 1]. A true `fake_data` is refused. From `tensorflow.examples.tutorials.mnist` of TensorFlow
    1.15.
    """
    _refuse_fake(fake_data)

    def read(name: str) -> np.ndarray:
        with open(_path(name, train_dir, source_url), "rb") as file:
            return extract_images(file) if "images" in name else extract_labels(file, one_hot)

    images, labels, test_images, test_labels = map(read, FILES)
    if not 0 <= validation_size <= len(images):
        raise ValueError(
            f"Validation size should be between 0 and {len(images)}. Received: {validation_size}."
        )
    parts = [
        (images[validation_size:], labels[validation_size:]),
        (images[:validation_size], labels[:validation_size]),
        (test_images, test_labels),
    ]
    return Datasets(*(DataSet(*part, dtype=dtype, reshape=reshape, seed=seed) for part in parts))


def _refuse_fake(fake_data: bool) -> None:
    if fake_data:
        raise ValueError("MNIST: fake_data=True is not provided. Give a folder with the digits.")


def _path(name: str, folder: str, source_url: str | None) -> str:
    """Returns the path of one file, and downloads it if it is missing."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return path
    os.makedirs(folder, exist_ok=True)
    errors = []
    for url in [source_url] if source_url else MIRRORS:
        try:
            urllib.request.urlretrieve(url + name, path + ".part")
            os.replace(path + ".part", path)
            print("Successfully downloaded", name, os.path.getsize(path), "bytes.")
            return path
        except OSError as error:
            errors.append(f"{url} ({error})")
    raise OSError(
        f"MNIST: {name} is not in {folder!r} and could not be downloaded from {' or '.join(errors)}. Put the "
        f"four files {', '.join(FILES)} there by hand."
    )


def extract_images(f: IO[bytes]) -> np.ndarray:
    """Returns the images in an open gzip file,
    a uint8 array of shape [number, rows, columns, 1].
    """
    return _unpacked(f, 3)[..., np.newaxis]


def extract_labels(f: IO[bytes], one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """Returns the labels in an open gzip file, uint8 of shape [number], or [number,
    num_classes] if `one_hot`.
    """
    labels = _unpacked(f, 1)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def _unpacked(file: IO[bytes], dimensions: int) -> np.ndarray:
    """Returns the array of a file of the IDX format,
    whose header has a number for the kind, and the shape.
    """
    print("Extracting", file.name)
    with gzip.GzipFile(fileobj=file) as stream:
        shape: np.ndarray = np.frombuffer(stream.read(4 + 4 * dimensions), ">u4")[1:]
        return np.frombuffer(stream.read(), np.uint8).reshape(shape)


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """Turns integer labels of shape [number] into rows of `num_classes` numbers, one of them 1."""
    return np.eye(num_classes)[labels_dense.ravel()]


class DataSet:
    """Images and labels, and the batches of them,
    shuffled once an epoch by NumPy's global generator.

    The options are those of `read_data_sets`.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = tf.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        _refuse_fake(fake_data)
        graph_seed, op_seed = op_seeds(seed)
        np.random.seed(graph_seed if seed is None else op_seed)
        dtype = tf.as_dtype(dtype).base_dtype
        if dtype not in (tf.uint8, tf.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self.one_hot = one_hot
        self.num_examples = len(images)
        if len(images) != len(labels):
            raise ValueError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
        if reshape:
            images = images.reshape(len(images), int(np.prod(images.shape[1:])))
        if dtype == tf.float32:
            images = np.multiply(images.astype(np.float32), np.float32(1.0 / 255.0))
        self.images, self.labels = images, labels
        self.epochs_completed = self._position = 0

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """Returns the next `batch_size` images and labels;
        the rest of an epoch comes before the next epoch.
        """
        _refuse_fake(fake_data)
        start = self._position
        if shuffle and start == 0 and self.epochs_completed == 0:
            self._shuffle()
        if start + batch_size <= self.num_examples:
            self._position = end = start + batch_size
            return self.images[start:end], self.labels[start:end]
        self.epochs_completed += 1
        images, labels = self.images[start:], self.labels[start:]
        if shuffle:
            self._shuffle()
        self._position = batch_size - (self.num_examples - start)
        return (
            np.concatenate((images, self.images[: self._position]), axis=0),
            np.concatenate((labels, self.labels[: self._position]), axis=0),
        )

    def _shuffle(self) -> None:
        order = np.arange(self.num_examples)
        np.random.shuffle(order)
        self.images, self.labels = self.images[order], self.labels[order]
