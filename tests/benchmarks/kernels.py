"""Measures which kernels are faster, oneDNN's or Eigen's:
convolutions and gradients of many shapes and threads.

    python tests/benchmarks/kernels.py [--tf115 PYTHON] [--rounds 5] [--threads 1 2] [--only TEXT
    ...]

Each way of running has a process: TensorFlow with oneDNN, without it, under `tf1grad run`, and
TensorFlow 1.15 if its Python is given. The processes take turns, op by op and round by round. A
line has the CPU time of one op in microseconds, of all its threads, for each way; then the time
under `run` as a multiple of the faster of the first two. An op stands several times in its graph,
one after another, so that the cost of a `session.run` does not count.

The last lines say by how much each way is slower than the faster of the first two, at worst.
"""

import sys
import time
import timeit
from itertools import product

from children import Child, answer, benchmark_parser, in_turn

PARTS = ("forward", "input", "filter")  # a convolution, and its two gradients
SECONDS = 0.012  # of one measurement


def signatures():
    """Returns a dict from the name of each op of the sweep to its arguments."""
    found = {}

    def convolution(image, kernel, stride=1, padding="SAME", dtype="float32"):
        image_text, kernel_text = ("x".join(map(str, shape)) for shape in (image, kernel))
        name = f"{image_text} by {kernel_text} /{stride} {padding} {dtype}"
        found[name] = [image, kernel, stride, padding, dtype]

    for batch, (channels, filters), (size, width) in product(
        (1, 2, 16, 64),
        ((1, 8), (1, 32), (3, 8), (3, 64), (16, 16), (32, 64), (64, 64), (128, 32)),
        ((28, 3), (8, 3), (28, 5)),
    ):
        if batch * channels * filters * size * size * width * width < 5e8:
            convolution((batch, size, size, channels), (width, width, channels, filters))
    for width, stride, padding in product((1, 2, 3, 5, 7), (1, 2), ("SAME", "VALID")):
        convolution((8, 28, 28, 16), (width, width, 16, 32), stride, padding)
    for dtype, width in product(("float16", "float64"), (1, 3)):
        convolution((4, 16, 16, 8), (width, width, 8, 16), dtype=dtype)
    for size, batch in product((16, 32, 64, 128, 300), (16, 64)):
        # Embedded words as an image of one channel; the filters are as wide as the image.
        convolution((batch, 56, size, 1), (3, size, 1, min(size, 128)), padding="VALID")
    for width in (7, 14):
        convolution((16, 28, 28, 1), (width, width, 1, 32), padding="VALID")
    for batch in (1, 16, 64):
        convolution((batch, 100, 1, 50), (5, 1, 50, 100))
        convolution((batch, 1, 100, 50), (1, 5, 50, 100))
        convolution((batch, 1, 400, 32), (1, 2, 32, 32), padding="VALID")
    # Screens of games, as agents see them.
    convolution((1, 84, 84, 4), (8, 8, 4, 32), 4)
    convolution((32, 84, 84, 4), (8, 8, 4, 32), 4, "VALID")
    convolution((32, 20, 20, 32), (4, 4, 32, 64), 2, "VALID")
    return found


def child():
    """Builds a graph where one is asked for, else measures the latest one."""
    import numpy as np
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    found, latest = signatures(), []

    def asked(name=None, part=None, threads=None):
        if name:
            latest[:] = built(np, tf, found[name], part, threads)
            return None
        run, copies = latest
        count, cpu = 0, time.process_time()
        begun = time.perf_counter()
        while time.perf_counter() - begun < SECONDS:
            run()
            count += 1
        return (time.process_time() - cpu) / count / copies

    answer(asked)


