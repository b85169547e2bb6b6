"""Runs the program of a paper under `tf1grad run`,
and compares its figure with the paper's and TensorFlow 1.15.5's.

    python legacy_examples/papers/run.py
    python legacy_examples/papers/run.py gcn cora
    python legacy_examples/papers/run.py gcn cora --clone PATH --quick
    python legacy_examples/papers/run.py gcn cora --python /opt/tf115/bin/python --runs 3

Without a name it lists the figures. The program is brought by git at a fixed commit into a
temporary folder, and deleted at the end. Its figure lies within the spread of 1.15.5 if 19 of 20
further runs there would lie as near to the mean. The exit status is 1 if a figure lies outside, a
loss of --quick differs or the program fails, and 2 if an argument is wrong: --quick for runs
without recorded losses is.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from typing import Any, Iterator

import paper_files
from paper_files import REFERENCE

LAST_LINES = 15  # of the output of a program that failed


class Failure(Exception):
    """The program cannot be brought, ends with an error, or prints no figure."""


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Parses the command line; exits if an argument is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    papers = ", ".join(
        f"{name} ({len(paper_files.read(name)['runs'])})" for name in paper_files.names()
    )
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help=f"paper, here with its number of runs: {papers}"
    )
    parser.add_argument("only", nargs="*", metavar="RUN", help="runs of the paper (default: all)")
    parser.add_argument("--clone", metavar="PATH", help="local clone to take the program from")
    parser.add_argument("--seed", type=int, metavar="N", help="seed in place of the program's own")
    parser.add_argument(
        "--runs", type=int, default=1, metavar="K", help="runs, with the seeds N, N + 1, ..."
    )
    parser.add_argument(
        "--kernels",
        choices=("auto", "eigen", "onednn"),
        help="that of tf1grad run (default: auto; with --quick: eigen, which rounds as 1.15 did)",
    )
    parser.add_argument(
        "--python", metavar="PATH", help="Python with TensorFlow 1.15, in place of tf1grad run"
    )
    parser.add_argument(
        "--quick", action="store_true", help="compare the first losses, and stop the program there"
    )
    parser.add_argument("--logs", metavar="FOLDER", help="folder for the program's output")
    parser.add_argument(
        "--record", action="store_true", help="add what is measured to the file of the paper"
    )
    arguments = parser.parse_intermixed_args(argv)
    if arguments.name is not None:
        _check(parser, arguments)
    return arguments


def _check(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    if arguments.name not in paper_files.names():
        known = ", ".join(paper_files.names())
        parser.error(f"argument NAME: expected one of {known}; got {arguments.name!r}")
    paper = paper_files.read(arguments.name)
    for each in arguments.only:
        if each not in paper["runs"]:
            known = ", ".join(paper["runs"])
            parser.error(f"argument RUN: {arguments.name} has {known}; got {each!r}")
    for option in ("clone", "python", "logs"):
        path = getattr(arguments, option)
        if path is not None and not os.path.exists(path):
            parser.error(f"argument --{option}: there is no {path!r}")
    if arguments.runs < 1:
        parser.error(f"argument --runs: expected a whole number from 1 on; got {arguments.runs}")
    if arguments.seed is not None and not paper["seed"]:
        parser.error(f"argument --seed: {arguments.name} sets no seed, so each run draws another")
    if arguments.runs > 1 and arguments.seed is None and paper["seed"]:
        parser.error(f"argument --runs: {arguments.name} sets its seed; --seed N gives it others")
    if arguments.python and arguments.kernels:
        parser.error("argument --kernels: an option of tf1grad run, so not with --python")
    runs = arguments.only or paper["runs"]
    if arguments.quick and not any("quick" in paper["runs"][each] for each in runs):
        parser.error(
            f"argument --quick: {arguments.name} {' '.join(runs)} {why_no_losses(paper)};"
            " leave --quick out to run the whole program"
        )


def why_no_losses(paper: dict[str, Any]) -> str:
    """Returns a clause that says why no losses of a run are recorded."""
    if paper["seed"]:
        return "has no recorded losses"
    return "has no recorded losses, because the program sets no seed and each run prints others"


def side(arguments: argparse.Namespace) -> str:
    """Returns the name under which what is measured is recorded."""
    if arguments.python:
        return REFERENCE
    return "run --kernels eigen" if arguments.kernels == "eigen" else "run"


@contextlib.contextmanager
def clone(paper: dict[str, Any], path: str | None) -> Iterator[str]:
    """Brings the program into a temporary folder that exists within."""
    with tempfile.TemporaryDirectory(prefix="paper-") as folder:
        # A clone without its files, because the program may need few of them.
        if path is None:
            source = ["--filter=blob:none", paper["repository"]]
        else:
            source = ["--shared", os.path.abspath(path)]
        _git("clone", "--quiet", "--no-checkout", *source, folder)
        _git("-C", folder, "checkout", "--quiet", paper["commit"], "--", *paper["files"])
        requirements = paper.get("requirements", [])
        if requirements:
            with open(os.path.join(folder, paper["folder"], "requirements.txt"), "a") as file:
                file.write("\n" + "\n".join(requirements) + "\n")
        for made in paper.get("make_folders", []):
            os.makedirs(os.path.join(folder, paper["folder"], made))
        yield folder


def _git(*arguments: str) -> None:
    ended = subprocess.run(["git", *arguments], stderr=subprocess.PIPE, text=True)
    if ended.returncode:
        raise Failure(f"git {' '.join(arguments)} failed: {ended.stderr.strip()}")


def seeded(paper: dict[str, Any], folder: str, seed: int | None) -> list[str]:
    """Gives the program its seed: writes it into its text, or returns the option that says it."""
    if seed is None:
        return []
    place = paper["seed"]
    if "option" in place:
        return [f"{place['option']}={seed}"]
    replace(folder, place, str(seed))
    return []


def replace(folder: str, place: dict[str, Any], text: str) -> None:
    """Writes a text in place of the `value` that each of the `lines` of a `file` has once."""
    path = os.path.join(folder, place["file"])
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    pattern = rf"(?<!\w){re.escape(place['value'])}(?!\w)"
    for number in place["lines"]:
        changed, count = re.subn(pattern, lambda _: text, lines[number - 1])
        if count != 1:
            raise Failure(f"{place['file']} has no single {place['value']} in line {number}")
        lines[number - 1] = changed
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def command(paper: dict[str, Any], words: list[str], arguments: argparse.Namespace) -> list[str]:
    """Returns the command line that runs the program,
    of which `words` are the script and its arguments.
    """
    if arguments.python:
        # Python 3.7 reads a program for Python 2 or a notebook only through tf1grad run.
        needs_run = paper.get("python2") or words[0].endswith(".ipynb")
        reads = ["-m", "tf1grad", "run"] if needs_run else []
        return [os.path.abspath(arguments.python), *reads, *words]
    kernels = arguments.kernels or ("eigen" if arguments.quick else "auto")
    options = [*paper.get("options", []), "--kernels", kernels]
    return [sys.executable, "-m", "tf1grad", "run", *options, *words]


@contextlib.contextmanager
def prepared(
    paper: dict[str, Any], run: dict[str, Any], seed: int | None, arguments: argparse.Namespace
) -> Iterator[tuple[list[str], str]]:
    """Brings the program, makes the declared changes, and runs what it has to run before.

    Yields:
        The command line of the program, and the folder of the clone.
    """
    with clone(paper, arguments.clone) as folder:
        for change in run.get("changes", []):
            replace(folder, change, change["by"])
        options = seeded(paper, folder, seed)
        for words in run.get("before", []):
            for _ in lines_of(command(paper, words, arguments), paper, folder):
                pass
        yield command(paper, run["command"], arguments) + options, folder


def lines_of(words: list[str], paper: dict[str, Any], folder: str) -> Iterator[str]:
    """Runs a command line in the paper's folder, and yields the lines that it prints.

    A consumer that stops ends the program. An exit status other than 0 raises a `Failure` with the
    last lines.
    """
    last: list[str] = []
    with started(words, paper, folder) as process:
        assert process.stdout is not None
        for line in process.stdout:
            last = [*last, line][-LAST_LINES:]
            yield line
        if process.wait():
            raise Failure(f"exit status {process.returncode}; its last lines:\n{''.join(last)}")


@contextlib.contextmanager
def started(
    words: list[str], paper: dict[str, Any], folder: str
) -> Iterator[subprocess.Popen[str]]:
    """Starts a command line in the paper's folder;
    kills the process and its children at the end.
    """
    # A killed process leaves its temporary files, so they get a folder of their own.
    with tempfile.TemporaryDirectory(prefix="paper-files-") as temporary:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": temporary}
        process = subprocess.Popen(
            words,
            cwd=os.path.join(folder, paper["folder"]),
            env={**environment, **paper.get("environment", {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        assert process.stdout is not None
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.stdout.close()
            process.wait()


def figure_in(output: str, description: dict[str, Any]) -> float:
    """Returns the figure that the output shows:
    a match of its pattern, the last one if nothing else is said.
    """
    found = re.findall(description["pattern"], output, re.MULTILINE)
    try:
        match = found[description.get("match", -1)]
    except IndexError:
        raise Failure(
            f"{description['name']}: the output has {len(found)} matches of "
            f"{description['pattern']!r}; its last lines:\n"
            + "\n".join(output.splitlines()[-LAST_LINES:])
        ) from None
    return round(float(match) * description.get("scale", 1), 10)


def run_whole(
    paper: dict[str, Any], name: str, seed: int | None, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Runs the program to its end; returns its figures and the CPU seconds."""
    run = paper["runs"][name]
    with prepared(paper, run, seed, arguments) as (words, folder):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        output = "".join(lines_of(words, paper, folder))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if arguments.logs:
        place = f"{arguments.name}-{name}-{side(arguments).replace(' ', '')}-{seed}"
        number = sum(each.startswith(place) for each in os.listdir(arguments.logs))
        with open(os.path.join(arguments.logs, f"{place}-{number}.log"), "w") as file:
            file.write(output)
    return {
        "seed": seed,
        "figures": [figure_in(output, each) for each in run["figures"]],
        "seconds": round(used, 1),
        "date": datetime.date.today().isoformat(),
    }


