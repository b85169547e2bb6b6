"""Whose import it is: the user's code gets TensorFlow 1, libraries get the TensorFlow that is installed.

`import tensorflow` of a user's file is redirected to the view of `tf1grad.commands.run.view`; that of a file in
site-packages, in the standard library or in tf1grad itself is not.
"""

import builtins
import functools
import importlib.util
import sys

from tf1grad.commands.run import users, view

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

    def __init__(self, load, switch, include=(), script_folder=None):
        self._load, self._switch = load, switch
        self._files = users.Files(include, script_folder)
        self._loading = self._redirects = False
        self._loaded = self._switched = False

    def install(self):
        """From now on the import statements, `__import__` and `importlib.import_module` of the process come here."""
        self._plain_import = plain_import = builtins.__import__
        plain_import_module = importlib.import_module
        redirected = self._redirected

        def __import__(name, globals=None, locals=None, fromlist=(), level=0):
            if level == 0 and name[:10] == ROOT:
                asked, name = name, redirected(name, globals)
                if asked is not name:
                    return import_view(asked, name, fromlist)
            return plain_import(name, globals, locals, fromlist, level)

        def import_view(asked, name, fromlist):
            try:
                return plain_import(name, None, None, fromlist, 0)
            except ModuleNotFoundError as error:
                # A name that is neither there nor a module: Python then looks for the view in the real TensorFlow.
                if not fromlist or error.name != asked or name not in sys.modules:
                    raise
            raise ImportError("cannot import name %r from %r" % (next(
                part for part in fromlist if part not in dir(sys.modules[name])), asked), name=asked)

        @functools.wraps(plain_import_module)
        def import_module(name, package=None):
            if package and name.startswith("."):
                name = importlib.util.resolve_name(name, package)
            return plain_import_module(redirected(name, sys._getframe(1).f_globals), package)

        builtins.__import__, importlib.import_module = __import__, import_module
        users.remember(self._files)
        view.install()

    def _redirected(self, name, namespace):
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
        return view.ROOT + name[len(ROOT):] if self._redirects else name

    def _load_once(self):
        if not self._loaded:
            self._loading, statement = True, builtins.__import__
            builtins.__import__ = self._plain_import  # TensorFlow itself has ten thousands of import statements
            try:
                self._redirects = self._load()
                self._loaded = True
            finally:
                self._loading, builtins.__import__ = False, statement

    def _is_users(self, namespace):
        file = (namespace or {}).get("__file__")
        frame = sys._getframe(2)
        while file is None and frame is not None:  # `exec` of a string: the code around it decides
            own = frame.f_code.co_filename.startswith(users.HERE)
            file = None if own else frame.f_globals.get("__file__")
            frame = frame.f_back
        return file is None or self._files.are_users(file)
