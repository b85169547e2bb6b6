"""The Cole-Hopf integral of the examples against a reference solution, and against the equation itself."""

import os
import sys

import numpy as np
import pytest

from paths import ROOT

sys.path.insert(0, os.path.join(ROOT, "legacy_examples"))

import pinn_burgers  # noqa: E402, found by the line above


@pytest.mark.skipif("TF1GRAD_BURGERS" not in os.environ, reason="TF1GRAD_BURGERS names no burgers_shock.mat")
def test_equals_the_reference_solution():
    from scipy.io import loadmat
    reference = loadmat(os.environ["TF1GRAD_BURGERS"])
    x, t = pinn_burgers.grid()
    np.testing.assert_allclose(reference["x"].ravel(), x, atol=1e-12)
    np.testing.assert_allclose(reference["t"].ravel(), t, atol=1e-12)
    np.testing.assert_allclose(pinn_burgers.exact_solution(x, t), np.real(reference["usol"]), atol=1e-8)


def test_satisfies_the_equation_and_the_conditions():
    step = 1e-4
    x, t = np.array([-0.7, -0.2, 0.3, 0.8]), np.array([0.1, 0.4, 0.9])
    u = pinn_burgers.exact_solution(x, t)
    later, earlier = (pinn_burgers.exact_solution(x, t + sign * step) for sign in (1, -1))
    right, left = (pinn_burgers.exact_solution(x + sign * step, t) for sign in (1, -1))
    residual = ((later - earlier) / (2 * step) + u * (right - left) / (2 * step)
                - pinn_burgers.VISCOSITY * (right - 2 * u + left) / step ** 2)
    np.testing.assert_allclose(residual, np.zeros([4, 3]), atol=1e-5)
    np.testing.assert_allclose(pinn_burgers.exact_solution(x, np.zeros(1))[:, 0], -np.sin(np.pi * x), atol=1e-12)
    np.testing.assert_allclose(pinn_burgers.exact_solution(np.array([-1.0, 1.0]), t), np.zeros([2, 3]), atol=1e-10)
