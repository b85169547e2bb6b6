"""`tf1grad run`: an old script, unmodified, in this process, as if TensorFlow 1.15 were installed."""

from __future__ import annotations

import argparse
import atexit
import importlib
import os
import sys
from types import CodeType
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

from tf1grad.old_programs import _compat, python2
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.cli.argument_types import SEED_RULES, positive_float, positive_int, seed_rule
from tf1grad.old_programs.emulation import child_processes, script, tensorflow_view, tracebacks, user_modules
from tf1grad.old_programs.emulation.tensorflow_imports import Imports
from tf1grad.old_programs.originals import estimator_package, folder
from tf1grad.old_programs.process import messages, ownership

EPILOG = """\
Options of run come before the script; everything after it belongs to the script.

TensorFlow 1.15 had no oneDNN, which rounds otherwise: run sets TF_ENABLE_ONEDNN_OPTS=0, unless the environment has it.
So it does with TF_CPP_MIN_LOG_LEVEL=2, which leaves out what TensorFlow says at its start, and no errors.

exit codes:
  that of the script, as Python gives it: 0 at its end, 1 after an exception, what it gave to sys.exit, and
  128 + the signal's number (in a shell) after a signal
  1  the script is no Python (syntax, encoding)
  2  the command cannot start: wrong options, no such script or module, an option that this TensorFlow cannot do
"""


