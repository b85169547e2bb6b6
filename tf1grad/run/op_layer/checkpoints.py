"""Connects 1.15's checkpoints of objects (`tf.train.Checkpoint`,
the weights of Keras models) with installed objects.

1.15's modules have the installed class `Trackable`, from which the installed variables derive. Its
methods are the ones with which 1.15's modules save and restore an object.
"""

from __future__ import annotations

import sys
from typing import Any, Dict

from tf1grad.programs import _compat
from tf1grad.programs.process import ownership, patches
from tf1grad.run.op_layer import graph_owners
from tf1grad.run.originals import loader, name_map

_INSTALLED = "tensorflow.python.trackable."
_TRACKABLE = "python.training.tracking."
# Methods of 1.15's `Trackable` with which a checkpoint is restored, and what else the installed
# class lacks.
_METHODS = (
    "_restore_from_checkpoint_position",
    "_single_restoration_from_checkpoint_position",
    "_tracking_metadata",
    "_list_extra_dependencies_for_serialization",
    "_list_functions_for_serialization",
)


@name_map.changes("python.training.tracking.base")
def join_base(original: loader.Original) -> None:
    """Gives 1.15's module the installed classes,
    and these classes the methods that 1.15's modules call.
    """
    base, methods = _compat.resolve(_INSTALLED + "base"), vars(original.Trackable)
    for name in _METHODS:
        setattr(base.Trackable, name, methods[name])
    vars(original).update(
        {
            name: getattr(base, name)
            for name in (
                "Trackable",
                "TrackableReference",
                "CheckpointInitialValue",
                "NoRestoreSaveable",
            )
        }
    )
    value_tensors = original.CheckpointPosition.value_tensors
    original.CheckpointPosition.value_tensors = lambda position, shape_and_slices=None: (
        value_tensors(position)
    )
    for name in ("_add_variable_with_custom_getter", "_preload_simple_restoration"):
        patches.wrap(
            base.Trackable,
            name,
            graph_owners.either(methods[name], _is_users),
            reason="variables of the user's objects get their values from checkpoints as in 1.15",
        )
    patches.wrap(
        base.Trackable,
        "_gather_saveables_for_checkpoint",
        _saveables_of,
        reason="1.15's checkpoints save objects of the installed TensorFlow",
    )


def _saveables_of(gather: Any, owner: Any) -> Any:
    util = _compat.resolve("tensorflow.python.training.saving.saveable_object_util")
    found = gather(owner)
    if not found and util.trackable_has_serialize_to_tensor(owner):
        return util.saveable_objects_from_trackable(owner)
    return found


def wrap_attributes() -> None:
    """Lets 1.15's functions wrap the lists and dicts that are attributes of the user's
    objects, and not the tuples.
    """

    def assigned(*arguments: object, **options: object) -> Any:
        original = loader.module(_TRACKABLE + "data_structures")
        return original.sticky_attribute_assignment(*arguments, **options)

    patches.wrap(
        _compat.resolve(_INSTALLED + "data_structures"),
        "sticky_attribute_assignment",
        graph_owners.either(assigned, _is_users),
        reason="lists in the user's objects are checkpointed as in 1.15",
    )


def _is_users(trackable: object, *unused: object, **others: object) -> bool:
    """Returns True for objects of user code, of 1.15's classes,
    and of the base classes that both have.
    """
    cls = type(trackable)
    if cls.__module__.startswith(_INSTALLED) or loader.is_original(cls.__module__):
        return True
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return file is None or ownership.is_users_file(file)


class _RevivedTypes(Dict[str, Any]):
    """Keeps the first registration of each type of object in SavedModels,
    and joins the tests of later ones to it.

    Loading a SavedModel imports the installed Keras, which registers its optimizers after 1.15's.
    """

    def __setitem__(self, identifier: str, entry: Any) -> None:
        predicate, versions = entry
        if identifier in self:
            known, versions = self[identifier]
            super().__setitem__(
                identifier, (lambda value: known(value) or predicate(value), versions)
            )
        else:
            super().__setitem__(identifier, entry)


def keep_revived_types() -> None:
    """Makes SavedModels hold objects of 1.15's classes as they hold those
    of the installed classes.
    """
    revived = _compat.resolve("tensorflow.python.saved_model.revived_types")
    patches.patch(
        revived,
        "_REVIVED_TYPE_REGISTRY",
        _RevivedTypes(revived._REVIVED_TYPE_REGISTRY),
        reason="SavedModels keep the class of 1.15's optimizers",
    )


@name_map.changes("python.training.tracking.graph_view")
def list_children(original: loader.Original) -> None:
    """Makes 1.15's checkpoints ask objects for their children as the installed ones do."""

    def list_dependencies(unused_view: Any, owner: Any) -> list[Any]:
        reference = _compat.resolve(_INSTALLED + "base.TrackableReference")
        return [reference(name, child) for name, child in owner._trackable_children().items()]

    original.ObjectGraphView.list_dependencies = list_dependencies
