"""Builds a training program of TensorFlow 1 whose stages recipes replace, and takes its steps.

The stages, from the data to the session: sources, the loss, the pairs, a reducer or a taker, the
optimizer, hooks.
"""

import contextlib

import numpy as np
import tensorflow.compat.v1 as tf

import models
import tf1grad
from plain_batch import DECAY, EPSILON, GROUPS, SIZES, bad_batch


class Program:
    """One program, to be built from its recipes.

    Args:
        new_optimizer: a function that makes a `tf.train.Optimizer`.
        variables: the variables by name, and `global_step`.
        kind: the `Gradients`.

    Attributes:
        sources: functions of tensors that return tensors, and a function of (session, feed_dict)
            that gives the source a micro-batch and returns what to feed.
        normalizes: whether the loss normalizes x by the moments of the micro-batch; `gate` is that
            of the embedding.
        new_loss: a function that returns the loss and the gradients of a micro-batch.
        micro_transforms: functions of the pairs of a micro-batch; `transforms` of those of a step.
        reducer: a function of (program, pairs, loss) that returns the pairs of a step, and a
            function of (session, parts, op) that takes a step whose pairs `op` applies.
        taker: a function of (program, pairs, loss) that returns a function of (session, parts): for
            recipes that take an optimizer.
        wraps: functions from an optimizer to one around it.
        alternates, gates: whether the groups train in turn, or behind gates.
        steps_of_players: how many steps each group takes in a round.
        new_hooks, new_searches: functions that make them, once the train ops are built.
        accumulating: a function from an optimizer to one that accumulates, for the reducer `each`.
        sizes: of the micro-batches. `parts_of`: a function from a batch to them.
        has_bad: whether a micro-batch with NaN comes before them; `bad_steps` whether a step of
            them before each.
        windows: how many windows of micro-batches make a step.
        batches_of_hook: how many batches a `BatchCacheHook` takes in a step: each micro-batch of a
            window that is applied when it is full has its own.
        summaries: the global norms of the micro-batch, of each turn; `lines` what hooks wrote of
            the applied norms.
        averages: the ExponentialMovingAverage of the variables, which a run after each step moves.
        begin: a function of the batch, called before each step; `opened` one of the session.
        hand_on: a function of (program, loss, pairs of a micro-batch) that returns loss and pairs
            for the other stages.
        before_window: a function of (program, take, parts), called before `take` trains on the
            parts of a window.
        before_second_run: a function that is called in each step before its second run with a
            micro-batch.
        session, raw_session: the session, and the one without hooks.
    """

    def __init__(self, new_optimizer, variables, global_step, kind):
        self.variables, self.global_step, self.kind = variables, global_step, kind
        self.sizes = [sum(SIZES) // len(SIZES)] * len(SIZES) if kind.knows_size else SIZES
        self._new_optimizer = new_optimizer
        self.sources, self.micro_transforms, self.transforms, self.wraps = [], [], [], []
        self.normalizes, self.gate, self.alternates, self.gates = False, None, False, False
        self.new_loss, self.reducer, self.taker = self.plain_loss, whole, None
        self.accumulating = None
        self.new_hooks, self.new_searches, self.var_list = [], [], tf.trainable_variables
        self.parts_of, self.has_bad, self.bad_steps, self.windows = (
            lambda batch: models.split(batch, self.sizes),
            False,
            False,
            1,
        )
        self.steps_of_players, self.batches_of_hook = (1, 1), 1
        self.hook_of_players, self.averages, self.begin = None, None, lambda batch: None
        self.before_window, self.before_second_run = lambda program, take, parts: None, lambda: None
        self.hand_on = lambda program, loss, pairs: (loss, pairs)
        self._runs_left, self._fed = float("inf"), 0
        self.summaries, self.lines, self.stop, self.opened = [], [], None, lambda session: session

    def build(self):
        samples = self.samples_of_a_run() if self.kind.knows_size else None
        self.tensors = self._placeholders = [
            tf.placeholder(self.kind.dtype, [samples, 3]),
            tf.placeholder(tf.int32, [samples]),
            tf.placeholder(self.kind.dtype, [samples, 2]),
        ]
        self._bad = self.kind.batch(bad_batch(samples or 2))
        self._feeders = []
        for source in self.sources:
            self.tensors, feeder = source(self.tensors)
            self._feeders.append(feeder)
        self.samples = tf.shape(self.tensors[0])[0]
        self.moving = [tf.Variable(np.zeros(3), trainable=False) for _ in range(2)]
        self._takes = self._players() if self.alternates else [self._train_op()]
        if self.averages is not None:
            self._average = self.averages.apply(tf.trainable_variables())
        self.searches = [new_search() for new_search in self.new_searches]
        self.hooks = [new_hook() for new_hook in self.new_hooks]

    def move(self, find):
        """Lets all later stages use what `find` returns for the tensors and
        variables of this graph.
        """
        self.variables = {name: find(variable) for name, variable in self.variables.items()}
        self.global_step = self.variables["global_step"]
        self.tensors = [find(tensor) for tensor in self.tensors]
        self._placeholders = [find(tensor) for tensor in self._placeholders]
        self.samples = find(self.samples)

    def samples_of_a_run(self):
        """Returns the samples in each run, where all have as many."""
        return sum(self.sizes) if self._is_one_run() else self.sizes[0]

    def _is_one_run(self):
        return self.taker is None and self.reducer is whole

    def step(self, batch):
        """Takes one large step."""
        parts = self.parts_of(batch)
        bad_parts = [(x, ids, y * np.nan) for x, ids, y in parts]
        self._fed = 0
        for take in self._takes:
            if self.bad_steps:
                self._take_windows(take, bad_parts)
            self._take_windows(take, [self._bad] * self.has_bad + parts)
        if self.averages is not None:
            self.raw_session.run(self._average)

    def _take_windows(self, take, parts):
        size = len(parts) // self.windows
        for start in range(0, len(parts), size):
            window = parts[start : start + size]
            self.before_window(self, take, window)
            take(self.session, window)

    def begin_window(self, take, parts, runs):
        """Trains as `take` until so many of its runs had a micro-batch,
        and leaves the window as it is then.
        """
        self._runs_left = runs
        try:
            take(self.session, parts)
        except Interrupted:
            pass
        finally:
            self._runs_left = float("inf")

    def begin_step(self, batch):
        """Accumulates one micro-batch of the batch, where a step is more than one run."""
        self._fed = 0
        self.begin_window(self._takes[0], self.parts_of(batch), 0 if self._is_one_run() else 1)

    def merged(self, parts):
        """Returns the parts as one batch, after a bad part as a batch of its own."""
        bad = [part for part in parts if part is self._bad]
        good = [part for part in parts if part is not self._bad]
        if len(good[0][0]) == sum(self.sizes):
            return bad + good[:1]
        return bad + [tuple(np.concatenate(arrays) for arrays in zip(*good))]

    def feed(self, session, part):
        """Gives a micro-batch to the source, and returns the feed_dict."""
        if not self._runs_left:
            raise Interrupted
        self._runs_left, self._fed = self._runs_left - 1, self._fed + 1
        if self._fed == 2:
            self.before_second_run()
        feed_dict = dict(zip(self._placeholders, part))
        for feeder in self._feeders:
            feed_dict = feeder(session, feed_dict)
        return feed_dict

    def loss_of(self, x, ids, y):
        if self.normalizes:
            x = self._normalized(x)
        matrix, bias = (tf.cast(self.variables[name], x.dtype) for name in ("matrix", "bias"))
        rows = tf.cast(self._rows_of(ids), x.dtype)
        if self.gate is not None:
            rows = tf1grad.gate_gradient(rows, self.gate)
        predicted = tf.matmul(x, matrix) + bias + rows
        losses = predicted * y if self.kind.linear else tf.square(predicted - y)
        return tf.reduce_mean(tf.reduce_sum(losses, axis=1))

    def plain_loss(self):
        loss = self.loss_of(*self.tensors)
        return loss, self.optimizer().compute_gradients(loss, var_list=self.var_list())

    def optimizer(self):
        """Returns a new optimizer, in the wrappers of the recipes."""
        return self._accumulated(self.wrapped())

    def wrapped(self):
        optimizer = self._new_optimizer()
        for wrap in self.wraps:
            optimizer = wrap(optimizer)
        return optimizer

    def _accumulated(self, optimizer):
        """Returns the optimizer, where it accumulates around all that changes
        the gradients of a step.
        """
        if self.accumulating is None:
            return optimizer
        return self.accumulating(self._transforming(optimizer))

    def applying_optimizer(self):
        """Returns an optimizer that applies as `apply` does, for recipes that take one."""
        return self._transforming(Gated(self) if self.gates else self.wrapped())

    def _transforming(self, optimizer):
        if not self.transforms:
            return optimizer
        return tf1grad.ClippingOptimizer(optimizer, transform=tf1grad.chain(*self.transforms))

    def apply(self, pairs):
        pairs = self._transformed(pairs)
        optimizer = self._accumulated(Gated(self)) if self.gates else self.optimizer()
        if isinstance(pairs, tf1grad.GuardedGradients) and not self.gates:
            return pairs.apply(optimizer, self.global_step)
        return optimizer.apply_gradients(pairs, self.global_step)

    def run(self, session, fetches, part):
        return session.run(fetches, self.feed(session, part))

    def _train_op(self):
        """Returns the function that takes a step."""
        with private_updates() as self.updates:
            loss, pairs = self.new_loss()
        for transform in self.micro_transforms:
            pairs = transform(pairs)
        loss, pairs = self.hand_on(self, loss, pairs)
        with tf.control_dependencies(self.updates):
            if self.taker:
                return self.taker(self, pairs, loss)
            reduced, take = self.reducer(self, pairs, loss)
        with tf.control_dependencies(self.updates if reduced is pairs else []):
            op = self.apply(reduced)
        return lambda session, parts: take(session, parts, op)

    def _players(self):
        """Returns a function a player, which takes its step."""
        takes = []

        def transform(pairs):
            for micro_transform in self.micro_transforms:
                pairs = micro_transform(pairs)
            pairs, take = self.reducer(self, pairs, None)
            takes.append(take)
            return self._transformed(pairs)

        with private_updates() as self.updates:
            loss = self.loss_of(*self.tensors)
        trained = [variable.op.name for variable in self.var_list()]
        groups = {names[0]: [name for name in names if name in trained] for names in GROUPS}
        players = tf1grad.alternate(
            {
                name: (loss, [self.variables[each] for each in names])
                for name, names in groups.items()
            },
            self.optimizer,
            self.global_step,
            dict(zip(groups, self.steps_of_players)),
            update_ops={name: self.updates for name in groups},
            transform=transform,
        )
        ops = list(players.train_ops.values())
        if self.hook_of_players:
            fetch = loss if self.reducer in (whole, each) else tf.no_op()
            self.new_hooks.append(lambda: self.hook_of_players(players, fetch))
            ops = [fetch] * len(ops)
        turns = {
            name: lambda session, parts, take=take, op=op: take(session, parts, op)
            for name, take, op in zip(groups, takes, ops)
        }
        return [turns[name] for name in players.order]

    def _transformed(self, pairs):
        if self.accumulating is not None:
            return pairs
        for transform in self.transforms:
            pairs = transform(pairs)
        return pairs

    def _rows_of(self, ids):
        table = self.variables["table"]
        if self.kind.sparse:
            return tf.nn.embedding_lookup(table, ids)
        return tf.matmul(tf.one_hot(ids, table.shape[0], dtype=table.dtype.base_dtype), table)

    def _normalized(self, x):
        moments = tf.nn.moments(x, [0])
        for moving, value in zip(self.moving, moments):
            update = moving.assign_sub((1 - DECAY) * (moving - value))
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        return tf.nn.batch_normalization(x, moments[0], moments[1], None, None, EPSILON)


class Interrupted(Exception):
    """The end of a program in the middle of a window."""


class Gated:
    """`gate_variables` as an optimizer, for recipes that take one."""

    def __init__(self, program):
        self._program = program
        self.compute_gradients = program.wrapped().compute_gradients

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        variables = {variable.op.name: variable for _, variable in grads_and_vars}
        closed, opened = (tuple(name for name in names if name in variables) for names in GROUPS)
        even = tf.equal(self._program.global_step % 2, 0)
        gates = {closed: even, opened + tuple(set(variables) - set(closed + opened)): True}
        return tf1grad.gate_variables(
            grads_and_vars, gates, self._program.wrapped, global_step, name
        )


@contextlib.contextmanager
def private_updates():
    """Gives the list of the update ops that the block adds to their collection."""
    updates, known = [], len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    yield updates
    updates += tf.get_collection(tf.GraphKeys.UPDATE_OPS)[known:]


def whole(program, pairs, loss):
    """Takes the whole batch in one run."""

    def take(session, parts, op):
        for part in program.merged(parts):
            program.run(session, op, part)

    return pairs, take


def each(program, pairs, loss):
    """Runs the train op once a micro-batch."""

    def take(session, parts, op):
        for part in parts:
            program.run(session, op, part)

    return pairs, take
