"""The phases of start-up, and `tf1grad run --explain`, which prints what they change."""

import re

from tf1grad._compat import VERSION
from tf1grad.old_programs.emulation import startup

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
    """The lines of each phase, in order, and which phases came before the lines that the script prints."""
    lines = errors.splitlines()
    begins, has = lines.index("it begins"), lines.index("it has TensorFlow")
    assert begins < has
    found = {}
    for number, line in enumerate(lines):
        match = re.match(r"tf1grad: \[(.*?)\] (.*)", line)
        if match:
            found.setdefault(match.group(1), []).append((number, match.group(2)))
    return found, begins, has


def test_phases_have_a_name_and_a_sentence():
    moments = [phase.moment for phase in startup.PHASES]
    assert moments == sorted(moments, key=[startup.START, startup.LOADED, startup.ASKED].index)
    assert len({phase.name for phase in startup.PHASES}) == len(startup.PHASES)
    assert all(re.match(r"[A-Z].*\.$", phase.sentence) for phase in startup.PHASES)


LATER = ("era", "period")  # phases that also change NumPy, when it is imported


def test_explain_prints_what_was_put_in_place_in_order(folder):
    script = folder.write("script.py", SCRIPT)
    code, _, errors = folder.run("--explain", "--accumulate", "2", script)
    assert code == 0, errors
    found, begins, has = _explained(errors)
    order = [phase.name for phase in startup.PHASES if phase.name in found]
    assert [name for name in found if name in order and name != "era"] == [name for name in order if name != "era"]
    sentences = {phase.name: phase.sentence for phase in startup.PHASES}
    assert all(lines[0][1] == sentences[name] for name, lines in found.items() if name in sentences)
    for phase in startup.PHASES:
        for number, line in found.get(phase.name, []) if phase.name not in LATER else []:
            assert number < begins if phase.moment == startup.START else begins < number < has, line
    texts = [line for lines in found.values() for _, line in lines]
    for expected in ("builtins.__import__: `import tensorflow` in user code gives the view",
                     "__init_subclass__: one hook", "(left out by --no-era)",
                     "BaseSession.run: fetches and feeds of repeated runs are resolved once (left out by --no-fast)"):
        assert any(expected in text for text in texts), expected
    assert any("composes ops" in text or "pre-1.0" in text for text in texts)
    assert not IS_TF1 or "ops" not in found


def test_what_an_option_leaves_out_is_not_explained(folder):
    script = folder.write("script.py", SCRIPT)
    code, _, errors = folder.run("--explain", "--quiet", "--no-era", "--no-fast", script)
    found, _, _ = _explained(errors)
    assert code == 0 and "imports" in found and not {"era", "sessions", "training"} & set(found)


def test_a_plain_run_explains_nothing_and_imports_no_keras(folder):
    """TensorFlow's objects are not garbage; Python's functions are those of before."""
    code, output, errors = folder.run(folder.write("script.py", SCRIPT))
    assert code == 0 and "[imports]" not in errors, errors
    assert output.splitlines() == ["[]", "True True builtins"]
