"""What `tf.contrib.rnn` had around cells: wrappers that embed and project, and stacks in both directions."""

import math

from tf1grad._compat import tf

__all__ = ["EmbeddingWrapper", "InputProjectionWrapper", "OutputProjectionWrapper", "stack_bidirectional_dynamic_rnn",
           "stack_bidirectional_rnn", "transpose_batch_time"]


def linear(inputs, output_size):
    """`concat(inputs) @ weights + biases`, with variables `kernel` and `bias` of the current scope."""
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    width = sum(int(one.shape[1]) for one in inputs)
    kernel = tf.get_variable("kernel", [width, output_size], dtype=inputs[0].dtype)
    product = tf.matmul(inputs[0] if len(inputs) == 1 else tf.concat(inputs, 1), kernel)
    with tf.variable_scope(tf.get_variable_scope()) as scope:
        scope.set_partitioner(None)
        bias = tf.get_variable("bias", [output_size], dtype=inputs[0].dtype, initializer=tf.zeros_initializer())
    return tf.nn.bias_add(product, bias)


class _Wrapper:
    """A cell that does something before or after another; its variables are in a scope of its own name."""

    scope = None

    def __init__(self, cell):
        self._cell = cell

    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or self.scope):
            return self.call(inputs, state)

    @property
    def state_size(self):
        """That of the cell inside."""
        return self._cell.state_size

    @property
    def output_size(self):
        """That of the cell inside."""
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        """That of the cell inside."""
        return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(_Wrapper):
    """A cell whose inputs are integers, looked up in the variable `embedding` of shape [classes, size].

    Args:
        cell: the cell that gets the embedded inputs.
        embedding_classes, embedding_size: the shape of the embedding; each at least 1.
        initializer: that of the embedding; by default the scope's, else uniform with variance 1.
        reuse: ignored, the variable scope decides.

    Raises:
        ValueError: a size is below 1.

    Source: `tf.contrib.rnn.EmbeddingWrapper` of TensorFlow 1.15.
    """

    scope = "embedding_wrapper"

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        super().__init__(cell)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError("Both embedding_classes and embedding_size must be > 0: %d, %d." % (
                embedding_classes, embedding_size))
        self._shape, self._initializer = [embedding_classes, embedding_size], initializer

    def call(self, inputs, state):
        """A step: the outputs and the next state."""
        initializer = (self._initializer or tf.get_variable_scope().initializer
                       or tf.random_uniform_initializer(-math.sqrt(3), math.sqrt(3)))
        with tf.device("/cpu:0"):
            dtype = (state[0] if isinstance(state, tuple) else state).dtype
            embedding = tf.get_variable("embedding", self._shape, initializer=initializer, dtype=dtype)
            return self._cell(tf.nn.embedding_lookup(embedding, tf.reshape(inputs, [-1])), state)


class InputProjectionWrapper(_Wrapper):
    """A cell whose inputs are first multiplied by a matrix: [batch, inputs] to [batch, num_proj].

    Args:
        cell: the cell that gets the projected inputs.
        num_proj: how many columns it gets.
        activation: a function of the projected inputs, or None.
        input_size, reuse: ignored, as they were.

    Source: `tf.contrib.rnn.InputProjectionWrapper` of TensorFlow 1.15.
    """

    scope = "input_projection_wrapper"

    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        super().__init__(cell)
        self._num_proj, self._activation = num_proj, activation or tf.identity

    def call(self, inputs, state):
        """A step: the outputs and the next state."""
        return self._cell(self._activation(linear(inputs, self._num_proj)), state)


class OutputProjectionWrapper(_Wrapper):
    """A cell whose outputs are multiplied by a matrix: [batch, outputs] to [batch, output_size].

    Args:
        cell: the cell whose outputs are projected.
        output_size: how many columns the outputs have then; at least 1.
        activation: a function of the projected outputs, or None.
        reuse: ignored, the variable scope decides.

    Raises:
        ValueError: `output_size` is below 1.

    Source: `tf.contrib.rnn.OutputProjectionWrapper` of TensorFlow 1.15.
    """

    scope = "output_projection_wrapper"

    def __init__(self, cell, output_size, activation=None, reuse=None):
        super().__init__(cell)
        if output_size < 1:
            raise ValueError("Parameter output_size must be > 0: %d." % output_size)
        self._output_size, self._activation = output_size, activation or tf.identity

    @property
    def output_size(self):
        """How many columns the outputs have."""
        return self._output_size

    def call(self, inputs, state):
        """A step: the outputs and the next state."""
        output, state = self._cell(inputs, state)
        return self._activation(linear(output, self._output_size)), state


