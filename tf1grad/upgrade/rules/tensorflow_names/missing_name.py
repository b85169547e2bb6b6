"""A name is missing from the installed TensorFlow.

The name was looked up there. Later versions dropped names of compat.v1 as well, and need tf_keras
for `tf.layers` and `tf.nn.rnn_cell`. Private names moved, such as `control_flow_ops.while_loop`;
`upgrade` writes the public names of those that have one. Where TensorFlow 1.15's own files are
installed, they show whether it still had a private name.
"""

from tf1grad.programs.names import pre_1_0, provisions
from tf1grad.programs.source.scopes import dotted
from tf1grad.upgrade.edits import remedies
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.edits.remedies import NameUse
from tf1grad.upgrade.rules import Verdict

ID = "TFG104"
SEVERITY = "error"
OF_TENSORFLOW_2 = True
REPORTED_BY_UPGRADE = True
EXAMPLE = """
  w = tf.get_variable("w", [2])
- optimizer = tf.train.AdamOptimiser(0.1)
+ optimizer = tf.train.AdamOptimizer(0.1)
"""


def judge(use: NameUse) -> Verdict:
    if not (use.program.is_tf1 or use.program.is_compat) or not use.name.startswith("tensorflow."):
        return None
    if (
        remedies.is_removed(use)
        or use.name.startswith("tensorflow.compat.")
        or pre_1_0.find_gone(use.name)
    ):
        return None
    if use.program.installed.has(use.name) is not False or _is_of_other_star(use):
        return None
    found = remedies.replacement_of(use)
    advice, requirement = (
        "`tf1grad run` serves what TensorFlow 1.15 had.",
        found.requirement if found else None,
    )
    if found is None and remedies.is_in_1_15(use.name) is False:
        advice = remedies.LOST_BEFORE
    if found is not None and (
        found.kind == "gone" or requirement or provisions.was_made_public(use.name)
    ):
        advice = found.advice
    return (
        f"{use.name} is missing from TensorFlow {use.program.installed.version}.",
        advice,
        requirement,
    )


def _is_of_other_star(use: NameUse) -> bool:
    """Returns True for a name that another `from module import *` may bind:
    the last one is only a guess.
    """
    text = dotted(use.node) or ""
    if not text or use.program.scopes[use.node].owner_of(text.split(".")[0]) is not None:
        return False
    return any(
        use.program.installed.has(f"{module}.{text}") is not False
        for module in use.program.names.stars
    )


def rewrite(plan: Plan) -> None:
    """Writes the public names of private ones that moved; they are the same in 1.15."""
    for use in plan.program.names.uses:
        if use.name and provisions.was_made_public(use.name):
            plan.rename(use)
