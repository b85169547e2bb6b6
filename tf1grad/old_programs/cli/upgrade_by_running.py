"""Runs a program before and after its upgrade, for `tf1grad upgrade --by-running`, and compares what it fetched."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from typing import Any, NamedTuple

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli import upgrade_process
from tf1grad.old_programs.process import run_record
from tf1grad.old_programs.verify.fetched_numbers import Difference, agreement, first_difference
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
    failure: str | None


class UpgradeRuns:
    """The runs of one command: those of the old program under `tf1grad run`, and those of the upgraded one.

    Each program runs with its own seeds. If the numbers differ, runs with equal seeds are compared as well.
    """

    def __init__(self, command: list[str]) -> None:
        # As the user has it: looking names up in TensorFlow changes it.
        self._environment = dict(os.environ)
        self._folder = tempfile.TemporaryDirectory(prefix="tf1grad-upgrade-")
        self._path = os.path.join(self._folder.name, "notes")
        self._command = command
        self.notes, self._failure = self._run_old(None)
        # Now, since the old files are written over before the first verdict.
        self._seeded = self._run_old(SEED) if self.notes.fetched and not self._failure else None

    def verdict(self) -> tuple[str, bool]:
        """Runs the upgraded program; returns a sentence or two, and whether it does what the old one did."""
        if self._failure:
            return self._verdict_on_failure(self._failure), False
        new = self._run_upgraded(None)
        if new.failure:
            return f"The upgraded program does not run. {new.failure}", False
        difference = first_difference(self.notes.fetched, new.notes.fetched)
        if difference is not None:
            return self._verdict_on(difference, new.notes)
        if not new.notes.fetched:
            return f"{RUNS}. Neither run fetches numbers from a session.", True
        return (
            f"{RUNS}, and fetches the same numbers as before: {agreement(self.notes.fetched, new.notes.fetched)}.",
            True,
        )

    def _verdict_on_failure(self, failure: str) -> str:
        """Returns the verdict for an old program that fails, with what it fetched before."""
        fails = "The program fails under `tf1grad run`"
        if not self.notes.fetched:
            return f"{fails}, so nothing was compared. {failure}"
        new = self._run_upgraded(None).notes
        difference = first_difference(self.notes.fetched, new.fetched)
        if difference:
            return f"{fails}. Before, {difference.text}. {failure}"
        compared = f"the upgraded program fetches the same numbers: {agreement(self.notes.fetched, new.fetched)}"
        return f"{fails}. Before, {compared}. {failure}"

    def _verdict_on(self, difference: Difference, notes: run_record.Notes) -> tuple[str, bool]:
        """Returns the verdict for a program whose numbers differ under its own seeds."""
        hint = _RESTORED if "restored" in notes.facts else ""
        again = self._run_upgraded(None).notes
        repeats = first_difference(notes.fetched, again.fetched) is None
        if self._seeded is None or self._seeded.failure:
            return f"{RUNS}, but {difference.text}.{hint}", False
        old, seeded = self._seeded.notes.fetched, self._run_upgraded(SEED).notes.fetched
        other = first_difference(old, seeded)
        own = (
            f"Under its own seeds {difference.text}."
            if repeats
            else "Under its own seeds they change from run to run."
        )
        if other is None:
            cause = (hint or _GRAPH_SEED) if repeats else ""
            return (
                f"{RUNS}. With equal seeds it fetches the same numbers as before: "
                f"{agreement(old, seeded)}. {own}{cause}",
                not (repeats and hint),
            )
        noise = first_difference(seeded, self._run_upgraded(SEED).notes.fetched)
        if noise is not None and noise.run <= other.run:
            return (
                f"{RUNS}. It does not repeat its own numbers, even with equal seeds: two runs of it differ from "
                f"run {noise.run} of the session on. Before this, they are as before the upgrade.{hint}",
                not hint,
            )
        return (
            f"{RUNS}, but fetches other numbers, also with equal seeds: {other.text}. {own}{hint}",
            False,
        )

    def _run_old(self, seed: int | None) -> _Run:
        options: dict[str, Any] = {"run": ["--record", self._path, *self._command], "seed": seed}
        if seed is not None:
            options["seeds"] = upgrade_process.RULE
        return self._run("old program under `tf1grad run`", seed, [MODULE, json.dumps(options)])

    def _run_upgraded(self, seed: int | None) -> _Run:
        """Runs the program as `python` does."""
        options = json.dumps({"notes": self._path, "seed": seed})
        words = [upgrade_process.__name__, options, *self._command]
        return self._run("upgraded program", seed, words)

    def _run(self, program: str, seed: int | None, words: list[str]) -> _Run:
        environment = dict(self._environment)
        if seed is not None:
            program += " with equal seeds"
            environment["PYTHONHASHSEED"] = "0"
        print(f"Running the {program} ...", file=sys.stderr, flush=True)
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._path)
        process = subprocess.run(
            [sys.executable, "-m", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            check=False,
        )
        is_noted = os.path.exists(self._path)
        notes = run_record.read(self._path) if is_noted else run_record.Notes()
        if process.returncode == 0:
            return _Run(notes, None)
        output = last_lines(process.stdout.decode("utf-8", "replace"))
        return _Run(notes, f"It ends with exit code {process.returncode}:\n{output}")


def words(command: str) -> list[str]:
    """Returns the words of a command; a UsageError where they begin neither with a script nor with -m MODULE."""
    found = shlex.split(command)
    is_module = found[:1] == ["-m"] and len(found) > 1
    if not is_module and not (found and os.path.isfile(found[0])):
        raise UsageError(
            f"--by-running: {command!r} does not begin with a script that exists, such as 'train.py --epochs 1'"
        )
    return found
