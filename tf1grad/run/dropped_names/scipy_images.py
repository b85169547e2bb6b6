"""Defines the image functions that SciPy dropped, on Pillow,
as SciPy 1.0 had them where scripts used them.

stderr shows the first line of a docstring when its function is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tf1grad.programs.process import finder

if TYPE_CHECKING:
    from types import ModuleType


def imread(name: object, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    """Reads it by Pillow."""
    with _pillow().open(name) as image:
        return _array_of(image, flatten=flatten, mode=mode)


def imsave(name: object, arr: object, format: str | None = None) -> None:
    """Writes it by Pillow, scaled to 0..255 unless it is uint8."""
    image = toimage(arr, channel_axis=2)
    image.save(name, **({"format": format} if format else {}))


def imshow(arr: object) -> None:
    """Shows it by Pillow."""
    toimage(arr).show()


def imresize(arr: Any, size: Any, interp: str = "bilinear", mode: str | None = None) -> np.ndarray:
    """Resizes it by Pillow, after scaling to 0..255 unless it is uint8."""
    image = toimage(arr, mode=mode)
    if np.issubdtype(type(size), np.signedinteger):
        size = tuple((np.array(image.size) * size / 100.0).astype(int))
    elif np.issubdtype(type(size), np.floating):
        size = tuple((np.array(image.size) * size).astype(int))
    else:
        size = (size[1], size[0])
    return _array_of(image.resize(size, resample=_RESAMPLE[interp]))


def imrotate(arr: object, angle: float, interp: str = "bilinear") -> np.ndarray:
    """Rotates it by Pillow, after scaling to 0..255 unless it is uint8."""
    return _array_of(toimage(arr).rotate(angle, resample=_RESAMPLE[interp]))


_RESAMPLE = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}


def _bytes(data: np.ndarray, cmin: Any, cmax: Any) -> np.ndarray:
    """Scales an array linearly to uint8."""
    if data.dtype == np.uint8:
        return data
    cmin = data.min() if cmin is None else cmin
    cmax = data.max() if cmax is None else cmax
    scaled = (data - cmin) * (255.0 / ((cmax - cmin) or 1))
    return (np.clip(scaled, 0, 255) + 0.5).astype(np.uint8)


def _array_of(im: Any, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    """Returns numpy.array of the Pillow image."""
    if mode is not None and mode != im.mode:
        im = im.convert(mode)
    elif im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im.convert("F") if flatten else im)


def toimage(
    arr: object,
    cmin: object = None,
    cmax: object = None,
    mode: str | None = None,
    channel_axis: int | None = None,
) -> Any:
    """Returns a Pillow image of the array, scaled to 0..255 unless it is uint8."""
    data = np.asarray(arr)
    if data.ndim == 2 and mode == "F":
        return _pillow().fromarray(data.astype(np.float32))
    if data.ndim == 2:
        return _pillow().fromarray(_bytes(data, cmin, cmax))
    if data.ndim != 3 or not {3, 4} & set(data.shape):
        raise ValueError(
            f"an image needs an array [height, width] or with 3 or 4 channels, not {data.shape}"
        )
    axis = data.shape.index(3 if 3 in data.shape else 4) if channel_axis is None else channel_axis
    scaled = np.ascontiguousarray(np.moveaxis(_bytes(data, cmin, cmax), axis, -1))
    return _pillow().fromarray(scaled).convert(mode or {3: "RGB", 4: "RGBA"}[scaled.shape[-1]])


def _pillow() -> ModuleType:
    finder.prepare("PIL")  # for the program, whose call this is
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(
            "scipy.misc had image functions by Pillow, which is not installed: pip install pillow"
        ) from error
    return Image
