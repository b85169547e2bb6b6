"""Prepares a process for old programs: the phases of start-up, in order,
and what each puts in place.

They are the way from `tf1grad run train.py` to the script's first line, and on to its TensorFlow. A
phase begins at one of three moments:

1. before the program is read: `prepare`
2. when TensorFlow is first imported, by whatever code: `_change_loaded_tensorflow`
3. when user code first imports it: `_change_when_asked`

All that a phase changes is in the register (`process.patches`), which `run --explain` prints.

One thread prepares the process. The user's threads may reach the later moments, where imports let
one of them through.
"""

from __future__ import annotations

import atexit
import os
import pathlib
from typing import Any, Callable

from tf1grad.programs import _compat
from tf1grad.programs._errors import UsageError
from tf1grad.programs._installers import install_line
from tf1grad.programs.period import folder, layer
from tf1grad.programs.process import messages, ownership, patches
from tf1grad.run import python2
from tf1grad.run.script import pytest_suites, tracebacks, user_modules
from tf1grad.run.start import child_processes, unserved_children
from tf1grad.run.start.options import Options
from tf1grad.run.start.tensorflow_imports import Imports
from tf1grad.run.view import old_keras, old_libraries, protobuf_names, tensorflow_view


def prepare(
    options: Options,
    when_loaded: Callable[[], None] | None = None,
    is_child: bool = False,
    only_tensorflow: bool = False,
) -> python2.Compiler:
    """Makes this process ready for user code: whatever imports TensorFlow
    from now on finds version 1.

    `when_loaded` is called when TensorFlow is imported and prepared. In a child the interpreter has
    yet to put its program's folder on the path. If `only_tensorflow`, child processes and pytest
    stay as they are. A `UsageError` says that TensorFlow is missing, or too old.
    """
    if not _compat.is_installed("tensorflow"):
        raise UsageError(
            "TensorFlow is missing in this Python, and tf1grad never installs one by itself: "
            + install_line(["tensorflow-cpu"])
        )
    refusal = _compat.refusal_of_run(_compat.installed_version() or (1, 15))
    if refusal:
        raise UsageError(refusal)
    is_version_2 = not _compat.is_version_1_on_path()
    position = 0 if is_child else 1  # in `sys.path`; 1 is behind the program's own folder

    def serve(package: str) -> None:  # child processes do so, too
        nonlocal options
        options = options._replace(include=[*options.include, package])
        if not only_tensorflow:
            child_processes.share(options)

    def load() -> bool:
        with _compat.onednn_messages_hidden():
            has_view = not _compat.is_version_1()  # imports TensorFlow
        _change_loaded_tensorflow(options, when_loaded)
        return has_view

    with patches.phase("messages", "Turns messages off with --quiet."):
        if options.quiet:
            messages.be_quiet()
    with patches.phase(
        "period", "Puts TensorFlow 1.15's own Python, and a NumPy that behaves like 1.x, in front."
    ):
        numpy = layer.put_on_path(options.numpy, position)
    keras = ""
    with patches.phase(
        "packages",
        "Brings the packages that the program declares, those of its time as of its date.",
    ):
        if numpy:
            from tf1grad.run.packages import missing_imports

            missing_imports.replace_compiled(numpy, position)
        if not only_tensorflow and is_version_2:
            options, keras = _bring_packages(options, position)
    with patches.phase(
        "environment", "Sets environment variables that TensorFlow reads when it loads."
    ):
        if options.kernels != "auto":
            value = str(int(options.kernels == "onednn"))
            os.environ["TF_ENABLE_ONEDNN_OPTS"] = value
            patches.note(
                f"environment TF_ENABLE_ONEDNN_OPTS={value}", f"--kernels {options.kernels}"
            )
    plain: Callable[[Any, str], Any] = user_modules.compile_plainly
    with patches.phase(
        "dropped_names", "Restores what NumPy, SciPy, matplotlib and Python dropped, for user code."
    ):
        if options.dropped_names:
            from tf1grad.run import dropped_names

            dropped_names.install(matplotlib=options.matplotlib)
            plain = dropped_names.compile_module
    with patches.phase(
        "imports", "Redirects imports of TensorFlow in user code to the view of version 1.15."
    ):
        served = [
            os.path.join(folder.find_originals() or "", package)
            for package in (folder.ROOT, folder.ESTIMATOR)
        ]
        ownership.remember(ownership.Files(options.include, options.script_folder, served))
        Imports(load, lambda: _change_when_asked(options)).install()
        if is_version_2:
            from tf1grad.run.originals import pickling

            pickling.install()
    with patches.phase(
        "compilers", "Compiles user code and old libraries, and rewrites what NumPy rejects."
    ):
        compiler = python2.Compiler(plain, options.python)
        user_modules.install(compiler, old_libraries.Libraries(options.exclude, serve).consider)
        if is_version_2:
            protobuf_names.install()
        if not only_tensorflow:
            pytest_suites.install(compiler)
    with patches.phase(
        "keras", "Serves Keras 2 where the program imports `keras`, and Keras 3 is installed."
    ):
        old_keras.install(options.exclude, serve, keras)
    with patches.phase(
        "children", "Tells child processes, through the environment, to do the same."
    ):
        if not only_tensorflow:
            child_processes.follow(options)
            unserved_children.install()
    return compiler


