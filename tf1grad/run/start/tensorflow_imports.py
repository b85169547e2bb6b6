"""Redirects imports of TensorFlow: user code gets TensorFlow 1,
libraries get the TensorFlow that is installed.

`import tensorflow` in a user's file is redirected to the view of `tensorflow_view`; in a file in
site-packages, in the standard library or in tf1grad itself it is not.

The user's threads may import at the same time. One of them loads TensorFlow, and user code in the
others waits for it.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import gc
import importlib.util
import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

from tf1grad.programs.names import pre_1_0
from tf1grad.programs.names.dotted_names import join
from tf1grad.programs.period import numpy_version_errors
from tf1grad.programs.process import ownership, patches
from tf1grad.run.view import tensorflow_view

ROOT = "tensorflow"
ESTIMATOR = "tensorflow_estimator"  # a program may import it before tensorflow
OWN = "tf1grad"
ownership.let_imports_through(__file__)
# TensorFlow imports these so that `tf.saved_model.load` knows their optimizers, and continues where
# they are missing. Importing Keras takes a third of the start, and user code gets 1.15's.
KERAS = ("keras.src.optimizers", "tf_keras.src.optimizers")


class Imports:
    """Stands between the import statements of this process and TensorFlow.

    `load` is called once, before the first import of tensorflow from outside of it: it imports and
    prepares TensorFlow, and says whether user code sees the view. `switch` is called once, when
    user code first asks for tensorflow.
    """

    def __init__(self, load: Callable[[], bool], switch: Callable[[], None]) -> None:
        self._load, self._switch = load, switch
        self._redirects = self._loaded = self._switched = False
        self._lock = threading.RLock()
        self._loader: int | None = None  # the thread that loads TensorFlow now

    @property
    def _loading(self) -> bool:
        """Whether this thread loads TensorFlow now."""
        return self._loader == threading.get_ident()

    def install(self) -> None:
        """Lets all that this process imports, or asks importlib for, come here from now on."""
        self._plain_import = plain_import = builtins.__import__
        plain_import_module, plain_find_spec = importlib.import_module, importlib.util.find_spec
        redirected = self._redirected

        def __import__(
            name: str,
            globals: Mapping[str, object] | None = None,
            locals: Mapping[str, object] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> ModuleType:
            if level == 0 and name[:10] == ROOT:
                asked, name = name, redirected(name, globals)
                if asked is not name:
                    return import_view(asked, name, fromlist)
            elif level == 0 and name[:7] == OWN and not self._loading:
                # User code imports tf1grad, whose modules take part in the loading.
                if name.partition(".")[0] == OWN:
                    if "v1" in (name.partition(".")[2], *(fromlist or ())):
                        ownership.include_package_of(globals)
                    if ownership.is_users_namespace(globals):
                        self._load_once()
            try:
                return plain_import(name, globals, locals, fromlist, level)
            except numpy_version_errors.ERRORS as error:
                numpy_version_errors.warn_of(error)
                raise

        def import_view(asked: str, name: str, fromlist: Sequence[str] | None) -> ModuleType:
            for part in fromlist or ():
                # Python itself would look for a module of before 1.0 in the real TensorFlow.
                if join(name.partition(".")[2], part) in pre_1_0.MODULES:
                    plain_import(f"{name}.{part}", None, None, (), 0)
            # For a name that is not there, Python looks for a module of the real TensorFlow.
            try:
                module = plain_import(name, None, None, fromlist, 0)
                missing = _missing(module, fromlist or ())
                if missing is None or not isinstance(module, tensorflow_view.View):
                    return module
            except ModuleNotFoundError as error:
                missing = _missing(sys.modules.get(name), fromlist or ())
                if missing is None or not f"{asked}.".startswith(f"{error.name}."):
                    raise
            raise ImportError(f"cannot import name {missing!r} from {asked!r}", name=asked)

        @functools.wraps(plain_import_module)
        def import_module(name: str, package: str | None = None) -> ModuleType:
            if package and name.startswith("."):
                name = importlib.util.resolve_name(name, package)
            if self._loading and name in KERAS:
                raise ImportError(f"{name} is not imported with TensorFlow", name=name)
            try:
                return plain_import_module(
                    redirected(name, ownership.calling_frame().f_globals), package
                )
            except numpy_version_errors.ERRORS as error:
                numpy_version_errors.warn_of(error)
                raise

        @functools.wraps(plain_find_spec)
        def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
            name = importlib.util.resolve_name(name, package)
            # Whether there is a TensorFlow is known without an import of it.
            if not name.startswith(f"{ROOT}."):
                return plain_find_spec(name)
            asked = redirected(name, ownership.calling_frame().f_globals)
            return plain_find_spec(name) if asked is name else tensorflow_view.spec(asked, name)

        tensorflow_view.install()
        patches.note(
            "gc.freeze",
            "the imported TensorFlow stays out of garbage collections",
            undo=gc.unfreeze,
        )
        patches.patch(
            builtins,
            "__import__",
            __import__,
            reason="`import tensorflow` in user code gives the view",
        )
        patches.patch(
            importlib,
            "import_module",
            import_module,
            reason="import_module of tensorflow in user code gives the view",
        )
        patches.patch(
            importlib.util,
            "find_spec",
            find_spec,
            reason="find_spec of a module of tensorflow in user code finds the view's",
        )

    def _redirected(self, name: str, namespace: Mapping[str, Any] | None) -> str:
        root = name.partition(".")[0]
        if self._loading or root not in (ROOT, ESTIMATOR, tensorflow_view.ROOT):
            return name
        if root == tensorflow_view.ROOT:  # a pickle names it
            self._ask_once()
            return name
        importer = (namespace or {}).get("__name__", "").partition(".")[0]
        if importer == ROOT:
            return name
        if self._loader is not None and not ownership.is_users_namespace(namespace):
            return name  # TensorFlow may import this library, which must not wait for it
        self._load_once()
        if not ownership.is_users_namespace(namespace):
            return name
        self._ask_once()
        return (
            tensorflow_view.ROOT + name[len(ROOT) :] if self._redirects and root == ROOT else name
        )

    def _ask_once(self) -> None:
        self._load_once()
        if not self._switched:
            self._switched = True
            with _without_collections():
                self._switch()

    def _load_once(self) -> None:
        if self._loaded:
            return
        with self._lock:
            if not self._loaded:
                self._loader = threading.get_ident()
                try:
                    with _without_collections(), self._only_others_redirected():
                        self._redirects = self._load()
                    self._loaded = True
                finally:
                    self._loader = None

    def _only_others_redirected(self) -> contextlib.AbstractContextManager[None]:
        """Returns a context that saves this thread time:
        TensorFlow itself has ten thousands of import statements.
        """
        plain_import, redirecting, loader = self._plain_import, builtins.__import__, self._loader

        def __import__(name: str, *details: Any, **named: Any) -> ModuleType:
            if name[:10] == ROOT and threading.get_ident() != loader:
                return redirecting(name, *details, **named)
            return plain_import(name, *details, **named)

        return patches.temporarily(builtins, "__import__", __import__)


@contextlib.contextmanager
def while_others_wait() -> Iterator[None]:
    """Yields a context: what imports TensorFlow in another thread waits for its end,
    and then finds what it made.
    """
    plain_import, thread, done = builtins.__import__, threading.get_ident(), threading.Event()

    def __import__(name: str, *details: Any, **named: Any) -> ModuleType:
        if not done.is_set() and name.partition(".")[0] == ROOT and threading.get_ident() != thread:
            done.wait()
            return builtins.__import__(name, *details, **named)
        return plain_import(name, *details, **named)

    # It stays, below what the context puts in its place.
    patches.patch(builtins, "__import__", __import__, reason="")
    try:
        yield
    finally:
        done.set()


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """Yields a context for imports, in which Python does not look for garbage.

    The objects that exist at its end stay out of later garbage collections. Each collection would
    otherwise visit TensorFlow's million objects, and so would the end of the process.
    """
    was_enabled = gc.isenabled()
    gc.collect()  # garbage of the program, which would stay until the process ends
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _missing(module: ModuleType | None, names: Iterable[str]) -> str | None:
    """Returns the first of `names` that a module does not have;
    None where it has all, or is not there itself.
    """
    listed = (name for name in names if name != "*")
    return next((name for name in listed if module and not hasattr(module, name)), None)
