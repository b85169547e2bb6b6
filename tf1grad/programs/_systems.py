"""Holds all that differs between Linux, macOS and Windows: paths, locks, signals, processes.

No other module asks which system this is, or calls what one of them lacks. mypy checks the branches
of all three.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

if TYPE_CHECKING:
    import subprocess

# What `time.clock` of Python 3.7 measured.
CLOCK = "time.perf_counter" if sys.platform == "win32" else "time.process_time"
# The ends of names of commands that no first line tells from Python.
COMMAND_FILES = (".sh", ".bat", ".cmd")
LOCK_FILE = "lock"  # Windows locks no folder, but a byte of this file in it
SECONDS_BETWEEN_TRIES = 0.1
# Starts the command of its arguments. When its input ends, it ends the command, and then all that
# that started.
SUPERVISOR = """
import os, signal, subprocess, sys, threading
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
is_over = []
def watch():
    os.read(0, 1)
    is_over.append(True)
    process.kill()
threading.Thread(target=watch, daemon=True).start()
code = process.wait()
if is_over and os.name != "nt":
    os.killpg(0, signal.SIGKILL)
os._exit(abs(code))
"""


def user_data() -> str:
    """Returns the folder for the data of the user's programs."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    return os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")


def private_temporary(name: str) -> str | None:
    """Returns a path beside the temporary files, for this user alone;
    None on Windows, whose temporary files are so.

    It is None too where somebody else could have written there.
    """
    if sys.platform == "win32":
        return None
    path = os.path.join(tempfile.gettempdir(), f"{name}-{os.getuid()}")
    try:
        found = os.lstat(path)
    except OSError:
        return path  # whoever needs it makes it
    is_safe = (
        stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    )
    return path if is_safe else None


def stranger(path: str) -> str | None:
    """Returns who owns a file or folder, if it is neither this user, nor root,
    nor the owner of this environment.

    The last two decide what Python executes anyway. It is None where there is no such path, and on
    Windows.
    """
    if sys.platform == "win32":
        return None
    owner = _owner(path)
    trusted = (None, 0, os.geteuid(), _owner(sys.prefix))
    return None if owner in trusted else f"number {owner}"


def _owner(path: str) -> int | None:
    """Returns the number of the user who owns a file or folder, or None where there is none."""
    try:
        return os.stat(path).st_uid
    except OSError:
        return None


def has_display() -> bool:
    """Says whether windows can be shown."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def processors() -> int:
    """Returns how many processors this process may use;
    on macOS and Windows, how many there are.
    """
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor_has(feature: bytes) -> bool:
    """Says whether Linux lists `feature` for the processor."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", "rb") as file:
        return feature in file.read().split()
    return False


def copy_owner(source: str, target: str) -> None:
    """Gives the file `target` the owner and group of `source`, or the group alone, where this user
    may do so; Windows has no such owners.
    """
    if sys.platform != "win32":
        found = os.stat(source)
        for user in (found.st_uid, -1):  # only root gives files away
            with contextlib.suppress(OSError):
                os.chown(target, user, found.st_gid)
                return


