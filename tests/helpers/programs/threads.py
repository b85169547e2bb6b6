"""Starts threads together."""

import sys
import threading

import waiting


def together(*functions):
    """Calls the functions at the same time, one a thread;
    returns their results, or raises what one of them raised.

    Threads change places more often than they do by themselves, so that what can go wrong does in
    few rounds.
    """
    barrier = threading.Barrier(len(functions))
    results, errors = [None] * len(functions), []

    def call(index):
        try:
            barrier.wait()
            results[index] = functions[index]()
        except BaseException as error:
            errors.append(error)

    threads = [
        threading.Thread(target=call, args=(index,), daemon=True) for index in range(len(functions))
    ]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(waiting.SECONDS)
            assert not thread.is_alive() or errors, "a thread waits for ever"
    finally:
        sys.setswitchinterval(interval)
    if errors:
        raise errors[0]
    return results