OPTIONS = ("seeds", "ops", "fast", "era", "matplotlib", "include", "accumulate", "clip_global_norm", "freeze",
           "python", "quiet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `tf1grad run`."""
    parser.epilog = EPILOG
    parser.usage = "tf1grad run [options] (SCRIPT | - | -m MODULE) [arguments of the script]"
    add = parser.add_argument
    add("-m", dest="module", action="store_true", help="SCRIPT is the name of a module or package to run")
    add("--seeds", metavar="{tf1,count,native,FILE}", type=seed_rule, default="tf1",
        help="the op seeds under tf.set_random_seed: as TensorFlow 1.15 gives them (tf1, the default), by counting "
             "random ops, the same on every version (count), as the installed version does (native), or those that "
             "--record-seeds wrote to FILE")
    add("--record-seeds", metavar="FILE",
        help="write the seeds of all random ops to FILE when the script ends; recorded on TensorFlow 1.15, --seeds "
             "FILE gives 1.15's random numbers on any TensorFlow, whatever functions the script uses")
    add("--ops", choices=["1.15", "installed"], default="1.15",
        help="what the script's tf composes ops with: TensorFlow 1.15's own Python, where `tf1grad contrib install` "
             "has brought it (1.15, the default), or what is installed")
    add("--no-fast", dest="fast", action="store_false",
        help="look up everything in each session.run, as TensorFlow does, and not once for what is run repeatedly")
    add("--no-era", dest="era", action="store_false",
        help="leave NumPy, SciPy, matplotlib and the standard library as they are")
    add("--python", type=int, choices=[2, 3],
        help="what the script and its modules are written for; by default those are Python 2 that only it reads, and "
             "what a script that is imports")
    add("--matplotlib", metavar="BACKEND", help="matplotlib's backend; agg by default where there is no display")
    add("--include", metavar="PACKAGE", action="append", default=[],
        help="an installed package that is written for TensorFlow 1, to be served as the script is (repeatable)")
    add("--accumulate", metavar="K", type=positive_int, help="apply the mean gradient of every K steps")
    add("--clip-global-norm", metavar="X", type=positive_float, help="limit the global norm of the gradients to X")
    add("--freeze", metavar="SCOPE", action="append", default=[],
        help="leave the variables in this scope untrained (repeatable)")
    add("--trace", metavar="FILE", help="write one JSON line a training step")
    add("--quiet", action="store_true", help="say nothing but what ends the run; what is said begins with tf1grad:")
    add("program", nargs=argparse.REMAINDER, metavar="SCRIPT [arguments]",
        help="the script, a notebook, a folder or zip file with a __main__.py, - for standard input, or (-m) a module; "
             "and what it finds in sys.argv")


def _writable(option: str, path: Optional[str]) -> Optional[str]:
    """The absolute path of a file that can be written: the script may change the folder before TensorFlow is there.

    None where none was given.
    """
    if not path:
        return None
    path = os.path.abspath(path)
    try:
        open(path, "a").close()
    except OSError as error:
        raise UsageError(f"can't write {option} {path!r}: {error.strerror}") from error
    return path


def main(arguments: argparse.Namespace, when_loaded: Optional[Callable[[], None]] = None) -> int:
    """Runs the script that `arguments` name; it ends as it does under `python`.

    `when_loaded` is called, without arguments, when TensorFlow has been imported and everything is in place.
    """
    with tracebacks.own_frames_hidden():
        try:
            name, own_arguments = _named(arguments.program)
            program = script.named(name, arguments.module)
            options = {name: getattr(arguments, name) for name in OPTIONS}
            options["script_folder"] = os.path.abspath(program.folder)
            trace = _writable("--trace", arguments.trace)
            record = _writable("--record-seeds", arguments.record_seeds)
            compiler = prepare(options, trace, when_loaded, record)
            child_processes.follow(options)
            script.run(program, own_arguments, compiler.main)
        except UsageError as error:
            print(f"tf1grad run: {error}", file=sys.stderr)
            return 2
    return 0


def _named(program: Sequence[str]) -> Tuple[str, List[str]]:
    """The script's name and its arguments, from what follows the options.

    Raises:
        UsageError: nothing follows.
    """
    words = program[1:] if program[:1] == ["--"] else program
    if not words:
        raise UsageError("name the SCRIPT to run, - for one from standard input, or -m MODULE")
    return words[0], list(words[1:])


def prepare(options: Mapping[str, Any], trace: Optional[str] = None, when_loaded: Optional[Callable[[], None]] = None,
            record_seeds: Optional[str] = None) -> python2.Compiler:
    """Makes this process ready for the user's code: whatever imports TensorFlow from now on finds version 1.

    The files `trace` and `record_seeds` are this process's own; its children have the same `options`.

    Returns:
        The `python2.Compiler` of his code.
    """
    if options["quiet"]:
        messages.be_quiet()
    importlib.import_module("tf1grad.migrate.legacy")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    plain: Callable[[Any, str], CodeType] = user_modules.compile_plainly
    if options["era"]:
        from tf1grad.old_programs import era
        era.install(matplotlib=options["matplotlib"])
        plain = era.compile_module
    compiler = python2.Compiler(plain, options["python"])
    Imports(lambda: _load(options, trace, when_loaded, record_seeds), lambda: _switch(options), _included(options),
            options["script_folder"]).install()
    user_modules.install(compiler)
    return compiler


def _included(options: Mapping[str, Any]) -> List[str]:
    """The libraries that get what the user's code gets.

    Estimators are given optimizers and feature columns, and ask what class they are of: that of 1.15's op layer.
    """
    has_op_layer = options["ops"] == "1.15" and folder.has_op_layer()
    return [*options["include"]] + ([estimator_package.PACKAGE] if has_op_layer else [])


def _load(options: Mapping[str, Any], trace: Optional[str], when_loaded: Optional[Callable[[], None]],
          record_seeds: Optional[str]) -> bool:
    """Imports TensorFlow and puts what the options ask for in place; True when it is not TensorFlow 1 itself."""
    version_1 = _compat.is_version_1()
    _seed(options, record_seeds)
    wanted = {name: options[name] for name in ("accumulate", "clip_global_norm", "freeze")}
    if trace or any(wanted.values()):
        from tf1grad.old_programs.emulation import training_options
        report = training_options.install(trace=trace, **wanted).report
        atexit.register(lambda: messages.say("\n".join(report())))
    if options["fast"]:
        from tf1grad.sessions import fast_sessions
        fast_sessions.install()
    if when_loaded:
        when_loaded()
    return not version_1


def _seed(options: Mapping[str, Any], record: Optional[str]) -> None:
    rule = options["seeds"]
    from tf1grad.old_programs import seeds
    replay = None if rule in SEED_RULES else rule
    seeds.install("tf1" if replay else rule, own_ops=_has_own_ops(options), tell=not replay)
    if (replay or rule == "tf1") and not _compat.is_version_1():
        from tf1grad.old_programs.emulation import singular_vector_signs
        singular_vector_signs.install()
    if replay or record:
        from tf1grad.old_programs.seeds import recorded_seeds
        recorded_seeds.install(replay, record)


def _has_own_ops(options: Mapping[str, Any]) -> bool:
    return options["ops"] == "1.15" and not _compat.is_version_1() and folder.has_op_layer()


def _switch(options: Mapping[str, Any]) -> None:
    """Makes TensorFlow behave as version 1, and puts 1.15's op layer over it, for the user's code."""
    from tf1grad.old_programs.emulation import pre_1_0_calls
    if _compat.is_version_1():
        pre_1_0_calls.install_in_version_1()
        return
    _compat.behave_as_version_1()
    _compat.complete_private_modules()
    _compat.complete_variables()
    from tf1grad.old_programs.originals import loader
    loader.elsewhere.append(tensorflow_view.from_table)
    tensorflow_view.put_over(pre_1_0_calls)
    tensorflow_view.watch(pre_1_0_calls.watched, pre_1_0_calls.modules())
    if _has_own_ops(options):
        from tf1grad.old_programs.originals import op_layer
        op_layer.install(ownership.is_users_file)
        tensorflow_view.put_over(op_layer)
        return
    if options["seeds"] == "tf1":
        from tf1grad.old_programs.seeds import uncounted_functions
        tensorflow_view.watch(uncounted_functions.watched, uncounted_functions.MODULES)
    from tf1grad.old_programs.originals import singular_matrices
    tensorflow_view.watch(singular_matrices.watched, ["linalg"])
