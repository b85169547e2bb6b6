"""Decides to whom a file, a module, a frame or a graph belongs:
to the user, to a library or to tf1grad.

User code is the script and the modules that come with it. Installed packages and Python itself are
not. No other module answers this question, and no other module walks the frames of the stack.

Threads may ask and register at the same time. Each call reads or changes one set, list or dict,
which Python does in one piece, and a walk sees only the frames of its thread.
"""

from __future__ import annotations

import contextlib
import glob
import os
import sys
import sysconfig
import threading
import weakref
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Tuple

if TYPE_CHECKING:
    from tf1grad._compat import tf

TF1GRAD = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What carries old programs. The recipes and `migrate` are a library, as others are.
OWN_PACKAGES = ("cli", "model", "programs", "run", "upgrade", "verify")
_OWN = (
    *(os.path.join(TF1GRAD, name, "") for name in OWN_PACKAGES),
    os.path.join(TF1GRAD, "v1.py"),
)

# Libraries that came with TensorFlow 1.15 and import it as user code does: they are treated as user
# code.
OF_KERAS = ("keras_applications", "keras_preprocessing")
# Modules that make graphs for the code that calls them.
_MAKE_GRAPHS_FOR_CALLERS = (
    "tensorflow.",
    "tensorflow_estimator.",
    "tf1grad.",
    "contextlib",
    "unittest.",
    "absl.",
    "_pytest.",
    "pluggy.",
)
# Modules that import by name what their callers ask for, and modules that run tests.
_IMPORT_FOR_CALLERS = (
    "_pytest",
    "concurrent",
    "contextlib",
    "functools",
    "importlib",
    "mock",
    "pkgutil",
    "pluggy",
    "pydoc",
    "pytest_mock",
    "runpy",
    "threading",
    "unittest",
)

# Files of tf1grad that imports of user code pass through.
_importing = {
    os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    for name in ("finder.py", "patches.py")
}
# Python's name for the file of a program from standard input.
INPUT = "<stdin>"

# A file and a line in it.
Place = Tuple[str, int]

_files: Files | None = None
_compiled: set[str] = set()
_python_2: set[str] = set()
_library_graphs: weakref.WeakSet[Any] = weakref.WeakSet()
_here = threading.local()


class Files:
    """Tells the user's files from all others, by the folders that they are in.

    Installed libraries of the names `include`, and everything in the folder of the script, wherever
    it is, count as user code. Files in the folders `served` count as a library's.
    """

    def __init__(
        self,
        include: Iterable[str] = (),
        script_folder: str | None = None,
        served: Iterable[str] = (),
    ) -> None:
        self.included = set(include).union(OF_KERAS)
        self._script_folder = script_folder and os.path.realpath(script_folder)
        stdlib, platstdlib, *others = [
            os.path.realpath(sysconfig.get_path(name))
            for name in ("stdlib", "platstdlib", "purelib", "platlib")
        ]
        self._python = {stdlib, platstdlib}
        self._folders = dict.fromkeys([stdlib, platstdlib, *others], True)
        self._libraries = tuple(os.path.realpath(folder) + os.sep for folder in [TF1GRAD, *served])
        self._users: dict[str, bool | str] = {}

    def are_users(self, file: str) -> bool:
        """Returns True for a file that is user code."""
        package = self.package_of(file)
        return package if isinstance(package, bool) else name_of_package(package) in self.included

    def package_of(self, file: str) -> bool | str:
        """Returns True for a file of the user's, False for one of Python or tf1grad,
        else its installed package.

        The package is the path of its folder, or the file of a module without one.
        """
        folder, name = os.path.split(file)
        if folder not in self._users:
            self._users[folder] = self._owner_of(os.path.realpath(folder))
        return self._users[folder] or (self._users[folder] == "" and os.path.join(folder, name))

    def _owner_of(self, folder: str) -> bool | str:
        """Returns what `package_of` returns for files in `folder`;
        "" for the folder around installed packages.
        """
        if (folder + os.sep).startswith(self._libraries):
            return False
        inside = folder
        while inside != os.path.dirname(inside):
            if inside == self._script_folder:
                return True
            if self._is_installation(inside):
                name = folder[len(inside) + 1 :].split(os.sep)[0]
                return inside not in self._python and (name and os.path.join(inside, name))
            inside = os.path.dirname(inside)
        return True

    def _is_installation(self, folder: str) -> bool:
        if folder not in self._folders:
            self._folders[folder] = os.path.basename(folder) in (
                "site-packages",
                "dist-packages",
            ) or bool(glob.glob(os.path.join(glob.escape(folder), "*.dist-info")))
        return self._folders[folder]


