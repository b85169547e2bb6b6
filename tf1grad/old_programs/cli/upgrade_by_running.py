"""Runs a program before and after its upgrade, for `tf1grad upgrade --by-running`, and compares what it fetched."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli import upgrade_process
from tf1grad.old_programs.process import run_record
from tf1grad.old_programs.verify import fetched_numbers
from tf1grad.old_programs.verify.fetched_numbers import Difference
from tf1grad.old_programs.verify.script_processes import MODULE, last_lines

SEED = 1
RUNS = "The upgraded program runs"
_GRAPH_SEED = (
    " A graph seed alone draws other numbers on TensorFlow 2 (tf1grad check --explain TFG107)."
)
_RESTORED = (
    " (It restored a checkpoint, which an earlier run may have written: remove it and repeat.)"
)


class _Run(NamedTuple):
    """The notes of a run, and the message of its failure."""

    notes: run_record.Notes
    failure: Optional[str]


class UpgradeRuns:
    """The runs of one command: those of the old program under `tf1grad run`, and those of the upgraded one.

    Each program runs with its own seeds. If the numbers differ, runs with equal seeds are compared as well.
    """

    def __init__(self, command: List[str]) -> None:
        self._environment = dict(
            os.environ
        )  # as the user has it: looking names up in TensorFlow changes it
        self._command = command
        self.notes, self._failure = self._run_old(None)
        # Now, since the old files are written over before the first verdict.
        self._seeded = self._run_old(SEED) if self.notes.fetched and not self._failure else None

    def verdict(self) -> Tuple[str, bool]:
        """Runs the upgraded program; returns a sentence or two, and whether it does what the old one did."""
        if self._failure:
            return self._verdict_on_failure(self._failure), False
        new = self._run_upgraded(None)
        if new.failure:
            return f"The upgraded program does not run. {new.failure}", False
        difference = _difference(self.notes, new.notes)
        if difference is not None:
            return self._verdict_on(difference, new.notes)
        if not new.notes.fetched:
            return f"{RUNS}. Neither run fetches numbers from a session.", True
        return (
            f"{RUNS}, and fetches the same numbers as before: {_agreement(self.notes, new.notes)}.",
            True,
        )

    def _verdict_on_failure(self, failure: str) -> str:
        """Returns the verdict for an old program that fails, with what it fetched before."""
        fails = "The program fails under `tf1grad run`"
        if not self.notes.fetched:
            return f"{fails}, so nothing was compared. {failure}"
        new = self._run_upgraded(None).notes
        difference = _difference(self.notes, new)
        if difference:
            return f"{fails}. Before, {difference.text}. {failure}"
        compared = f"the upgraded program fetches the same numbers: {_agreement(self.notes, new)}"
        return f"{fails}. Before, {compared}. {failure}"

    def _verdict_on(self, difference: Difference, notes: run_record.Notes) -> Tuple[str, bool]:
        """Returns the verdict for a program whose numbers differ under its own seeds."""
        runs = RUNS
        hint = _RESTORED if "restored" in notes.facts else ""
        again = self._run_upgraded(None).notes
        repeats = _difference(notes, again) is None
        if self._seeded is None or self._seeded.failure:
            return f"{runs}, but {difference.text}.{hint}", False
        seeded = self._run_upgraded(SEED).notes
        other = _difference(self._seeded.notes, seeded)
        own = (
            f"Under its own seeds {difference.text}."
            if repeats
            else "Under its own seeds they change from run to run."
        )
        if other is None:
            cause = (hint or _GRAPH_SEED) if repeats else ""
            return (
                f"{runs}. With equal seeds it fetches the same numbers as before: "
                f"{_agreement(self._seeded.notes, seeded)}. {own}{cause}",
                not (repeats and hint),
            )
        noise = _difference(seeded, self._run_upgraded(SEED).notes)
        if noise is not None and noise.run <= other.run:
            return (
                f"{runs}. It does not repeat its own numbers, even with equal seeds: two runs of it differ from "
                f"run {noise.run} of the session on. Before this, they are as before the upgrade.{hint}",
                not hint,
            )
        return (
            f"{runs}, but fetches other numbers, also with equal seeds: {other.text}. {own}{hint}",
            False,
        )

    def _run_old(self, seed: Optional[int]) -> _Run:
        _announce("old program under `tf1grad run`", seed)
        with tempfile.TemporaryDirectory(prefix="tf1grad-upgrade-") as folder:
            path = os.path.join(folder, "notes")
            options: Dict[str, Any] = {"run": ["--record", path, *self._command], "seed": seed}
            if seed is not None:
                options["seeds"] = upgrade_process.RULE
            return _run(
                [sys.executable, "-m", MODULE, json.dumps(options)],
                path,
                self._seeded_environment(seed),
            )

    def _run_upgraded(self, seed: Optional[int]) -> _Run:
        """Runs the program as `python` does."""
        _announce("upgraded program", seed)
        with tempfile.TemporaryDirectory(prefix="tf1grad-upgrade-") as folder:
            path = os.path.join(folder, "notes")
            options = json.dumps({"notes": path, "seed": seed})
            command = [sys.executable, "-m", upgrade_process.__name__, options, *self._command]
            return _run(command, path, self._seeded_environment(seed))

    def _seeded_environment(self, seed: Optional[int]) -> Dict[str, str]:
        return dict(self._environment, **{} if seed is None else {"PYTHONHASHSEED": "0"})


def words(command: str) -> List[str]:
    """Returns the words of a command; a UsageError where they begin neither with a script nor with -m MODULE."""
    found = shlex.split(command)
    first = (found or ["."])[0]
    if first.endswith(".py") and not os.path.exists(first):
        raise UsageError(f"--by-running: there is no file {first}")
    is_module = found[:1] == ["-m"] and len(found) > 1
    if not is_module and not os.path.isfile(first):
        raise UsageError(
            f"--by-running: {command!r} does not begin with a script, such as 'train.py --epochs 1'"
        )
    return found


def _announce(program: str, seed: Optional[int]) -> None:
    sys.stderr.write(
        f"Running the {program}{' with equal seeds' if seed is not None else ''} ...\n"
    )
    sys.stderr.flush()


def _run(command: List[str], path: str, environment: Dict[str, str]) -> _Run:
    process = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        check=False,
    )
    output = process.stdout.decode("utf-8", "replace")
    notes = run_record.read(path) if os.path.exists(path) else run_record.Notes()
    if process.returncode == 0:
        return _Run(notes, None)
    return _Run(notes, f"It ends with exit code {process.returncode}:\n{last_lines(output)}")


def _difference(before: run_record.Notes, after: run_record.Notes) -> Optional[Difference]:
    return fetched_numbers.first_difference(before.fetched, after.fetched)


def _agreement(before: run_record.Notes, after: run_record.Notes) -> str:
    return fetched_numbers.agreement(before.fetched, after.fetched)
