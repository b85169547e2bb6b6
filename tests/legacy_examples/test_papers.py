"""Tests the files of papers and the command that repeats them,
with a made-up program in a local git repository.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import pytest

from examples import FOLDER
from paths import ROOT

# Where clones of the papers' repositories are, each under its paper's name; the slow tests need
# three of them.
CLONES = os.environ.get("TF1GRAD_PAPER_CLONES")
PROGRAM = """
import sys
seed = 7
for step in range(int(sys.argv[1])):
    print("loss=", 1 / (step + seed))
print("accuracy=", 0.5 + seed / 100)
"""


def _module(name, *folders):
    folder = os.path.join(*(folders or (FOLDER, "papers")))
    if folder not in sys.path:
        sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.modules["paper_files"] = paper_files = _module("paper_files")
papers = _module("run")


def _git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.check_output(command, universal_newlines=True).strip()


@pytest.fixture
def clone(tmp_path):
    """Makes a git repository with a program and a file that papers leave
    out; returns its folder.
    """
    folder = tmp_path / "clone"
    (folder / "code").mkdir(parents=True)
    (folder / "code" / "train.py").write_text(PROGRAM)
    (folder / "large").write_text("not needed")
    _git(folder, "init", "--quiet")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "-m", "a program")
    return folder


@pytest.fixture
def run(clone, tmp_path, monkeypatch, capsys):
    """Runs the command for a paper with changed entries,
    under this Python in place of `tf1grad run`.
    """
    monkeypatch.setattr(paper_files, "FOLDER", str(tmp_path))
    figure = {
        "name": "accuracy",
        "paper": "57",
        "table": "Table 1",
        "pattern": "accuracy= ([0-9.]+)",
        "scale": 100,
        "unit": "%",
        "digits": 1,
    }
    runs = [
        {"seed": seed, "figures": [each], "seconds": 1.0} for seed, each in enumerate((56, 58, 54))
    ]
    paper = {
        "title": "A title",
        "reference": "Somebody, 2017",
        "link": "https://example.org",
        "field": "examples",
        "repository": "https://example.org/nothing",
        "commit": _git(clone, "rev-parse", "HEAD"),
        "files": ["code"],
        "folder": "code",
        "seed": {"file": "code/train.py", "lines": [3], "value": "7"},
        "runs": {
            "short": {
                "command": ["train.py", "20"],
                "figures": [figure],
                "quick": {"pattern": "loss= (.+)", "count": 3},
                "measured": {"1.15.5": runs},
            }
        },
    }

    def started(*arguments, **changes):
        paper_files.write("made-up", {**paper, **changes})
        words = ["run.py", "made-up", "--clone", str(clone), "--python", sys.executable, *arguments]
        monkeypatch.setattr(sys, "argv", words)
        try:
            status = papers.main()
        except SystemExit as ended:
            status = ended.code
        return (status, *capsys.readouterr())

    started.paper = paper
    return started


def test_a_figure_within_the_spread(run):
    status, output, _ = run()
    assert status == 0
    assert "accuracy: 57.0 %" in output and "the paper: 57 %" in output
    assert "accuracy: 57.0 %  (1.15.5, the program's own seed 7)" in output
    assert "56.0 ± 2.0 in 3 runs; this run lies within the spread, 46.1 to 65.9" in output
    assert "the same seed" not in output


def test_the_figure_of_the_same_seed_on_1_15(run):
    status, output, _ = run("--seed", "1")
    assert status == 0 and "accuracy: 51.0 %  (1.15.5, seed 1)" in output
    assert "  with the same seed: 58.0\n" in output
    runs = json.loads(json.dumps(run.paper["runs"]))
    runs["short"]["measured"]["1.15.5"][0]["seed"] = 7
    status, output, _ = run(runs=runs)
    assert status == 0 and "  with the same seed: 56.0\n" in output


def test_a_figure_outside_the_spread(run):
    status, output, _ = run("--seed", "49")
    assert status == 1
    assert "accuracy: 99.0 %" in output and "this run lies OUTSIDE the spread" in output


def test_a_value_that_no_page_was_seen_to_have(run):
    runs = json.loads(json.dumps(run.paper["runs"]))
    runs["short"]["figures"][0].update(paper=None, table=None)
    status, output, _ = run(runs=runs)
    assert status == 0 and "  the paper: not seen" in output


def test_two_recorded_runs_have_no_spread(run):
    alone = json.loads(json.dumps(run.paper["runs"]))
    del alone["short"]["measured"]["1.15.5"][1]
    status, output, _ = run(runs=alone)
    assert status == 0 and "2 recorded runs, too few for a spread" in output


def test_the_first_losses_in_all_digits(run):
    status, output, _ = run("--quick", "--record")
    assert status == 0 and "recorded 3 losses" in output
    recorded = paper_files.read("made-up")["runs"]
    assert recorded["short"]["quick"]["losses"] == [repr(1 / 7), repr(1 / 8), repr(1 / 9)]
    # The program would print for minutes: it is ended after its third loss.
    recorded["short"]["command"] = ["train.py", str(10**9)]
    status, output, _ = run("--quick", runs=recorded)
    assert status == 0 and "the first 3 losses are those of TensorFlow 1.15.5" in output
    recorded["short"]["quick"]["losses"][1] = "0.12500000000000001"
    status, output, _ = run("--quick", runs=recorded)
    assert status == 1 and "loss 2 of 3 is 0.125, and on 1.15.5 0.12500000000000001" in output


def test_losses_that_were_not_recorded(run):
    runs = json.loads(json.dumps(run.paper["runs"]))
    runs["silent"] = {**runs["short"], "quick": None}
    del runs["silent"]["quick"]
    status, _, errors = run("silent", "--quick", runs=runs)
    assert status == 2
    assert "argument --quick: made-up silent has no recorded losses;" in re.sub(r"\s+", " ", errors)
    # Others are compared, so the status is theirs.
    run("short", "--quick", "--record", runs=runs)
    status, output, _ = run("--quick", runs=paper_files.read("made-up")["runs"])
    assert status == 0 and "the first 3 losses are those of TensorFlow 1.15.5" in output
    assert "silent: not compared: it has no recorded losses\n" in output
    del runs["short"]
    status, _, errors = run("--quick", runs=runs, seed=None)
    assert status == 2
    assert "because the program sets no seed and each run prints others" in re.sub(
        r"\s+", " ", errors
    )


def test_a_killed_program_leaves_no_temporary_files(run, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))  # of the program, if nothing is done
    runs = json.loads(json.dumps(run.paper["runs"]))
    make = "__import__('tempfile').mkdtemp() and int(sys.argv[1])"
    change = {"file": "code/train.py", "lines": [4], "value": "int(sys.argv[1])", "by": make}
    runs["short"].update(changes=[change], command=["train.py", str(10**9)])
    runs["short"]["quick"]["losses"] = [repr(1 / 7), repr(1 / 8), repr(1 / 9)]
    status, output, _ = run("--quick", runs=runs)
    assert status == 0 and os.listdir(tmp_path / "temporary") == []


def test_runs_are_listed_without_a_name(run, monkeypatch, capsys):
    run("--quick", "--record")
    monkeypatch.setattr(sys, "argv", ["run.py"])
    assert papers.main() == 0
    output = capsys.readouterr().out
    assert (
        "Somebody, 2017: A title (examples)\n  made-up short  (not measured under run)\n" in output
    )
    assert "    accuracy: 56.0 on 1.15.5 (3)\n" in output
    monkeypatch.setattr(sys, "argv", ["run.py", "--help"])
    with pytest.raises(SystemExit):
        papers.main()
    help_text = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "paper, here with its number of runs: made-up (1)" in help_text


def test_a_program_that_fails(run):
    runs = json.loads(json.dumps(run.paper["runs"]))
    runs["short"]["command"] = ["train.py", "many"]
    status, _, errors = run(runs=runs)
    assert status == 1 and "made-up short: exit status 1" in errors and "ValueError" in errors


def test_an_output_without_the_figure(run):
    runs = json.loads(json.dumps(run.paper["runs"]))
    runs["short"]["figures"][0]["pattern"] = "recall= ([0-9.]+)"
    status, _, errors = run(runs=runs)
    assert status == 1 and "the output has 0 matches of 'recall= ([0-9.]+)'" in errors
    assert "accuracy= 0.57" in errors


def test_a_commit_that_the_clone_lacks(run):
    status, _, errors = run(commit="0" * 40)
    assert status == 1 and "made-up short: git" in errors and "0" * 40 in errors


def test_a_seed_that_is_not_where_the_file_says(run):
    status, _, errors = run(
        "--seed", "3", seed={"file": "code/train.py", "lines": [2], "value": "7"}
    )
    assert status == 1 and "code/train.py has no single 7 in line 2" in errors


def test_changed_settings_and_a_command_before(run):
    runs = json.loads(json.dumps(run.paper["runs"]))
    change = {"file": "code/train.py", "lines": [6], "value": "0.5", "by": "0.25"}
    write = "import os; open('made/count', 'w').write('5')"
    count = "int(open('made/count').read())"
    # The command before writes into a folder that was made, and the program reads it.
    runs["short"]["before"] = [["-c", write]]
    runs["short"]["changes"] = [
        change,
        {"file": "code/train.py", "lines": [4], "value": "int(sys.argv[1])", "by": count},
    ]
    status, output, _ = run("--seed", "8", runs=runs, make_folders=["made"])
    assert status == 1 and "accuracy: 33.0 %" in output
    runs["short"]["quick"]["count"] = 6
    status, _, errors = run("--quick", runs=runs, make_folders=["made"])
    assert status == 1 and "the program printed 5 of 6 losses" in errors
    runs["short"]["changes"] = [{**change, "value": "0.7"}]
    status, _, errors = run(runs=runs, make_folders=["made"])
    assert status == 1 and "code/train.py has no single 0.7 in line 6" in errors


def test_a_recorded_run_is_added(run):
    status, output, _ = run("--seed", "8", "--record")
    runs = paper_files.read("made-up")["runs"]["short"]["measured"]["1.15.5"]
    assert status == 0 and [each["figures"] for each in runs] == [[56], [58], [54], [58.0]]
    assert runs[3]["seed"] == 8 and runs[3]["seconds"] < 60


def test_a_recorded_run_has_the_seed_of_the_program(run):
    run("--record")
    runs = paper_files.read("made-up")["runs"]["short"]["measured"]["1.15.5"]
    assert runs[3]["seed"] == 7
    run("--record", seed=None)
    runs = paper_files.read("made-up")["runs"]["short"]["measured"]["1.15.5"]
    assert runs[3]["seed"] is None


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["long"], "argument RUN: made-up has short; got 'long'"),
        (["--logs", "nowhere"], "argument --logs: there is no 'nowhere'"),
        (["--runs", "0"], "argument --runs: expected a whole number from 1 on; got 0"),
        (["--runs", "3"], "made-up sets its seed; --seed N gives it others"),
        (["--kernels", "eigen"], "argument --kernels: an option of tf1grad run"),
    ],
)
def test_wrong_arguments(run, arguments, message):
    status, _, errors = run(*arguments)
    assert status == 2 and message in re.sub(r"\s+", " ", errors)


def test_a_seed_for_a_program_without_one(run):
    status, _, errors = run("--seed", "3", seed=None)
    assert status == 2 and "made-up sets no seed" in errors


def test_an_unknown_paper(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run.py", "gnc"])
    with pytest.raises(SystemExit):
        papers.main()
    assert f"argument NAME: expected one of {paper_files.names()[0]}, " in capsys.readouterr().err


def test_a_program_comes_from_its_repository(run, clone):
    paper = {**run.paper, "repository": clone.as_uri()}
    with papers.clone(paper, None) as folder:
        assert sorted(os.listdir(folder)) == [".git", "code"]


def test_only_what_is_needed_is_brought(run, clone):
    paper = {**run.paper, "requirements": ["networkx==2.2"]}
    with papers.clone(paper, str(clone)) as folder:
        assert sorted(os.listdir(folder)) == [".git", "code"]
        with open(os.path.join(folder, "code", "requirements.txt")) as file:
            assert "networkx==2.2" in file.read()
    assert not os.path.exists(folder)


def test_the_command_line_of_run():
    arguments = papers.parse(["gcn", "citeseer", "--kernels", "eigen"])
    paper = paper_files.read("gcn")
    words = papers.command(paper, paper["runs"]["citeseer"]["command"], arguments)
    options = ["-m", "tf1grad", "run", "--kernels", "eigen", "train.py", "--dataset", "citeseer"]
    assert words == [sys.executable, *options] and papers.side(arguments) == "run --kernels eigen"


def test_a_program_for_python_2_goes_through_run_on_1_15_too():
    arguments = papers.parse(["gcn", "--python", sys.executable])
    python = os.path.abspath(sys.executable)
    words = papers.command({"python2": True}, ["train.py"], arguments)
    assert words == [python, "-m", "tf1grad", "run", "train.py"]
    assert papers.command({}, ["train.py"], arguments) == [python, "train.py"]


def test_a_notebook_goes_through_run_on_1_15_too():
    arguments = papers.parse(["gcn", "--python", sys.executable])
    words = papers.command({}, ["demo.ipynb"], arguments)
    assert words == [os.path.abspath(sys.executable), "-m", "tf1grad", "run", "demo.ipynb"]


def test_the_interval_holds_nineteen_of_twenty_further_runs():
    draws = np.random.RandomState(0).normal(5, 2, (4000, 6))
    inside = [paper_files.spread(list(row[:5])).contains(row[5]) for row in draws]
    assert abs(np.mean(inside) - 0.95) < 0.01
    spread = paper_files.spread([1.0, 2.0, 4.0])
    assert spread.mean == pytest.approx(7 / 3)
    assert spread.deviation == pytest.approx(np.std([1, 2, 4], ddof=1))


@pytest.mark.parametrize("name", paper_files.names())
def test_the_files_say_what_is_needed(name):
    paper = paper_files.read(name)
    for key in ("title", "reference", "link", "field", "licence", "note", "files", "folder"):
        assert paper[key], key
    assert re.fullmatch("[0-9a-f]{40}", paper["commit"])
    for run in paper["runs"].values():
        assert set(run.get("measured", {})) <= set(paper_files.SIDES)
        for measured in run.get("measured", {}).values():
            assert all(len(each["figures"]) == len(run["figures"]) for each in measured)
        for figure in run["figures"]:
            assert re.compile(figure["pattern"]).groups == 1
            # A paper's value stands only with the page where it was seen.
            sources = [figure[key] is None for key in ("paper", "table", "seen")]
            assert all(sources) or (not any(sources) and float(figure["paper"]))
        if "quick" in run:
            assert len(run["quick"]["losses"]) == run["quick"]["count"]


def test_the_page_has_a_line_for_each_measured_run():
    with open(os.path.join(ROOT, "docs", "programs.md"), encoding="utf-8") as file:
        lines = re.findall(r"^python legacy_examples/papers/run.py (\S+ \S+)$", file.read(), re.M)
    assert lines == [
        f"{name} {run_name}"
        for name in paper_files.names()
        for run_name, run in paper_files.read(name)["runs"].items()
        if "measured" in run
    ]


def test_the_page_has_the_option_of_the_kernels_that_were_measured():
    with open(os.path.join(ROOT, "docs", "programs.md"), encoding="utf-8") as file:
        page = file.read()
    one_run = page.partition("### One run")[2].partition("###")[0]
    commands = re.findall(r"`tf1grad run (.+?)`", one_run)
    assert commands and all(each.startswith("--kernels eigen ") for each in commands)
    assert '- `--kernels eigen` repeats the column "`run`, Eigen".' in page


def test_the_table_has_each_side_with_its_seconds(run, monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(ROOT, "docs", "generate"))
    tables = _module("papers", ROOT, "docs", "generate")
    runs = json.loads(json.dumps(run.paper["runs"]))
    figures = {"1.15.5": (56, 57, 58), "run --kernels eigen": (57, 58), "run": (75, 77, 79)}
    runs["short"]["measured"] = {
        side: [{"seed": None, "figures": [each], "seconds": each} for each in values]
        for side, values in figures.items()
    }
    runs["short"]["figures"][0]["seen"] = "https://example.org/page"
    run("--seed", "8", runs=runs, note="a note")
    head, _, row = tables.whole().splitlines()
    assert "| 1.15.5 | `run`, Eigen | `run` | CPU seconds of each |" in head
    assert "| 57.0 ± 1.0 (3) | 57.5 ± 0.7 (2) | **77.0 ± 2.0** (3) | 57, 58, 77 |" in row


def test_runs_without_seconds_have_no_part_in_their_mean():
    seconds = (None, 2.0, 5.0)
    runs = {"run": [{"seconds": each} for each in seconds], "1.15.5": [{"seconds": None}]}
    assert paper_files.seconds({"measured": runs}, "run") == 3.5
    assert paper_files.seconds({"measured": runs}, "1.15.5") is None


@pytest.mark.slow
@pytest.mark.skipif(not CLONES, reason="TF1GRAD_PAPER_CLONES names no folder with clones")
@pytest.mark.parametrize(
    "paper, name", [("gcn", "cora"), ("alstm", "acl18-alstm"), ("pinns", "burgers")]
)
def test_the_first_losses_of_a_paper(paper, name):
    clone = os.path.join(CLONES, paper)
    if not os.path.isdir(clone):
        pytest.skip(f"TF1GRAD_PAPER_CLONES has no clone {paper}")
    program = os.path.join(FOLDER, "papers", "run.py")
    command = [sys.executable, program, paper, name, "--clone", clone, "--quick"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ended.returncode == 0, ended.stdout
    assert "losses are those of TensorFlow 1.15.5" in ended.stdout
