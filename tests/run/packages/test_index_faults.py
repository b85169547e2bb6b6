"""Tests that a fault of the package index is told, and that the next run asks again."""

import datetime
import errno
import os

import pytest

from package_index import wheel_of
from tf1grad.programs.period import helper_processes, sources
from tf1grad.programs.process import messages
from tf1grad.run.packages import resolver, uv_errors

PAGE, WHEEL = "simple/plain", "plain-1.0-py3-none-any.whl"
ANSWERS = ("401", "403", "410", "429", "500", "503")
# Where the fault is, and which one of `package_index.FAULTS`, with a word that the user reads.
CASES = [
    *((PAGE, status, status) for status in ANSWERS),
    (PAGE, "a login page", "login page"),
    (PAGE, "garbled", "unexpected JSON"),
    (PAGE, "cut", "unexpected JSON"),
    (PAGE, "broken off", "end of file"),
    (PAGE, "redirects for ever", "Content-Type"),
    (PAGE, "hangs", "timed out"),
    (PAGE, "hangs up", "closed"),
    *((WHEEL, status, status) for status in (*ANSWERS, "404")),
    (WHEEL, "a login page", "plain"),
    (WHEEL, "garbled", "plain"),
    (WHEEL, "a flipped byte", "plain"),
    (WHEEL, "cut", "plain"),
    (WHEEL, "another", "Hash mismatch"),
    (WHEEL, "broken off", "plain"),
    (WHEEL, "redirects for ever", "plain"),
    (WHEEL, "hangs", "timed out"),
    (WHEEL, "hangs up", "closed"),
]
IN_THE_SHORT_RUN = [(PAGE, "a login page"), (WHEEL, "a flipped byte")]
TABLE = [
    pytest.param(
        *case,
        id=f"{'page' if case[0] == PAGE else 'wheel'}: {case[1]}",
        marks=[] if case[:2] in IN_THE_SHORT_RUN else pytest.mark.slow,
    )
    for case in CASES
]


@pytest.mark.parametrize("where, fault, word", TABLE)
def test_a_fault_is_told_and_the_next_run_asks_again(bring, index, layer, where, fault, word):
    index.faults[where] = fault
    with pytest.raises(sources.Failed) as caught:
        bring("plain==1.0\n")
    told = str(caught.value)
    assert word in told and "plain" in told and "the next run asks again" in told
    assert where != PAGE or index.url in told
    assert not list(layer.iterdir())
    index.faults.clear()
    index.asked.clear()
    modules, lock = bring("plain==1.0\n")
    assert modules == ["plain"] and PAGE in index.asked
    assert "plain==1.0 --hash" in lock and "missing" not in lock


def test_what_the_index_lacks_is_kept_with_the_day(bring, index, capsys):
    asked = ["nowhere==1.0", "nobody"]
    modules, lock = bring("nowhere==1.0\nnobody\nplain==1.0\n")
    today = datetime.date.today()
    assert modules == ["plain"]
    assert all(f"# missing on {today}: {each}: " in lock for each in asked)
    index.asked.clear()
    messages.said.clear()
    capsys.readouterr()
    bring("nowhere==1.0\nnobody\nplain==1.0\n")
    told = capsys.readouterr().err
    assert index.asked == []
    assert all(f"{each} cannot be had: " in told for each in asked)
    assert told.count(f"(the package index was asked on {today}; if you remove ") == 2


@pytest.mark.slow
def test_a_wheel_without_metadata_is_missing_for_good(bring, index):
    index.add_file("empty", "empty-1.0-py3-none-any.whl", "2019-01-01", wheel_of({"empty.py": ""}))
    modules, lock = bring("empty==1.0\nplain==1.0\n")
    assert modules == ["plain"] and "empty==1.0: " in lock


def test_an_index_that_hangs_is_told_with_its_address(bring, index, monkeypatch, capsys):
    monkeypatch.setattr(helper_processes, "SECONDS", 0.5)
    index.faults[PAGE] = "hangs"
    with pytest.raises(sources.Failed):
        bring("plain==1.0\n")
    assert f"waiting for {index.url}/simple for 0.5 seconds now" in capsys.readouterr().err


def test_waiting_for_an_index_has_an_end(bring, index, layer, monkeypatch):
    monkeypatch.setenv("UV_HTTP_TIMEOUT", "600")
    monkeypatch.setattr(helper_processes, "SECONDS", 0.5)
    monkeypatch.setattr(helper_processes, "MOST_SECONDS", 0.5)
    index.faults[PAGE] = "hangs"
    with pytest.raises(sources.Failed, match=f"{index.url}/simple: it did not end in 0.5 seconds"):
        bring("plain==1.0\n")
    assert not list(layer.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_a_full_disk_is_told_whatever_stands_before_it(bring, tmp_path, monkeypatch):
    uv = tmp_path / "uv"
    causes = [f"  cause: failed to copy {'x' * 300}", f"  cause: {os.strerror(errno.ENOSPC)}"]
    uv.write_text(
        "#!/bin/sh\ncat >&2 <<END\n" + "\n".join(["error: no", *causes]) + "\nEND\nexit 2\n"
    )
    uv.chmod(0o755)
    monkeypatch.setattr(resolver, "find_uv", lambda: str(uv))
    with pytest.raises(sources.Failed, match="^the disk of .* is full"):
        bring("plain==1.0\n")


def test_the_first_and_the_last_of_many_causes_are_told():
    causes = [f"cause: {number} {'x' * 100}" for number in range(9)]
    told = uv_errors.reason("\n".join(["error: begin", *causes, "cause: the end"]))
    assert told.startswith("begin 0 x") and told.endswith(" the end") and len(told) < 500