@contextlib.contextmanager
def locked_folder(place: str, tell_waiting: Callable[[], Any]) -> Iterator[None]:
    """Holds the lock of a folder among processes,
    and calls `tell_waiting` if another one has it.
    """
    handle = _open_lock(place)
    try:
        if not _try_lock(handle):
            tell_waiting()
            while not _try_lock(handle):
                time.sleep(SECONDS_BETWEEN_TRIES)
        try:
            yield
        finally:
            _unlock(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def temporary_folder(path: str, tell_waiting: Callable[[], Any]) -> Iterator[None]:
    """Makes a folder that one process has at a time, empty, and removes it at the end.

    `tell_waiting` is called if another process has it. One that was killed leaves it to the next.
    """
    handle = _lock_made(path, tell_waiting)
    try:
        for name in os.listdir(path):
            if name != LOCK_FILE:
                shutil.rmtree(os.path.join(path, name), ignore_errors=True)
        yield
    finally:
        _remove_locked(path, handle)


def remove_abandoned(path: str) -> None:
    """Removes a folder of `temporary_folder` that no process has."""
    with contextlib.suppress(OSError):
        handle = _open_lock(path)
        if _try_lock(handle) and _is_at(handle, path):
            _remove_locked(path, handle)
        else:
            os.close(handle)


def _lock_made(path: str, tell_waiting: Callable[[], Any]) -> int:
    is_told = False
    while True:
        try:
            os.makedirs(path, exist_ok=True)
        except FileExistsError:
            if os.path.lexists(path) and not os.path.isdir(path):
                raise
        with contextlib.suppress(FileNotFoundError):  # whoever had it has just removed it
            handle = _open_lock(path)
            if _try_lock(handle):
                if _is_at(handle, path):
                    return handle
            elif not is_told:
                tell_waiting()
                is_told = True
            os.close(handle)
        time.sleep(SECONDS_BETWEEN_TRIES)


def _is_at(handle: int, path: str) -> bool:
    """Says whether an open folder is still the one at a path;
    Windows removes nothing that is open.
    """
    if sys.platform == "win32":
        return True
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), os.stat(path))
    return False


def _remove_locked(path: str, handle: int) -> None:
    """Removes a locked folder: before others can lock it, but on Windows,
    which removes no open file.
    """
    if sys.platform == "win32":
        _unlock(handle)
        os.close(handle)
        shutil.rmtree(path, ignore_errors=True)
    else:
        shutil.rmtree(path, ignore_errors=True)
        os.close(handle)


def _open_lock(place: str) -> int:
    if sys.platform == "win32":
        return os.open(os.path.join(place, LOCK_FILE), os.O_RDWR | os.O_CREAT)
    return os.open(place, os.O_RDONLY)


def _try_lock(handle: int) -> bool:
    """Locks an open file or folder; returns False while another process has it.

    A disk that does not have locks, as some network disks, counts as locked.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # Windows raises the latter
        return False
    except OSError:
        pass
    return True


def _unlock(handle: int) -> None:
    """Frees a lock, which Windows does late if the file is only closed."""
    if sys.platform == "win32":
        import msvcrt

        with contextlib.suppress(OSError):  # it has no locks
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)


def take_place(file: str, words: list[str]) -> int:
    """Starts a command in the place of this process;
    on Windows, which cannot, it returns the exit code.
    """
    if sys.platform == "win32":
        import subprocess

        return subprocess.call([file, *words[1:]])
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and a command would too
    os.execv(file, words)


def end(process: subprocess.Popen[bytes], at_once: bool = False) -> None:
    """Ends a process that was started with `start_new_session`, and all that it started;
    or asks them to end.

    On Windows it ends this process alone, always `at_once`.
    """
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(OSError):  # every process has ended already
            # start_new_session made it the leader of a process group.
            os.killpg(process.pid, signal.SIGKILL if at_once else signal.SIGTERM)


@contextlib.contextmanager
def supervised(
    command: Sequence[str], *, stdout: Any, env: Mapping[str, str], cwd: str | None
) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a command that reads no input, and ends it where this process or
    the block ends before it.

    A supervisor starts it in a process group of its own. It ends the group, on Windows the command
    alone, when a pipe closes that this process holds open: SIGKILL closes it too.
    """
    import subprocess

    for_supervisor, held = os.pipe()
    with open(held, "wb") as pipe:
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", SUPERVISOR, *command],
                stdin=for_supervisor,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env=env,
                cwd=cwd,
                start_new_session=True,
            )
        finally:
            os.close(for_supervisor)
        with process:  # it waits for the end
            try:
                yield process
            finally:
                pipe.close()


def folders_of_commands() -> list[str]:
    """Returns the folders of this environment's Python and of its packages' commands."""
    here = os.path.dirname(sys.executable)
    if sys.platform == "win32":
        # The environment may be an installed Python, which has its own folder for them.
        return [here, os.path.join(here, "Scripts")]
    return [here]
