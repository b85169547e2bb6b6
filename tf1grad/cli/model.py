"""Runs `tf1grad model`: shows what a model file of TensorFlow 1 holds,
or converts it for today's TensorFlow.
"""

from __future__ import annotations

import argparse
import importlib
import os
from typing import TYPE_CHECKING, Callable

from tf1grad.programs import _compat
from tf1grad.programs._errors import UsageError
from tf1grad.programs._installers import install_line

if TYPE_CHECKING:
    from types import ModuleType

SHOWN_VARIABLES = 20
CONVERTED = """\
IN becomes a SavedModel that plain TensorFlow 2 loads with tf.saved_model.load, and that Serving loads; or a frozen
graph, with --frozen or where OUT ends in .pb. Ops that TensorFlow 2 lacks become functions in the file. Before OUT is
written, its values are compared with the original's on random inputs. OUT never overwrites anything.
"""
EPILOG = """\
PATH is a frozen graph (.pb), the folder of a SavedModel or of a TF-Hub module of version 1, a meta graph (.meta), a
checkpoint's prefix or folder, or a Keras HDF5 file. The content decides, not the name.

exit codes: 0 done, 1 the file is damaged or cannot be converted, 2 wrong usage (a missing file, an OUT that exists),
130 interrupted. A conversion that fails or is interrupted leaves nothing behind.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options to `parser`."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    inspect = actions.add_parser(
        "inspect", help="show what a model file holds", description="Show what a model file holds."
    )
    inspect.set_defaults(act=_inspect)
    add = inspect.add_argument
    add("path", metavar="PATH", help="a model's file, folder or prefix")
    add("--format", choices=["text", "json"], default="text", help="default: text")
    add(
        "--variables",
        action="store_true",
        help=f"list every variable, not only the first {SHOWN_VARIABLES}",
    )
    convert = actions.add_parser(
        "convert",
        help="convert a model for today's TensorFlow",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Convert a model for today's TensorFlow.",
        epilog=CONVERTED,
    )
    convert.set_defaults(act=_convert)
    add = convert.add_argument
    add(
        "path",
        metavar="IN",
        help="a frozen graph, meta graph, SavedModel, TF-Hub module, or Keras HDF5 file",
    )
    add(
        "out",
        metavar="OUT",
        help="what to write: a folder for a SavedModel, or a file whose name ends in .pb",
    )
    add("--frozen", action="store_true", help="write a frozen graph, whatever OUT is called")
    add(
        "--inputs",
        metavar="TENSORS",
        type=_tensors,
        help="the inputs, as TENSOR or NAME=TENSOR, separated by commas (default: those of the signature, or the "
        "placeholders and the batches of queues and iterators that the outputs need)",
    )
    add(
        "--outputs",
        metavar="TENSORS",
        type=_tensors,
        help="the outputs, in the same form (default: those of the signature, or the tensors that nothing else uses, "
        "without those that need labels)",
    )
    add(
        "--no-check",
        dest="check",
        action="store_false",
        help="only load the converted model; do not compare it with the original on random inputs",
    )


def _tensors(text: str) -> list[tuple[str | None, str]]:
    """Returns (name or None, tensor) of each word in a list such as "x,scores=dense/add:0"."""
    found: list[tuple[str | None, str]] = []
    for word in filter(None, text.split(",")):
        name, equals, tensor = word.rpartition("=")
        if equals and not name or not tensor:
            raise argparse.ArgumentTypeError(
                f"expected TENSOR or NAME=TENSOR, separated by commas; got {text!r}"
            )
        found.append((name or None, tensor))
    return found


def main(arguments: argparse.Namespace) -> int:
    """Does the action, and returns the exit code."""
    if not arguments.action:
        raise UsageError("name what to do: inspect PATH, or convert IN OUT")
    if not os.path.lexists(arguments.path) and not os.path.isfile(arguments.path + ".index"):
        raise UsageError(f"{arguments.path}: no such file, folder or checkpoint prefix.")
    if not _compat.is_installed("tensorflow"):
        raise UsageError(
            f"model reads files with TensorFlow, which is missing here: {install_line(['tensorflow-cpu'])}"
        )
    _compat.prefer_legacy_keras()
    act: Callable[[argparse.Namespace], int] = arguments.act
    return act(arguments)


# What follows imports modules that import TensorFlow.


def _imported(name: str) -> ModuleType:
    with _compat.onednn_messages_hidden():
        return importlib.import_module(name)


def _inspect(arguments: argparse.Namespace) -> int:
    model_report = _imported("tf1grad.cli.model_report")
    model = model_report.model_files.read(arguments.path)
    if arguments.format == "json":
        print(model_report.as_json(model))
    else:
        shown = len(model.variables) if arguments.variables else SHOWN_VARIABLES
        print(model_report.as_text(model, shown))
    return 0


def _convert(arguments: argparse.Namespace) -> int:
    if os.path.lexists(arguments.out):
        raise UsageError(f"{arguments.out} exists, and nothing is overwritten. Name another OUT.")
    parent = os.path.dirname(os.path.abspath(arguments.out))
    if not os.path.isdir(parent) or not os.access(parent, os.W_OK):
        raise UsageError(
            f"cannot write {arguments.out}: {parent} is not a folder that can be written."
        )
    version = _compat.installed_version()
    if version is not None and version < (2,):
        raise UsageError(
            "convert writes and checks the new model with TensorFlow 2, and this is TensorFlow "
            f"{_compat.release()}. Use a Python with TensorFlow 2."
        )
    model_report = _imported("tf1grad.cli.model_report")
    conversion = _imported("tf1grad.model.conversion")
    _compat.behave_as_version_1()
    is_frozen = arguments.frozen or arguments.out.endswith(".pb")
    with _compat.deprecations_hidden():
        outcome = conversion.convert(
            conversion.Request(
                arguments.path,
                arguments.out,
                arguments.inputs,
                arguments.outputs,
                is_frozen,
                arguments.check,
            )
        )
    print(model_report.outcome_text(arguments.out, outcome))
    return 0
