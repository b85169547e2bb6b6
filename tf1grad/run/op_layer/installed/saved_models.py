"""Connects objects with TensorFlow 1.15's methods, such as 1.15's Keras models,
with the installed SavedModels.

1.15 asked an object for its functions, its further children and a text, with a method for each. The
installed TensorFlow asks `_trackable_children` for all children, and does not write the text.
"""

from __future__ import annotations

from typing import Any, Callable

from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.originals import name_map

_WRITING = ("_list_extra_dependencies_for_serialization", "_list_functions_for_serialization")


class AutoTrackable:
    """Has 1.15's method that lists the functions of an object."""

    def _list_functions_for_serialization(self, cache: object) -> dict[str, Any]:
        return _functions_of(self, "python.trackable.autotrackable.AutoTrackable", cache)


class CapturableResource:
    """Has 1.15's method that lists the functions of an object."""

    def _list_functions_for_serialization(self, cache: object) -> dict[str, Any]:
        return _functions_of(self, "python.trackable.resource.CapturableResource", cache)


def _functions_of(trackable: object, name: str, cache: object) -> dict[str, Any]:
    """Returns the functions among the children that the installed class
    `name` knows of its instance.
    """
    children = _compat.resolve("tensorflow." + name)._trackable_children(
        trackable, "savedmodel", cache=cache
    )
    core_types = _compat.resolve("tensorflow.python.types.core")
    names = ("GenericFunction", "PolymorphicFunction", "ConcreteFunction")
    kinds = tuple(getattr(core_types, kind) for kind in names if hasattr(core_types, kind))
    return {name: child for name, child in children.items() if isinstance(child, kinds)}


def defines_children(cls: object) -> bool:
    """Says whether the class itself defines what is saved of its instances,
    with methods of 1.15.
    """
    return any(name in vars(cls) for name in _WRITING) and "_trackable_children" not in vars(cls)


def children(
    trackable: Any, save_type: str = "checkpoint", cache: Any = None, **options: Any
) -> dict[str, Any]:
    """Returns the children of an object with 1.15's methods;
    it becomes the method `_trackable_children`.
    """
    trackable._maybe_initialize_trackable()
    more: dict[str, Any] = {}
    functions: dict[str, Any] = {}
    if save_type == "savedmodel":  # this traces functions, which may create dependencies
        more = trackable._list_extra_dependencies_for_serialization(cache)
        functions = trackable._list_functions_for_serialization(cache)
        for function in functions.values():
            if hasattr(function, "_list_all_concrete_functions_for_serialization"):
                function._list_all_concrete_functions_for_serialization()
    found = {name: child for name, child in trackable._checkpoint_dependencies}
    reserved = (found.keys() & more.keys()) - {"signatures"}
    if reserved:
        raise ValueError(
            f"{type(trackable).__name__} cannot be saved: its attribute {min(reserved)!r} has a name that "
            "SavedModels reserve. Rename the attribute"
        )
    return {**found, **more, **{name: each for name, each in functions.items() if each is not None}}


def install() -> None:
    """Makes the installed TensorFlow write the text of an object,
    which Keras restores layers from.
    """
    save = _compat.resolve("tensorflow.python.saved_model.save")

    def with_text(
        write: Callable[..., None], obj: Any, proto: Any, *arguments: Any, **options: Any
    ) -> None:
        write(obj, proto, *arguments, **options)
        text = getattr(obj, "_tracking_metadata", "")
        if text and proto.WhichOneof("kind") == "user_object":
            proto.user_object.metadata = text

    patches.wrap(
        save,
        "_write_object_proto",
        with_text,
        reason="SavedModels describe the layers of 1.15's Keras",
    )


@name_map.stands_in_for("python.saved_model.load.Loader")
class DescriptionLoader(_compat.resolve("tensorflow.python.saved_model.load.Loader")):  # type: ignore[misc]
    """The base class of the loader of 1.15's Keras,
    which makes objects from their description alone.
    """

    def __init__(self, object_graph: object, saved_model: object, folder: str) -> None:
        super().__init__(
            object_graph,
            saved_model,
            folder,
            _compat.resolve("tensorflow.python.checkpoint.checkpoint_options").CheckpointOptions(),
            _compat.resolve("tensorflow.python.saved_model.load_options").LoadOptions(),
            None,
        )

    def _recreate_user_object(self, proto: object, node_id: int) -> Any:
        revived = _compat.resolve("tensorflow.python.saved_model.revived_types").deserialize(proto)
        return self._recreate_base_user_object(proto) if revived is None else revived


@name_map.stands_in_for("python.saved_model.load.load_internal")
def load_internal(folder: str, tags: Any = None, loader_cls: Any = DescriptionLoader) -> Any:
    """Returns the root object of the SavedModel in `folder`,
    with the arguments of 1.15's function.
    """
    load = _compat.resolve("tensorflow.python.saved_model.load")
    with patches.temporarily(
        load, "Loader", lambda graph, model, path, *options: loader_cls(graph, model, path)
    ):
        return load.load_partial(folder, None, tags)["root"]