def transpose_batch_time(x):
    """`x` of shape [batch, time, ...] as [time, batch, ...]; as it is with fewer dimensions than two."""
    x = tf.convert_to_tensor(x)
    if x.shape.ndims is not None and x.shape.ndims < 2:
        return x
    return tf.transpose(x, tf.concat([[1, 0], tf.range(2, tf.rank(x))], axis=0))


def stack_bidirectional_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None,
                            sequence_length=None, scope=None):
    """Layers of `tf.nn.static_bidirectional_rnn`, each over the outputs of the one before, both directions joined.

    Args:
        cells_fw, cells_bw: lists of cells, one a layer.
        inputs: a list of tensors of shape [batch, inputs], one a time step.
        initial_states_fw, initial_states_bw: lists of states, or None for zeros.
        dtype, sequence_length: as in `tf.nn.static_bidirectional_rnn`.
        scope: the variable scope, by default "stack_bidirectional_rnn".

    Returns:
        The outputs of the last layer, and the final states forward and backward, a tuple each.

    Raises:
        ValueError: the lists are empty, of different lengths, or no lists.
    """
    def layer(cell_fw, cell_bw, inputs, state_fw, state_bw, scope):
        return tf.nn.static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=state_fw, dtype=dtype,
                                              initial_state_bw=state_bw, sequence_length=sequence_length, scope=scope)

    return _stacked(layer, cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope)


def stack_bidirectional_dynamic_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None,
                                    dtype=None, sequence_length=None, parallel_iterations=None, time_major=False,
                                    scope=None, swap_memory=False):
    """Layers of `tf.nn.bidirectional_dynamic_rnn`, otherwise as `stack_bidirectional_rnn`, with one tensor of inputs.

    Args:
        inputs: a tensor of shape [batch, time, inputs], or [time, batch, inputs] if `time_major`.
        (others): as in `stack_bidirectional_rnn` and in `tf.nn.bidirectional_dynamic_rnn`.
    """
    def layer(cell_fw, cell_bw, inputs, state_fw, state_bw, scope):
        outputs, states = tf.nn.bidirectional_dynamic_rnn(
            cell_fw, cell_bw, inputs, initial_state_fw=state_fw, initial_state_bw=state_bw, dtype=dtype,
            sequence_length=sequence_length, parallel_iterations=parallel_iterations, swap_memory=swap_memory,
            time_major=time_major)
        return (tf.concat(outputs, 2),) + states

    return _stacked(layer, cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope)


def _stacked(layer, cells_fw, cells_bw, inputs, states_fw, states_bw, scope):
    for name, cells in (("cells_fw", cells_fw), ("cells_bw", cells_bw)):
        if not isinstance(cells, list) or not cells:
            raise ValueError("%s must be a list of RNNCells (one per layer)." % name)
    for name, states in (("cells_bw", cells_bw), ("initial_states_fw", states_fw), ("initial_states_bw", states_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError("%s must be a list as long as cells_fw (one per layer)." % name)
    depth = len(cells_fw)
    final_fw, final_bw = [], []
    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        for index, (cell_fw, cell_bw, state_fw, state_bw) in enumerate(
                zip(cells_fw, cells_bw, states_fw or [None] * depth, states_bw or [None] * depth)):
            with tf.variable_scope("cell_%d" % index) as cell_scope:
                inputs, state_fw, state_bw = layer(cell_fw, cell_bw, inputs, state_fw, state_bw, cell_scope)
            final_fw.append(state_fw)
            final_bw.append(state_bw)
    return inputs, tuple(final_fw), tuple(final_bw)
