"""Measures the cost of running old programs:
on TensorFlow 1.15, in plain compat.v1, and under `tf1grad run`.

    python tests/benchmarks/programs.py --tf115 PYTHON [--rounds 9] [--steps 30] [--programs NAME
    ...]

The programs are those of `old_training_loops.py` in tests/helpers/builders. Each way of running one
has a process, and the processes take turns, round by round. A line has the median wall and CPU time
of one `session.run`, both as multiples of TensorFlow 1.15's in the same rounds, and the loss after
the first ten steps, which shows that all do the same work.
"""

import os
import statistics
import sys
import time

from children import Child, answer, benchmark_parser, in_turn

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST_STEPS = 10
sys.path[:0] = [os.path.join(HERE, os.pardir, "helpers", "builders")]


def child():
    """Builds a program where only its name is asked, else runs it for some steps."""
    import tensorflow.compat.v1 as tf

    from old_training_loops import PROGRAMS

    tf.disable_v2_behavior()
    built = {}

    def asked(program, steps=None):
        if steps:
            return timed(*built[program], steps=steps)
        with tf.Graph().as_default():
            built[program] = PROGRAMS[program]()
        for _ in range(FIRST_STEPS):
            loss = built[program][0]()
        return float(loss), os.environ.get("TF_ENABLE_ONEDNN_OPTS", "default")

    answer(asked)


def timed(step, runs, steps):
    """Returns the wall and the CPU seconds of one `session.run`; a step makes `runs` of them."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        step()
    return [(time.perf_counter() - wall) / steps / runs, (time.process_time() - cpu) / steps / runs]


def compare(program, children, rounds, steps):
    """Returns a row for each way of running `program`."""
    begun = {name: one.ask(program) for name, one in children.items()}
    measured = in_turn(children, rounds, program, steps)
    floor, rows = measured[next(iter(children))], []
    for name, (loss, onednn) in begun.items():
        times = [1e3 * statistics.median(clock) for clock in zip(*measured[name])]
        ratios = [
            statistics.median(a / b for a, b in zip(mine, floors))
            for mine, floors in zip(zip(*measured[name]), zip(*floor))
        ]
        rows.append(
            [program, name, onednn]
            + [f"{time:.3f}" for time in times]
            + [f"{ratio:.2f}" for ratio in ratios]
            + [f"{loss:.6g}"]
        )
    return rows


def main():
    """Prints a table."""
    parser = benchmark_parser(__doc__, rounds=9)
    parser.add_argument("--steps", type=int, default=30, help="in a round of one process")
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="only these")
    arguments = parser.parse_args()
    if arguments.child:
        return child()
    if not arguments.tf115:
        parser.error("--tf115 is missing: what is compared is compared with TensorFlow 1.15")
    from harness import table
    from old_training_loops import PROGRAMS

    here = [sys.executable]
    run = here + ["-m", "tf1grad", "run"]
    ways = {
        "1.15": ([arguments.tf115], None),
        "compat.v1": (here, None),
        "compat.v1, oneDNN off": (here, "0"),
        "run --no-fast": (run + ["--no-fast"], None),
        "run --kernels onednn": (run + ["--kernels", "onednn"], None),
        "run --kernels eigen": (run + ["--kernels", "eigen"], None),
        "run": (run, None),
    }
    header = ["program", "way", "oneDNN", "wall ms", "CPU ms", "wall / 1.15", "CPU / 1.15", "loss"]
    children = {name: Child(command, __file__, onednn) for name, (command, onednn) in ways.items()}
    for program in arguments.programs or PROGRAMS:
        print(
            table(header, compare(program, children, arguments.rounds, arguments.steps)), flush=True
        )
    for one in children.values():
        one.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
