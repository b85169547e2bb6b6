"""Says what provides each TensorFlow 1 name in an upgraded program:
the one table behind `check` and `upgrade`.

It imports nothing to answer. Under `run`, TensorFlow 1.15's own files provide contrib and the
modules of the op layer (`op_layer/__init__.py` says which), and the installed TensorFlow the rest.
`run` asks this table only for names that TensorFlow 1.15 had dropped already.
"""

from __future__ import annotations

import functools
from typing import NamedTuple, Sequence

from tf1grad.programs.names import keras_names, pre_1_0
from tf1grad.programs.names.dotted_names import join, prefixes
from tf1grad.programs.names.tensorflow_rows import (
    CELLS,
    CONTRIB_MODULES,
    ESTIMATOR_MODULE,
    GONE,
    LOST_CONTRIB_MODULES,
    MODULES,
    PRIVATE,
    WITHOUT,
    Successor,
)


class Provision(NamedTuple):
    """Names the provider of a name.

    kind: "tensorflow" (compat.v1 still has it), "tf1grad", "library" (another package), "original"
        (only TensorFlow 1.15 has it, which `import tf1grad.v1 as tf` gives to a program), or
        "gone".
    target: the dotted name to use instead, as it would be imported; None if "original" or "gone".
    requirement: what to `pip install` for it, or `ORIGINALS`; None when nothing more is needed.
    advice: one sentence for the user.
    """

    kind: str
    target: str | None
    requirement: str | None
    advice: str


ROOT = "tensorflow"
COMPAT = "tensorflow.compat.v1"
ORIGINALS = "tf1grad period install"
LINE = "import tf1grad.v1 as tf"
# compat.v1 has these, but asks for the Keras of TensorFlow 1 from version 2.16 on.
LEGACY_KERAS = (COMPAT + ".layers", COMPAT + ".nn.rnn_cell", COMPAT + ".keras")
_MODULES = {*CONTRIB_MODULES, *LOST_CONTRIB_MODULES}
_ORIGINALS = set(CONTRIB_MODULES)
_PRIVATE = {module: [Successor(COMPAT, renamed=names)] for module, names in PRIVATE.items()}
_PACKAGES = {
    ".".join(name.split(".")[:length])
    for name in MODULES
    for length in range(1, name.count(".") + 2)
}


@functools.lru_cache(maxsize=None)
def provision_of(dotted_name: str) -> Provision | None:
    """Returns what provides a TensorFlow 1 name today, without importing anything.

    Args:
        dotted_name: a name from the root `tensorflow`, such as
            "tensorflow.contrib.opt.ScipyOptimizerInterface": a module, a name in a module, or an
            attribute of that name.

    Returns:
        A `Provision`; None for a name that is not TensorFlow's, or is private (`tensorflow.python`,
        except for `tensorflow.python.estimator`, which is in a package of today, and for
        `PRIVATE`). A name outside of `contrib` without an entry is assumed to be in compat.v1,
        which only an installed TensorFlow can confirm.
    """
    parts = dotted_name.split(".")
    if parts[:3] == [ROOT, "python", "estimator"]:
        return _provision(".".join(["tensorflow_estimator", *parts[1:]]))
    if parts[0] != ROOT or parts[1:2] == ["core"]:
        return None
    if parts[1:2] == ["python"]:
        return _made_public(parts[1:])
    parts = _public(parts[1:])
    return (
        _moved(parts)
        or original_of(dotted_name)
        or _gone(parts)
        or _provision(".".join([COMPAT] + parts))
    )


def _made_public(parts: list[str]) -> Provision | None:
    """Returns the provision of a private name that moved, by its public name; None for others."""
    if parts[:2] == ["python", "keras"] and len(parts) > 2:
        return _provision(f"{COMPAT}.keras.{keras_names.public_name('.'.join(parts[2:]))}")
    for length in range(1, len(parts)):
        public = _target(_PRIVATE.get(".".join(parts[:length]), ()), parts[length])
        if public is not None:
            return _provision(".".join([public] + parts[length + 1 :]))
    return None


def original_of(dotted_name: str) -> Provision | None:
    """Returns the provision by TensorFlow 1.15, whatever else provides the name;
    None outside of its contrib.
    """
    parts = dotted_name.split(".")[1:]
    parts = parts[2:] if parts[:2] == ["compat", "v1"] else parts
    if parts[:1] != ["contrib"] or len(parts) < 2 or parts[1] not in _ORIGINALS:
        return None
    return by_1_15(dotted_name)


