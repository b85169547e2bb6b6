"""Tests which tests a run takes: those that an earlier run has passed can be left out."""

import os
import re
import shlex
import subprocess
import sys
from types import SimpleNamespace

import passed_tests
import short_run
from paths import ROOT

REPORTS = [
    ("tests/freezing/test_x.py::test_passes", ["passed", "passed", "passed"]),
    ("tests/freezing/test_x.py::test_fails", ["passed", "failed", "passed"]),
    ("tests/freezing/test_x.py::test_fails_at_its_end", ["passed", "passed", "failed"]),
    ("tests/freezing/test_x.py::test_is_skipped", ["skipped"]),
    ("tests/old_programs/test_x.py::test_passes", ["passed", "passed", "passed"]),
    ("tests/gradients/test_misuse_transforms.py::test_passes", ["passed", "passed", "passed"]),
]


def test_only_passed_tests_of_the_library_are_left_out(tmp_path):
    file = str(tmp_path / "passed")
    writer = passed_tests.Writer(file)
    for nodeid, outcomes in REPORTS:
        for when, outcome in zip(("setup", "call", "teardown"), outcomes):
            writer.pytest_runtest_logreport(SimpleNamespace(nodeid=nodeid, when=when, passed=outcome == "passed"))
    writer.pytest_sessionfinish()
    items = [SimpleNamespace(nodeid=nodeid) for nodeid, _ in REPORTS]
    left = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    passed_tests.pytest_collection_modifyitems(SimpleNamespace(option=SimpleNamespace(passed=file), hook=hook), items)
    assert [item.nodeid for item in left] == [REPORTS[0][0]]
    assert [item.nodeid for item in items] == [nodeid for nodeid, _ in REPORTS[1:]]


def test_nothing_is_left_out_after_a_run_that_did_not_end(tmp_path):
    items = [SimpleNamespace(nodeid=nodeid) for nodeid, _ in REPORTS]
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    config = SimpleNamespace(option=SimpleNamespace(passed=str(tmp_path / "none")), hook=hook)
    passed_tests.pytest_collection_modifyitems(config, items)
    assert len(items) == len(REPORTS)


def test_the_rooms_and_files_exist():
    assert all(os.path.isdir(os.path.join(ROOT, room)) for room in passed_tests.ROOMS)
    assert all(os.path.isfile(os.path.join(ROOT, file)) for file in (*passed_tests.TEXTS, passed_tests.USES_CONTRIB))


def test_the_ci_command_finds_the_options_of_this_project(tmp_path):
    file = tmp_path / "passed"
    file.write_text("")
    with open(os.path.join(ROOT, ".ci", "run")) as script:
        command = re.search(r"python (-m pytest .*--except.*)", script.read()).group(1)
    command = command.replace("$work/passed", str(file))
    run = subprocess.run([sys.executable, *shlex.split(command), "--markers"], cwd=ROOT,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, run.stdout


def test_the_process_that_starts_others_does_not_import_tensorflow(run_program):
    assert run_program(f"""
        import sys
        from types import SimpleNamespace
        sys.path.insert(0, {os.path.join(ROOT, "tests")!r})
        import conftest
        manager = SimpleNamespace(has_plugin=["dsession"].__contains__)
        conftest.pytest_sessionstart(SimpleNamespace(config=SimpleNamespace(pluginmanager=manager)))
        print("tensorflow" in sys.modules)
    """) == "False\n"


def test_files_of_long_tests_come_first():
    def item(nodeid, mark=None, fixtures=()):
        return SimpleNamespace(nodeid=nodeid, get_closest_marker=[mark].__contains__, fixturenames=list(fixtures))

    quick = [item(f"quick.py::test_{number}") for number in range(20)]
    program = item("program.py::test_run", fixtures=["folder", "tmp_path"])
    slow = [item("slow.py::test_all"), item("slow.py::test_long", "slow")]
    assert short_run.longest_first([slow[1], *quick, program, slow[0]]) == [slow[1], slow[0], program, *quick]
