"""`tf.distribute` strategies in a `tf.estimator.RunConfig`: the two functions that TensorFlow 2.16 took away.

A strategy inside one process (MirroredStrategy, OneDeviceStrategy) works as it did, and so do clusters without one:
TF_CONFIG with a chief, workers and parameter servers. What is gone is the coordinator that ran strategies across them.
"""

from typing import Any, Dict


def init_run_config(config: Any, tf_config: Dict[str, Any]) -> None:
    """Sets up a `RunConfig` that was given strategies.

    Args:
        config: the `RunConfig`, changed in place.
        tf_config: the dict of the environment variable TF_CONFIG, {} where there is none.

    Raises:
        NotImplementedError: the strategy is to train across a cluster.
        ValueError: a strategy is given twice.
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
            f"train_distribute={type(config.train_distribute).__name__} across the cluster {remote or cluster!r}: the "
            "coordinator of strategies in Estimators left TensorFlow in 2.16. Leave train_distribute out, which trains "
            "with TF_CONFIG's parameter servers, or use TensorFlow 2.15.")
    config._distribute_coordinator_mode = None
    config._init_distributed_setting_from_environment_var(tf_config)
    config._maybe_overwrite_session_config_for_distributed_training()


def should_run_distribute_coordinator(config: Any) -> bool:
    """False: `init_run_config` refuses what the coordinator would be needed for."""
    del config  # the question is TensorFlow's
    return False
