"""Shows a script its TensorFlow in `sys.modules`, under the name by which it imports it."""

import sys
from types import ModuleType
from typing import Any, Dict

_VIEW = "tensorflow_1_15"  # where `tf1grad run` keeps what the script imports as tensorflow


class _Modules:
    """Looks modules up; those of TensorFlow are the script's own."""

    def __init__(self, loaded: Dict[str, ModuleType]) -> None:
        self._loaded = loaded

    def __getitem__(self, name: Any) -> ModuleType:
        is_tensorflow = isinstance(name, str) and name.partition(".")[0] == "tensorflow"
        served = is_tensorflow and self._loaded.get(_VIEW + name[len("tensorflow"):])
        return served or self._loaded[name]

    def get(self, name: Any, default: Any = None) -> Any:
        """Returns the module, or `default`."""
        try:
            return self[name]
        except KeyError:
            return default


def modules(loaded: Any) -> Any:
    """Returns `sys.modules` with the script's TensorFlow; anything else is returned unchanged."""
    return _Modules(loaded) if loaded is sys.modules else loaded