def by_1_15(dotted_name: str) -> Provision:
    """Returns the provision of a name that only TensorFlow 1.15 has."""
    return Provision(
        "original", None, ORIGINALS, f"Write `{LINE}`, or {without_1_15(dotted_name)}."
    )


def without_1_15(dotted_name: str) -> str:
    """Returns what a program may do in the place of a name (from `tensorflow` on) that
    only TensorFlow 1.15 has.
    """
    name = ".".join(_public(dotted_name.split(".")[1:]))
    return next((WITHOUT[start] for start, _ in prefixes(name) if start in WITHOUT), WITHOUT[""])


def was_made_public(dotted_name: str) -> bool:
    """Says whether `dotted_name` (from `tensorflow` on) is a private name that
    moved and has a public name.
    """
    parts = dotted_name.split(".")
    return parts[:2] == [ROOT, "python"] and _made_public(parts[1:]) is not None


def is_module(dotted_name: str) -> bool:
    """Says whether `dotted_name` (from `tensorflow` on) is a module that names
    of other modules replace.

    Below `contrib.<module>.python` every name that begins with a small letter counts, unless a
    table has it.
    """
    parts = dotted_name.split(".")[1:]
    if parts[:1] == ["contrib"] and len(parts) > 1 and parts[1] in _MODULES:
        return len(parts) == 2 or parts[2] == "python" or ".".join(parts) in _PACKAGES
    return ".".join(parts) in _PACKAGES | {"contrib", "models", "models.rnn"} | pre_1_0.MODULES


def is_provided(dotted_name: str) -> bool:
    """Says whether something provides `dotted_name` (from `tensorflow`
    on) without the originals.
    """
    provision = provision_of(dotted_name)
    if (
        provision is not None
        and provision.target
        and provision.target.startswith(COMPAT + ".nn.rnn_cell.")
    ):
        return provision.target.split(".")[5] in CELLS  # all that is in there
    return provision is not None and provision.kind not in ("original", "gone")


def _public(parts: list[str]) -> list[str]:
    """Returns the public spelling of `parts`: without `compat.v1`,
    and without contrib's own inner modules.
    """
    if parts[:2] == ["compat", "v1"]:
        parts = parts[2:]
    if parts[:1] == ["contrib"] and parts[2:3] == ["python"] and ".".join(parts) not in _PACKAGES:
        if any(".".join(parts[:length]) in MODULES for length in range(4, len(parts))):
            return parts
        outer = parts[:2] + parts[4:]  # contrib.slim.python.slim.nets is contrib.slim.nets
        known = any(".".join(outer[:length]) in MODULES for length in range(3, len(outer) + 1))
        return outer if known else parts[:2] + parts[-1:]
    return parts


def _moved(parts: list[str]) -> Provision | None:
    """Returns the provision of a name in `MODULES`, from the longest module that has a table."""
    for start, rest in prefixes(".".join(parts)):
        places = MODULES.get(start)
        if places is None:
            continue
        if not rest:
            return _provision(_common(places))
        target = _target(places, rest[0])
        return None if target is None else _provision(join(target, *rest[1:]))
    return None


def _common(places: Sequence[Successor]) -> str:
    """Returns the module that replaces a whole one:
    the one with all other names, else the first.
    """
    return next((place.module for place in places if place.has_others), places[0].module)


def _target(places: Sequence[Successor], name: str) -> str | None:
    """Returns the name of today of a name that one of the places has, in their order;
    None if none has it.
    """
    for place in places:
        if name in place.renamed:
            return f"{place.module}.{place.renamed[name]}"
        if name in place.names:
            return f"{place.module}.{name}"
    return next((f"{place.module}.{name}" for place in places if place.has_others), None)


def _provision(target: str) -> Provision:
    package = target.partition(".")[0]
    if package == "tf1grad":
        return Provision("tf1grad", target, None, f"Use {target}.")
    if package != ROOT:
        public = target.replace(ESTIMATOR_MODULE, "tensorflow_estimator.estimator")
        return Provision("library", target, package, f"Use {public} (pip install {package}).")
    requirement = "tf_keras" if target.startswith(LEGACY_KERAS) else None
    needs = (
        " (from TensorFlow 2.16 on with pip install tf_keras and TF_USE_LEGACY_KERAS=1)"
        if requirement
        else ""
    )
    return Provision("tensorflow", target, requirement, f"Use {target}{needs}.")


def _gone(parts: list[str]) -> Provision | None:
    for start, _ in prefixes(".".join(parts)):
        advice = GONE.get(start)
        if advice:
            return Provision("gone", None, None, advice)
    return None
