"""Tests which installed packages `run` serves: those of TensorFlow 1's time, and no others."""

import os
import sys
import textwrap

import pytest

from paths import ROOT
from script_folder import run_in_fork
from tf1grad._compat import VERSION
from tf1grad.programs.names import packages
from tf1grad.programs.process import ownership
from tf1grad.programs.source import library_text
from tf1grad.run.view import old_libraries

pytestmark = pytest.mark.skipif(
    VERSION < (2,), reason="TensorFlow 1 is installed: nothing has to be decided"
)
OLD = """
    import tensorflow as tf

    version = tf.__version__

    def model():
        return tf.contrib.layers.fully_connected(tf.placeholder(tf.float32, [None, 3]), 2)
"""
TODAY = """
    import tensorflow as tf

    version = tf.__version__

    def model():
        return tf.function(tf.keras.layers.Dense(2))
"""
BOTH = """
    import tensorflow as tf

    version = tf.__version__
    if tf.__version__[0] == "1":
        session = tf.Session
    else:
        session = tf.compat.v1.Session
"""
WITHOUT_TENSORFLOW = "import torch\nx = torch.compat.v1.Session\n"
# Name, version, text and metadata of a package, and whether it is of TensorFlow 1's time.
PACKAGES = [
    ("needs_two", "1.0", OLD, ["Requires-Dist: tensorflow<2.22,>=2.21"], False),
    ("from_two", "1.0", OLD, ["Requires-Dist: tensorflow>=2.4"], False),
    ("of_keras", "1.0", OLD, ["Requires-Dist: tf-keras>=2.14.1"], False),
    ("names_python", "1.0", OLD, ["Classifier: Programming Language :: Python :: 3.10"], False),
    ("compares", "1.0", OLD + '    is_newer = tf.__version__ >= "2.5.0"\n', [], False),
    ("text", "1.0", TODAY, [], False),
    ("compat", "1.0", WITHOUT_TENSORFLOW.replace("torch", "tensorflow"), [], True),
    (
        "asks",
        "1.0",
        "import tensorflow as tf\nif tf.__version__[0] == '2':\n    tf.random.set_seed(1)\n",
        [],
        True,
    ),
    ("extra_one", "1.0", BOTH, ["Requires-Dist: tensorflow (<2,>=1.14) ; extra == 'tf'"], True),
    ("foolbox", "3.3.4", BOTH, [], False),
]
SITE = "site-packages"


@pytest.fixture
def library(folder):
    """Returns a function that writes a package, with its metadata."""

    def write(
        name, text, version="1.0", requires=(), newest_python="", distribution=None, metadata=()
    ):
        path = folder.write(f"{SITE}/{name}/__init__.py", text)
        distribution = distribution or name
        lines = ["Metadata-Version: 2.1", f"Name: {distribution}", f"Version: {version}"] + [
            f"Requires-Dist: {each}" for each in requires
        ]
        lines += ["Classifier: Programming Language :: Python :: 3." + newest_python] * bool(
            newest_python
        )
        lines += metadata
        info = f"{SITE}/{distribution.replace('-', '_')}-{version}.dist-info"
        folder.write(f"{info}/METADATA", "\n".join(lines) + "\n\ntext")
        folder.write(f"{info}/top_level.txt", name)
        return os.path.dirname(path)

    return write


@pytest.fixture
def run(folder):
    """Returns a function that runs a program beside the packages and returns
    its output and its errors.

    It is a fork, but with options or where the program `starts` a process.
    """

    def run(text, *options, starts=False):
        site = os.path.join(folder.path, SITE)
        if options or starts:
            folder.write("train.py", text)
            places = os.pathsep.join([ROOT, site])
            _, output, errors = folder.run(*options, "train.py", env={"PYTHONPATH": places})
        else:
            folder.write(
                "train.py", f"import sys\nsys.path.append({site!r})\n{textwrap.dedent(text)}"
            )
            _, output, errors = run_in_fork(["train.py"], folder.path)
        return output.split(), errors

    return run


@pytest.mark.slow
@pytest.mark.each_release
def test_a_package_of_version_1_is_served_and_that_is_said_once(library, run):
    library("oldlib", OLD, "1.5.1")
    library("newlib", TODAY)
    library("bothlib", BOTH)
    library("tf_keras", OLD)
    # The process of the forks has imported the installed tf_keras.
    (old, new, both, keras), errors = run(
        """
        import oldlib, newlib, bothlib, tf_keras
        import oldlib as again
        print(oldlib.version, newlib.version, bothlib.version, tf_keras.version)
    """,
        starts=True,
    )
    assert old == both == "1.15.5" != new == keras
    assert (
        errors.count(
            "tf1grad: oldlib 1.5.1 is of TensorFlow 1's time and is served as the script is; "
            "`--exclude oldlib` leaves it out\n"
        )
        == 1
    )
    assert "newlib" not in errors and errors.count("bothlib 1.0 is of") == 1


@pytest.mark.slow
def test_excluded_packages_are_left_out_included_ones_served_and_an_error_names_the_option(
    library, run
):
    library("oldlib", OLD)
    library("newlib", TODAY)
    output, errors = run(
        "import newlib, oldlib\nprint(newlib.version, oldlib.version)\noldlib.model()",
        *["--exclude", "oldlib", "--include", "newlib"],
    )
    assert output[0] == "1.15.5" and output[1][0] == "2" and "lib 1.0 is served" not in errors
    assert errors.rstrip().endswith(
        "the error is in oldlib 1.0, which gets the installed TensorFlow and libraries "
        "unchanged. If it is written for TensorFlow 1, try `--include oldlib`"
    )


