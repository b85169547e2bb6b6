"""Compares the Cole-Hopf integral of the examples with a reference solution and with the equation itself."""


import numpy as np

from examples import example

burgers = example("burgers")


def test_satisfies_the_equation_and_the_conditions():
    step = 1e-4
    x, t = np.array([-0.7, -0.2, 0.3, 0.8]), np.array([0.1, 0.4, 0.9])
    u = burgers.exact_solution(x, t)
    later, earlier = (burgers.exact_solution(x, t + sign * step) for sign in (1, -1))
    right, left = (burgers.exact_solution(x + sign * step, t) for sign in (1, -1))
    residual = ((later - earlier) / (2 * step) + u * (right - left) / (2 * step)
                - burgers.VISCOSITY * (right - 2 * u + left) / step ** 2)
    np.testing.assert_allclose(residual, np.zeros([4, 3]), atol=1e-5)
    np.testing.assert_allclose(burgers.exact_solution(x, np.zeros(1))[:, 0], -np.sin(np.pi * x), atol=1e-12)
    np.testing.assert_allclose(burgers.exact_solution(np.array([-1.0, 1.0]), t), np.zeros([2, 3]), atol=1e-10)


def test_the_boundary_has_the_values_of_the_solution():
    points, values = burgers.boundary_points(456, seed=0)
    exact = [burgers.exact_solution(x[None], t[None])[0, 0] for x, t in points[::20]]
    np.testing.assert_allclose(values[::20], exact, atol=1e-10)
    assert len(np.unique(points, axis=0)) == 454  # the two corners are on two of the lines


def test_truncated_normal_is_drawn_again_and_not_clipped():
    values = burgers.truncated_normal(np.random.RandomState(0), [100, 100])
    assert 1.99 < np.max(np.abs(values)) < 2
    assert abs(np.std(values) - 0.8796) < 0.01  # of the normal distribution between -2 and 2; clipped it has 0.9594
