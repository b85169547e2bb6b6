"""Summarizes gradients for TensorBoard, which helps to choose a clipping threshold."""

from __future__ import annotations

from tf1grad._compat import tf
from tf1grad._types import Gradient, GradsAndVars
from tf1grad.recipes.gradients.grads_and_vars import merged_pairs
from tf1grad.recipes.gradients.transforms import global_norm, squared_norms


def summarize_gradients(
    grads_and_vars: GradsAndVars, clipped: GradsAndVars | None = None, name: str = "gradients"
) -> list[tf.Tensor]:
    """Makes summaries of the gradients: the global norm before and after clipping,
    and each norm and histogram.

        clipped, norm = tf1grad.clip_by_global_norm(grads_and_vars, 5.0)
        tf1grad.summarize_gradients(grads_and_vars, clipped)
        writer.add_summary(session.run(tf.summary.merge_all(), feed_dict), step)

    None is left out. Duplicate rows of IndexedSlices are summed first; their histogram shows the
    touched rows. A histogram shows the finite elements only, because TensorFlow refuses others; the
    norm then is not finite.

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.
        clipped: the list that a clip made of it, or None.
        name: the name scope of the summaries.

    Returns:
        The list of `tf.summary` tensors: "global_norm", "clipped_global_norm" if `clipped` is
        given, then "norm/<variable>" and "histogram/<variable>" for each variable.

    Raises:
        TypeError, ValueError: `grads_and_vars` or `clipped` is not such a list.
    """
    present = [
        pair for pair in merged_pairs(grads_and_vars, "summarize_gradients") if pair[0] is not None
    ]
    # Made outside of the scope, where its name would take the tag's.
    norms = {"global_norm": global_norm(present)}
    if clipped is not None:
        norms["clipped_global_norm"] = global_norm(
            merged_pairs(clipped, "summarize_gradients, clipped")
        )
    with tf.name_scope(name):
        summaries = [tf.summary.scalar(tag, norm) for tag, norm in norms.items()]
        for (gradient, variable), squared in zip(present, squared_norms(present)):
            summaries.append(tf.summary.scalar(f"norm/{variable.op.name}", tf.sqrt(squared)))
            summaries.append(
                tf.summary.histogram(f"histogram/{variable.op.name}", finite_elements(gradient))
            )
    return summaries


def finite_elements(gradient: Gradient) -> tf.Tensor:
    """Returns the finite elements of a gradient as a vector:
    rows of IndexedSlices, moduli of complex elements.
    """
    values = tf.convert_to_tensor(
        gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    )
    values = tf.reshape(tf.abs(values) if values.dtype.is_complex else values, [-1])
    return tf.boolean_mask(values, tf.is_finite(values))
