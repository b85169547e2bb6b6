"""Runs a program before and after its upgrade, for `tf1grad upgrade --by-running`,
and compares what it fetched.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any, Callable, Mapping, NamedTuple, TypeVar

from tf1grad.cli import upgrade_process
from tf1grad.cli.command_line import VERIFY_PROCESS, words_of
from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import run_record
from tf1grad.programs.process.messages import counted
from tf1grad.verify.fetched_numbers import (
    NOISE_FACTOR,
    FetchComparison,
    FirstDifference,
)
from tf1grad.verify.fresh_folder import FreshFolder, shared_folders
from tf1grad.verify.record import Record
from tf1grad.verify.recorded_processes import RecordedProcesses
from tf1grad.verify.recorders import FETCHES

Value = TypeVar("Value")
SEED = 1
RUNS = "The upgraded program runs"
_GRAPH_SEED = (
    " A graph seed alone draws other numbers on TensorFlow 2 (tf1grad check --explain TFG107)."
)
SHOWN_FILES = 3
LATE = "not done after {:g} s (--timeout)"


class _RecordedRun(NamedTuple):
    """What a run recorded, the digests of the files that it wrote,
    the message of its failure, and its notes.

    It `is_late` if it was ended because it took too long.
    """

    record: Record
    files: Mapping[str, str]
    failure: str | None
    notes: run_record.Notes
    is_late: bool = False


class UpgradeRuns:
    """The runs of one command: those of the old program under `tf1grad run`,
    and those of the upgraded one.

    Each run has a fresh copy of the current folder. Each program runs with its own seeds. If the
    numbers differ, runs with equal seeds are compared as well. If these differ, too, one with
    values perturbed by one ulp tells how far rounding alone moves the program.

    A run ends after `timeout` seconds. Raises UsageError if the old program is not done then:
    nothing is compared, and nothing is written yet.
    """

    def __init__(self, command: list[str], timeout: float) -> None:
        # As the user has it: looking names up in TensorFlow changes it.
        self._environment = dict(os.environ)
        self._processes = RecordedProcesses(timeout)
        self._notes_path = self._processes.path("notes")
        self._command, self._timeout = command, timeout
        self._old = self._run_old(None)
        if self._old.is_late:
            raise UsageError(
                f"--by-running: the program was {LATE.format(timeout)}. Give it more time, or a shorter run. Nothing "
                "was written"
            )
        self.notes = self._old.notes
        # Now, since the old files are written over before the first verdict.
        needs_seeds = self._old.record.runs and not self._old.failure
        self._seeded = self._run_old(SEED) if needs_seeds else None

    def verdict(self) -> tuple[str, bool]:
        """Runs the upgraded program; returns a sentence or more,
        and whether it does what the old one did.
        """
        if self._old.failure:
            return self._verdict_on_failure(self._old.failure), False
        new = self._run_upgraded(None)
        if new.failure:
            return f"The upgraded program does not run. {new.failure}", False
        comparison = FetchComparison(self._old.record, new.record)
        difference = comparison.first_difference()
        if difference is not None:
            return self._verdict_on(difference, new)
        others = _not_compared(self._old.files, new.files)
        if not new.record.runs:
            return f"{RUNS}. Neither run fetches numbers from a session. {others}", True
        agreement = comparison.agreement()
        return f"{RUNS}, and fetches the same numbers as before: {agreement}. {others}", True

    def _verdict_on_failure(self, failure: str) -> str:
        """Returns the verdict for an old program that fails, with what it fetched before."""
        fails = "The program fails under `tf1grad run`"
        if not self._old.record.runs:
            return f"{fails}, so nothing was compared. {failure}"
        comparison = FetchComparison(self._old.record, self._run_upgraded(None).record)
        difference = comparison.first_difference()
        if difference:
            return f"{fails}. Before, {difference.text}. {failure}"
        same = f"the upgraded program fetches the same numbers: {comparison.agreement()}"
        return f"{fails}. Before, {same}. {failure}"

    def _verdict_on(self, difference: FirstDifference, new: _RecordedRun) -> tuple[str, bool]:
        """Returns the verdict for a program whose numbers differ under its own seeds."""
        hint = _shared_checkpoints(new.record)
        again = self._run_upgraded(None).record
        repeats = FetchComparison(new.record, again).first_difference() is None
        if self._seeded is None or self._seeded.failure:
            return f"{RUNS}, but {difference.text}.{hint}", False
        seeded = self._run_upgraded(SEED)
        comparison = FetchComparison(self._seeded.record, seeded.record)
        other = comparison.first_difference()
        own = (
            f"Under its own seeds {difference.text}."
            if repeats
            else "Under its own seeds they change from run to run."
        )
        if other is None:
            cause = (hint or _GRAPH_SEED) if repeats else ""
            others = _not_compared(self._seeded.files, seeded.files)
            return (
                f"{RUNS}. With equal seeds it fetches the same numbers as before: "
                f"{comparison.agreement()}. {own}{cause} {others}",
                not (repeats and hint),
            )
        return self._verdict_on_noise(other, seeded.record, own, hint)

    def _verdict_on_noise(
        self, other: FirstDifference, seeded: Record, own: str, hint: str
    ) -> tuple[str, bool]:
        """Returns the verdict for a program whose numbers differ with equal seeds, too."""
        again = self._run_upgraded(SEED).record
        noise = FetchComparison(seeded, again).first_difference()
        if noise is not None and noise.run <= other.run:
            return (
                f"{RUNS}. It does not repeat its own numbers, even with equal seeds: two runs of it differ from "
                f"run {noise.number} of the session on. Before this, they are as before the upgrade.{hint}",
                not hint,
            )
        moved = self._run_upgraded(SEED, directions=1).record
        noise = FetchComparison(seeded, moved).first_difference(1 / NOISE_FACTOR)
        if moved.facts.moved and noise is not None and noise.run <= other.run:
            return (
                f"{RUNS}. From run {other.number} of the session on, rounding decides its numbers: variables that differ "
                "by one ulp change them as much. Before this, they are as before the upgrade.",
                True,
            )
        if other.is_unordered:
            return (
                f"{RUNS}. It was not decided whether it does what it did: with equal seeds, {other.text}. This value "
                "is read from variables that the same run writes, in an order that the system chooses, and that was "
                f"not known. All other values are as before the upgrade.{hint}",
                False,
            )
        return (
            f"{RUNS}, but fetches other numbers, also with equal seeds: {other.text}. {own}{hint}",
            False,
        )

    def _run_old(self, seed: int | None) -> _RecordedRun:
        options: dict[str, Any] = {"seed": seed}
        if seed is not None:
            options["seeds"] = upgrade_process.RULE

        def process_words(fresh: FreshFolder) -> list[str]:
            options["run"] = ["--record", self._notes_path, *fresh.words(self._command)]
            options["recorder"] = {"kind": FETCHES, "path": self._processes.record_path}
            return [VERIFY_PROCESS, json.dumps(options)]

        return self._run("old program under `tf1grad run`", seed, process_words, needs_notes=True)

    def _run_upgraded(self, seed: int | None, directions: int = 0) -> _RecordedRun:
        """Runs the program as `python` does, its variables perturbed if `directions` is not 0."""

        def process_words(fresh: FreshFolder) -> list[str]:
            recorder = {
                "kind": FETCHES,
                "path": self._processes.record_path,
                "directions": directions,
            }
            options = json.dumps({"recorder": recorder, "seed": seed})
            return [upgrade_process.__name__, options, *fresh.words(self._command)]

        perturbed = ", with values perturbed by one ulp" if directions else ""
        return self._run("upgraded program" + perturbed, seed, process_words)

    def _run(
        self,
        program: str,
        seed: int | None,
        process_words: Callable[[FreshFolder], list[str]],
        needs_notes: bool = False,
    ) -> _RecordedRun:
        environment = dict(self._environment)
        if seed is not None:
            program += " with equal seeds"
            environment["PYTHONHASHSEED"] = "0"
        print(f"Running the {program} ...", file=sys.stderr, flush=True)
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._notes_path)
        with self._processes.fresh_folder() as fresh:
            words = [sys.executable, "-m", *process_words(fresh)]
            ended = self._processes.run(words, environment, fresh)
            files, notes = fresh.written(), self._read_notes(fresh)
        failure = None
        if ended.is_late:
            failure = f"It was {LATE.format(self._timeout)}:\n{ended.output}"
        elif ended.code:
            failure = f"It ends with exit code {ended.code}:\n{ended.output}"
        elif needs_notes and not os.path.exists(self._notes_path):
            failure = "It ends without its exit functions, as by os._exit, so nothing was recorded."
        return _RecordedRun(ended.record, files, failure, notes, ended.is_late)

    def _read_notes(self, fresh: FreshFolder) -> run_record.Notes:
        """Returns the notes of a run, of the user's files in place of their copies."""
        path = self._notes_path
        notes = run_record.read(path) if os.path.exists(path) else run_record.Notes()
        notes.contents = _of_users_files(notes.contents, fresh)
        notes.repairs = _of_users_files(notes.repairs, fresh)
        notes.modules = _of_users_files(notes.modules, fresh)
        return notes


