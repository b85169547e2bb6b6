"""Tests the command `verify` under real interpreters; also under the one that
TF1GRAD_OTHER_PYTHON names.
"""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

import waiting
from other_pythons import python_that_sets
from paths import ROOT
from tf1grad.cli import verify
from tf1grad.cli.main import main, make_parser

OTHER = os.environ.get("TF1GRAD_OTHER_PYTHON")
posix = pytest.mark.skipif(os.name != "posix", reason="the other interpreter is a shell script")

SCRIPT = """
import os, sys
import numpy as np
import tensorflow.compat.v1 as tf

vary = os.environ.get("VARY")
assert sys.argv[1:] in ([], ["--depth", "2"]), sys.argv
tf.set_random_seed(1)
x = tf.placeholder(tf.float32, [None, 3])
rate = tf.placeholder(tf.float32, [])
hidden = tf.get_variable("hidden", [3, 4], initializer=tf.random_uniform_initializer(-1, 1, seed=2))
output = tf.get_variable("output", [4, 1], initializer=tf.ones_initializer())
start = output.assign(tf.ones([4, 1]) * 1.5)
loss = tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, hidden)), output) - tf.reduce_sum(x, 1, keepdims=True)))
step = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, var_list=[output])
batches = np.random.RandomState(3)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    if vary == "initial":
        session.run(start)
    for number in range(1, 1000):
        feeds = {x: batches.randn(8, 3), rate: 0.5 if vary == "rate" and number == 3 else 0.1}
        print(number, session.run([step, loss], feeds)[1])
print("never here")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Makes a folder with the script."""
    folder = tmp_path_factory.mktemp("verify")
    (folder / "train.py").write_text(SCRIPT)
    return folder


