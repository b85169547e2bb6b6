"""Whose import it is: the user's code gets TensorFlow 1, libraries get the TensorFlow that is installed.

`import tensorflow` of a user's file is redirected to the view of `tensorflow_view`; that of a file in site-packages,
 in the standard library or in tf1grad itself is not.
"""

from __future__ import annotations

import builtins
import functools
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

from tf1grad.old_programs.emulation import tensorflow_view
from tf1grad.old_programs.process import ownership

ROOT = "tensorflow"


class Imports:
    """Stands between the import statements of this process and TensorFlow.

    Args:
        load: called once, before the first import of tensorflow from outside of it; it imports TensorFlow and prepares
            it, and returns True when the user's code is to see the view, False when it is TensorFlow 1 that is here.
        switch: called once, when the user's own code first asks for tensorflow.
        include: names of libraries that are to be served as the user's code is.
        script_folder: the folder of the script; what is in it is the user's, whatever else is in there.
    """

    def __init__(self, load: Callable[[], bool], switch: Callable[[], None], include: Iterable[str] = (),
                 script_folder: Optional[str] = None) -> None:
        self._load, self._switch = load, switch
        self._files = ownership.Files(include, script_folder)
        self._loading = self._redirects = False
        self._loaded = self._switched = False

    def install(self) -> None:
        """From now on what this process imports, or asks importlib for, comes here."""
        self._plain_import = plain_import = builtins.__import__
        plain_import_module, plain_find_spec = importlib.import_module, importlib.util.find_spec
        redirected = self._redirected

        def __import__(name: str, globals: Optional[Mapping[str, object]] = None,
                       locals: Optional[Mapping[str, object]] = None, fromlist: Optional[Sequence[str]] = (),
                       level: int = 0) -> ModuleType:
            if level == 0 and name[:10] == ROOT:
                asked, name = name, redirected(name, globals)
                if asked is not name:
                    return import_view(asked, name, fromlist)
            return plain_import(name, globals, locals, fromlist, level)

        def import_view(asked: str, name: str, fromlist: Optional[Sequence[str]]) -> ModuleType:
            for part in fromlist or ():
                if tensorflow_view.was_module(name, part):  # else Python looks for it in the real TensorFlow
                    plain_import(f"{name}.{part}", None, None, (), 0)
            try:
                return plain_import(name, None, None, fromlist, 0)
            except ModuleNotFoundError as error:
                # A name that is neither there nor a module: Python then looks for the view in the real TensorFlow.
                missing = _missing(sys.modules.get(name), fromlist or ())
                if error.name != asked or missing is None:
                    raise
            raise ImportError(f"cannot import name {missing!r} from {asked!r}", name=asked)

        @functools.wraps(plain_import_module)
        def import_module(name: str, package: Optional[str] = None) -> ModuleType:
            if package and name.startswith("."):
                name = importlib.util.resolve_name(name, package)
            return plain_import_module(redirected(name, sys._getframe(1).f_globals), package)

        @functools.wraps(plain_find_spec)
        def find_spec(name: str, package: Optional[str] = None) -> Optional[ModuleSpec]:
            name = importlib.util.resolve_name(name, package)
            if name[:11] != ROOT + ".":  # that there is a TensorFlow is known without importing it
                return plain_find_spec(name)
            asked = redirected(name, sys._getframe(1).f_globals)
            return plain_find_spec(name) if asked is name else tensorflow_view.spec(asked, name)

        builtins.__import__, importlib.import_module, importlib.util.find_spec = __import__, import_module, find_spec
        ownership.remember(self._files)
        tensorflow_view.install()

    def _redirected(self, name: str, namespace: Optional[Mapping[str, Any]]) -> str:
        if self._loading or name.partition(".")[0] != ROOT:
            return name
        importer = (namespace or {}).get("__name__", "").partition(".")[0]
        if importer == ROOT:
            return name
        self._load_once()
        if not self._is_users(namespace):
            return name
        if not self._switched:
            self._switched = True
            self._switch()
        return tensorflow_view.ROOT + name[len(ROOT):] if self._redirects else name

    def _load_once(self) -> None:
        if not self._loaded:
            self._loading, statement = True, builtins.__import__
            builtins.__import__ = self._plain_import  # TensorFlow itself has ten thousands of import statements
            try:
                self._redirects = self._load()
                self._loaded = True
            finally:
                self._loading, builtins.__import__ = False, statement

    def _is_users(self, namespace: Optional[Mapping[str, Any]]) -> bool:
        file = (namespace or {}).get("__file__")
        if file is None and namespace is vars(sys.modules["__main__"]):  # a script from a pipe, a notebook
            return True
        frame: Optional[FrameType] = sys._getframe(2)
        while file is None and frame is not None:  # `exec` of a string: the code around it decides
            own = frame.f_code.co_filename.startswith(ownership.OLD_PROGRAMS)
            file = None if own else frame.f_globals.get("__file__")
            frame = frame.f_back
        return file is None or self._files.are_users(file)


def _missing(module: Optional[ModuleType], names: Iterable[str]) -> Optional[str]:
    """The first of `names` that a module which is there does not have; None where it has all."""
    absent = object()
    return next((name for name in names if module and getattr(module, name, absent) is absent), None)
