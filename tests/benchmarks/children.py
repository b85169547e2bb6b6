"""Processes that stay, so that several ways of running can be measured in turn."""

import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def benchmark_parser(description, rounds):
    """Returns the parser of a benchmark's arguments,
    with those that all benchmarks with such processes have.
    """
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--tf115", metavar="PYTHON", help="the Python of a TensorFlow 1.15")
    made.add_argument("--rounds", type=int, default=rounds)
    made.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return made


class Child:
    """A process that runs the benchmark `script` with `--child`,
    and answers whenever it is asked.
    """

    def __init__(self, command, script, onednn):
        environment = dict(os.environ, PYTHONPATH=ROOT, TF_CPP_MIN_LOG_LEVEL="3")
        environment.pop("TF_ENABLE_ONEDNN_OPTS", None)
        if onednn is not None:
            environment["TF_ENABLE_ONEDNN_OPTS"] = onednn
        self._process = subprocess.Popen(
            command + [os.path.abspath(script), "--child"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )

    def ask(self, *question):
        """Returns what the function that the script gives to `answer`
        returns for these arguments.
        """
        print(json.dumps(question), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def end(self):
        """Waits for the end of the process."""
        self._process.communicate()


def answer(function):
    """Answers each line of stdin, in the process of a `Child`."""
    for line in sys.stdin:
        print(json.dumps(function(*json.loads(line))), flush=True)


def in_turn(children, rounds, *question):
    """Asks each process in each round, and returns the lists of their answers by name."""
    answers = {name: [] for name in children}
    for _ in range(rounds):
        for name, one in children.items():
            answers[name].append(one.ask(*question))
    return answers