def report(run: dict[str, Any], result: dict[str, Any], used: str, seed: int | None) -> bool:
    """Prints the figures of a run beside the paper's and 1.15.5's;
    says whether all lie within the spread.

    `used` says how it ran. The `seed` is also the program's own, and None if it sets none.
    """
    within = True
    for index, description in enumerate(run["figures"]):
        unit = description.get("unit", "")
        figure = paper_files.shown(result["figures"][index], description)
        print(f"{description['name']}: {figure} {unit}".rstrip() + f"  ({used})")
        print(f"  the paper: {paper_files.published(description)}")
        recorded = paper_files.measured(run, REFERENCE, index)
        if len(recorded) < paper_files.ENOUGH_RUNS:
            print(f"  TensorFlow {REFERENCE}: {len(recorded)} recorded runs, too few for a spread")
            continue
        spread = paper_files.spread(recorded)
        mean, deviation, low, high = (
            paper_files.shown(each, description) for each in (*spread[:2], *spread.interval())
        )
        inside = spread.contains(result["figures"][index])
        within = within and inside
        says = "within" if inside else "OUTSIDE"
        print(
            f"  TensorFlow {REFERENCE}: {mean} ± {deviation} in {spread.count} runs;"
            f" this run lies {says} the spread, {low} to {high}"
        )
        for same in paper_files.measured_with(run, REFERENCE, index, seed):
            print(f"  with the same seed: {paper_files.shown(same, description)}")
    print(f"  {result['seconds']:.0f} CPU seconds", flush=True)
    return within


