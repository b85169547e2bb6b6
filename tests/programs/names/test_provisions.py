"""Tests the table of old names: its rows, that their targets exist,
and the commands that install packages.
"""

import functools
import importlib
import importlib.util

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.programs.names import pre_1_0, provisions, tensorflow_rows
from tf1grad.programs.names.packages import package_of

IS_TF1 = tf.__version__.startswith("1.")


@pytest.mark.parametrize(
    "name, kind, target",
    [
        (
            "contrib.opt.ScipyOptimizerInterface",
            "tf1grad",
            "tf1grad.ScipyOptimizerInterface",
        ),
        (
            "contrib.opt.python.training.external_optimizer.ScipyOptimizerInterface",
            "tf1grad",
            "tf1grad.ScipyOptimizerInterface",
        ),
        ("contrib.layers.optimize_loss", "original", None),
        ("contrib.estimator.clip_gradients_by_norm", "tf1grad", "tf1grad.ClippingOptimizer"),
        ("contrib.layers.l2_regularizer", "library", "tf_slim.l2_regularizer"),
        ("contrib.framework.python.ops.arg_scope.arg_scope", "library", "tf_slim.arg_scope"),
        (
            "contrib.layers.python.layers.utils.smart_cond",
            "library",
            "tf_slim.layers.utils.smart_cond",
        ),
        ("contrib.slim", "library", "tf_slim"),
        (
            "contrib.slim.python.slim.nets.resnet_v1.resnet_v1_50",
            "library",
            "tf_slim.nets.resnet_v1.resnet_v1_50",
        ),
        (
            "contrib.learn.python.learn.preprocessing.VocabularyProcessor",
            "original",
            None,
        ),
        ("contrib.distributions.Normal", "tensorflow", "tensorflow.compat.v1.distributions.Normal"),
        (
            "contrib.tensorboard.plugins.projector.ProjectorConfig",
            "library",
            "tensorboard.plugins.projector.ProjectorConfig",
        ),
        (
            "contrib.data.map_and_batch",
            "tensorflow",
            "tensorflow.compat.v1.data.experimental.map_and_batch",
        ),
        ("contrib.training.HParams", "tf1grad", "tf1grad.migrate.provided.hparam.HParams"),
        ("contrib.framework.nest.is_sequence", "tensorflow", "tensorflow.compat.v1.nest.is_nested"),
        (
            "examples.tutorials.mnist.input_data.read_data_sets",
            "tf1grad",
            "tf1grad.migrate.provided.mnist.read_data_sets",
        ),
        ("train.Saver", "tensorflow", "tensorflow.compat.v1.train.Saver"),
        ("contrib.gan.GANModel", "gone", None),
        (
            "contrib.rnn.python.ops.core_rnn_cell._linear",
            "original",
            None,
        ),
        (
            "estimator.Estimator",
            "library",
            "tensorflow_estimator.python.estimator.api._v1.estimator.Estimator",
        ),
        (
            "contrib.tpu.TPUEstimator",
            "library",
            "tensorflow_estimator.python.estimator.api._v1.estimator.tpu.TPUEstimator",
        ),
    ],
)
def test_find(name, kind, target):
    provision = provisions.provision_of("tensorflow." + name)
    assert (provision.kind, provision.target) == (kind, target)
    assert provision.advice.endswith((".", ")."))


@pytest.mark.parametrize(
    "name", ["numpy.float", "tensorflow.python.framework.ops", "tensorflow_probability.mcmc"]
)
def test_find_knows_nothing_of(name):
    assert provisions.provision_of(name) is None


def test_requirements_are_what_pip_installs():
    assert provisions.provision_of("tensorflow.layers.dense").requirement == "tf_keras"
    assert provisions.provision_of("tensorflow.contrib.rnn.GRUCell").requirement == "tf_keras"
    assert provisions.provision_of("tensorflow.contrib.slim.conv2d").requirement == "tf_slim"
    assert provisions.provision_of("tensorflow.contrib.training.HParams").requirement is None


LISTED = sorted(
    {
        f"{module}.{name}"
        for module, places in tensorflow_rows.MODULES.items()
        for place in places
        for name in (*place.names, *place.renamed)
    }
)


# Modules that only an import statement finds, as tf_slim's behind another of the same name:
# `upgrade` writes the original instead.
INNER = (
    "tools.docs.doc_controls contrib.framework.get_graph_from_inputs contrib.framework.get_name_scope "
    "contrib.training.SummaryAtEndHook contrib.training.evaluate_repeatedly contrib.training.train "
    "contrib.training.wait_for_new_checkpoint"
).split()


