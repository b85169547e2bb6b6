"""Tests which tests a run takes, in which order, and what it fetches for them."""

import os
from types import SimpleNamespace

import period_layer
import short_run
from paths import ROOT
from tf1grad.old_programs.period import installation, parts, sources


def test_without_a_network_the_summary_counts_the_skipped_tests(monkeypatch):
    def refuse(*args):
        raise sources.Failed("no network")

    monkeypatch.setattr(period_layer, "_missing", parts.every_part)
    monkeypatch.setattr(installation, "install", refuse)
    written = []
    terminal = SimpleNamespace(
        write_line=written.append,
        stats={
            "skipped": [
                SimpleNamespace(longrepr=("a.py", 3, f"Skipped: {period_layer.SKIPPED}")),
                SimpleNamespace(longrepr=("b.py", 4, "Skipped: needs pandas")),
            ]
        },
    )
    manager = SimpleNamespace(get_plugin={"terminalreporter": terminal}.get)
    fetch = period_layer.Fetch()
    fetch.pytest_sessionstart(
        SimpleNamespace(
            config=SimpleNamespace(pluginmanager=manager, option=SimpleNamespace(collectonly=False))
        )
    )
    list(fetch.pytest_terminal_summary(terminal))
    assert written == ["1 tests were skipped, because they need the period layer: no network"]


def test_the_process_that_starts_others_does_not_import_tensorflow(run_program):
    assert (
        run_program(f"""
        import sys
        from types import SimpleNamespace
        sys.path.insert(0, {os.path.join(ROOT, "tests")!r})
        import conftest
        manager = SimpleNamespace(has_plugin=["dsession"].__contains__)
        conftest.pytest_sessionstart(SimpleNamespace(config=SimpleNamespace(pluginmanager=manager)))
        print("tensorflow" in sys.modules)
    """)
        == "False\n"
    )


def test_the_rest_is_what_the_last_short_run_did_not_pass():
    def run(*args, **options):
        deselected = []
        options = dict(dict(full=False, rest=False, markexpr=""), **options)
        config = SimpleNamespace(
            cache=cache,
            args=list(args),
            getini={"testpaths": []}.get,
            option=SimpleNamespace(**options),
            hook=SimpleNamespace(pytest_deselected=lambda items: deselected.extend(items)),
        )
        items = [
            SimpleNamespace(
                nodeid=name, fixturenames=(), get_closest_marker=marks.get(name, {}).get
            )
            for name in "abc"
        ]
        runs = short_run.Runs(config)
        runs.pytest_collection_modifyitems(items)
        return runs, [item.nodeid for item in items]

    kept, marks = {}, {"b": {"slow": True}}
    cache = SimpleNamespace(get=kept.get, set=kept.__setitem__)
    runs, names = run()
    assert names == ["a", "c"] and run(full=True)[1] == run(rest=True)[1] == ["a", "b", "c"]
    terminal = SimpleNamespace(
        write_line=lambda text: None, stats={"passed": [SimpleNamespace(nodeid="a")]}
    )
    list(run("tests/one_file.py")[0].pytest_terminal_summary(terminal))
    assert kept == {}
    list(runs.pytest_terminal_summary(terminal))
    assert run(rest=True)[1] == ["b", "c"]
