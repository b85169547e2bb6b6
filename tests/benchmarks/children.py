"""Processes that stay, so that several ways of running can be measured in turn."""

import argparse
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def benchmark_parser(description, rounds):
    """Returns the parser of a benchmark's arguments, with those that all benchmarks with such processes have."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--tf115", metavar="PYTHON", help="the Python of a TensorFlow 1.15")
    made.add_argument("--rounds", type=int, default=rounds)
    made.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return made


class Child:
    """A process that runs the benchmark `script` with `--child`, and answers whenever it is asked."""

    def __init__(self, command, script, onednn):
        environment = dict(os.environ, PYTHONPATH=ROOT, TF_CPP_MIN_LOG_LEVEL="3")
        environment.pop("TF_ENABLE_ONEDNN_OPTS", None)
        if onednn is not None:
            environment["TF_ENABLE_ONEDNN_OPTS"] = onednn
        self._process = subprocess.Popen(command + [os.path.abspath(script), "--child"], env=environment,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                         universal_newlines=True)

    def ask(self, *question):
        """Returns the process's answer; what to ask is said at the script's function `child`."""
        print(json.dumps(question), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def end(self):
        """Waits for the end of the process."""
        self._process.communicate()
