"""absl defines a flag of this name.

TensorFlow imports absl, whose `log_dir`, `verbosity` and some other flags a program cannot define
again: it is a DuplicateFlagError. In the first years of TensorFlow 1 it could.
`allow_override=True` lets the program's flag take the place of absl's.
"""

import ast
import re
from typing import Iterator

from tf1grad.programs.source.program import Call, Program, argument
from tf1grad.programs.source.scopes import constant
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.rules import Findings

ID = "TFG112"
SEVERITY = "error"
OF_TENSORFLOW_2 = True
SUMMARY = "absl defines a flag of this name, so that this is a DuplicateFlagError."
REMEDY = "Pass allow_override=True; `tf1grad upgrade` does it."
EXAMPLE = """
- tf.app.flags.DEFINE_string("log_dir", "logs", "summaries")
+ tf.app.flags.DEFINE_string("log_dir", "logs", "summaries", allow_override=True)
"""
# Of absl.logging and absl.app, which TensorFlow imports.
TAKEN = frozenset(
    {
        "logtostderr",
        "alsologtostderr",
        "log_dir",
        "v",
        "verbosity",
        "logger_levels",
        "stderrthreshold",
        "showprefixforinfo",
        "run_with_pdb",
        "pdb_post_mortem",
        "pdb",
        "run_with_profiling",
        "profile_file",
        "use_cprofile_for_profiling",
        "only_check_args",
    }
)
_DEFINITION = re.compile(
    r"(tensorflow\.(app\.)?|absl\.)flags\.DEFINE_(string|integer|float|bool|boolean|enum|list|spaceseplist|multi_\w+)"
)


def findings(program: Program) -> Findings:
    for call in _definitions(program):
        yield call.node


def rewrite(plan: Plan) -> None:
    for call in _definitions(plan.program):
        plan.text.add_argument(call.node, "allow_override=True")


def _definitions(program: Program) -> Iterator[Call]:
    """Yields the definitions of flags with absl's names."""
    for call in program.calls:
        if not _DEFINITION.fullmatch(call.name or ""):
            continue
        name = argument(call.node, 0, "name")
        allows = argument(call.node, None, "allow_override")
        if isinstance(name, ast.expr) and allows is None and constant(name) in TAKEN:
            yield call