def remember(files: Files) -> None:
    """Lets `files` decide, from now on, which files are user code."""
    global _files
    _files = files


def remember_file(filename: str, is_python_2: bool = False) -> None:
    """Notes that code was compiled as user code, from the file that the code object names."""
    _compiled.add(filename)
    if is_python_2:
        _python_2.add(filename)


def is_python_2_file(file: str) -> bool:
    """Says whether code of a file, as code objects name it, was compiled as Python 2."""
    return file in _python_2


def is_users_file(file: str) -> bool:
    """Returns True for the script and the modules that come with it,
    False for installed files and Python's own.

    A "<...>", as code objects name code without a file, is user code where it was compiled so.
    """
    if file in _compiled:
        return True
    return not file.startswith("<") and _files is not None and _files.are_users(file)


def is_installed_file(file: str) -> bool:
    """Says whether a file of user code belongs to an installed package,
    such as one that `--include` names.
    """
    return not file.startswith("<") and (_files is None or _files.package_of(file) is not True)


def include(package: str) -> None:
    """Counts the files of an installed package, by the name of its module,
    as user code from now on.
    """
    if _files is not None:
        _files.included.add(package)


def include_package_of(namespace: Mapping[str, Any] | None) -> None:
    """Counts the installed package of the module with these globals, if it is in one,
    as user code from now on.
    """
    package = package_of((namespace or {}).get("__file__") or "")
    if package:
        include(name_of_package(package))


def package_of(file: str) -> str | None:
    """Returns the path of the installed package or module that a file belongs to;
    None for all other files.
    """
    owner = None if _files is None else _files.package_of(file)
    return owner if isinstance(owner, str) else None


def name_of_package(path: str) -> str:
    """Returns the name that a program imports for the installed package or module at `path`."""
    return os.path.basename(path).partition(".")[0]


def is_called_by_library() -> bool:
    """Says whether an installed package calls, or imports a module, with no user code between."""
    for frame in _outwards(sys._getframe(1)):
        if _is_users(frame):
            return False
        if not _is_between(frame) and package_of(frame.f_code.co_filename) is not None:
            return True
    return False


def let_imports_through(file: str) -> None:
    """Takes a file of tf1grad for one that imports of user code pass through:
    it does not import for itself.
    """
    _importing.add(os.path.abspath(file))


def is_own_file(file: str) -> bool:
    """Returns True for a file of the commands for old programs."""
    return os.path.abspath(file).startswith(_OWN)


def is_users_namespace(namespace: Mapping[str, Any] | None) -> bool:
    """Returns True for the globals of user code.
    Code without a file, as in `exec`, belongs to the code around it.

    `mock.patch` and the like belong to their nearest caller, and to the user where only test
    runners are around them.
    """
    asker = _asker(sys._getframe(1))
    if _imports_for_callers(namespace or (asker.f_globals if asker else {})):
        for frame in _outwards(sys._getframe(1)):
            if not _is_between(frame) and not _imports_for_callers(frame.f_globals):
                return _is_users(frame)
        return True
    file = (namespace or {}).get("__file__")
    if namespace is vars(sys.modules["__main__"]) and _is_without_file(namespace):
        return True
    if file is None:
        around = (
            frame.f_globals.get("__file__")
            for frame in _outwards(sys._getframe(1))
            if not is_own_file(frame.f_code.co_filename)
        )
        file = next(filter(None, around), None)
    return file is None or is_users_file(file)


def namespace_of_importer() -> dict[str, Any]:
    """Returns the globals of the code that imports a module now;
    those of `__main__` where only Python does.
    """
    frame = _importer(sys._getframe(1))
    return vars(sys.modules["__main__"]) if frame is None else frame.f_globals


def importer() -> tuple[str, Place]:
    """Returns the name of the module that imports another now, and the file and line;
    where only Python does, none.
    """
    frame = _importer(sys._getframe(1))
    if frame is None:
        return "", ("", 0)
    return str(frame.f_globals.get("__name__")), _place(frame)


def _importer(frame: FrameType | None) -> FrameType | None:
    for each in _outwards(frame):
        if _is_main_without_file(each) or not (
            _is_between(each) or _imports_for_callers(each.f_globals)
        ):
            return each
    return None


@contextlib.contextmanager
def own_act() -> Iterator[None]:
    """Yields a context for what tf1grad does for itself, such as fetching:
    in this thread no user code asks for it.
    """
    before = getattr(_here, "acts", False)
    _here.acts = True
    try:
        yield
    finally:
        _here.acts = before