def first_losses(paper: dict[str, Any], name: str, arguments: argparse.Namespace) -> list[str]:
    """Runs the program until it has printed its first losses, and returns them as printed."""
    run = paper["runs"][name]
    quick = run["quick"]
    losses: list[str] = []
    with prepared(paper, run, arguments.seed, arguments) as (words, folder):
        for line in lines_of(words, paper, folder):
            losses += re.findall(quick["pattern"], line)
            if len(losses) >= quick["count"]:
                return losses[: quick["count"]]
    raise Failure(f"the program printed {len(losses)} of {quick['count']} losses")


def compare_losses(name: str, losses: list[str], recorded: list[str]) -> bool:
    """Prints whether the losses are those of 1.15.5, digit by digit; says so too."""
    for number, (loss, expected) in enumerate(zip(losses, recorded), 1):
        if loss != expected:
            print(f"{name}: loss {number} of {len(losses)} is {loss}, and on 1.15.5 {expected}")
            return False
    print(
        f"{name}: the first {len(losses)} losses are those of TensorFlow {REFERENCE},"
        f" from {losses[0]} to {losses[-1]}"
    )
    return True


def quick(paper: dict[str, Any], name: str, arguments: argparse.Namespace) -> bool:
    """Compares the first losses of a run with the recorded ones, or records them."""
    if "quick" not in paper["runs"][name]:
        print(f"{name}: not compared: it {why_no_losses(paper)}")
        return True
    losses = first_losses(paper, name, arguments)
    if arguments.record:
        paper = paper_files.read(arguments.name)  # which may have changed while the program ran
        paper["runs"][name]["quick"]["losses"] = losses
        paper_files.write(arguments.name, paper)
        print(f"{name}: recorded {len(losses)} losses")
        return True
    return compare_losses(name, losses, paper["runs"][name]["quick"]["losses"])