@posix
@pytest.mark.slow
def test_interpreter_against_itself(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TMPDIR", str(folder))
    before = sorted(os.listdir(str(folder)))
    options = "train.py --steps 3 --format=json --depth 2".split()
    code = main(["verify", "--against", sys.executable, *options])
    printed, errors = capsys.readouterr()
    found = json.loads(printed)
    told = [line.split(": ")[1] for line in errors.splitlines()]
    assert told == ["this interpreter", "the other interpreter", "this interpreter, again"]
    assert code == 0 and found["agree"] and found["parted"] is None
    assert found["verdict"] == "The same for 3 steps, to the last bit."
    assert found["initial"]["different"] == [] and found["initial"]["variables"] == 3
    for what in ("loss", "value"):
        assert [step[what]["difference"] for step in found["steps"]] == [0, 0, 0]
    assert found["moved"] == {"step": 1, "values": 16}
    assert 0 < found["steps"][-1]["value"]["noise"] < 1e-5
    assert sorted(os.listdir(str(folder))) == before


@posix
@pytest.mark.slow
@pytest.mark.parametrize(
    "vary, message",
    [
        ("initial", "They differ before the first step, in the initial value of output:0: "),
        ("rate", "They differ at step 3, in the value of output:0: difference "),
    ],
)
def test_another_program_under_the_other(folder, capsys, vary, message):
    plot = folder / "found.png"
    options = ["--plot", str(plot)] if vary == "rate" and _has("matplotlib") else []
    other = python_that_sets(folder, VARY=vary)
    script = str(folder / "train.py")
    assert main(["verify", script, "--against", other, "--steps", "4", *options]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith(message)
    assert not options or plot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.slow
@pytest.mark.skipif(
    not OTHER, reason="TF1GRAD_OTHER_PYTHON names no interpreter with another TensorFlow"
)
def test_another_tensorflow(tmp_path, capsys, monkeypatch):
    """Tests a script without op seeds too: both interpreters count them by one rule."""
    # That of this process is not for TensorFlow 1.15.
    monkeypatch.delenv("TF2_BEHAVIOR", raising=False)
    script = tmp_path / "train.py"
    script.write_text(
        SCRIPT.replace("hidden = ", "batch = x[0:tf.shape(x)[0]]\nhidden = ").replace(
            ", seed=2)", ")"
        )
    )
    options = ["--against", OTHER, "--format", "json"]
    code = main(["verify", *options, str(script), "--", "--depth", "2"])
    found = json.loads(capsys.readouterr().out)
    assert code == 0, found["verdict"]
    assert found["initial"]["different"] == [] and len(found["steps"]) == 10
    assert found["steps"][0]["loss"]["difference"] <= 1e-6
    assert max(step["loss"]["difference"] for step in found["steps"]) <= 1e-3
    versions = {facts["tensorflow"] for facts in found["interpreters"].values()}
    assert len(versions) == 2


@posix
@pytest.mark.slow
def test_tensorflow_2_in_this_process_makes_no_other_eager(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("TF2_BEHAVIOR", "1")  # as its import does
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\ntest -z "$TF2_BEHAVIOR" && exec \'{sys.executable}\' "$@"\n')
    python.chmod(0o755)
    assert main(["verify", "--against", str(python), "--steps", "1", str(folder / "train.py")]) == 0


def _has(module):
    return importlib.util.find_spec(module) is not None


@pytest.mark.parametrize(
    "words, steps, script, own",
    [
        ("train.py --against P --s 5 --steps 3", None, "train.py", "--s 5 --steps 3"),
        (
            "--steps 2 train.py --against=P --threads 2 data --seed 5",
            2,
            "train.py",
            "data --seed 5",
        ),
        ("--against P train.py -- --steps 3 --", None, "train.py", "--steps 3 --"),
        ("-m pkg.train --against P --epochs 3 -m a", None, "pkg.train", "--epochs 3 -m a"),
        ("--against P -m -- pkg.train --lr .1", None, "pkg.train", "--lr .1"),
    ],
)
def test_options_after_the_script_belong_to_it(words, steps, script, own):
    arguments = make_parser(["verify"]).parse_args(["verify"] + words.split())
    verify.split(arguments)
    assert (arguments.script, arguments.steps, arguments.against) == (script, steps, "P")
    assert arguments.script_arguments == own.split()
    assert arguments.is_module == (script == "pkg.train")


def wrong_usage(capsys, *arguments):
    """Returns the message with which `verify` refuses."""
    assert main(["verify"] + [str(argument) for argument in arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


@pytest.mark.parametrize(
    "words, message",
    [
        ("missing.py --against P", "missing.py does not exist"),
        ("--against P", "name the script"),
        ("train.py", "--against PYTHON"),
        ("train.py data --against P", "before the arguments of the script"),
        ("train.py --against ./python", "no program"),
        ("train.py --against P --record-graph missing/new", "cannot write"),
        (
            "train.py --against P --plot found.doc",
            ".png" if _has("matplotlib") else "pip install matplotlib",
        ),
        ("--graph train.py --against P --plot a.png", "--plot is for"),
        ("--graph train.py --against {}", "is damaged, or not a file that --record-graph"),
        ("--record-graph new train.py --against {}", "--against names a file"),
        ("train.py --against {}", "add --graph"),
    ],
)
def test_wrong_usage(folder, tmp_path, monkeypatch, capsys, words, message):
    shutil.copy(str(folder / "train.py"), str(tmp_path))
    (tmp_path / "{}").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert message in wrong_usage(
        capsys, *[sys.executable if word == "P" else word for word in words.split()]
    )


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    "line, message",
    [
        ("cat /dev/null", "cannot be used. Give a Python from 3.7 on that has"),
        ("exec '{0}' -S \"$@\"", "It answers: AssertionError: it lacks NumPy"),
    ],
)
def test_unusable_interpreters_are_refused(folder, tmp_path, capsys, line, message):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\n" + line.format(sys.executable))
    program.chmod(0o755)
    assert message in wrong_usage(capsys, folder / "train.py", "--against", program)


@pytest.mark.slow
@pytest.mark.each_release
@pytest.mark.parametrize(
    "text, message, options",
    [
        ("print(1)", "never trained", ()),
        ("print(1)", "ran no session", ("--graph",)),
        ("import sys; print('bad'); sys.exit(7)", "exit code 7(.|\n)*bad$", ()),
        ("import no_such", r"no_such is missing there\. Install the script's packages for .*$", ()),
        ("import time; time.sleep(3600)", "not done after 0.5 s", ("--timeout", "0.5")),
    ],
)
def test_script_that_cannot_be_compared(tmp_path, capsys, text, message, options):
    (tmp_path / "train.py").write_text(text + "\n")
    assert main(["verify", str(tmp_path / "train.py"), "--against", sys.executable, *options]) == 3
    assert re.search(message, capsys.readouterr().err.rstrip())


@pytest.mark.slow
@pytest.mark.each_release
@posix
@pytest.mark.parametrize("number, options", [(signal.SIGTERM, ()), (signal.SIGINT, ["--graph"])])
def test_interrupt_leaves_nothing(tmp_path, number, options):
    started = tmp_path / "started"
    program = tmp_path / "program"
    program.mkdir()
    (program / "train.py").write_text(
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n"
        "started = os.environ['STARTED']\n"
        "open(started + '.part', 'w').write('%d %d' % (os.getpid(), child.pid))\n"
        "os.replace(started + '.part', started)\n"
        "time.sleep(100)\n"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    paths = [ROOT, os.environ.get("PYTHONPATH")]
    command = subprocess.Popen(
        [sys.executable, "-m", "tf1grad", "verify", "train.py"]
        + ["--against", sys.executable, *options],
        cwd=str(program),
        env=dict(
            os.environ,
            TMPDIR=str(temporary),
            STARTED=str(started),
            PYTHONPATH=os.pathsep.join(filter(None, paths)),
        ),
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    assert waiting.until(lambda: started.exists() or command.poll() is not None)
    command.send_signal(number)
    assert command.communicate()[1].splitlines()[-1] == "tf1grad verify: interrupted"
    assert command.returncode == 130
    assert os.listdir(str(temporary)) == []
    # What was killed is gone when its new parent has noticed.
    for pid in started.read_text().split():
        assert waiting.until(lambda: not _runs(int(pid)))


def _runs(pid):
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # it ended just now, or there is no /proc
        return not os.path.isdir("/proc/self")


JOB = """
import multiprocessing

def train():
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    server = tf.train.Server.create_local_server()
    w = tf.get_variable("w", initializer=[1.0, 2.0])
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w ** 2))
    with tf.Session(server.target) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(9):
            session.run(step)

if __name__ == "__main__":
    worker = multiprocessing.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
"""


@posix
@pytest.mark.slow
def test_a_worker_in_a_process_of_the_job_is_compared(tmp_path, monkeypatch, capsys):
    (tmp_path / "job.py").write_text(JOB)
    monkeypatch.chdir(tmp_path)
    options = ["--against", sys.executable, "--steps", "3", "--format", "json"]
    assert main(["verify", *options, "job.py"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "The same for 3 steps, to the last bit."
    # w becomes w (1 - 0.2) in each step
    losses = [step["loss"]["this"] for step in report["steps"]]
    assert losses == [[pytest.approx(5 * 0.64**n)] for n in range(3)]
