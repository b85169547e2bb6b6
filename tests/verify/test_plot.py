"""Tests which curves the plot of `verify` has; a stand-in for Matplotlib takes them."""

import sys
import types
from unittest import mock

from tf1grad.verify import plot


def test_losses_and_differences_are_drawn(monkeypatch):
    figure, losses, differences = mock.Mock(), mock.Mock(), mock.Mock()
    figure.subplots.return_value = losses, differences
    module = types.SimpleNamespace(Figure=lambda **options: figure)
    monkeypatch.setitem(sys.modules, "matplotlib", mock.Mock(figure=module))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", module)
    interpreters = {
        name: {"tensorflow": release, "python": python}
        for name, release, python in (("this", "2.21.0", "3.13.1"), ("other", "1.15.5", "3.7.9"))
    }
    loss = {"this": [1.0, 3.0], "other": [4.0], "difference": 0.5, "noise": "1e-7", "allowed": 1}
    found = {"script": "train.py", "verdict": "differs", "interpreters": interpreters}
    plot.draw("loss.png", dict(found, steps=[{"step": 7, "loss": loss}]))

    def curves(axes):
        return {options["label"]: curve[:2] for curve, options in axes.plot.call_args_list}

    assert curves(losses) == {
        "this: TensorFlow 2.21.0, Python 3.13.1": ([7], [2.0]),
        "other: TensorFlow 1.15.5, Python 3.7.9": ([7], [4.0]),
    }
    assert curves(differences) == {
        "difference of the loss": ([7], [0.5]),
        "noise of the loss": ([7], [1e-7]),
        "allowed of the loss": ([7], [1.0]),
    }
    losses.set_title.assert_called_once_with("train.py\ndiffers", fontsize=10, wrap=True)
    assert [figure.savefig.call_args[0], losses.legend.called] == [("loss.png",), True]
