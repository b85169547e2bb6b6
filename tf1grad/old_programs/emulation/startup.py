"""Prepares a process for old programs: the phases of start-up, in order, and what each puts in place.

`PHASES` is the way from `tf1grad run train.py` to the script's first line, and on to its TensorFlow. A phase begins at
one of three moments: before the program is read; when TensorFlow is first imported, by whatever code; when user code
first imports it. All that a phase changes is in the register (`process.patches`), which `run --explain` prints.

One thread prepares the process. The user's threads may reach the later moments, where imports let one of them through.
"""

from __future__ import annotations

import atexit
import functools
import os
from types import CodeType
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional

from tf1grad.old_programs import _compat, python2
from tf1grad.old_programs.emulation import (
    child_processes,
    old_keras,
    old_libraries,
    pytest_suites,
    tensorflow_view,
    user_modules,
)
from tf1grad.old_programs.emulation.tensorflow_imports import Imports
from tf1grad.old_programs.period import folder, layer
from tf1grad.old_programs.process import messages, ownership, patches

# The options of `tf1grad run` that child processes share, with their defaults. Only `upgrade` sets `seeds`: an upgraded
# program has other ops, so both it and the old one count random ops.
OPTIONS: Dict[str, Any] = {
    "numpy": "layer", "seeds": "tf1", "fast": True, "era": True, "matplotlib": None, "include": [], "exclude": [],
    "kernels": "auto", "accumulate": None, "clip_global_norm": None, "freeze": [], "python": None, "quiet": False}
START, LOADED, ASKED = "at the start", "TensorFlow loads", "user code asks for TensorFlow"


class Phase(NamedTuple):
    """Describes a phase of start-up: its name, its moment, its function, and a sentence that `--explain` prints."""

    name: str
    moment: str
    begin: Callable[[_Process], Any]
    sentence: str


class _Process:
    """Holds the options of this process, and what phases hand on to later ones."""

    def __init__(self, options: Mapping[str, Any], trace: Optional[str], when_loaded: Optional[Callable[[], None]],
                 is_child: bool) -> None:
        self.options, self.trace, self.when_loaded, self.is_child = options, trace, when_loaded, is_child
        self.plain: Callable[[Any, str], CodeType] = user_modules.compile_plainly
        self.compiler: python2.Compiler

    def serve(self, package: str) -> None:
        """Lets child processes serve a package that this process has decided to serve."""
        self.options = dict(self.options, include=[*self.options["include"], package])
        child_processes.share(self.options)

    def reach(self, moment: str) -> None:
        """Begins the phases of a moment, in order."""
        for phase in PHASES:
            if phase.moment == moment:
                with patches.phase(phase.name, phase.sentence):
                    phase.begin(self)


def prepare(options: Mapping[str, Any], trace: Optional[str] = None, when_loaded: Optional[Callable[[], None]] = None,
            is_child: bool = False) -> python2.Compiler:
    """Makes this process ready for user code: whatever imports TensorFlow from now on finds version 1.

    `options` has `script_folder`, and values for names of `OPTIONS`. `trace` is for this process only. `when_loaded` is
    called when TensorFlow is imported and prepared. In a child the interpreter has yet to put its program's folder on
    the path.
    """
    process = _Process(options, trace, when_loaded, is_child)
    process.reach(START)
    return process.compiler


def join(options: Dict[str, Any]) -> None:
    """Prepares a child process, before its program is read, with the `options` of its parent."""
    options.pop("environment")
    child_processes.run_main_program(prepare(options, is_child=True))


def _messages(process: _Process) -> None:
    if process.options["quiet"]:
        messages.be_quiet()


def _period(process: _Process) -> None:
    layer.lay(process.options["numpy"], 0 if process.is_child else 1)


def _environment(process: _Process) -> None:
    if process.options["kernels"] != "auto":
        value = os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1" if process.options["kernels"] == "onednn" else "0"
        patches.note(f"environment TF_ENABLE_ONEDNN_OPTS={value}", f"--kernels {process.options['kernels']}")


def _era(process: _Process) -> None:
    if process.options["era"]:
        from tf1grad.old_programs import era
        era.install(matplotlib=process.options["matplotlib"])
        process.plain = era.compile_module


def _imports(process: _Process) -> None:
    options = process.options
    served = [os.path.join(folder.find_originals() or "", package) for package in (folder.ROOT, folder.ESTIMATOR)]
    ownership.remember(ownership.Files(options["include"], options["script_folder"], served))

    def load() -> bool:
        with _compat.onednn_messages_hidden():
            has_view = not _compat.is_version_1()  # imports TensorFlow
        process.reach(LOADED)
        return has_view
    Imports(load, functools.partial(process.reach, ASKED)).install()
    if (_compat.installed_version() or (2, 0)) >= (2, 0):
        from tf1grad.old_programs.originals import pickling
        pickling.install()