def whole(paper: dict[str, Any], name: str, arguments: argparse.Namespace) -> bool:
    """Runs the program as often as asked and reports each run;
    says whether all figures lie within the spread.
    """
    within = True
    run = paper["runs"][name]
    expected = paper_files.seconds(run, side(arguments))
    if expected is not None:
        print(f"{name}: took {expected:.0f} CPU seconds where it was measured", flush=True)
    for number in range(arguments.runs):
        seed = None if arguments.seed is None else arguments.seed + number
        result = run_whole(paper, name, seed, arguments)
        used, result["seed"] = _seed_used(paper, seed, side(arguments))
        within = report(run, result, used, result["seed"]) and within
        if arguments.record:
            record(arguments, name, result)
    return within


def _seed_used(paper: dict[str, Any], seed: int | None, used: str) -> tuple[str, int | None]:
    """Returns how a program ran, with its seed, and that seed:
    the given one or its own, if it sets one.
    """
    own = (paper["seed"] or {}).get("value")
    if seed is not None:
        return f"{used}, seed {seed}", seed
    if own is not None:
        return f"{used}, the program's own seed {own}", int(own)
    return used, None


def record(arguments: argparse.Namespace, name: str, result: dict[str, Any]) -> None:
    """Adds a result to the file of the paper, which may have changed while the program ran."""
    paper = paper_files.read(arguments.name)
    sides = paper["runs"][name].setdefault("measured", {})
    sides.setdefault(side(arguments), []).append(result)
    paper_files.write(arguments.name, paper)


def list_runs() -> None:
    """Prints each run with the figures that it gives, and what it took."""
    for name in paper_files.names():
        paper = paper_files.read(name)
        print(f"{paper['reference']}: {paper['title']} ({paper['field']})")
        for run_name, run in paper["runs"].items():
            expected = paper_files.seconds(run, "run")
            took = "not measured under run" if expected is None else f"{expected:.0f} CPU seconds"
            print(f"  {name} {run_name}  ({took})")
            for index, figure in enumerate(run["figures"]):
                print(f"    {figure['name']}: {_recorded(run, index, figure)}")


def _recorded(run: dict[str, Any], index: int, figure: dict[str, Any]) -> str:
    """Returns the mean and the number of the runs of each side that has the figure."""
    sides = []
    for each in paper_files.SIDES:
        figures = paper_files.measured(run, each, index)
        if figures:
            mean = paper_files.shown(paper_files.spread(figures).mean, figure)
            sides.append(f"{mean} on {each} ({len(figures)})")
    return ", ".join(sides) or "not measured"


def main() -> int:
    """Runs what the command line asks for; returns the exit status."""
    arguments = parse()
    if arguments.name is None:
        list_runs()
        return 0
    paper = paper_files.read(arguments.name)
    print(f"{paper['reference']}: {paper['title']} ({paper['link']})", flush=True)
    good = True
    for name in arguments.only or paper["runs"]:
        try:
            good = (quick if arguments.quick else whole)(paper, name, arguments) and good
        except Failure as failure:
            print(f"{arguments.name} {name}: {failure}", file=sys.stderr)
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
