"""Plans the calls that an entry-point file needs: the switch to graphs, the ops of TensorFlow 1."""

from __future__ import annotations

from typing import Iterable

from tf1grad.programs.source import entry_points
from tf1grad.programs.source.local_modules import LocalModules
from tf1grad.upgrade.edits.edit_plan import LEGACY, Plan
from tf1grad.upgrade.edits.remedies import KERAS

_LOADERS = {
    "tensorflow." + name
    for name in (
        "contrib.predictor.from_saved_model",
        "graph_util.import_graph_def",
        "import_graph_def",
        "saved_model.load",
        "saved_model.loader.load",
        "train.import_meta_graph",
    )
} | {"tensorflow_hub.Module"}
_EAGER = {"tensorflow.enable_eager_execution", "tensorflow.enable_v2_behavior"}


def plan_calls(plans: Iterable[Plan]) -> list[str]:
    """Adds the calls and imports that are needed once per program to the plans
    of its entry-point files.

    Returns the paths of files that need the switch to graphs and that no entry-point file among
    them imports.
    """
    by_program = {plan.program: plan for plan in plans}
    modules = LocalModules(by_program)
    imported = {
        other
        for program in by_program
        for _, other in modules.imports(program)
        if other is not program
    }
    started = {
        program: modules.reached(program)
        for program in by_program
        if entry_points.is_started(program)
        or program not in imported
        and modules.calls_imported(program)
    }
    for program, others in started.items():
        _plan(by_program[program], [by_program[other] for other in others])
    covered = {*started, *(other for others in started.values() for other in others)}
    return [
        program.source.path
        for program in by_program
        if program not in covered
        and (entry_points.uses_tf1_names(program) or program.is_compat)
        and not entry_points.switches(program)
    ]


def _plan(plan: Plan, others: list[Plan]) -> None:
    everything = [plan] + others
    programs = [each.program for each in everything]
    imports_keras = any(KERAS in each.needs for each in everything)
    if not imports_keras and not any(map(entry_points.tensorflow_imports, programs)):
        return
    calls = [call for program in programs for call in program.calls]
    called = {call.name for call in calls}
    if any(each.needs_legacy() for each in everything):
        plan.import_first(LEGACY)
    needs_graphs = imports_keras or any(
        entry_points.uses_tf1_names(program) or program.is_compat for program in programs
    )
    if needs_graphs and not called & {*_EAGER, *entry_points.SWITCHES}:
        plan.calls.append(plan.root_of_version_1() + ".disable_v2_behavior()")
    if called & _LOADERS and entry_points.GRAPHS not in called:
        plan.add_import("import tf1grad.migrate.models")
        plan.calls.append(f"{entry_points.GRAPHS}()  # load graphs with the ops of tf.contrib")
