"""Observes the runs of all sessions in a script's process, for one of three recorders.

`StepRecorder` records training steps, `GraphRecorder` graphs, and `FetchRecorder` the numbers that
the script fetches. Several threads may run sessions at the same time. What they record, they record
under `lock`, one after another.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import Any, ContextManager, Iterable

import numpy as np

from tf1grad._compat import tf
from tf1grad._types import Session
from tf1grad.programs.process import patches
from tf1grad.verify import observed_sessions
from tf1grad.verify.observed_sessions import SessionRun
from tf1grad.verify.record import Arrays, Record
from tf1grad.verify.training_ops import Watch

RESTORING = ("RestoreV2", "Restore", "RestoreSlice")  # ops that read checkpoints


class Recorder:
    """Observes each `session.run`, and writes its record to the file `path`
    at the end of the process.
    """

    def __init__(self, path: str) -> None:
        self.record = Record()
        self.lock = threading.Lock()
        self._path = path
        self._process = os.getpid()
        self._thread = threading.local()
        self._is_saved = False

    def start(self, seed: int | None = None) -> None:
        """Starts to record. `seed` is for graphs with unseeded random ops."""
        atexit.register(self.save)
        observed_sessions.observe(self._around_run)
        if seed is not None:
            observed_sessions.seed_graphs(seed, self.record.facts)

    @property
    def is_recording(self) -> bool:
        """Returns False in the recorder's own runs, after the last step,
        and in forked processes.
        """
        is_paused = getattr(self._thread, "is_paused", False)
        return not (is_paused or self._is_saved or os.getpid() != self._process)

    def paused(self) -> ContextManager[None]:
        """Returns a context in which the runs of this thread are not recorded."""
        return patches.temporarily(self._thread, "is_paused", True)

    def _around_run(self, run: SessionRun) -> list[Any]:
        if not self.is_recording:
            return run.execute([])
        with self.paused():
            self._note_checkpoint(run)
            return self.observe(run)

    def observe(self, run: SessionRun) -> list[Any]:
        """Executes a run, and returns the values of its fetches."""
        raise NotImplementedError

    def _note_checkpoint(self, run: SessionRun) -> None:
        """Notes the path of a checkpoint that a run restores or saves:
        a text that a `Saver` feeds.
        """
        for name, value in run.feeds.items():
            path = (
                value.item()
                if np.size(value) == 1 and np.asarray(value).dtype.kind in "OSU"
                else None
            )
            if not isinstance(path, (str, bytes)):
                continue
            consumers = run.session.graph.get_tensor_by_name(name).consumers()
            if any(op.type in RESTORING for op in consumers):  # also of what is saved
                self._note_path(os.fsdecode(path), run.targets)

    def _note_path(self, path: str, targets: Iterable[tf.Operation]) -> None:
        facts = self.record.facts
        path = os.path.abspath(path)
        if any(target.name.endswith("restore_all") for target in targets):
            facts.restored.append(path)
            return
        facts.saved.append(path)
        folder = os.path.dirname(path)
        if folder not in facts.new_folders + facts.old_folders:
            has_one = os.path.exists(os.path.join(folder, "checkpoint"))
            (facts.old_folders if has_one else facts.new_folders).append(folder)

    def save(self) -> None:
        """Writes the record, once, and not in forked processes."""
        if not self._is_saved and os.getpid() == self._process:
            self._is_saved = True
            self.complete()
            self.record.save(self._path)

    def complete(self) -> None:
        """Adds to the record what is known at the end only."""


class TrainingRecorder(Recorder):
    """Watches what trains, and ends the process after a number of steps."""

    def __init__(self, path: str, steps: int) -> None:
        super().__init__(path)
        self.watch = Watch()
        self._steps = steps

    def start(self, seed: int | None = None) -> None:
        self.watch.start()
        super().start(seed)

    def begin_step(self, session: Session) -> None:
        """Records what is known before a step."""
        raise NotImplementedError

    def end_step(
        self, gradients: Arrays, values: Arrays, losses: Iterable[float] = (), kind: str = "apply"
    ) -> None:
        """Records a step."""
        raise NotImplementedError

    def end_after(self, steps: int) -> None:
        """Ends the process if so many steps are all."""
        if steps == self._steps:
            self.record.facts.has_ended = True
            self.save()
            # Not SystemExit: a bare `except:` would catch it, and a MonitoredSession would write a
            # last checkpoint.
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
