"""Lists the settings under which `tune` runs a script."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Dict, List, NamedTuple, Optional, Sequence

from tf1grad.old_programs import _compat

DEFAULT, OLD = "default", "1.15"
XLA = {"TF_XLA_FLAGS": "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"}


class Setting(NamedTuple):
    """One way to run a script. Settings of different groups can be combined."""

    name: str
    group: str = ""
    options: Sequence[str] = ()
    variables: Dict[str, str] = {}
    python: str = sys.executable

    def command_line(self, words: Sequence[str]) -> str:
        """Returns the line for a shell that runs `words`, the script and its arguments, with this setting."""
        variables = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items()]
        return " ".join([*variables, "tf1grad run", *map(shlex.quote, [*self.options, *words])])


def settings(other: Optional[str]) -> List[Setting]:
    """Returns the settings that matter here, the default first; `other` is a Python with TensorFlow 1.15, or None."""
    found = [Setting(DEFAULT)]
    version = _compat.installed_version()
    if version is None or version >= (2,):
        found += [
            Setting("onednn", "kernels", ["--kernels", "onednn"]),
            Setting("eigen", "kernels", ["--kernels", "eigen"]),
            Setting("xla", "xla", variables=XLA),
        ]
    found.append(Setting("no-fast", "sessions", ["--no-fast"]))
    cores = os.cpu_count() or 1
    if cores > 1:
        found += [_threads(1, 1), _threads(cores, 1)]
    if cores > 3:
        found.append(_threads(cores // 2, 1))
    if other:
        found.append(Setting(OLD, options=["--no-fast"], python=other))
    return found


def together(chosen: Sequence[Setting]) -> Setting:
    """Returns the combination of settings of different groups."""
    return Setting(
        " + ".join(each.name for each in chosen),
        options=[word for each in chosen for word in each.options],
        variables={name: value for each in chosen for name, value in each.variables.items()},
    )


def _threads(intra: int, inter: int) -> Setting:
    return Setting(
        f"threads-{intra}-{inter}",
        "threads",
        variables={"TF_NUM_INTRAOP_THREADS": str(intra), "TF_NUM_INTEROP_THREADS": str(inter)},
    )
