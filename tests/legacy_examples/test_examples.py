"""Compares what the examples compute beside the library with NumPy, a formula or a known value."""

import numpy as np
import pytest

from examples import example


def test_interval_is_wilsons():
    interval = example("clip_exploding_rnn").interval
    np.testing.assert_allclose(interval(5, 10), (0.2366, 0.7634), atol=1e-4)
    np.testing.assert_allclose(interval(0, 10), (0.0, 0.2775), atol=1e-4)
    np.testing.assert_allclose(interval(10, 10), (0.7225, 1.0), atol=1e-4)


def test_the_target_moons_are_turned():
    pytest.importorskip("sklearn", reason="the moons are scikit-learn's")
    moons = example("adversarial_moons")
    (_, _), (target, labels) = moons.read_domains(35)
    (_, _), (straight, _) = moons.read_domains(0)
    angles = np.angle(
        (target[:, 0] + 1j * target[:, 1]) / (straight[:, 0] + 1j * straight[:, 1]), deg=True
    )
    np.testing.assert_allclose(angles, 35)
    assert np.bincount(labels).tolist() == [75, 75]


burgers = example("burgers")


def test_the_integral_satisfies_the_equation_and_the_conditions():
    step = 1e-4
    x, t = np.array([-0.7, -0.2, 0.3, 0.8]), np.array([0.1, 0.4, 0.9])
    u = burgers.exact_solution(x, t)
    later, earlier = (burgers.exact_solution(x, t + sign * step) for sign in (1, -1))
    right, left = (burgers.exact_solution(x + sign * step, t) for sign in (1, -1))
    residual = (
        (later - earlier) / (2 * step)
        + u * (right - left) / (2 * step)
        - burgers.VISCOSITY * (right - 2 * u + left) / step**2
    )
    np.testing.assert_allclose(residual, np.zeros([4, 3]), atol=1e-5)
    np.testing.assert_allclose(
        burgers.exact_solution(x, np.zeros(1))[:, 0], -np.sin(np.pi * x), atol=1e-12
    )
    np.testing.assert_allclose(
        burgers.exact_solution(np.array([-1.0, 1.0]), t), np.zeros([2, 3]), atol=1e-10
    )


def test_the_boundary_has_the_values_of_the_solution():
    points, values = burgers.boundary_points(456, seed=0)
    exact = [burgers.exact_solution(x[None], t[None])[0, 0] for x, t in points[::20]]
    np.testing.assert_allclose(values[::20], exact, atol=1e-10)
    assert len(np.unique(points, axis=0)) == 454  # the two corners are on two of the lines
