"""Replaces the two functions behind strategies in a `tf.estimator.RunConfig` that TensorFlow 2.16 removed.

A strategy in one process (MirroredStrategy, OneDeviceStrategy) works as before, and so do clusters without a strategy:
TF_CONFIG with a chief, workers and parameter servers. The coordinator that ran strategies across a cluster is gone.
"""

from typing import Any, Dict


def init_run_config(config: Any, tf_config: Dict[str, Any]) -> None:
    """Sets up the strategies of a `RunConfig`, in place; `tf_config` is the dict of TF_CONFIG.

    A NotImplementedError says that the strategy is to train across a cluster.
    """
    asked = config._experimental_distribute
    for kind in ("train_distribute", "eval_distribute"):
        strategy = getattr(asked, kind, None)
        if strategy and getattr(config, kind):
            raise ValueError(f"give either {kind} or experimental_distribute.{kind}; got {getattr(config, kind)!r} and "
                             f"{strategy!r}")
        setattr(config, "_" + kind, strategy or getattr(config, kind))
    cluster = tf_config.get("cluster", {})
    remote = getattr(asked, "remote_cluster", None)
    if config.train_distribute and (remote or cluster and "master" not in cluster):
        raise NotImplementedError(
            f"train_distribute={type(config.train_distribute).__name__} across the cluster {remote or cluster!r}: "
            "TensorFlow 2.16 removed the coordinator that ran strategies of Estimators across a cluster. Leave "
            "train_distribute out to train with TF_CONFIG's parameter servers, or use TensorFlow 2.15.")
    config._distribute_coordinator_mode = None
    config._init_distributed_setting_from_environment_var(tf_config)
    config._maybe_overwrite_session_config_for_distributed_training()


def should_run_distribute_coordinator(config: Any) -> bool:
    """Returns False: `init_run_config` rejects configurations that need the coordinator."""
    del config  # TensorFlow passes it
    return False
