"""Declares for type checkers the TensorFlow classes that tf1grad's classes extend.

Most type checkers do not know TensorFlow's types, and accept any method of a class with an unknown base.
"""

from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from tf1grad._compat import tf

if TYPE_CHECKING:
    from tf1grad._types import GradsAndVars, Pairs

    class Optimizer:
        """Declares the documented methods of `tf.train.Optimizer`."""

        GATE_NONE: int
        GATE_OP: int
        GATE_GRAPH: int

        def __init__(self, use_locking: bool, name: str) -> None: ...

        def minimize(
            self,
            loss: tf.Tensor,
            global_step: Optional[tf.Variable] = None,
            var_list: Optional[Sequence[tf.Variable]] = None,
            gate_gradients: int = GATE_OP,
            aggregation_method: Optional[int] = None,
            colocate_gradients_with_ops: bool = False,
            name: Optional[str] = None,
            grad_loss: Optional[tf.Tensor] = None,
        ) -> tf.Operation: ...

        def compute_gradients(
            self,
            loss: tf.Tensor,
            var_list: Optional[Sequence[tf.Variable]] = None,
            gate_gradients: int = GATE_OP,
            aggregation_method: Optional[int] = None,
            colocate_gradients_with_ops: bool = False,
            grad_loss: Optional[tf.Tensor] = None,
        ) -> Pairs: ...

        def apply_gradients(
            self,
            grads_and_vars: GradsAndVars,
            global_step: Optional[tf.Variable] = None,
            name: Optional[str] = None,
        ) -> tf.Operation: ...

        def get_name(self) -> str: ...

        def get_slot(self, var: tf.Variable, name: str) -> Any: ...

        def get_slot_names(self) -> List[str]: ...

        def variables(self) -> List[tf.Variable]: ...

    class SessionRunHook:
        """Declares the documented methods of `tf.train.SessionRunHook`."""

        def begin(self) -> None: ...

        def after_create_session(self, session: tf.Session, coord: Any) -> None: ...

        def before_run(self, run_context: Any) -> Any: ...

        def after_run(self, run_context: Any, run_values: Any) -> None: ...

        def end(self, session: tf.Session) -> None: ...
else:
    Optimizer, SessionRunHook = tf.train.Optimizer, tf.train.SessionRunHook
