"""Takes the lock of a folder in a process of its own:
`python lock_holders.py FOLDER SYSTEM ACTION`.

SYSTEM is "posix" or "windows". The latter takes the branch for Windows, with `WindowsLocks` in the
place of `msvcrt`.
"""

import errno
import fcntl
import os
import stat
import sys
import time
import types

from tf1grad.programs import _systems

TIMES = 25  # that a counting process counts


class WindowsLocks(types.ModuleType):
    """Does what Microsoft's documentation says of `locking`,
    for the bytes of one file among processes.

    LK_LOCK tries ten times, and then raises an OSError; LK_NBLCK raises one at once. Folders cannot
    be locked.
    """

    LK_UNLCK, LK_LOCK, LK_NBLCK = 0, 1, 2
    TRIES = 10

    def locking(self, handle, mode, count):
        """Locks or frees `count` bytes from the position of an open file on."""
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise PermissionError(errno.EACCES, "Windows opens no folder as a file")
        if mode == self.LK_UNLCK:
            fcntl.lockf(handle, fcntl.LOCK_UN, count, 0, os.SEEK_CUR)
            return
        tries = self.TRIES if mode == self.LK_LOCK else 1
        for _ in range(tries):
            try:
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, count, 0, os.SEEK_CUR)
                return
            except OSError:
                time.sleep(0.01)  # Windows: a second
        number = errno.EDEADLK if mode == self.LK_LOCK else errno.EACCES
        raise OSError(number, os.strerror(number))


def count(folder):
    """Adds 1 to the number in a file, some times: additions of two processes at a time get lost."""
    path = os.path.join(folder, "number")
    for _ in range(TIMES):
        with _systems.locked_folder(folder, lambda: None):
            with open(path) as file:
                number = int(file.read())
            time.sleep(0.002)
            with open(path, "w") as file:
                file.write(str(number + 1))


def hold(folder):
    """Takes the lock, says so, and keeps it until the process is killed."""
    with _systems.locked_folder(folder, lambda: None):
        print("held", flush=True)
        time.sleep(60)


def wait(folder):
    """Takes the lock, and says what happens."""
    with _systems.locked_folder(folder, lambda: print("waiting", flush=True)):
        print("held", flush=True)


if __name__ == "__main__":
    if sys.argv[2] == "windows":
        sys.modules["msvcrt"] = WindowsLocks("msvcrt")
        sys.platform = "win32"
    {"count": count, "hold": hold, "wait": wait}[sys.argv[3]](sys.argv[1])
