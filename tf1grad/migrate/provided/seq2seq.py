"""What `tf.contrib.seq2seq` had for losses."""

from tf1grad._compat import tf

__all__ = ["hardmax", "sequence_loss"]


def hardmax(logits, name=None):
    """One-hot rows where the greatest of each row of `logits` is; the first of equals."""
    with tf.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        return tf.one_hot(tf.argmax(logits, -1), tf.shape(logits)[-1], dtype=logits.dtype)


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True,
                  sum_over_timesteps=False, sum_over_batch=False, softmax_loss_function=None, name=None):
    """The weighted cross entropy of sequences, `sum(weights * crossentropy) / sum(weights)` by default.

    Args:
        logits: a tensor of shape [batch, time, classes].
        targets: integers of shape [batch, time].
        weights: floats of shape [batch, time].
        average_across_timesteps, average_across_batch: which dimensions are summed and divided by their weights.
        sum_over_timesteps, sum_over_batch: which are summed and divided by the number of weights that are not 0.
        softmax_loss_function: a function of `labels` and `logits`, instead of sparse softmax cross entropy.
        name: the name scope.

    Returns:
        A scalar, or one number a time step or example, or one for each of both.

    Raises:
        ValueError: a tensor has the wrong rank, or a dimension is to be both averaged and summed.

    Source: `tf.contrib.seq2seq.sequence_loss` of TensorFlow 1.15.
    """
    for what, tensor, rank in (("Logits", logits, 3), ("Targets", targets, 2), ("Weights", weights, 2)):
        if len(tensor.get_shape()) != rank:
            raise ValueError("%s must be a [batch_size x sequence_length%s] tensor" % (
                what, " x logits" if rank == 3 else ""))
    if average_across_timesteps and sum_over_timesteps or average_across_batch and sum_over_batch:
        raise ValueError("average_across_timesteps and sum_over_timesteps, or average_across_batch and sum_over_batch, "
                         "cannot be set to True at the same time.")
    with tf.name_scope(name, "sequence_loss", [logits, targets, weights]):
        loss = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        losses = loss(labels=tf.reshape(targets, [-1]), logits=tf.reshape(logits, [-1, tf.shape(logits)[2]]))
        losses *= tf.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return tf.div_no_nan(tf.reduce_sum(losses), tf.reduce_sum(weights))
        if sum_over_timesteps and sum_over_batch:
            return tf.div_no_nan(tf.reduce_sum(losses), tf.cast(tf.count_nonzero(weights), losses.dtype))
        losses = tf.reshape(losses, tf.shape(logits)[:2])
        if average_across_timesteps or average_across_batch:
            axis = [0] if average_across_batch else [1]
            return tf.div_no_nan(tf.reduce_sum(losses, axis=axis), tf.reduce_sum(weights, axis=axis))
        if sum_over_timesteps or sum_over_batch:
            axis = [0] if sum_over_batch else [1]
            count = tf.cast(tf.count_nonzero(weights, axis=axis), losses.dtype)
            return tf.div_no_nan(tf.reduce_sum(losses, axis=axis), count)
        return losses
