"""Holds what `tf1grad verify` and `tune` share: the module that runs scripts, and the exit codes of failures."""

from typing import Callable

from tf1grad.old_programs.verify.script_processes import ScriptFailed

RECORDED_RUN = "tf1grad.old_programs.cli.verify_process"  # not imported: this process needs nothing of `run`
FAILED, INTERRUPTED = 3, 130


def exit_code(measure: Callable[[], int], say: Callable[[str], None]) -> int:
    """Returns what `measure` returns. Says why a script failed, or that the user has interrupted the command."""
    try:
        return measure()
    except ScriptFailed as error:
        say(str(error))
        return FAILED
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