def _bring_packages(options: Options, position: int) -> tuple[Options, str]:
    """Puts what the program declares on the path.

    Returns the options with the packages of its time to be served, and its Keras, or "".
    """
    if options.packages == "installed":
        return options, ""
    from tf1grad.run.packages import fetching, missing_imports

    wanted = _wanted_packages(options)
    modules = fetching.put_on_path(wanted, position)
    options = options._replace(include=[*options.include, *modules])
    missing_imports.install(wanted, position)
    return options, fetching.keras_of(fetching.lock_of(wanted))


def _wanted_packages(options: Options) -> Any:
    from tf1grad.run.packages import fetching

    numpy = layer.numpy_version(options.numpy)
    return fetching.find_wanted(options.program, numpy, options.date, options.lock)


def write_lock(path: str, options: Options) -> None:
    """Writes the lock file of what a program with these options declares."""
    from tf1grad.run.packages import fetching

    text = fetching.lock_of(_wanted_packages(options))
    if text:
        pathlib.Path(path).write_text(text, encoding="utf-8")


def is_prepared() -> bool:
    """Says whether imports of TensorFlow in user code find version 1 in this process,
    whatever prepared it.
    """
    return any(change.what == "builtins.__import__" for change in patches.changes())


def join(shared: dict[str, Any]) -> None:
    """Prepares a child process, before its program is read,
    with what `child_processes.share` gave it.
    """
    del shared["environment"]
    child_processes.hook_main_program(prepare(Options(**shared), is_child=True))


def _change_loaded_tensorflow(options: Options, when_loaded: Callable[[], None] | None) -> None:
    is_version_1 = _compat.is_version_1()
    with patches.phase("seeds", "Gives random ops the seeds of 1.15."):
        from tf1grad.run import seeds

        seeds.install(options.seeds)
        if options.seeds == "tf1" and not is_version_1:
            from tf1grad.run.view import singular_vector_signs

            singular_vector_signs.install()
    with patches.phase("training", "Makes optimizers accumulate, clip and freeze."):
        wanted = (options.accumulate, options.clip_global_norm, options.freeze)
        if any(wanted):
            from tf1grad.run.start import training_options

            report = training_options.install(*wanted).report
            atexit.register(lambda: messages.say("\n".join(report())))
    with patches.phase("sessions", "Prepares repeated runs of sessions."):
        if options.fast:
            from tf1grad._compat import session_base
            from tf1grad.recipes.sessions import fast_sessions

            patches.patch(
                session_base,
                "run",
                fast_sessions.run,
                reason="fetches and feeds of repeated runs are resolved once (left out by --no-fast)",
            )
    with patches.phase(
        "graphs", "Provides ops that TensorFlow 2 does not have, in graphs that are imported."
    ):
        from tf1grad.run.gone_ops import graph_defs

        graph_defs.install()
    with patches.phase("errors", "Shows errors of ops as 1.15 did."):
        if not is_version_1:
            tracebacks.install_for_ops()
    with patches.phase("observer", "Lets `tf1grad verify` record the training."):
        if when_loaded:
            when_loaded()


def _change_when_asked(options: Options) -> None:
    from tf1grad.run.view import (
        custom_ops,
        flag_names,
        kernels,
        matrix_products,
        pre_1_0_calls,
        sparse_products,
    )

    is_version_1 = _compat.is_version_1()
    with patches.phase("log", "Makes TensorFlow log each line once."):
        messages.log_once()
        patches.note("TensorFlow's log", "tf.app.run adds a second handler, of absl")
    with patches.phase("version 1", "Switches TensorFlow to version 1 behavior."):
        if not is_version_1:
            _compat.behave_as_version_1()
            patches.note(
                "tensorflow",
                "v2 behavior is off, and the modules and variables have their old names",
            )
            from tf1grad.run.op_layer.installed import tensor_class
            from tf1grad.run.originals import moved_names

            moved_names.complete_private_modules()
            moved_names.complete_variables()
            tensor_class.install()
    with patches.phase("old names", "Adds the pre-1.0 names and argument orders to the user's tf."):
        flag_names.install()
        if is_version_1:
            pre_1_0_calls.install_in_version_1()
        patches.note(
            "tensorflow", "has the pre-1.0 names, and accepts the pre-1.0 order of arguments"
        )
    with patches.phase("ops", "Makes the user's tf compose ops as 1.15 did."):
        if not is_version_1:
            from tf1grad.run import op_layer

            op_layer.install(tensorflow_view.from_table)
            patches.note("the user's tf", "composes ops with 1.15's Python")
    with patches.phase("custom ops", "Says what libraries of custom ops need."):
        if not is_version_1:
            custom_ops.install()
    with patches.phase("kernels", "Computes as fast as 1.15 where newer kernels are slow."):
        if options.kernels == "auto":
            kernels.install()
            matrix_products.install()
        if options.kernels != "onednn":
            sparse_products.install()
