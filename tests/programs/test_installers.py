"""Tests that a remedy names the tool that made the environment."""

import sys

import pytest

from tf1grad.programs import _installers


def made_by(folder, *files):
    folder.mkdir(parents=True)
    for name in files:
        (folder / name).touch()
    return str(folder)


@pytest.fixture
def environments(tmp_path):
    return {
        "pip": made_by(tmp_path / "venv", "pyvenv.cfg"),
        "pipx": made_by(tmp_path / "venvs/tf1grad", "pyvenv.cfg", "pipx_metadata.json"),
        "pipx run": made_by(tmp_path / "pipx/18761", "pipx_metadata.json", "CACHEDIR.TAG"),
        "uv tool": made_by(tmp_path / "tools/tf1grad", "pyvenv.cfg", "uv-receipt.toml"),
        "uvx": made_by(tmp_path / "uv/archive-v0/c2yQ", "pyvenv.cfg", "CACHEDIR.TAG"),
    }


def test_each_tool_is_known_by_its_files(environments):
    found = {tool: _installers.tool_of(place) for tool, place in environments.items()}
    assert found == {tool: tool for tool in environments}


def test_a_users_folder_with_the_name_of_a_cache_is_pips(tmp_path):
    assert _installers.tool_of(made_by(tmp_path / "archive-v0/mine")) == "pip"


@pytest.mark.parametrize(
    "tool, line",
    [
        ("pip", "pip install tensorflow-cpu 'a<2'"),
        ("pipx", "pipx inject tf1grad tensorflow-cpu 'a<2'"),
        ("pipx run", "pipx run --with tensorflow-cpu --with 'a<2' tf1grad"),
        ("uv tool", "uv tool install --with tensorflow-cpu --with 'a<2' tf1grad"),
        ("uvx", "uvx --with tensorflow-cpu --with 'a<2' tf1grad"),
    ],
)
def test_each_tool_has_its_line(monkeypatch, tool, line):
    monkeypatch.setattr(_installers, "environment_tool", lambda: tool)
    monkeypatch.setattr(_installers, "_origin", lambda: "")
    monkeypatch.setattr(_installers, "lacks_pip", lambda: False)
    assert _installers.install_line(["tensorflow-cpu", "a<2"]) == line


def test_an_environment_of_uv_without_pip_has_a_line_of_uv(monkeypatch, tmp_path):
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.13.9\n")
    monkeypatch.setattr(_installers, "environment_tool", lambda: "pip")
    monkeypatch.setattr(_installers, "lacks_pip", lambda: True)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/e/bin/python")
    line = "uv pip install --python /e/bin/python "
    assert _installers.install_line(["scipy"]) == line + "scipy"
    assert _installers.install_line(["tf_keras"], ["--no-deps"]) == line + "--no-deps tf_keras"
    assert _installers.python_line([["pip", "install", "a"], ["tf1grad", "period"]]) == (
        line + "a && /e/bin/python -m tf1grad period"
    )
    python = "/e/bin/python -m"
    assert _installers.python_line([["pip", "install", "--ignore-requires-python", "a"]]) == (
        f"{python} ensurepip && {python} pip install --ignore-requires-python a"
    )
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "another"))
    assert (
        _installers.install_line(["scipy"]) == f"{python} ensurepip && {python} pip install scipy"
    )


def test_uvx_keeps_the_checkout_that_it_came_from(monkeypatch):
    monkeypatch.setattr(_installers, "environment_tool", lambda: "uvx")
    monkeypatch.setattr(_installers, "_origin", lambda: "file:///a/checkout")
    assert (
        _installers.install_line(["scipy"]) == "uvx --with scipy --from file:///a/checkout tf1grad"
    )
