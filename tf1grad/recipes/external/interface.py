"""Lets an optimizer outside TensorFlow decide the step:
it sees one float64 vector, its loss and its gradient.
"""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from tf1grad._arguments import check_session, describe
from tf1grad._compat import is_variable, require_graph, tf, without_dependencies
from tf1grad._types import FeedDict, FeedDicts, LossAndGradient, Session
from tf1grad.recipes.external.flat import FlatVariables, pack_bounds
from tf1grad.recipes.external.progress import Progress
from tf1grad.recipes.external.search import Scalar, Search
from tf1grad.recipes.gradients.grads_and_vars import components
from tf1grad.recipes.gradients.waiting_loops import check_loops_end
from tf1grad.recipes.sessions.per_session import PerSession
from tf1grad.recipes.sessions.prepared import PreparedRun
from tf1grad.recipes.sessions.writes import write_between

if TYPE_CHECKING:
    import numpy as np


class ExternalOptimizerInterface:
    """Base class for optimizers outside TensorFlow:
    a subclass implements the search in `_minimize`.

        minimize loss(variables)
        subject to equalities = 0, inequalities >= 0, low <= variables <= high

    The constructor builds all ops; `minimize` adds none. During the search the variables hold the
    evaluated point. At the end they hold the minimum or, if an exception ends the search, the best
    point so far.

    Args:
        loss: the scalar to be minimized: a float tensor built on the variables; or a function that
            takes one tensor for each variable of `var_list`, of its shape and dtype, and returns
            the scalar. A function costs less: an evaluation assigns nothing, and the variables keep
            their values until the end.
        var_list: the variables to update, of float dtypes, or one; default: the trainable ones.
        equalities: a list of scalar tensors to be held at zero (functions, if `loss` is one).
        inequalities: a list of scalar tensors to be held nonnegative (functions, if `loss` is one).
        var_to_bounds: a dict from variables of `var_list` to pairs (low, high): numbers or arrays
            that broadcast to the variable's shape; None or an infinity means unbounded, also inside
            an array.
        xla: True compiles loss and gradient together by XLA. Needs `loss` as a function. On TF 1.15
            compiled losses take twice as long.
        **optimizer_kwargs: kept as `optimizer_kwargs` and given to `_minimize`.

    Raises:
        TypeError: an argument is of the wrong type or dtype.
        ValueError: the loss or a constraint is not a scalar or does not depend on the variables;
            bounds do not fit.

    A variable that the loss does not reach has a zero gradient. Gradients that are
    `tf.IndexedSlices` become dense.

    It and its functions are thread-safe with one session a thread. In one session, evaluations of a
    loss given as a tensor take turns, because the variables hold the point, and searches overwrite
    each other's end.

    Source: `tf.contrib.opt.ExternalOptimizerInterface`, which feeds values to the variables. That
        does nothing for
    resource variables; this class assigns them.
    """

    def __init__(
        self,
        loss: tf.Tensor | Callable[..., tf.Tensor],
        var_list: Sequence[tf.Variable] | None = None,
        equalities: Sequence[Any] | None = None,
        inequalities: Sequence[Any] | None = None,
        var_to_bounds: Mapping[Any, tuple[Any, Any]] | None = None,
        xla: bool = False,
        **optimizer_kwargs: object,
    ) -> None:
        caller = type(self).__name__
        require_graph(caller)
        self.optimizer_kwargs = optimizer_kwargs
        self._check_kwargs()
        self._by_function, self._xla = callable(loss), xla
        if xla and not self._by_function:
            raise ValueError(
                f"{caller}: xla=True compiles the loss where it is built. Pass the loss as a function of "
                "the variables instead of a tensor."
            )
        with tf.name_scope("external_optimizer"):
            with without_dependencies():
                self._flat = FlatVariables(
                    tf.trainable_variables() if var_list is None else var_list, caller
                )
            self._packed_bounds = pack_bounds(var_to_bounds, self._flat.variables, caller)
            self._loss = self._scalar(loss, "the loss")
            with without_dependencies():
                self._equalities = self._constraints(equalities, "equalities")
                self._inequalities = self._constraints(inequalities, "inequalities")
        self._prepared = functools.lru_cache(maxsize=None)(PreparedRun)
        self._turns = PerSession(lambda session: threading.Lock())

    def minimize(
        self,
        session: Session | None = None,
        feed_dict: FeedDict | None = None,
        fetches: Sequence[Any] | None = None,
        step_callback: Callable[..., Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        feed_dicts: FeedDicts | None = None,
        progress: Callable[[Progress], Any] | None = None,
        **run_kwargs: object,
    ) -> Any:
        """Searches the minimum and leaves the variables there.

        Args:
            session: the session; default: the default session.
            feed_dict: feeds for every evaluation. Arrays in it are copied once, at the start.
            fetches: a list of further fetches of each evaluation of the loss, for `loss_callback`.
                Not for a loss given as a function: fetches read the variables, which keep their
                values until the end.
            step_callback: a function called after each iteration with the current vector. In
                `ScipyOptimizerInterface` a `StopIteration` from it ends the search at that vector.
            loss_callback: a function called after each evaluation of the loss with the fetched
                values.
            feed_dicts: micro-batches, for a loss that does not fit: a list of dicts, or a function
                that returns a new iterator of them. Loss and gradient are *summed* over them, so
                that each loss must be the share of its micro-batch. Each is fed together with
                `feed_dict`; constraints see `feed_dict` alone.
            progress: a function called after each evaluation with a `Progress`, as
                `print_progress()` returns one.
            **run_kwargs: `options` and `run_metadata` for every `session.run`.

        Returns:
            The vector that the subclass found, float64; from `ScipyOptimizerInterface` SciPy's
            `OptimizeResult`, also after a `StopIteration` from `step_callback`. (TNC before SciPy
            1.11 raises `SystemError` there.)

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: a session is missing or of another graph, or a feed is for one of the
                variables.
        """
        for callback in (step_callback, loss_callback, progress):
            if callback is not None and not callable(callback):
                raise TypeError(
                    f"{type(self).__name__}: a callback must be a function; got {describe(callback)}."
                )
        self._check_fetches(fetches, feed_dicts)
        search = self._search(session, feed_dict, feed_dicts, run_kwargs)
        with search:
            search.finish(
                self._minimize(
                    initial_val=search.start,
                    loss_grad_func=search.loss_and_gradient(
                        self._loss, fetches or (), loss_callback, progress
                    ),
                    equality_funcs=[search.tensor(each.value) for each in self._equalities],
                    equality_grad_funcs=[search.tensor(each.gradient) for each in self._equalities],
                    inequality_funcs=[search.tensor(each.value) for each in self._inequalities],
                    inequality_grad_funcs=[
                        search.tensor(each.gradient) for each in self._inequalities
                    ],
                    packed_bounds=self._packed_bounds,
                    step_callback=search.step(step_callback),
                    optimizer_kwargs=self.optimizer_kwargs,
                )
            )
        return self._returned(search.end)

    def vector(self, session: Session | None = None) -> np.ndarray:
        """Returns the variables as a new float64 vector `[n]`:
        one after another, in row-major order.
        """
        return self._search(session).read()

    def assign(self, vector: np.ndarray, session: Session | None = None) -> None:
        """Gives the variables the values of `vector`, float64 `[n]`.

        Raises:
            ValueError: it does not have n elements.
        """
        self._search(session).finish(vector, "assign: vector must be")

    def loss_and_gradient(
        self,
        session: Session | None = None,
        feed_dict: FeedDict | None = None,
        feed_dicts: FeedDicts | None = None,
    ) -> LossAndGradient:
        """Returns the loss as a function of one vector,
        for any optimizer that takes such a function.

            function = optimizer.loss_and_gradient(session, {x: batch})
            result = scipy.optimize.basinhopping(
                function, optimizer.vector(session), minimizer_kwargs={"jac": True})
            optimizer.assign(result.x, session)

        Takes the arguments of `minimize` of these names. Arrays are copied once, here.

        Returns:
            A function of a vector `[n]` that returns (loss, gradient): a float, float64 `[n]`.
            Where the loss is a tensor, a call leaves the variables at its vector: `assign` the end
            when it is found.
        """
        return self._search(session, feed_dict, feed_dicts).loss_and_gradient(self._loss)

    def tensor_function(
        self, tensor: tf.Tensor, session: Session | None = None, feed_dict: FeedDict | None = None
    ) -> Callable[[Any], Any]:
        """Returns any tensor as a function of one vector, such as residuals for
        `scipy.optimize.least_squares`.

        Takes the arguments of `minimize` of these names, and `tensor`, which reads the variables.
        Arrays are copied once, here.

        Returns:
            A function of a vector `[n]` that returns the tensor's value there, a new float64 array.
            A call leaves the variables at its vector.

        Raises:
            TypeError: `tensor` is not a tensor.
            ValueError: the loss was given as a function: then `tensor` would not follow the vector.
        """
        if self._by_function:
            raise ValueError(
                f"{type(self).__name__}: the tensor {describe(tensor)} reads the variables, but a loss "
                "given as a function does not move them. Pass the loss as a tensor."
            )
        if not isinstance(tensor, tf.Tensor):
            raise TypeError(
                f"{type(self).__name__}: tensor must be a tf.Tensor; got {describe(tensor)}."
            )
        function = self._search(session, feed_dict).tensor(tensor)
        return lambda vector: function(vector)[0]

    def _minimize(
        self,
        initial_val: np.ndarray,
        loss_grad_func: LossAndGradient,
        equality_funcs: Sequence[Any],
        equality_grad_funcs: Sequence[Any],
        inequality_funcs: Sequence[Any],
        inequality_grad_funcs: Sequence[Any],
        packed_bounds: Sequence[tuple[float, float]] | None,
        step_callback: Callable[[np.ndarray], object] | None,
        optimizer_kwargs: Mapping[str, Any],
    ) -> Any:
        """Searches from `initial_val` and returns the vector that it found;
        subclasses override this.

        Args:
            initial_val: the variables' values, float64 `[n]`.
            loss_grad_func: a function of a vector `[n]` that returns [loss, gradient]: a float,
                float64 `[n]`.
            equality_funcs: functions of a vector, each of which returns a value `[1]`.
            equality_grad_funcs: functions of a vector, each of which returns a gradient `[1, n]`.
            inequality_funcs: as `equality_funcs`.
            inequality_grad_funcs: as `equality_grad_funcs`.
            packed_bounds: a list of n pairs (low, high), infinite where unbounded; None without
                bounds.
            step_callback: a function of the vector, to be called after each iteration.
            optimizer_kwargs: the constructor's `optimizer_kwargs`.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must define _minimize; ScipyOptimizerInterface does."
        )

    def _check_kwargs(self) -> None:
        """Raises an error if `optimizer_kwargs` has what `_minimize` cannot take."""

    def _returned(self, end: object) -> Any:
        """Returns what `minimize` does, for the vector where the search ended."""
        return end

    def _search(
        self,
        session: Session | None,
        feed_dict: FeedDict | None = None,
        feed_dicts: FeedDicts | None = None,
        run_kwargs: Mapping[str, Any] | None = None,
    ) -> Search:
        caller = type(self).__name__
        session = tf.get_default_session() if session is None else session
        if session is None:
            raise ValueError(
                f"{caller}: there is no session. Pass session=..., or call inside `with "
                "session.as_default():`."
            )
        check_session(session, self._flat.vector.graph, caller)
        return Search(
            self._flat,
            session,
            self._prepared,
            None if self._by_function else self._turns.of(session),
            run_kwargs or {},
            feed_dict,
            feed_dicts,
            bool(self._equalities or self._inequalities),
        )

    def _check_fetches(self, fetches: object, feed_dicts: object) -> None:
        caller = type(self).__name__
        if not isinstance(fetches, (list, tuple, type(None))):
            raise TypeError(
                f"{caller}: fetches must be a list; got {describe(fetches)}. Write fetches=[...]."
            )
        if fetches and self._by_function:
            raise ValueError(
                f"{caller}: fetches read the variables, but a loss given as a function does not move "
                "them until the end. Use step_callback or progress, or pass the loss as a tensor."
            )
        if fetches and feed_dicts is not None:
            raise ValueError(
                f"{caller}: fetches cannot be summed over feed_dicts. Use step_callback or progress."
            )

    def _constraints(self, constraints: Any, what: str) -> list[Scalar]:
        if not isinstance(constraints, (list, tuple, type(None))):
            raise TypeError(
                f"{type(self).__name__}: {what} must be a list of scalars; got {describe(constraints)}. "
                f"Write {what}=[...], and tf.unstack a vector."
            )
        return [
            self._scalar(constraint, f"{what}[{index}]")
            for index, constraint in enumerate(constraints or ())
        ]

    def _scalar(self, given: Any, what: str) -> Scalar:
        """Builds a loss or constraint, which is a tensor or a function as the
        loss is, and its gradient.
        """
        if callable(given) != self._by_function:
            form = "function" if self._by_function else "tensor"
            raise TypeError(
                f"{type(self).__name__}: the loss is a {form}, so {what} must be one too; got "
                f"{describe(given)}."
            )
        if not self._by_function:
            value, gradients = self._differentiated(given, self._flat.variables, what)
            return Scalar(value, self._flat.pack(gradients))

        def build(vector: tf.Tensor) -> list[tf.Tensor]:
            value, gradients = self._differentiated(given(*self._flat.cut(vector)), [vector], what)
            return [value, *gradients]

        vector = self._flat.vector
        if self._xla:
            return Scalar(*tf.xla.experimental.compile(build, [vector]))
        return Scalar(*build(vector))

    def _differentiated(
        self, value: object, inputs: Sequence[Any], what: str
    ) -> tuple[tf.Tensor, list[Any]]:
        """Returns `value` as a scalar, and its gradients."""
        caller = type(self).__name__
        if is_variable(value):
            value = tf.convert_to_tensor(value)
        if not isinstance(value, tf.Tensor):
            raise TypeError(f"{caller}: {what} must be a tensor; got {describe(value)}.")
        if not value.dtype.is_floating:
            raise TypeError(
                f"{caller}: {what} ({value.name}) is {value.dtype.name}; it must be of a float dtype."
            )
        if value.shape.ndims is not None and value.shape.num_elements() != 1:
            raise ValueError(
                f"{caller}: {what} ({value.name}) has shape {value.shape}; it must be a scalar. Reduce a "
                "loss with tf.reduce_sum or tf.reduce_mean; give a vector constraint as tf.unstack(...)."
            )
        gradients: list[Any] = tf.gradients(value, inputs)
        check_loops_end(components(gradients), caller)
        self._check_reached(value, inputs, gradients, what)
        if all(gradient is None for gradient in gradients):
            raise ValueError(
                f"{caller}: {what} reaches none of the variables "
                f"{[variable.name for variable in self._flat.variables]}. Pass the var_list that it is "
                "computed from."
            )
        # Gradients are taken before, so that the reshape adds no ops there.
        return tf.reshape(value, []), gradients

    def _check_reached(
        self, value: tf.Tensor, inputs: Sequence[Any], gradients: Sequence[Any], what: str
    ) -> None:
        """Raises ValueError where `value` depends on an input only through a write,
        which has no gradient.
        """
        for given, gradient in zip(inputs, gradients):
            blocking = None if gradient is not None else write_between(given.op, value.op)
            if blocking is not None:
                raise ValueError(
                    f"{type(self).__name__}: {what} depends on {given.name} only through {blocking.name}, and "
                    f"{blocking.type} has no gradient: it writes a variable. Compute with tensors instead, "
                    "such as tf.tensor_scatter_add, or leave the variable out of var_list."
                )
