"""Tests that each option of `tf1grad run` reaches the process that runs the program."""

import pytest

from tf1grad.cli import run
from tf1grad.run.start import options

GIVEN = {
    "--numpy installed": ("numpy", "installed"),
    "--packages installed": ("packages", "installed"),
    "--date 2019-06-12": ("date", "2019-06-12"),
    "--no-fast": ("fast", False),
    "--no-dropped-names": ("dropped_names", False),
    "--matplotlib svg": ("matplotlib", "svg"),
    "--include a --include b": ("include", ["a", "b"]),
    "--exclude a": ("exclude", ["a"]),
    "--kernels eigen": ("kernels", "eigen"),
    "--accumulate 4": ("accumulate", 4),
    "--clip-global-norm 1.5": ("clip_global_norm", 1.5),
    "--freeze encoder/": ("freeze", ["encoder/"]),
    "--python 2.7": ("python", 2),
    "--quiet": ("quiet", True),
}


def test_each_option_is_given_alone_and_the_rest_are_the_defaults():
    for words, (name, value) in GIVEN.items():
        arguments = run.parse_arguments([*words.split(), "train.py", "--epochs", "3"])
        assert arguments.program == ["train.py", "--epochs", "3"], words
        expected = options.Options()._replace(**{name: value})
        # `--lock` becomes a path, and the other two have no argument.
        unset = {"lock": None, "program": "", "script_folder": None}
        assert options.read_arguments(arguments)._replace(**unset) == expected, words


def test_each_option_has_a_case():
    without = {"lock", "program", "script_folder", "seeds"}  # `upgrade` sets its `seeds`
    assert {name for name, _ in GIVEN.values()} == set(options.Options._fields) - without


@pytest.mark.parametrize(
    "words",
    ["--accumulate 0", "--clip-global-norm -1", "--date 2019-13-01"],
)
def test_a_wrong_value_is_refused_with_the_option(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        run.parse_arguments([*words.split(), "train.py"])
    assert f"argument {words.split()[0]}: " in capsys.readouterr().err


def test_options_in_the_environment_are_said_to_be_for_other_ways_of_starting(monkeypatch, capsys):
    arguments = run.parse_arguments(["train.py"])
    monkeypatch.delenv("TF1GRAD_OPTIONS", raising=False)
    run._say_what_does_nothing(arguments)
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("TF1GRAD_OPTIONS", "--quiet")
    run._say_what_does_nothing(arguments)
    assert "TF1GRAD_OPTIONS is not read here" in capsys.readouterr().err
