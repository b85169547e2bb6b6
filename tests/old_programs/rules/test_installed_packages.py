"""Names that are looked up in the installed packages."""

import tensorflow.compat.v1 as tf

from tf1grad.old_programs.rules.installed_packages import Installed


def test_an_absent_name_does_not_spoil_its_module():
    installed = Installed()
    for name in ("app.flags", "flags", "train", "nn"):
        assert installed.has(f"tensorflow.{name}.no_such_name") is False
    assert all(
        installed.has("tensorflow." + name)
        for name in (
            "app.flags.DEFINE_string",
            "app.flags.FLAGS",
            "flags.DEFINE_integer",
            "train.Saver",
            "nn.relu",
        )
    )


def test_asking_the_installed_tensorflow():
    installed = Installed()
    assert installed.has("tensorflow.train.AdamOptimizer") and installed.has(
        "tensorflow.app.flags.FLAGS.learning_rate"
    )
    assert installed.has("tensorflow.python.framework.ops") and not installed.has(
        "tensorflow.python.framework.opps"
    )
    assert not installed.has("tensorflow.train.AdamOptimiser")
    assert installed.has("tensorflow.newaxis")  # its value is None
    assert installed.version == tf.__version__
    assert Installed(ask=False).has("tensorflow.train.AdamOptimizer") is None


def test_a_package_that_was_asked_for_is_asked_for_its_names_still():
    installed = Installed()
    assert installed.has("tensorflow.compat.v1") and installed.has("tf1grad")
    assert (
        installed.has("tensorflow.nest.no_such_name") is False
        and installed.has("tf1grad.no_such_name") is False
    )
