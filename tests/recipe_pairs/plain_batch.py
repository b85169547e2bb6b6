"""Trains the model of `models` in NumPy on plain large batches,
as every program of two recipes must.
"""

import numpy as np

import models

STEPS = 3
SIZES = [4, 2, 2, 4]  # micro-batches; each half of them has six samples
GROUPS = [("bias", "matrix"), ("table",)]  # that train in turn, or behind gates
DECAY, EPSILON = 0.75, 2.0**-10  # of moving averages; what is added to a variance


def bad_batch(samples):
    x, ids, y = models.random_batch(samples, 9)
    return x, ids, np.full_like(y, np.nan)


class PlainBatch:
    """The plain large batch, which recipes change as they document.

    Args:
        new_rule: a class of `numpy_optimizers`.
        state: the values of the variables, and of "global_step", by name; programs may share it.
        kind: the `Gradients`.

    Attributes:
        turns: a list a turn of a step, of groups of names, each with a predicate of the global
            step, and a rule.
        frozen: the names of variables without a gradient; `kept` of those that the searches leave
            alone too.
        changes: functions of the gradients of a turn, by name, and the `kind`; `group_changes` of
            those of a group.
        factor: of all gradients. `sparse`: whether only the touched rows of the table are updated.
        gate: the factor of the table's gradient.
        sizes: of the parts of a batch by whose moments the loss normalizes x, if it does.
        seen: how many of those parts update the moving moments, or None for all; `bad` those before
            them.
        searches: functions of (a function of a vector to loss and gradient, start) that return the
            end.
        norms: the norm of the gradients of each turn so far.
        average: the moving averages of the variables by name, or None.
    """

    def __init__(self, new_rule, state, kind):
        self.state, self._new_rule, self.kind = state, new_rule, kind
        self.factor, self.sparse = 1.0, kind.sparse
        self.turns = [[self.group(sum(GROUPS, ()))]]
        self.frozen, self.kept, self.changes, self.group_changes, self.searches = (
            set(),
            set(),
            [],
            [],
            [],
        )
        self.normalizes, self.gate, self.sizes, self.seen = False, 1.0, [sum(SIZES)], None
        self.bad, self.moments, self.norms, self.average = [], np.zeros([2, 3]), [], None

    def group(self, names, is_open=lambda step: True):
        return names, is_open, self._new_rule()

    def step(self, batch):
        """Takes one large step."""
        for groups in self.turns:
            self._move_moments(batch)
            found = self.gradients(batch, groups)
            for change in self.changes:
                found = change(found, self.kind)
            self.norms.append(norm(found))
            for names, is_open, rule in groups:
                if is_open(self.state["global_step"]):
                    rows = {"table": np.unique(batch[1])} if self.sparse else {}
                    self._apply(rule, only(found, names), rows)
            self.state["global_step"] += 1
        for name, value in (self.average or {}).items():
            self.average[name] = DECAY * value + (1 - DECAY) * self.state[name]

    def gradients(self, batch, groups):
        """Returns the gradients of the batch's mean loss, by the names of the groups that train."""
        _, found = self._loss_and_gradients(batch, self.sizes)
        found = {name: self.factor * gradient for name, gradient in found.items()}
        return only(found, set(sum((names for names, _, _ in groups), ())) - self.frozen)

    def search(self, batch):
        """Ends the training with the searches, each from the end of the one before."""
        names = [name for name in sorted(models.START) if name not in self.kept]
        shapes = [models.START[name].shape for name in names]
        ends = np.cumsum([models.START[name].size for name in names])[:-1]

        def assign(vector):
            parts = zip(names, np.split(np.array(vector), ends), shapes)
            self.state.update({name: part.reshape(shape) for name, part, shape in parts})

        def loss_and_gradient(vector):
            assign(vector)
            loss, found = self._loss_and_gradients(batch, [sum(SIZES)])
            parts = [found.get(name, np.zeros(shape)) for name, shape in zip(names, shapes)]
            return loss, np.concatenate([part.ravel() for part in parts])

        for search in self.searches:
            start = np.concatenate([self.state[name].ravel() for name in names])
            assign(search(loss_and_gradient, start))

    def _loss_and_gradients(self, batch, sizes):
        sizes = sizes if sum(sizes) == len(batch[0]) else [len(batch[0])]
        loss, total = 0, {}
        for x, ids, y in models.split(batch, sizes):
            if self.normalizes:
                x = (x - x.mean(0)) / np.sqrt(x.var(0) + EPSILON)
            part_loss, found, _ = models.loss_and_gradients(
                self.state, (x, ids, y), self.kind.linear
            )
            share = len(x) / len(batch[0])
            loss += share * part_loss
            total = {name: total.get(name, 0) + share * found[name] for name in found}
        total["table"] = self.gate * total["table"]
        return loss, total

    def _apply(self, rule, found, rows):
        for change in self.group_changes:
            found = change(found, self.kind)
        rule.begin_step()
        for name, gradient in found.items():
            self.state[name] = rule.update(name, self.state[name], gradient, rows.get(name))

    def _move_moments(self, batch):
        parts = models.split(batch, self.sizes)[: self.seen]
        for x, _, _ in self.bad + parts:
            self.moments = DECAY * self.moments + (1 - DECAY) * np.array([x.mean(0), x.var(0)])


def only(found, names):
    return {name: found[name] for name in sorted(names) if name in found}


def norm(gradients):
    return np.sqrt(sum(np.sum(gradient**2) for gradient in gradients.values()))


def clip_by_global_norm(gradients, kind):
    factor = min(1, kind.limit / norm(gradients))
    return {name: gradient * factor for name, gradient in gradients.items()}


def clip_by_norm(gradients, kind):
    factors = {name: min(1, kind.limit / norm({name: gradients[name]})) for name in gradients}
    return {name: gradient * factors[name] for name, gradient in gradients.items()}


def clip_by_value(gradients, kind):
    return {
        name: np.clip(gradient, -kind.limit, kind.limit) for name, gradient in gradients.items()
    }


def multiply_the_bias(gradients, kind):
    return {
        name: gradient * (kind.multiplier if name == "bias" else 1)
        for name, gradient in gradients.items()
    }
