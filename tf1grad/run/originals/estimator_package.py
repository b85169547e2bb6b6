"""Prepares TensorFlow 2.16 and later for the package tensorflow-estimator,
which takes from it what it no longer has.

These are `tf_export.ESTIMATOR_API_NAME`, by which it marks its public names,
`distribute.estimator_training`, which starts the workers of a strategy, and three modules of `tpu`.
A strategy in one process (MirroredStrategy, OneDeviceStrategy) works as before, and so do clusters
without a strategy: TF_CONFIG with a chief, workers and parameter servers. The coordinator that ran
strategies across a cluster is gone.
"""

from __future__ import annotations

import types
from typing import Any

from tf1grad.programs import _compat
from tf1grad.programs.period import folder
from tf1grad.programs.process import finder
from tf1grad.run.originals.missing_objects import MissingObject

PACKAGE = folder.ESTIMATOR
STRATEGIES = "tensorflow.python.distribute.estimator_training"
ONLY_ON_TPUS = [
    "tensorflow.python.tpu." + name
    for name in ("session_support", "tpu_embedding", "tpu_embedding_gradient")
]

_is_original = False  # `original_estimator` serves the package


def leave_to_original() -> None:
    """Leaves TensorFlow as it is: TensorFlow 1.15's own package is served."""
    global _is_original
    _is_original = True


def prepare(*unused_name: str) -> None:
    """Makes `import tensorflow_estimator` work in this process.

    Nothing changes where TensorFlow has it all, or where TensorFlow 1.15's own package is served.
    """
    if _is_original:
        return
    if _compat.lacks_estimator():
        finder.serve(
            [STRATEGIES, *ONLY_ON_TPUS],
            finder.Loader(_fill),
            reason=f"{PACKAGE} imports them, and TensorFlow 2.16 removed them",
        )
        _compat.complete_estimator_export()


def _fill(module: types.ModuleType) -> None:
    """Fills a module that TensorFlow no longer has:
    with two functions, or with names that raise when they are used.
    """
    if module.__name__ == STRATEGIES:
        # `init_run_config` rejects configurations that need the coordinator.
        vars(module).update(
            init_run_config=init_run_config, should_run_distribute_coordinator=lambda config: False
        )
    else:
        vars(module).update(__getattr__=MissingObject(module.__name__).__getattr__)


def init_run_config(config: Any, tf_config: dict[str, Any]) -> None:
    """Sets up the strategies of a `RunConfig`, in place; `tf_config` is the dict of TF_CONFIG.

    A NotImplementedError says that the strategy is to train across a cluster.
    """
    asked = config._experimental_distribute
    for kind in ("train_distribute", "eval_distribute"):
        strategy = getattr(asked, kind, None)
        if strategy and getattr(config, kind):
            raise ValueError(
                f"give either {kind} or experimental_distribute.{kind}; got {getattr(config, kind)!r} and "
                f"{strategy!r}"
            )
        setattr(config, "_" + kind, strategy or getattr(config, kind))
    cluster = tf_config.get("cluster", {})
    remote = getattr(asked, "remote_cluster", None)
    if config.train_distribute and (remote or cluster and "master" not in cluster):
        raise NotImplementedError(
            f"train_distribute={type(config.train_distribute).__name__} across the cluster {remote or cluster!r}: "
            "TensorFlow 2.16 removed the coordinator that ran strategies of Estimators across a cluster. Leave "
            "train_distribute out to train with TF_CONFIG's parameter servers, or use TensorFlow 2.15."
        )
    config._distribute_coordinator_mode = None
    config._init_distributed_setting_from_environment_var(tf_config)
    config._maybe_overwrite_session_config_for_distributed_training()
