"""Warns of weights that are made of singular vectors:
NumPy's LAPACK chooses their signs, and now chooses others.

With NumPy 1.18 beside TensorFlow 1.15 and NumPy 1.26 or 2 beside later versions, a 4 by 64 matrix
has some vectors of the other sign. Then networks with orthogonal weights that user code computes
start from other values.
"""

from typing import Any

from tf1grad.programs.process import messages, ownership, patches


def install() -> None:
    """Lets `numpy.linalg.svd` warn once, when user code calls it."""
    import numpy

    patches.wrap(
        numpy.linalg,
        "svd",
        _warning,
        reason="warns that the signs of singular vectors may differ from those with TensorFlow 1.15",
    )


def _warning(svd: patches.Function, *arguments: object, **options: object) -> Any:
    makes_vectors = arguments[2] if len(arguments) > 2 else options.get("compute_uv", True)
    place = ownership.place_of_asker() if makes_vectors else None
    if place:
        messages.warn_once(
            "signs of singular vectors",
            f"numpy.linalg.svd ({place[0]}:{place[1]}): singular vectors may have other signs than NumPy gave them "
            "beside TensorFlow 1.15, and then so have weights that are made of them. To compare versions, make each "
            "vector's greatest element positive in both.",
        )
    return svd(*arguments, **options)
