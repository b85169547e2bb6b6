"""Makes pickles of TensorFlow 1.15's own classes and functions, under `tf1grad run`.

pickle stores a class by its name, under which `sys.modules` mostly has the installed class. So
pickles made here name a function, `load_class`, that finds the user's class; those of TensorFlow
1.15 give it too. Python's own pickle module is changed, which multiprocessing, joblib, cloudpickle,
dill and NumPy use.
"""

from __future__ import annotations

import functools
import io
import pickle
import types
from typing import Any, Callable

from tf1grad.programs.process import patches
from tf1grad.run.originals.missing_objects import DoesNotLoad

_PYTHON = "tensorflow.python."
_reason = "pickles hold TensorFlow 1.15's own classes"

Reducer = Callable[[Any, Any], Any]


# The users' pickles name this function and its module.
def load_class(module: str, name: str) -> Any:
    """Returns the class or function that user code gets as `name` from `module` of
    TensorFlow; for pickles.
    """
    # The data of a pickle is the user's, whatever library reads it.
    return _attribute(
        __import__(module, {"__file__": "pickle"}, None, [name.partition(".")[0]]), name
    )


def install() -> None:
    """Changes the module pickle and the picklers derived from it, in this process,
    from now on; once is enough.
    """
    if issubclass(pickle.Pickler, Pickler):
        return
    for pickler in (pickle._Pickler, *pickle.Pickler.__subclasses__()):
        if pickler is not Pickler:
            before = getattr(pickler, "reducer_override", None)
            patches.patch(pickler, "reducer_override", _reducer(before), reason=_reason)
    patches.wrap(pickle._Unpickler, "find_class", _find_class, reason=_reason)
    for value in (dump, dumps, load, loads, Pickler, Unpickler):
        patches.patch(pickle, value.__name__, value, reason=_reason)


def _reducer(before: Reducer | None = None) -> Reducer:
    """Returns a method `reducer_override` that knows 1.15's classes,
    and else does what `before` does.
    """

    def reducer_override(pickler: object, value: object) -> Any:
        if isinstance(value, (type, types.FunctionType)):
            module = getattr(value, "__module__", None)
            if (
                isinstance(module, str)
                and module.startswith(_PYTHON)
                and is_originals(value, module)
            ):
                return load_class, (module, value.__qualname__)
        return before(pickler, value) if before else NotImplemented

    return reducer_override


def is_originals(value: Any, module: str) -> bool:
    """Says whether a class or function is the one of 1.15's module,
    not that of the installed module of the name.
    """
    # It imports TensorFlow, which has been imported for `value`.
    from tf1grad.run.originals import loader

    if not loader.is_original(module):
        return False
    try:
        return _attribute(loader.module(module.partition(".")[2]), value.__qualname__) is value
    except (ImportError, AttributeError):
        return False


def _find_class(
    before: Callable[[Any, str, str], Any], unpickler: object, module: str, name: str
) -> Any:
    if module.startswith(_PYTHON):
        try:
            return load_class(module, name)
        except DoesNotLoad:
            raise
        except (ImportError, AttributeError):
            pass  # a name that only the installed TensorFlow has
    return before(unpickler, module, name)


def _attribute(holder: object, name: str) -> Any:
    return functools.reduce(getattr, name.split("."), holder)


class Pickler(pickle.Pickler):
    """Pickles 1.15's own classes and functions as `load_class`."""

    __module__ = "pickle"
    reducer_override = _reducer()

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "reducer_override" in vars(cls):  # such as that of cloudpickle
            setattr(cls, "reducer_override", _reducer(vars(cls)["reducer_override"]))


class Unpickler(pickle.Unpickler):
    """Finds the user's classes by the names that TensorFlow 1.15 wrote."""

    __module__ = "pickle"

    def find_class(self, module: str, name: str, plain: Any = pickle.Unpickler.find_class) -> Any:
        """Returns the class or function of this name."""
        return _find_class(plain, self, module, name)


def dump(obj: Any, file: Any, *arguments: Any, **options: Any) -> None:
    """Pickles an object into a file, as `pickle.dump` does."""
    Pickler(file, *arguments, **options).dump(obj)


def dumps(obj: object, *arguments: object, **options: object) -> bytes:
    """Returns the pickle of an object, as `pickle.dumps` does."""
    file = io.BytesIO()
    dump(obj, file, *arguments, **options)
    return file.getvalue()


def load(file: Any, **options: Any) -> Any:
    """Returns the object in a pickle, as `pickle.load` does."""
    return Unpickler(file, **options).load()


def loads(data: Any, **options: Any) -> Any:
    """Returns the object in the bytes of a pickle, as `pickle.loads` does."""
    return load(io.BytesIO(data), **options)