def test_an_error_in_a_library_is_explained_unless_the_program_is_between(
    library, folder, monkeypatch
):
    own = folder.write("train.py", "")
    old, plain = library("oldlib", OLD), library("plain", "")
    monkeypatch.setattr(ownership, "is_users_file", lambda file: file == own)
    monkeypatch.setattr(
        ownership, "package_of", lambda file: os.path.dirname(file) if SITE in file else None
    )
    old, plain = (os.path.join(path, "__init__.py") for path in (old, plain))
    advice = old_libraries.advise([own, old])
    assert advice.startswith("the error is in oldlib 1.0") and "`--include oldlib`" in advice
    assert [old_libraries.advise(files) for files in ([own], [old, own], [own, plain])] == [
        None
    ] * 3
    assert old_libraries.advise([own, old, "<frozen importlib._bootstrap>"]) == advice


@pytest.mark.slow
def test_a_package_that_another_library_imports_keeps_the_installed_tensorflow(library, run):
    library("oldlib", OLD)
    library("newlib", "import oldlib\nversion = oldlib.version\n")
    (version, again), errors = run("import newlib, oldlib\nprint(newlib.version, oldlib.version)")
    assert version == again != "1.15.5" and "served" not in errors


@pytest.mark.slow
def test_packages_that_a_served_package_imports_are_decided_too(library, run):
    library("oldlib", "import helper, plain, whole\n" + textwrap.dedent(OLD))
    library("helper", OLD)
    library("plain", "import collections\nkind = collections.Mapping.__name__\n")
    library("whole", "import collections\nhas = hasattr(collections, 'Mapping')\n")
    library("alone", "import collections\nkind = collections.Mapping.__name__\n")
    library("aged", "import collections\nkind = collections.Mapping.__name__\n", newest_python="8")
    found, errors = run(
        "import oldlib as old, aged\n"
        "print(old.helper.version, old.plain.kind, old.whole.has, aged.kind)"
    )
    assert found == ["1.15.5", "Mapping", str(sys.version_info < (3, 10)), "Mapping"], errors
    assert errors.count("is of TensorFlow 1's time") == 2 and "plain 1.0" not in errors
    if sys.version_info >= (3, 10):
        assert "has no attribute 'Mapping'" in run("import alone\nprint(alone.kind)")[1]


@pytest.mark.parametrize(
    "name, version, text, metadata, is_old", PACKAGES, ids=[" ".join(row[:2]) for row in PACKAGES]
)
def test_which_packages_are_old(library, name, version, text, metadata, is_old):
    assert (
        old_libraries.answer_for(library(name, text, version, metadata=metadata)).is_old is is_old
    )


def test_metadata_are_found_by_the_files_that_a_distribution_brought(library, folder):
    path = library("other", OLD, metadata=["Requires-Python: >=3.9"], distribution="some-name")
    info = f"{SITE}/some_name-1.0.dist-info"
    os.remove(os.path.join(folder.path, info, "top_level.txt"))
    folder.write(f"{info}/RECORD", "other/inner.py,sha256=x,1\nother/__init__.py,sha256=x,1\n")
    assert old_libraries.answer_for(path) == ("some-name 1.0", False, True, 0)


@pytest.mark.slow
def test_child_processes_serve_what_their_parent_serves(library, run):
    library("oldlib", OLD)
    library(
        "starter",
        "def start(command):\n    import subprocess\n    return subprocess.check_output(command)\n"
        "def version():\n    import oldlib\n    return oldlib.version\n",
    )
    output, errors = run(
        """
        import sys
        import oldlib, starter
        program = "import starter; print(starter.version())"  # here a library imports it first
        print(oldlib.version, starter.start([sys.executable, "-c", program]).decode())
    """,
        starts=True,
    )
    assert output == ["1.15.5", "1.15.5"] and errors.count("oldlib 1.0") == 1


@pytest.mark.parametrize(
    "requirement, admits",
    [
        ("tensorflow (<2.0,>=1.12.0); extra == 'gpu'", False),
        ("numpy<2", None),
        ("tensorflow<2.16,>=2.10", True),
        ("tensorflow", None),
        ("tensorflow<2.16", True),
    ],
)
def test_requirements(requirement, admits):
    assert packages.admits_version_2(packages.read([requirement])) is admits


def test_only_unguarded_uses_count(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(
        "try:\n    from collections.abc import Mapping\nexcept ImportError:\n    from collections import "
        "Mapping\nimport numpy as np\nimport string\nx = np.int32\ny = 'string'.lower(), time.clock()\n"
    )
    assert library_text.find_dropped_names(str(file)) == []
    file.write_text(
        "import numpy as np\nfrom collections import (Mapping,\n    OrderedDict)\nx = np.product\n"
        "import imp\n"
    )
    assert library_text.find_dropped_names(str(file)) == [
        "collections.Mapping",
        "imp",
        "numpy.product",
    ]


@pytest.mark.slow
def test_remarks_on_code_are_shown_for_the_program_alone(folder):
    """Tests a package that is compiled at each start, and a module of the program."""
    folder.write("env/site-packages/library.py", "import tensorflow as tf\nvalue = 1 is 1\n")
    folder.write("own.py", "value = 2 is 2\n")
    folder.write("train.py", "import library, own\nprint(library.value, own.value)\n")
    path = os.pathsep.join([os.path.join(folder.path, "env", "site-packages"), ROOT])
    code, output, errors = folder.run("--include", "library", "train.py", env={"PYTHONPATH": path})
    assert (code, output) == (0, "True True\n"), errors
    assert "own.py:1: SyntaxWarning" in errors and "library.py" not in errors


def test_a_dropped_name_is_looked_for_in_what_is_installed():
    found = [
        old_libraries._exists(name) for name in ("ast", "ast.parse", "ast.gone", "gone", "gone.x")
    ]
    assert found == [True, True, False, False, False]