@pytest.mark.slow
@pytest.mark.each_release
@pytest.mark.skipif(IS_TF1, reason="TensorFlow 1 has the names itself")
def test_every_target_is_there(run_program):
    assert (
        run_program(
            f"LISTED, INNER = {LISTED!r}, {INNER!r}",
            """
        from tf1grad.programs.names import provisions as symbols
        from tf1grad.programs import _compat
        from tf1grad.run.originals import estimator_package

        def resolves(provision):
            try:
                return _compat.resolve(provision.target.replace("()", "")) is not None
            except (ImportError, AttributeError):
                return provision.requirement == "tf_keras"  # this process did not ask for the legacy Keras

        import tensorflow
        import tf1grad.migrate.legacy
        from tf1grad.upgrade.edits.installed_packages import InstalledNames
        installed = InstalledNames()
        estimator_package.prepare()
        for name in LISTED:
            provision = symbols.provision_of("tensorflow." + name)
            package = provision.requirement or provision.target.partition(".")[0]
            if not _compat.is_installed(package):
                continue
            if not resolves(provision):
                print(name, provision.target)
            elif installed.has(provision.target) is False and name not in INNER:
                print(name, provision.target, "is no attribute")
    """,
        )
        == ""
    )


# Names of releases before 1.15, and one that 1.15 had at an inner path only.
ESTIMATOR_HOOKS = (
    "InMemoryEvaluatorHook make_early_stopping_hook make_stop_at_checkpoint_step_hook read_eval_metrics "
    "stop_if_higher_hook stop_if_lower_hook stop_if_no_decrease_hook stop_if_no_increase_hook"
)
NOT_IN_1_15 = {"contrib.estimator." + name for name in ESTIMATOR_HOOKS.split()}
NOT_IN_1_15.add("contrib.cluster_resolver.GceClusterResolver")


@pytest.mark.skipif(not IS_TF1, reason="tf.contrib is only in TensorFlow 1")
def test_every_listed_name_was_in_tensorflow_1():
    assert {name for name in LISTED if not _was_there(name)} == NOT_IN_1_15


def _was_there(name):
    """By attributes, or by an import of its module or of itself."""
    try:
        return (
            functools.reduce(getattr, name.split("."), importlib.import_module("tensorflow"))
            is not None
        )
    except AttributeError:
        module, _, attribute = name.rpartition(".")
        found = getattr(importlib.import_module("tensorflow." + module), attribute, None)
        return found is not None or importlib.util.find_spec("tensorflow." + name) is not None


@pytest.mark.skipif(not IS_TF1, reason="tf.contrib is only in TensorFlow 1")
def test_every_module_was_in_tensorflow_1():
    for name in tensorflow_rows.CONTRIB_MODULES:
        assert importlib.util.find_spec("tensorflow.contrib." + name), name


@pytest.mark.skipif(not IS_TF1, reason="only TensorFlow 1.15 has all of them")
def test_private_names_that_moved_were_the_same_as_the_public_ones():
    for module, renamed in tensorflow_rows.PRIVATE.items():
        for private_name in renamed:
            name = f"tensorflow.{module}.{private_name}"
            private = getattr(importlib.import_module("tensorflow." + module), private_name)
            public = functools.reduce(
                getattr, provisions.provision_of(name).target.split(".")[3:], tf
            )
            # is_nested calls is_sequence.
            assert public is private or public([1]) is private([1]), name


@pytest.mark.parametrize(
    "name, provided",
    [
        ("contrib.rnn.LSTMCell", True),
        ("contrib.rnn.LayerRNNCell", False),  # in 1.15's own files alone
        ("contrib.layers.xavier_initializer", True),
        ("contrib.layers.no_such", False),
        ("contrib.seq2seq.BasicDecoder", False),
    ],
)
def test_what_is_provided_without_the_originals(name, provided):
    assert provisions.is_provided("tensorflow." + name) is provided


def test_is_module():
    modules = "contrib contrib.opt contrib.layers.python.layers examples.tutorials.mnist layers"
    others = "contrib.no_such contrib.opt.ScipyOptimizerInterface train"
    for name in (modules + " " + others).split():
        assert provisions.is_module("tensorflow." + name) is (name in modules.split()), name


@pytest.mark.skipif(not IS_TF1, reason="only TensorFlow 1 has all targets")
def test_tensorflow_1_15_has_the_targets_of_names_from_before_1_0_and_not_those_names():
    plain = importlib.import_module("tensorflow")

    def has(path):
        try:
            return functools.reduce(getattr, path.split("."), plain) is not None
        except AttributeError:
            return False

    def is_in_inner_module(path):
        module, _, name = path.rpartition(".")
        return ".python." in module and hasattr(
            importlib.import_module(f"tensorflow.{module}"), name
        )

    names = sorted(pre_1_0.NAMES)
    assert [name for name in names if has(name)] == []
    targets = [pre_1_0.find_gone("tensorflow." + name).target for name in names]
    assert [path for path in targets if not has(path) and not is_in_inner_module(path)] == []


def test_a_package_has_a_module_and_a_command():
    assert package_of("pillow").module == "PIL"
    assert package_of("pillow").command() == "pip install pillow"
    # Its dependencies include the full tensorflow.
    assert package_of("tf_keras").command() == "pip install --no-deps tf_keras"
