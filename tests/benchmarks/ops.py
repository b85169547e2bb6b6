"""Measures the ops that public programs use, one at a time:
on TensorFlow 1.15 and under `tf1grad run`.

    python tests/benchmarks/ops.py --tf115 PYTHON [--rounds 15] [--threads 1] [--only TEXT ...]
        [--also PYTHON ...]

Each way of running has a process, and the processes take turns, op by op and round by round. A line
has the median CPU time of one `session.run`, of all threads, in milliseconds for 1.15 and for each
other way; then the latter as a multiple of 1.15's in the same rounds: the median, and the
quartiles.

The last line names the ops of which the lower quartile is above 1.2 in this environment.
"""

import os
import statistics
import sys
import time

from children import Child, answer, benchmark_parser, in_turn

SECONDS = 0.02  # of one measurement
LIMIT = 1.2


def child():
    """Builds a graph where a name is asked, else measures the latest one."""
    import tensorflow as tf

    latest = []

    def asked(name=None, threads=None):
        if name:
            latest[:] = []
            latest.append(built(tf, name, threads))
            return None
        count, cpu, begun = 0, time.process_time(), time.perf_counter()
        while time.perf_counter() - begun < SECONDS:
            latest[0]()
            count += 1
        return (time.process_time() - cpu) / count

    def answered(*question):
        try:
            return asked(*question)
        except Exception as error:  # told, and the next op is measured
            return f"{type(error).__name__}: {error}"

    answer(answered)


def built(tf, name, threads):
    """Returns a function that runs a case."""
    from op_cases import CASES, Data

    with tf.Graph().as_default():
        found = CASES[name](tf, Data(tf))
        fetched = found if isinstance(found, (list, tuple)) else [found]
        # Nothing is fetched, so that the time of a copy does not count.
        targets = [getattr(each, "op", each) for each in fetched]
        session = tf.Session(
            config=tf.ConfigProto(
                intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads
            )
        )
        session.run(tf.global_variables_initializer())
        session.run(tf.tables_initializer())
    session.run(targets)

    def run():
        session.run(targets)

    return run


def main():
    """Prints a table."""
    from op_cases import CASES

    parser = benchmark_parser(__doc__, rounds=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="ops with one of these texts")
    parser.add_argument(
        "--also", nargs="+", default=[], metavar="PYTHON", help="the Python of another environment"
    )
    arguments = parser.parse_args()
    if arguments.child:
        return child()
    if not arguments.tf115:
        parser.error("--tf115 is missing: the Python of a TensorFlow 1.15")
    children = {"1.15": Child([arguments.tf115], __file__, None)}
    children["run"] = Child([sys.executable, "-m", "tf1grad", "run"], __file__, None)
    for python in arguments.also:
        children[python] = Child([python, "-m", "tf1grad", "run"], __file__, None)
    slow = []
    for name in CASES:
        if not arguments.only or any(text in name for text in arguments.only):
            found = measured(children, name, arguments)
            print(f"{name:75}", *found.values(), sep="  ", flush=True)
            slow += [name for ratio in [found.get("run", "")] if is_slow(ratio)]
    for one in children.values():
        one.end()
    print(f"above {LIMIT} under run: {', '.join(slow) or 'none'}")
    return 0


def measured(children, name, arguments):
    """Returns the cells of a line, by way of running."""
    failed = {way: error for way, (error,) in in_turn(children, 1, name, arguments.threads).items()}
    works = {way: one for way, one in children.items() if failed[way] is None}
    if "1.15" not in works:
        return {"1.15": failed["1.15"]}
    in_turn(works, 2)
    times = in_turn(works, arguments.rounds)
    cells = {}
    for way in children:
        if way not in works:
            cells[way] = f"{failed[way].splitlines()[0][:60]:36}"
            continue
        cells[way] = f"{1e3 * statistics.median(times[way]):8.3f}"
        if way != "1.15":
            ratios = sorted(mine / floor for mine, floor in zip(times[way], times["1.15"]))
            quarter = len(ratios) // 4
            cells[way] += (
                f" {statistics.median(ratios):5.2f} ({ratios[quarter]:.2f} to {ratios[-1 - quarter]:.2f})"
            )
    return cells


def is_slow(cell):
    """Says whether the lower quartile in a cell is above the limit."""
    return "(" in cell and float(cell.split("(")[1].split(" to ")[0]) > LIMIT


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main())
