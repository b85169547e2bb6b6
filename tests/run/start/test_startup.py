"""The phases of start-up, and `tf1grad run --explain`, which prints what they change."""

import os
import re

import pytest

from paths import ROOT
from tf1grad._compat import VERSION

IS_TF1 = VERSION < (2,)
SCRIPT = """
    import gc, sys
    print("it begins", file=sys.stderr)
    import tensorflow as tf
    print("it has TensorFlow", file=sys.stderr)
    print(sorted({"keras", "tf_keras", "tf_slim"} & set(sys.modules)))
    print(gc.isenabled(), gc.get_freeze_count() > 10 ** 5, compile.__module__)
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.Variable(1.0) ** 2)
"""


def _explained(errors):
    """The lines of each phase, in order, and which phases came before the
    lines that the script prints.
    """
    lines = errors.splitlines()
    begins, has = lines.index("it begins"), lines.index("it has TensorFlow")
    assert begins < has
    found = {}
    for number, line in enumerate(lines):
        match = re.match(r"tf1grad: \[(.*?)\] (.*)", line)
        if match:
            found.setdefault(match.group(1), []).append((number, match.group(2)))
    return found, begins, has


AT_THE_START = ["period", "imports", "compilers", "keras", "children"]
LATER = ["training", "sessions", "graphs", "observer", "version 1", "old names", "ops", "kernels"]


@pytest.mark.slow
@pytest.mark.each_release
def test_explain_prints_what_was_put_in_place_in_order(folder):
    script = folder.write("script.py", SCRIPT)
    code, _, errors = folder.run("--explain", "--accumulate", "2", script)
    assert code == 0, errors
    found, begins, has = _explained(errors)
    phases = [name for name in found if name in AT_THE_START + LATER]
    assert phases == [name for name in AT_THE_START + LATER if name in found]
    for name in phases:
        number, sentence = found[name][0]
        assert re.match(r"[A-Z].*\.$", sentence)
        assert number < begins if name in AT_THE_START else begins < number < has, sentence
    texts = [line for lines in found.values() for _, line in lines]
    for expected in (
        "builtins.__import__: `import tensorflow` in user code gives the view",
        "__init_subclass__: one hook",
        "(left out by --no-dropped-names)",
        "BaseSession.run: fetches and feeds of repeated runs are resolved once (left out by --no-fast)",
    ):
        assert any(expected in text for text in texts), expected
    assert ("ops" in found) == (not IS_TF1)


@pytest.mark.slow
def test_what_an_option_leaves_out_is_not_explained(folder):
    script = folder.write("script.py", SCRIPT)
    code, _, errors = folder.run("--explain", "--quiet", "--no-dropped-names", "--no-fast", script)
    found, _, _ = _explained(errors)
    assert (
        code == 0
        and "imports" in found
        and not {"dropped_names", "sessions", "training"} & set(found)
    )


@pytest.mark.slow
def test_a_plain_run_explains_nothing_and_imports_no_keras(folder):
    """TensorFlow's objects are not garbage; Python's functions are those of before."""
    code, output, errors = folder.run(folder.write("script.py", SCRIPT))
    assert code == 0 and "[imports]" not in errors, errors
    assert output.splitlines() == ["[]", "True True builtins"]


@pytest.mark.slow
@pytest.mark.parametrize("release", ["2.12.1", "2.14.0"])
def test_a_tensorflow_that_is_too_old_is_refused_in_one_sentence(folder, release):
    folder.write("site/tensorflow/__init__.py", "raise ImportError('the wrong one')")
    folder.write(f"site/tensorflow-{release}.dist-info/METADATA", "")
    folder.write("train.py", "print('it runs')")
    code, output, errors = folder.run(
        "train.py", env={"PYTHONPATH": os.path.join(folder.path, "site") + os.pathsep + ROOT}
    )
    assert (code, output) == (2, "")
    assert errors.splitlines() == [
        f"tf1grad run: TensorFlow 2.15 or newer, or 1.15, is needed, and {release[:4]} is installed. "
        "The library works from 2.12 on"
    ]