def is_imported_by_tf1grad() -> bool:
    """Says whether the commands for old programs import a module for themselves now,
    and neither user nor library.
    """
    for frame in _outwards(sys._getframe(1)):
        name = frame.f_code.co_filename
        if not name.startswith("<frozen") and os.path.abspath(name) not in _importing:
            return is_own_file(name)
    return False


def place_of_user_code() -> Place | None:
    """Returns the file and line of the nearest user code on the stack; None where there is not any.

    It is None too in an `own_act`.
    """
    if getattr(_here, "acts", False):
        return None
    return next((_place(frame) for frame in _outwards(sys._getframe(1)) if _is_users(frame)), None)


def place_of_asker() -> Place | None:
    """Returns the file and line of the code that called tf1grad,
    if that is user code, else None.
    """
    frame = None if getattr(_here, "acts", False) else _asker(sys._getframe(1))
    return _place(frame) if frame is not None and _is_users(frame) else None


def is_asked_by_user() -> bool:
    """Says whether user code called tf1grad. Libraries test which names exist,
    and must see what really exists.
    """
    return place_of_asker() is not None


def is_asked_by_user_or(name: str) -> bool:
    """Says whether user code called tf1grad, or a module that has the global `name`."""
    frame = _asker(sys._getframe(1))
    return frame is not None and (name in frame.f_globals or _is_users(frame))


def is_asked_by_python_2() -> bool:
    """Says whether user code written for Python 2 called tf1grad."""
    place = place_of_asker()
    return place is not None and is_python_2_file(place[0])


def is_asked_by_library() -> bool:
    """Says whether an installed package that is served imports a module now."""
    place = place_of_user_code()
    return place is not None and package_of(place[0]) is not None


def calling_frame() -> FrameType:
    """Returns the frame that called the function that asks."""
    return sys._getframe(2)


def is_called_by_interpreter() -> bool:
    """Says whether the interpreter itself called the function that asks, and not Python code."""
    try:
        sys._getframe(2)
    except ValueError:
        return True
    return False


def remember_graph(
    graph: tf.Graph, outer: object, makes_default_graph: Callable[[CodeType], bool]
) -> None:
    """Notes the owner of a new graph: the code that makes it.
    TensorFlow makes graphs for the code that calls it.

    A function's graph has the owner of the graph `outer` around it. `makes_default_graph` tells
    code that makes the default graph, which is the user's.
    """
    if (
        (outer in _library_graphs)
        if outer is not None
        else _is_made_by_library(makes_default_graph)
    ):
        _library_graphs.add(graph)


def is_users_graph(graph: tf.Graph) -> bool:
    """Returns False for a graph that a library made for itself."""
    return graph not in _library_graphs


def _is_made_by_library(makes_default_graph: Callable[[CodeType], bool]) -> bool:
    for frame in _outwards(sys._getframe(1)):
        if makes_default_graph(frame.f_code):
            return False
        if not frame.f_globals.get("__name__", "").startswith(_MAKE_GRAPHS_FOR_CALLERS):
            file = frame.f_globals.get("__file__")
            return file is not None and not is_users_file(file)
    return False


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _asker(frame: FrameType) -> FrameType | None:
    """Returns the nearest frame that is not tf1grad's, nor that of an import or of `exec`,
    unless it is the user's.
    """
    return next(
        (
            each
            for each in _outwards(frame)
            if not _is_between(each)
            or _is_main_without_file(each)
            or each.f_code.co_filename in _compiled
        ),
        None,
    )


def _is_between(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith("<") or is_own_file(frame.f_code.co_filename)


def _is_users(frame: FrameType) -> bool:
    return _is_main_without_file(frame) or is_users_file(frame.f_code.co_filename)


def _imports_for_callers(namespace: Mapping[str, Any]) -> bool:
    return str(namespace.get("__name__")).partition(".")[0] in _IMPORT_FOR_CALLERS


def _is_main_without_file(frame: FrameType) -> bool:
    """Returns True for a main program without a file:
    a notebook, or the input of an interpreter.
    """
    names = frame.f_globals
    is_prompt = names.get("__file__") == frame.f_code.co_filename
    return names.get("__name__") == "__main__" and _is_without_file(names) and not is_prompt


def _is_without_file(main: Mapping[str, Any]) -> bool:
    """Says whether a main program comes from no file;
    the prompt of Python 3.13 names the file of its own code.
    """
    file = main.get("__file__")
    return file in (None, INPUT) or os.path.basename(os.path.dirname(file)) == "_pyrepl"


def _place(frame: FrameType) -> Place:
    return frame.f_code.co_filename, frame.f_lineno
