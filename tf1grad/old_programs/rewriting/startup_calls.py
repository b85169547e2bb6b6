"""Plans the calls that an entry-point file needs: the switch to graphs, the seeds and ops of TensorFlow 1."""

from typing import Dict, List

from tf1grad.old_programs.rules.edit_plan import LEGACY, Plan
from tf1grad.old_programs.source import entry_points
from tf1grad.old_programs.source.local_modules import LocalModules, reached
from tf1grad.old_programs.source.program import Call, Program

_LOADERS = {"tensorflow." + name for name in (
    "contrib.predictor.from_saved_model", "graph_util.import_graph_def", "import_graph_def", "saved_model.load",
    "saved_model.loader.load", "train.import_meta_graph")} | {"tensorflow_hub.Module"}
_EAGER = {"tensorflow.enable_eager_execution", "tensorflow.enable_v2_behavior"}
SEEDS = ("tensorflow.set_random_seed", "tensorflow.random.set_random_seed")


def plan_calls(plans: Dict[str, Plan]) -> List[str]:
    """Adds the calls and imports that are needed once per program to the plans of its entry-point files.

    Returns the paths of files that need the switch to graphs and that no entry-point file among them imports.
    """
    by_program = {plan.program: plan for plan in plans.values()}
    modules = LocalModules(by_program)
    imports = {program: [other for _, other in modules.imports(program)] for program in by_program}
    imported = {other for program in by_program for other in imports[program] if other is not program}
    started = {program: reached(program, imports) for program in by_program if entry_points.is_started(program)
               or program not in imported and modules.calls_imported(program)}
    for program, others in started.items():
        _plan(by_program[program], [by_program[other] for other in others])
    covered = {*started, *(other for others in started.values() for other in others)}
    return [program.source.path for program in by_program if program not in covered and _needs_switch(program)]


def _plan(plan: Plan, others: List[Plan]) -> None:
    everything = [plan] + others
    programs = [each.program for each in everything]
    called = {call.name for program in programs for call in program.calls}
    if not any(map(entry_points.tensorflow_imports, programs)):
        return
    plan.needs_legacy = any(each.needs_legacy for each in everything) and not plan.imports_module(LEGACY)
    if not any(entry_points.switches(program) for program in programs) and not called & _EAGER and \
            any(entry_points.is_tf1(program) or entry_points.is_compat(program) for program in programs):
        plan.calls.append(f"{plan.root(plan.program.names.module)}.disable_v2_behavior()")
    if any(_seeds(call) for program in programs for call in program.calls) and \
            not any(entry_points.installs_seeds(program) for program in programs):
        plan.add_import("import tf1grad.migrate.seeds")
        plan.calls.append('tf1grad.migrate.seeds.install("tf1")  # draw what TensorFlow 1 drew')
    of_tf1 = {call.name for program in programs if entry_points.belongs_to_tf1(program) for call in program.calls}
    if of_tf1 & _LOADERS and entry_points.GRAPHS not in of_tf1:
        plan.add_import("import tf1grad.migrate.models")
        plan.calls.append(f"{entry_points.GRAPHS}()  # load graphs with the ops of tf.contrib")


def _seeds(call: Call) -> bool:
    """Returns True for `tf.set_random_seed`, and for a call that passes on a graph seed, as `RunConfig` does."""
    return call.name in SEEDS or any(keyword.arg == "tf_random_seed" for keyword in call.node.keywords)


def _needs_switch(program: Program) -> bool:
    return entry_points.is_tf1(program) and not entry_points.switches(program)
