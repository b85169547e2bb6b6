"""Measures the cost of building a graph under `tf1grad run`, as a multiple of TensorFlow 1.15's.

    python tests/benchmarks/building.py --tf115 PYTHON [--rounds 9] [--models NAME ...]

The models are those of tests/helpers/programs/old_models.py. Each way has a process, and the processes take turns:
one builds all models once a round, each in a new graph. The first build of a process, which also imports what it needs,
has its own column, since a program builds once: there a round is a new process. CPU times, with the quartiles of the
ratio in the same rounds; `ops` shows that all build the same.
"""

import gc
import json
import os
import statistics
import sys
import time

from children import Child, benchmark_parser, check_tf115

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, os.pardir, "helpers", "programs")]


def child():
    """Answers each line of stdin, [model]: builds it, and gives the CPU seconds and the number of ops."""
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    from old_models import MODELS
    for line in sys.stdin:
        gc.collect()
        with tf.Graph().as_default() as graph:
            begun = time.process_time()
            MODELS[json.loads(line)[0]]()
            seconds = time.process_time() - begun
        print(json.dumps([seconds, len(graph.get_operations())]), flush=True)


def compare(model, ways, rounds):
    """Returns a row for each way."""
    from harness import spread
    children = {name: Child(command, __file__, None) for name, command in ways.items()}
    first, later, ops = {name: [] for name in ways}, {name: [] for name in ways}, {}
    for name, one in children.items():
        first[name].append(one.ask(model)[0])
    for _ in range(rounds):
        for name, one in children.items():
            seconds, ops[name] = one.ask(model)
            later[name].append(seconds)
    for one in children.values():
        one.end()
    for _ in range(rounds // 3):
        for name, command in ways.items():
            one = Child(command, __file__, None)
            first[name].append(one.ask(model)[0])
            one.end()
    return [[model, name, str(ops[name])] + [cell for times in (first, later) for cell in (
        f"{statistics.median(times[name]):.2f}", spread(a / b for a, b in zip(times[name], times[next(iter(ways))])))]
            for name in ways]


def main():
    """Prints a table."""
    parser = benchmark_parser(__doc__, rounds=9)
    parser.add_argument("--models", nargs="+", metavar="NAME", help="only these")
    arguments = parser.parse_args()
    if arguments.child:
        return child()
    check_tf115(parser, arguments)
    from harness import table
    from old_models import MODELS
    ways = {"1.15": [arguments.tf115], "run": [sys.executable, "-m", "tf1grad", "run"]}
    header = ["model", "way", "ops", "first, s", "first / 1.15", "later, s", "later / 1.15"]
    for model in arguments.models or MODELS:
        print(table(header, compare(model, ways, arguments.rounds)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
