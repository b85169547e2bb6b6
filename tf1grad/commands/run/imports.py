"""Whose import it is: the user's code gets TensorFlow 1, libraries get the TensorFlow that is installed.

`import tensorflow` of a user's file is redirected to the view of `tf1grad.commands.run.view`; that of a file in
site-packages, in the standard library or in tf1grad itself is not.
"""

import builtins
import functools
import glob
import importlib.util
import os
import sys
import sysconfig

from tf1grad.commands.run import view

ROOT = "tensorflow"
HERE = os.path.dirname(os.path.abspath(__file__))
TF1GRAD = os.path.dirname(os.path.dirname(HERE))

_installed = []


def is_users_file(file):
    """True for the script and what it brought along; False for what was installed, and for Python itself."""
    return any(imports.is_users_file(file) for imports in _installed)


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
        self._include = set(include)
        self._script_folder = script_folder and os.path.realpath(script_folder)
        self._folders = {os.path.realpath(sysconfig.get_path(name)): True for name in
                         ("stdlib", "platstdlib", "purelib", "platlib")}
        self._users = {}
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
        _installed.append(self)
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
            own = frame.f_code.co_filename.startswith(HERE)
            file = None if own else frame.f_globals.get("__file__")
            frame = frame.f_back
        return file is None or self.is_users_file(file)

    def is_users_file(self, file):
        """See the function of this name."""
        folder, name = os.path.split(file)
        if folder not in self._users:
            self._users[folder] = self._ask(os.path.realpath(folder))
        package = self._users[folder]
        return package if isinstance(package, bool) else (package or os.path.splitext(name)[0]) in self._include

    def _ask(self, folder):
        """True for a folder of the user's, False for one of ours; else the installed package, "" around them."""
        if (folder + os.sep).startswith(TF1GRAD + os.sep):
            return False
        inside = folder
        while inside != os.path.dirname(inside):
            if inside == self._script_folder:
                return True
            if self._is_installation(inside):
                return folder[len(inside) + 1:].split(os.sep)[0]
            inside = os.path.dirname(inside)
        return True

    def _is_installation(self, folder):
        if folder not in self._folders:
            self._folders[folder] = (os.path.basename(folder) in ("site-packages", "dist-packages")
                                     or bool(glob.glob(os.path.join(glob.escape(folder), "*.dist-info"))))
        return self._folders[folder]
