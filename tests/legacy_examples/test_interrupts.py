"""Tests that Ctrl-C in an example keeps and draws the results so far, and ends with status 130."""

import importlib.util

import numpy as np
import pytest

from examples import EXAMPLES, example

# Where it is missing, no picture is drawn and none is looked at.
MATPLOTLIB = importlib.util.find_spec("matplotlib")
SHORT = ("clip_exploding_rnn", "cluster_digits")  # all examples end through one function


def few_digits():
    """Returns a training and a test part of images `[n, 64]` and labels."""
    random = np.random.RandomState(0)
    return [
        (np.float32(random.rand(count, 64)), random.randint(0, 10, count)) for count in (40, 24)
    ]


def few_squares():
    return [(images.reshape(-1, 8, 8, 1), labels) for images, labels in few_digits()]


def few_molecules():
    random = np.random.RandomState(0)
    return [
        (random.randint(0, 3, atoms), random.rand(atoms, 3) * 3, random.rand())
        for atoms in [2, 3, 4, 3, 2] * 4
    ]


def few_moons(angle):
    random = np.random.RandomState(int(angle))
    return [(random.randn(150, 2), np.arange(150) % 2) for _ in range(2)]


def few_points(count, seed):  # without SciPy's or pyDOE's hypercube
    return np.random.RandomState(seed).uniform((-1, 0), (1, 0.99), (count, 2))


def one_round(batches_per_step, *_):
    """Returns the result of a round of the cluster; the second one is interrupted."""
    if batches_per_step > 1:
        raise KeyboardInterrupt
    return {
        "accuracy": 0.9,
        "pushed": 4e5,
        "pulled": 4e5,
        "loopback": 1e6,
        "steps per second": 10.0,
    }


# Of each example: its arguments, what stands for its data and processes, the call of
# `Progress.show` that is interrupted, and what it says of what was reached.
CASES = {
    "adversarial_moons": (
        ["--runs=1", "--epochs=12"],
        {"read_domains": few_moons},
        11,
        "target accuracy at the end of 1 runs",
    ),
    "clip_exploding_rnn": (
        ["--lengths", "10", "11", "--runs=1", "--steps=2"],
        {},
        3,
        "length  10: plain SGD",
    ),
    "cluster_digits": ([], {"train": one_round}, None, "400.0"),
    "freeze_domain_adaptation": (
        ["--runs=2", "--steps=100"],
        {"read_domains": lambda angle: few_digits()},
        101,
        "target accuracy at the end of 1 runs",
    ),
    "freeze_matrix_factorization": (
        ["--rank=2"],
        {"read_ratings": lambda: few_digits()[0][0].astype(float)},
        3,
        "after 6 half steps",
    ),
    "growing_batch_digits": (
        ["--runs=1", "--epochs=3"],
        {"read_digits": few_digits},
        4,
        "falling rate",
    ),
    "large_batch_digits": (
        ["--steps=2"],
        {"read_digits": few_squares, "BATCH": 16, "MICRO_BATCH": 8},
        3,
        "full batch",
    ),
    "line_search_molecules": (
        ["--epochs=2", "--batch=8"],
        {"molecules": few_molecules},
        3,
        "held out",
    ),
    "pinn_burgers": (
        ["--n-f=20", "--width=4", "--depth=2", "--runs=2"],
        {"latin_hypercube": few_points},
        5,
        "seed 0: relative L2 error",
    ),
    "pinn_burgers_identification": (
        ["--points=20", "--width=4", "--depth=2"],
        {},
        5,
        "0 % noise, seed 0: lambda_1",
    ),
}


def test_every_example_has_a_case():
    assert sorted(CASES) == EXAMPLES


@pytest.mark.parametrize(
    "name",
    [name if name in SHORT else pytest.param(name, marks=pytest.mark.slow) for name in EXAMPLES],
)
def test_an_interrupt_keeps_what_was_reached(name, monkeypatch, tmp_path, capsys):
    arguments, stand_ins, call, said = CASES[name]
    module, common = example(name), example("common")
    for attribute, value in stand_ins.items():
        monkeypatch.setattr(module, attribute, value)
    if name == "large_batch_digits":
        monkeypatch.setattr(module, "BATCHES_PER_STEP", 2)
        monkeypatch.setattr(module, "in_own_process", module.train)
    calls = []

    def show(self, text, done=None):
        assert text and (done is None or 0 < done <= 1)
        calls.append(text)
        if len(calls) == call:
            raise KeyboardInterrupt

    monkeypatch.setattr(common.Progress, "show", show)
    path = tmp_path / "picture.png"
    parsed = module.parse(arguments + ["--output", str(path) if MATPLOTLIB else "none"])
    assert module.main(parsed) == common.INTERRUPTED
    output = capsys.readouterr().out
    assert "interrupted: what was reached is kept" in output and said in output
    assert len(calls) == (call or 0)
    if MATPLOTLIB:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5000