def _of_users_files(by_file: Mapping[str, Value], fresh: FreshFolder) -> dict[str, Value]:
    return {fresh.text(file): value for file, value in by_file.items()}


def _shared_checkpoints(record: Record) -> str:
    """Returns a sentence on checkpoints that a run found because an
    earlier one saved them, or "".
    """
    folders = sorted(shared_folders(record.facts))
    if not folders:
        return ""
    return (
        f" (Each run finds the checkpoints that the one before it saved in {', '.join(folders)}: remove them and "
        "repeat.)"
    )


def _not_compared(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Returns a sentence on the files that both programs wrote, and on what nobody looked at."""
    same = [name for name, digest in old.items() if new.get(name) == digest]
    others = sorted({*old, *new}.difference(same))
    files = f"{counted(len(same), 'file')} that it writes have the same bytes. " if same else ""
    of_files = ""
    if others:
        more = ", ..." if len(others) > SHOWN_FILES else ""
        names = ", ".join(others[:SHOWN_FILES])
        of_files = f", {counted(len(others), 'file')} whose bytes or names differ ({names}{more})"
    return f"{files}Not compared: what it prints{of_files}, and errors that it catches outside of sessions."


def split_command(command: str) -> list[str]:
    """Returns the words of a command; a UsageError where they begin neither with a
    script nor with -m MODULE.
    """
    found = words_of("--by-running", command)
    is_module = found[:1] == ["-m"] and len(found) > 1
    if not is_module and not (found and os.path.isfile(found[0])):
        raise UsageError(
            f"--by-running: {command!r} does not begin with a script that exists, such as 'train.py --epochs 1'"
        )
    return found