def _compilers(process: _Process) -> None:
    process.compiler = python2.Compiler(process.plain, process.options["python"])
    libraries = old_libraries.Libraries(process.options["exclude"], process.serve)
    user_modules.install(process.compiler, libraries.consider)
    pytest_suites.install(process.compiler)


def _keras(process: _Process) -> None:
    old_keras.install(process.options["exclude"], process.serve)


def _children(process: _Process) -> None:
    child_processes.follow(process.options)


def _seeds(process: _Process) -> None:
    from tf1grad.old_programs import seeds
    seeds.install(process.options["seeds"], own_ops=not _compat.is_version_1())
    if process.options["seeds"] == "tf1" and not _compat.is_version_1():
        from tf1grad.old_programs.emulation import singular_vector_signs
        singular_vector_signs.install()


def _training(process: _Process) -> None:
    wanted = {name: process.options[name] for name in ("accumulate", "clip_global_norm", "freeze")}
    if process.trace or any(wanted.values()):
        from tf1grad.old_programs.emulation import training_options
        report = training_options.install(trace=process.trace, **wanted).report
        atexit.register(lambda: messages.say("\n".join(report())))


def _sessions(process: _Process) -> None:
    if process.options["fast"]:
        from tf1grad._compat import session_base
        from tf1grad.sessions import fast_sessions
        patches.patch(session_base, "run", fast_sessions.run, option="--no-fast",
                      reason="fetches and feeds of repeated runs are resolved once")


def _graphs(process: _Process) -> None:
    from tf1grad.old_programs.gone_ops import imported_graphs
    imported_graphs.install()


def _observer(process: _Process) -> None:
    if process.when_loaded:
        process.when_loaded()


def _version_1(process: _Process) -> None:
    if not _compat.is_version_1():
        _compat.behave_as_version_1()
        patches.note("tensorflow", "v2 behavior is off, and the modules and variables have their old names")
        from tf1grad.old_programs.op_layer.installed import shape_classes, tensor_class
        from tf1grad.old_programs.originals import moved_names
        moved_names.complete_private_modules()
        moved_names.complete_variables()
        shape_classes.install()
        tensor_class.install()


def _old_names(process: _Process) -> None:
    from tf1grad.old_programs.emulation import pre_1_0_calls
    if _compat.is_version_1():
        pre_1_0_calls.install_in_version_1()
    else:
        from tf1grad.old_programs.originals import loader
        loader.keep_old_names(tensorflow_view.from_table)
    patches.note("tensorflow", "has the pre-1.0 names, and accepts the pre-1.0 order of arguments")


def _ops(process: _Process) -> None:
    if _compat.is_version_1():
        return
    from tf1grad.old_programs import op_layer
    op_layer.install()
    patches.note("the user's tf", "composes ops with 1.15's Python")


def _kernels(process: _Process) -> None:
    if process.options["kernels"] == "auto":
        from tf1grad.old_programs.emulation import kernels
        kernels.install()


def _errors(process: _Process) -> None:
    if not _compat.is_version_1():
        from tf1grad.old_programs.emulation import op_errors
        op_errors.install()


PHASES: List[Phase] = [
    Phase("messages", START, _messages, "Turns messages off with --quiet."),
    Phase("period", START, _period, "Puts TensorFlow 1.15's own Python, and a NumPy that works as then, in front."),
    Phase("environment", START, _environment, "Sets environment variables that TensorFlow reads when it loads."),
    Phase("era", START, _era, "Restores what NumPy, SciPy, matplotlib and Python dropped, for user code."),
    Phase("imports", START, _imports, "Redirects imports of TensorFlow in user code to the view of version 1.15."),
    Phase("compilers", START, _compilers, "Compiles user code and old libraries, and rewrites what NumPy rejects."),
    Phase("keras", START, _keras, "Serves Keras 2 where the program imports `keras`, and Keras 3 is installed."),
    Phase("children", START, _children, "Tells child processes, through the environment, to do the same."),
    Phase("seeds", LOADED, _seeds, "Gives random ops the seeds of 1.15."),
    Phase("training", LOADED, _training, "Makes optimizers accumulate, clip, freeze and trace."),
    Phase("sessions", LOADED, _sessions, "Prepares repeated runs of sessions."),
    Phase("graphs", LOADED, _graphs, "Provides ops that TensorFlow 2 does not have, in graphs that are imported."),
    Phase("errors", LOADED, _errors, "Shows errors of ops as 1.15 did."),
    Phase("observer", LOADED, _observer, "Lets `tf1grad verify` record the training."),
    Phase("version 1", ASKED, _version_1, "Switches TensorFlow to version 1 behavior."),
    Phase("old names", ASKED, _old_names, "Adds the pre-1.0 names and argument orders to the user's tf."),
    Phase("ops", ASKED, _ops, "Makes the user's tf compose ops as 1.15 did."),
    Phase("kernels", ASKED, _kernels, "Keeps gradients that oneDNN computes slowly on Eigen."),
]
