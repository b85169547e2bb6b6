"""Lets an old project's tests see TensorFlow 1.15:
`pytest -p tf1grad.pytest_plugin` tests as `tf1grad run` runs.
"""

import sys

TOO_LATE = "tensorflow is imported already: load tf1grad.pytest_plugin before other plugins, with pytest -p"


def pytest_plugin_registered(plugin: object) -> None:
    """Puts the period layer in front when this plugin is registered:
    later ones, such as randomly, import NumPy.

    Args:
        plugin: the plugin that pytest has registered.
    """
    from tf1grad.cli.run import options_from_environment
    from tf1grad.programs.period import layer

    if plugin is sys.modules[__name__]:
        # pytest-xdist gives its workers another path.
        layer.put_on_path(options_from_environment().numpy, 1)


def pytest_load_initial_conftests(early_config: object) -> None:
    """Prepares the process before pytest imports any file of the project.

    Args:
        early_config: the configuration of pytest.

    Raises:
        ImportError: TensorFlow is imported already.
        ValueError: the environment variable `TF1GRAD_OPTIONS` has a wrong option.
    """
    from tf1grad.cli.run import options_from_environment
    from tf1grad.run.start import child_processes, startup

    if child_processes.compiler_of_child():  # a worker of xdist
        return
    if "tensorflow" in sys.modules:
        raise ImportError(TOO_LATE)
    startup.prepare(options_from_environment())
