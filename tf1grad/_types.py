"""Holds the types used in annotations, and two base classes.
Most checkers do not know TensorFlow's types.
"""

from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Mapping, Sequence, Tuple, Union

from tf1grad._compat import tf

if TYPE_CHECKING:
    from typing import Literal

    Nonfinite = Literal["raise", "skip", "propagate"]
    Reduction = Literal["mean", "sum"]
    AtEnd = Literal["drop", "apply", "keep"]
    Status = Literal["trained", "frozen", "still moved"]
    # Checkers would accept any method of a class whose base they do not know.
    OptimizerBase = object
    HookBase = object
else:  # Python 3.7 has no Literal
    Nonfinite = Reduction = AtEnd = Status = str
    OptimizerBase, HookBase = tf.train.Optimizer, tf.train.SessionRunHook

Gradient = Union[tf.Tensor, tf.IndexedSlices, None]
Pair = Tuple[Gradient, tf.Variable]
# The argument and the result of a transform.
GradsAndVars = Sequence[Pair]
Pairs = List[Pair]
Transform = Callable[[GradsAndVars], GradsAndVars]
ScalarLike = Union[float, tf.Tensor]
# A `tf.train.Optimizer`, or anything with its `apply_gradients`.
Optimizer = Any
Session = Union[tf.Session, tf.train.MonitoredSession]
FeedDict = Mapping[Any, Any]
FeedDicts = Union[Sequence[FeedDict], Callable[[], Iterable[FeedDict]]]
# The tensors of a batch.
BatchTensors = Union[tf.Tensor, tf.SparseTensor, Sequence[Any], Mapping[Any, Any]]
# A function of one float64 vector, as SciPy takes it.
LossAndGradient = Callable[[Any], Tuple[float, Any]]
# Variables, or names of scopes.
Selector = Union[str, tf.Variable]
# Makes a new optimizer for each group or player; or a dict of such functions.
Factory = Union[Callable[[], Optimizer], Mapping[str, Callable[[], Optimizer]]]
