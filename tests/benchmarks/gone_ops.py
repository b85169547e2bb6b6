"""Times the ops that TensorFlow 2 lacks: tf1grad's functions against the kernels of TensorFlow 1.15.

    python tests/benchmarks/gone_ops.py --tf115 PYTHON [--rounds 15] [--markdown] [CASE ...]

PYTHON is an interpreter with TensorFlow 1.15. Each interpreter keeps a process that holds every case's graph; the two
run a case in turn, so that a slow moment of the machine hits both. Inputs are variables, so nothing is folded or fed.
A ratio is the median, over the rounds, of today's CPU time on one thread divided by 1.15's: for runs of the op, and for
the op alone, without the time of a run that reads the inputs only.
"""

import functools
import os
import sys
import time

import numpy as np

from children import ROOT, Child, answer, benchmark_parser, in_turn
from harness import table

sys.path[:0] = [os.path.join(ROOT, "tests", "helpers", name) for name in ("cases", "programs")] + [
    ROOT
]
BLOCK = 0.02  # seconds of runs that are timed together


def _normal(*shape):
    return np.random.RandomState(0).normal(size=shape).astype(np.float32)


def _whole(high, *shape):
    return np.random.RandomState(1).randint(0, high, shape).astype(np.int32)


def _tree(steps, batch, beams):
    return dict(
        step_ids=_whole(1000, steps, batch, beams),
        parent_ids=_whole(beams, steps, batch, beams),
        max_sequence_lengths=np.full(batch, steps, np.int32),
        end_token=np.int32(1),
    )


def _samples(channels, points=4096):
    return dict(
        data=_normal(4, 64, 64, channels),
        warp=np.random.RandomState(1).uniform(0, 63, [4, points // 4, 2]).astype(np.float32),
    )


def _columns(count):
    rows = np.arange(4096)
    places = np.stack([rows, np.zeros_like(rows)], axis=1)
    return dict(
        indices=[places] * count,
        values=[rows * (k + 1) for k in range(count)],
        shapes=[np.array([4096, 1])] * count,
        dense=[],
        hashed_output=True,
        num_buckets=1000,
        out_type="int64",
        internal_type="int64",
    )


def _images(*shape):
    return np.random.RandomState(0).uniform(size=shape).astype(np.float32)


# Name: op, arguments. Arrays become variables; other values are attributes.
CASES = {
    "BipartiteMatch": (
        "BipartiteMatch",
        dict(distance_mat=_normal(50, 100), num_valid_rows=np.float32(-1), top_k=-1),
    ),
    "GatherTree, 20 steps, 1 x 5": ("GatherTree", _tree(20, 1, 5)),
    "GatherTree, 50 steps, 32 x 10": ("GatherTree", _tree(50, 32, 10)),
    "GatherTree, 200 steps, 128 x 10": ("GatherTree", _tree(200, 128, 10)),
    "ImageProjectiveTransform": (
        "ImageProjectiveTransform",
        dict(
            images=_images(8, 128, 128, 3),
            transforms=np.float32([[0.9, 0.2, -6, -0.2, 1.1, 3, 0, 0]]),
            interpolation="BILINEAR",
        ),
    ),
    "Resampler, 1 channel": ("Resampler", _samples(1)),
    "Resampler, 1 channel, 64k points": ("Resampler", _samples(1, 1 << 16)),
    "Resampler, 3 channels": ("Resampler", _samples(3)),
    "Resampler, 64 channels": ("Resampler", _samples(64)),
    "ResamplerGrad, 1 channel": (
        "ResamplerGrad",
        dict(_samples(1), grad_output=_normal(4, 1024, 1)),
    ),
    "ResamplerGrad, 64 channels": (
        "ResamplerGrad",
        dict(_samples(64), grad_output=_normal(4, 1024, 64)),
    ),
    "SparseFeatureCross": ("SparseFeatureCross", _columns(3)),
    "SparseFeatureCrossV2": ("SparseFeatureCrossV2", dict(_columns(3), hash_key=7)),
}


class Runs:
    """Holds the graph of a case: the op, and its inputs alone."""

    def __init__(self, tf, op_function, case):
        self.graph = tf.Graph()
        with self.graph.as_default():
            op, given = CASES[case]
            values = {name: self._input(tf, value) for name, value in given.items()}
            inputs = [
                each
                for value in values.values()
                for each in (value if isinstance(value, list) else [value])
                if isinstance(each, tf.Tensor)
            ]
            outputs = op_function(op, **values)
            outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
            # What is fetched is small, so that copies of results do not count.
            firsts = [
                [tf.reshape(each, [-1])[:1] for each in tensors] for tensors in (outputs, inputs)
            ]
            self.session = tf.Session(
                config=tf.ConfigProto(
                    intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
                )
            )
            self.session.run(tf.global_variables_initializer())
            self._calls = [self.session.make_callable(fetches) for fetches in firsts]
        self.seconds()

    @staticmethod
    def _input(tf, value):
        if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
            return [Runs._input(tf, each) for each in value]
        if isinstance(value, (np.ndarray, np.generic)):
            return tf.Variable(value, use_resource=True, trainable=False).read_value()
        return tf.TensorShape(value) if isinstance(value, list) and value else value

    def seconds(self):
        """Returns the CPU seconds of a run, and of a run that reads the inputs only."""
        return tuple(map(self._timed, self._calls))

    @staticmethod
    def _timed(call):
        call()
        count, start = 0, time.process_time()
        while time.process_time() - start < BLOCK:
            call()
            count += 1
        return (time.process_time() - start) / count


def child():
    """Gives the seconds of a run of a case."""
    import tensorflow.compat.v1 as tf

    import gone_op_cases

    tf.disable_eager_execution()
    runs = functools.lru_cache(None)(lambda case: Runs(tf, gone_op_cases.op_function(), case))
    answer(lambda case: runs(case).seconds())


def compare(old, cases, rounds):
    """Yields a row for each case."""
    children = {python: Child([python], __file__, None) for python in (old, sys.executable)}
    for case in cases:
        times = np.array(list(in_turn(children, rounds, case).values()))
        runs = times[:, :, 0].T
        alone = np.maximum(runs - times[:, :, 1].T, 1e-6)
        yield [
            case,
            *(f"{1e6 * seconds:.0f}" for seconds in np.median(runs, axis=0)),
            *(f"{np.median(each[:, 1] / each[:, 0]):.1f}" for each in (runs, alone)),
        ]
    for one in children.values():
        one.end()


def main():
    """Prints the table of ratios."""
    parser = benchmark_parser(__doc__, rounds=15)
    parser.add_argument(
        "cases", nargs="*", metavar="CASE", help="the start of a case's name (default: all cases)"
    )
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    arguments = parser.parse_args()
    if arguments.child:
        return child()
    if not arguments.tf115:
        parser.error("--tf115 is missing: what is compared is compared with TensorFlow 1.15")
    cases = [
        case for case in CASES if not arguments.cases or case.startswith(tuple(arguments.cases))
    ]
    print(
        table(
            ["op", "1.15, us a run", "tf1grad, us a run", "ratio", "ratio, op alone"],
            list(compare(arguments.tf115, cases, arguments.rounds)),
            arguments.markdown,
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
