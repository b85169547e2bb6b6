"""Tests the processes in which `verify` and `upgrade --by-running` run a program."""

import os
import sys
import time

import pytest

from paths import ROOT
from tf1grad.verify.record import Facts
from tf1grad.verify.recorded_processes import RecordedProcesses

ENV = {**os.environ, "PYTHONPATH": ROOT}


@pytest.fixture
def processes(tmp_path, monkeypatch):
    program = tmp_path / "program"
    program.mkdir()
    monkeypatch.chdir(program)
    with RecordedProcesses(timeout=20.0) as made:
        yield made


def _run(processes, code, folder=None, **options):
    """Runs code in which `save(**facts)` writes a record."""
    header = (
        "import os, sys, time\n"
        "from tf1grad.verify.record import Facts, Record\n"
        f"def save(**facts): Record(Facts(**facts)).save({processes.record_path!r})\n"
    )
    return processes.run([sys.executable, "-c", header + code], ENV, folder, **options)


def test_a_process_leaves_its_record_its_code_and_its_output(processes):
    ended = _run(processes, "save(numpy='1.18'); print('done'); sys.exit(3)")
    assert (ended.record.facts.numpy, ended.code, ended.is_late) == ("1.18", 3, False)
    assert ended.output == "    done"


def test_a_process_does_not_find_the_record_of_the_one_before(processes):
    _run(processes, "save(numpy='1.18')")
    assert _run(processes, "pass").record.facts == Facts()


def test_a_process_is_late_after_its_time_also_with_a_record(processes):
    processes._timeout = 3.0
    ended = _run(processes, "save(numpy='1.18'); time.sleep(100)")
    assert (ended.record.facts.numpy, ended.code, ended.is_late) == ("1.18", None, True)


def test_a_process_with_a_record_gets_some_seconds_to_exit(processes):
    start = time.monotonic()
    ended = _run(processes, "save(numpy='1.18'); time.sleep(100)", seconds_to_exit=0.2)
    assert time.monotonic() - start < 15
    assert ended.record.facts.numpy == "1.18" and not ended.is_late


def test_a_run_in_a_copy_leaves_nothing_and_its_paths_are_the_users(processes, tmp_path):
    models = tmp_path / "models"
    models.mkdir()
    code = (
        f"for name in ('checkpoint', 'model.index'): open(os.path.join({str(models)!r}, name), 'w')\n"
        "open('log', 'w')\n"
        f"save(new_folders=[{str(models)!r}], saved=[{str(models / 'model')!r}])\n"
        "sys.exit(os.path.join(os.getcwd(), 'train.py'))"
    )
    with processes.fresh_folder() as fresh:
        ended = _run(processes, code, fresh)
        assert list(fresh.written()) == ["log"]
    assert os.listdir(models) == os.listdir(".") == [] and not os.path.exists(fresh.path)
    assert ended.output == "    " + os.path.join(os.getcwd(), "train.py")
