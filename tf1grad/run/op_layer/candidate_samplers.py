"""Makes the sampler by unigrams accept true classes out of range,
which the installed kernel refuses.

TensorFlow 1.15 did not check them: such a class has the expected count 0. Programs that feed the
nodes of another graph than the one with the unigrams rely on it. A run that fetches the expected
count itself, not what is computed from it, gets that of class 0.
"""

from typing import Any

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import checks_before_runs
from tf1grad.run.originals import name_map
from tf1grad.run.seeds import op_counts

_gen = _compat.resolve("tensorflow.python.ops.gen_candidate_sampling_ops")


@name_map.stands_in_for("python.ops.gen_candidate_sampling_ops.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(*arguments: object, **options: object) -> Any:
    """Makes a `FixedUnigramCandidateSampler`, with the arguments of the generated function."""
    sampled = _gen.fixed_unigram_candidate_sampler(*arguments, **options)
    if not tf.executing_eagerly() and not sampled[0].graph.building_function:
        operation = sampled[0].op
        checks_before_runs.check(operation, lambda: _pass_known_classes(operation))
    return sampled


def _pass_known_classes(operation: tf.Operation) -> tf.Operation:
    """Gives a sampler class 0 for those out of range,
    and what is computed from their expected counts the count 0.
    """
    classes, counts = operation.inputs[0], operation.outputs[1]
    with op_counts.uncounted():
        is_known = tf.logical_and(classes >= 0, classes < operation.get_attr("range_max"))
        known = tf.where_v2(is_known, classes, tf.zeros_like(classes))
        consumers = counts.consumers()
        corrected = tf.where_v2(is_known, counts, tf.zeros_like(counts))
        for consumer in consumers:
            for index, given in enumerate(consumer.inputs):
                if given is counts:
                    consumer._update_input(index, corrected)
        operation._update_input(0, known)
    return known.op
