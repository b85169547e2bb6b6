"""Tests what tf1grad tells while a program runs."""

import io
import sys

import pytest

from tf1grad.programs.process import messages


class _Stream(io.StringIO):
    def __init__(self, is_terminal):
        super().__init__()
        self.isatty = lambda: is_terminal


@pytest.fixture(autouse=True)
def nothing_shown(monkeypatch):
    monkeypatch.setattr(messages, "_shown_at", 0.0)


def test_a_shown_text_gives_way_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", _Stream(True))
    monkeypatch.setattr(messages, "_quiet", False)
    messages.show("1 of 3 MB")
    messages.show("2 of 3 MB")  # too early
    monkeypatch.setattr(messages, "SECONDS", 0.0)
    messages.show("3 of 3 MB")
    messages.say("here")
    messages.clear()
    messages.say("there")
    gone = "\r\033[K"
    shown = f"{gone}tf1grad: 1 of 3 MB{gone}tf1grad: 3 of 3 MB{gone}"
    assert sys.stderr.getvalue() == f"{shown}tf1grad: here\ntf1grad: there\n"


@pytest.mark.parametrize("is_quiet", [False, True])
def test_nothing_is_shown_elsewhere(monkeypatch, is_quiet):
    monkeypatch.setattr(sys, "stderr", _Stream(is_terminal=is_quiet))
    monkeypatch.setattr(messages, "_quiet", is_quiet)
    messages.show("1 of 3 MB")
    messages.clear()
    assert sys.stderr.getvalue() == ""


def test_a_warning_is_said_once_for_each_key(monkeypatch, capsys):
    monkeypatch.setattr(messages, "_quiet", False)
    monkeypatch.setattr(messages, "said", set())
    for key in ("first", "second", "first"):
        messages.warn_once(key, f"the {key}\nof two lines")
    first, second = (f"tf1grad: the {key}\ntf1grad: of two lines\n" for key in ("first", "second"))
    assert capsys.readouterr().err == first + second
