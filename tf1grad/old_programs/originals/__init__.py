"""TensorFlow 1.15's own Python files, served on TensorFlow 2 where the user has put them.

They come from the official wheel, into a folder beside the environment's other data; nothing of them is part of this
package. Nobody fetches them but who asks for it: `tf1grad contrib install`.
"""

from __future__ import annotations

import types

from tf1grad.old_programs.originals import folder

NOT_INSTALLED = ("tensorflow.contrib.%s is in TensorFlow 1.15's own contrib, which is not installed here: "
                 "tf1grad contrib install")


def is_installed() -> bool:
    """True where there are originals."""
    return folder.find() is not None


def contrib_module(path: str) -> types.ModuleType:
    """The module of `tf.contrib` at `path`: TensorFlow's own where version 1 is installed, else the original.

    Raises:
        ImportError: there is none, or the originals are not installed.
    """
    from tf1grad.old_programs import _compat
    if _compat.is_version_1():
        return _compat.contrib_module(path)
    from tf1grad.old_programs.originals import loader
    if not is_installed():
        raise ImportError(NOT_INSTALLED % path, name="tensorflow.contrib." + path)
    return loader.module("contrib." + path)
