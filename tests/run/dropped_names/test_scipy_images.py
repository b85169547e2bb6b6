"""Tests the image functions that SciPy had, on arrays with known images."""

import numpy as np
import pytest

from tf1grad.run.dropped_names import lost_functions, scipy_images

Image = pytest.importorskip("PIL.Image", reason="needs pillow")

GRAY = np.arange(12, dtype=np.uint8).reshape(3, 4)
COLOR = np.arange(60, dtype=np.uint8).reshape(5, 4, 3)


@pytest.mark.parametrize(
    "size, shape",
    [((6, 8), (6, 8)), (200, (10, 8)), (np.float32(2), (10, 8))],
    ids=["pixels", "percents", "share"],
)
def test_sizes_in_pixels_percents_and_shares(size, shape):
    resized = scipy_images.imresize(COLOR, size, "nearest")
    assert resized.shape == shape + (3,) and resized.dtype == np.uint8


def test_doubled_and_turned_pixels():
    doubled = scipy_images.imresize(GRAY, 2.0, "nearest")
    np.testing.assert_array_equal(doubled, GRAY.repeat(2, 0).repeat(2, 1))
    np.testing.assert_array_equal(scipy_images.imrotate(GRAY, 180, "nearest"), GRAY[::-1, ::-1])


def test_scaling_to_bytes():
    image = np.array([[-1.0, 0.0, 3.0]])
    np.testing.assert_array_equal(scipy_images.toimage(image), [[0, 64, 255]])
    np.testing.assert_array_equal(scipy_images.toimage(image, cmin=0, cmax=1), [[0, 0, 255]])


def test_images_of_every_mode():
    assert scipy_images.toimage(GRAY).mode == "L" and scipy_images.toimage(COLOR).mode == "RGB"
    assert (
        scipy_images.toimage(COLOR).size
        == scipy_images.toimage(np.moveaxis(COLOR, 2, 0)).size
        == (4, 5)
    )
    assert scipy_images.toimage(COLOR[:3]).size == (3, 4)  # SciPy took the first axis of three
    fractions = np.asarray(scipy_images.toimage(GRAY + 0.25, mode="F"))
    np.testing.assert_array_equal(fractions, GRAY + 0.25)
    with pytest.raises(ValueError, match=r"not \(2, 2, 2\)"):
        scipy_images.toimage(np.zeros([2, 2, 2]))


def test_files_are_read_as_they_are_or_flattened(tmp_path):
    path = str(tmp_path / "image.png")
    Image.fromarray(GRAY > 5).save(path)
    np.testing.assert_array_equal(scipy_images.imread(path), np.where(GRAY > 5, 255, 0))
    scipy_images.imsave(path, COLOR)
    np.testing.assert_allclose(
        scipy_images.imread(path, flatten=True), COLOR @ [0.299, 0.587, 0.114], atol=0.51
    )


def test_functions_written_anew():
    np.testing.assert_allclose(
        lost_functions.normpdf([0.0, 2.0], 1.0, 2.0), [0.17603266, 0.17603266]
    )
    with pytest.raises(ValueError, match="inspect.signature"):
        lost_functions.getargspec(lambda *, key: key)
