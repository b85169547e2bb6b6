"""Says what a library of custom ops needs that `tf.load_op_library` cannot load:
how to build it, or that it cannot be.

A library of TensorFlow 1 is linked with that version's C++ code, which TensorFlow 2 does not have.
Its sources mostly compile against TensorFlow 2 as they are.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Iterator

from tf1grad.programs.process import messages, ownership, replaced_functions
from tf1grad.run.packages import own_tree

if TYPE_CHECKING:
    from types import ModuleType

_FUNCTION = "tensorflow.python.framework.load_library:load_op_library"
_REGISTERS = re.compile(rb"^\s*REGISTER_(?:OP|KERNEL_BUILDER)\b", re.M)
_SOURCES = (".cc", ".cpp", ".cxx")
_CUDA = re.compile(r"\blib(?:cu|nccl)\w*\.so[.\d]*")
_FLAGS = (
    "$(python -c 'import tensorflow as tf; "
    "print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())')"
)
MISSING = "{} is a library of custom ops, and is not there."
OF_VERSION_1 = "{} is a library of custom ops that was built against TensorFlow 1."
OTHER = "{} is a library of custom ops, and this TensorFlow cannot load it."
BUILD = "Build it against this one: c++ -O2 -w -shared -fPIC {} -o {} {}"
NO_SOURCES = (
    "Its sources, which would have to be compiled against this TensorFlow, are not in the program's tree: without them "
    "it cannot be had"
)
NEEDS_CUDA = "It needs {}, and its CUDA sources nvcc"


def install() -> None:
    """Lets errors of `tf.load_op_library` come with advice from now on."""

    def replaced(load: Any) -> Any:
        def load_op_library(library_filename: Any) -> ModuleType:
            try:
                return load(library_filename)
            except Exception as error:
                file = os.fspath(library_filename)
                messages.warn_once(f"library {file}", advise(os.fsdecode(file), str(error)))
                raise

        return load_op_library

    replaced_functions.replace_functions(
        {_FUNCTION: replaced},
        "a library of custom ops that cannot be loaded is told how to be built",
    )


def advise(file: str, error: str) -> str:
    """Returns what a library needs that could not be loaded with an error."""
    sentences = [_state(file).format(file)]
    cuda = _CUDA.search(error)
    if cuda:
        sentences.append(NEEDS_CUDA.format(cuda.group()) + ".")
    place = ownership.place_of_user_code()
    folder = os.path.dirname(os.path.abspath(place[0])) if place else os.getcwd()
    sources = sorted(set(_sources(folder)))
    names = " ".join(os.path.relpath(source) for source in sources)
    sentences.append(BUILD.format(names, file, _FLAGS) if sources else NO_SOURCES)
    return " ".join(sentences)


def _state(file: str) -> str:
    if not os.path.isfile(file):
        return MISSING
    with open(file, "rb") as opened:
        return OF_VERSION_1 if b"libtensorflow_framework.so.1" in opened.read() else OTHER


def _sources(folder: str) -> Iterator[str]:
    """Yields the C++ files in a program's tree that register ops or kernels."""
    for path in own_tree.paths(folder):
        if path.endswith(_SOURCES) and os.path.isfile(path):
            with open(path, "rb") as file:
                if _REGISTERS.search(file.read()):
                    yield path