def built(np, tf, signature, part, threads):
    """Returns a function that runs copies of an op, and their number."""
    from tensorflow.core.protobuf import rewriter_config_pb2

    image, kernel, stride, padding, dtype = signature
    with tf.Graph().as_default():
        random = np.random.RandomState(0)
        x, w = [
            tf.Variable(random.normal(size=shape).astype(dtype) / 4) + 0
            for shape in (image, kernel)
        ]
        output = tf.nn.conv2d(x, w, [1, stride, stride, 1], padding)
        fixed = tf.Variable(random.normal(size=output.shape.as_list()).astype(dtype))
        gradient = tf.gradients(output, [x, w], fixed + 0)
        target = dict(zip(PARTS, [output, *gradient]))[part]
        measured = target.op
        while measured.type in ("Reshape", "Identity") and measured.inputs:
            measured = measured.inputs[0].op
        options = tf.GraphOptions(
            optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0),
            rewrite_options=rewriter_config_pb2.RewriterConfig(disable_meta_optimizer=True),
        )
        session = tf.Session(
            config=tf.ConfigProto(
                graph_options=options,
                intra_op_parallelism_threads=threads,
                inter_op_parallelism_threads=1,
            )
        )
        session.run(tf.global_variables_initializer())
        once = session.make_callable(measured)
        copies = max(1, min(40, int(4e-3 / min(timeit.repeat(once, repeat=5, number=1)))))
        last = [measured]
        for _ in range(copies):
            with tf.control_dependencies([last[-1]]):
                last.append(copied(tf, measured))
        prepared = session.make_callable(last[-1])
        prepared()
    return prepared, copies + 1


def copied(tf, op):
    """Returns another op of the same type, inputs and attributes."""
    graph = tf.get_default_graph()
    node = tf.NodeDef()
    node.CopyFrom(op.node_def)
    attributes = {name: value for name, value in node.attr.items() if name != "_class"}
    return graph.create_op(
        op.type, list(op.inputs), [output.dtype for output in op.outputs], attrs=attributes
    )


def main():
    """Prints a table."""
    parser = benchmark_parser(__doc__, rounds=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument(
        "--only", nargs="+", metavar="TEXT", help="only ops with one of these in their names"
    )
    arguments = parser.parse_args()
    if arguments.child:
        return child()
    here = [sys.executable]
    children = {
        "oneDNN": Child(here, __file__, "1"),
        "Eigen": Child(here, __file__, "0"),
        "run": Child(here + ["-m", "tf1grad", "run"], __file__, None),
    }
    if arguments.tf115:
        children["1.15"] = Child([arguments.tf115], __file__, None)
    counted = []
    print(
        "  ".join(
            [f"{'op':58}", f"{'part':8}", "threads"]
            + [f"{way:>9}" for way in children]
            + ["run / better"]
        )
    )
    names = [
        name
        for name in signatures()
        if not arguments.only or any(text in name for text in arguments.only)
    ]
    for question in product(names, PARTS, arguments.threads):
        figures = compare(children, question, arguments.rounds)
        counted.append([*question, figures])
        print("  ".join(line(*counted[-1])), flush=True)
    for one in children.values():
        one.end()
    print("\n".join(summary(counted)))
    return 0


def ratio(figures, way="run"):
    """Returns the time in a way as a multiple of the better of oneDNN and Eigen."""
    return figures[way] / min(figures["oneDNN"], figures["Eigen"])


def line(name, part, threads, figures):
    """Returns the cells of a line of the table."""
    times = [f"{1e6 * time:9.1f}" for time in figures.values()]
    return [f"{name:58}", f"{part:8}", f"{threads:7}", *times, f"{ratio(figures):12.2f}"]


def summary(counted):
    """Yields a line for each part: by how much each way is slower at worst."""
    for part in PARTS:
        figures = [each for _, its_part, _, each in counted if its_part == part]
        worst = [
            f"{way} {max(ratio(each, way) for each in figures):.2f}"
            for way in ("oneDNN", "Eigen", "run")
        ]
        yield f"{part}: {', '.join(worst)} of the better at worst"


def compare(children, question, rounds):
    """Returns the least seconds of an op for each way of running."""
    in_turn(children, 1, *question)
    return {way: min(times) for way, times in in_turn(children, rounds).items()}


if __name__ == "__main__":
    sys.exit(main())
