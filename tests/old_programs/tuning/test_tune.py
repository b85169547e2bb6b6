"""`tf1grad tune`: what it measures in a script's process, and what it makes of the figures."""

import re
import shlex

import pytest

from script_folder import ScriptFolder
from tf1grad._compat import VERSION
from tf1grad.old_programs.cli import tune
from tf1grad.old_programs.cli.main import main
from tf1grad.old_programs.tuning import tuning_report
from tf1grad.old_programs.tuning.measurements import Measured, Measurements, StepTimes
from tf1grad.old_programs.tuning.settings import Setting, settings
from tf1grad.old_programs.verify.script_processes import Program, ScriptFailed

SCRIPT = """
    import sys
    import numpy as np
    import tensorflow as tf
    assert sys.argv[1:] == ["--rate", "0.1"], sys.argv
    x = tf.placeholder(tf.float32, [None, 3])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, tf.get_variable("w", [3, 4]))))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        while True:
            values = np.random.normal(size=[8, 3])
            print(session.run(loss, {x: values}))
            session.run([step, loss], {x: values})
"""
EIGEN = Setting("eigen", "kernels", ["--kernels", "eigen"])
ONE = Setting("threads-1-1", "threads", variables={"TF_NUM_INTRAOP_THREADS": "1"})
OLD = Setting("1.15", options=["--no-fast"], python="python3.7")
PROGRAM = Program(["train.py", "a b"], "train.py", 4, 1)


class Processes:
    """Takes the place of the processes: gives each setting a time for a step, or a failure."""

    def __init__(self, seconds, losses=None):
        self._seconds, self._losses, self.asked = seconds, losses or {}, []

    def attempt(self, kind, side, program, recorder, variables):
        setting = side.name.split(", ")[-1]
        variables = {
            name: value for name, value in variables.items() if name != "TF_ENABLE_ONEDNN_OPTS"
        }
        self.asked.append((setting, program.command, variables))
        seconds = self._seconds[setting]
        if isinstance(seconds, (str, type)):
            if isinstance(seconds, type):
                raise seconds
            return kind(), f"{side.name}: {seconds}"
        record = kind({"memory": 5_000_000})
        record.trained = [(3 + seconds * step, 2 + seconds * step / 2) for step in range(10)]
        record.losses = self._losses.get(setting, [1.0, 0.5])
        return record, None


def _measured(chosen, processes, rounds=2):
    found = Measurements(processes, PROGRAM, [], rounds)
    found.measure(chosen)
    found.measure_together()
    return found


def test_settings_take_turns_and_the_best_of_each_kind_run_together():
    processes = Processes(
        {"default": 0.010, "eigen": 0.008, "threads-1-1": 0.009, "eigen + threads-1-1": 0.007}
    )
    found = _measured([Setting("default"), EIGEN, ONE], processes)
    assert [name for name, _, _ in processes.asked] == (
        ["default", "eigen", "threads-1-1"] * 2 + ["eigen + threads-1-1"] * 2
    )
    assert processes.asked[-1][1:] == (["--kernels", "eigen", "train.py", "a b"], ONE.variables)
    assert tuning_report.as_text(found, PROGRAM.command).splitlines()[-2:] == [
        "eigen + threads-1-1 is the fastest: a step takes 0.70 of the default's time. Run it with:",
        "    TF_NUM_INTRAOP_THREADS=1 tf1grad run --kernels eigen train.py 'a b'",
    ]


def test_a_setting_that_gains_little_is_not_recommended():
    found = _measured(
        [Setting("default"), EIGEN, OLD],
        Processes({"default": 0.010, "eigen": 0.0097, "1.15": 0.001}),
    )
    assert tuning_report.as_text(found, ["-m", "train"]).splitlines()[-2:] == [
        "No setting is at least 5 % faster than the default. Run it with:",
        "    tf1grad run -m train",
    ]


def test_figures_of_the_table():
    losses = {"default": [1.0, 0.5, 0.25], "1.15": [1.0, 0.4]}
    found = _measured(
        [Setting("default"), OLD], Processes({"default": 0.010, "1.15": 0.020}, losses), rounds=1
    )
    lines = tuning_report.as_text(found, PROGRAM.command).splitlines()
    assert lines[1].split() == ["default", "3.0", "10.00", "5.00", "5", "2.5e-01"]
    assert lines[2].split() == ["1.15", "3.0", "20.00", "10.00", "5", "-"]
    assert "The losses are compared with those of 1.15." in lines


def test_the_first_fifth_of_the_steps_does_not_count():
    record, row = StepTimes({"memory": None}), Measured(Setting("default"))
    record.ran = [(float(seconds), 0.0) for seconds in (9, 20, 21, 22, 23, 24, 25, 26, 27, 28)]
    row.records.append(record)
    assert (row.step, row.startup, row.memory) == (1.0, 9.0, None)
    record.ran = record.ran[:1]
    assert row.step is None and record.steps == [(9.0, 0.0)]


def test_a_failure_under_one_setting_is_shown_and_not_repeated():
    processes = Processes(
        {"default": 0.01, "eigen": "the script ended with exit code 1.\n    ValueError: no"}
    )
    text = tuning_report.as_text(_measured([Setting("default"), EIGEN], processes), PROGRAM.command)
    assert "eigen failed:" in text and "ValueError: no" in text
    assert [name for name, _, _ in processes.asked].count("eigen") == 1
    with pytest.raises(ScriptFailed, match="no data"):
        _measured([Setting("default"), EIGEN], Processes({"default": "no data", "eigen": 0.01}))


def test_an_interruption_prints_what_is_known(monkeypatch, tmp_path, capsys):
    script = ScriptFolder(tmp_path).write("train.py", "")
    fakes = Processes({"default": 0.01, "no-fast": KeyboardInterrupt})
    monkeypatch.setattr(
        tune, "Measurements", lambda processes, *arguments: Measurements(fakes, *arguments)
    )
    assert main(["tune", "--settings", "no-fast", "--quiet", script]) == 130
    output, errors = capsys.readouterr()
    assert output.splitlines()[1].startswith("default ") and "interrupted" in errors


def test_settings_here():
    names = [setting.name for setting in settings("python3.7")]
    assert names[0] == "default" and names[-1] == "1.15" and len(set(names)) == len(names)
    assert ("eigen" in names) == (VERSION >= (2,))
    assert "1.15" not in [setting.name for setting in settings(None)]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "name the SCRIPT"),
        (["missing.py"], "missing.py is not a file"),
        (["--settings", "fast", __file__], "'fast' is not one of default"),
        (["--against", "missing-python", __file__], "missing-python"),
    ],
)
def test_wrong_usage(arguments, message, capsys):
    assert main(["tune", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_script_is_timed(folder):
    """A step is a run that trains; the runs between do not count, and the losses of all runs are compared."""
    script = folder.write("train.py", SCRIPT)
    process = folder.start(
        "-m",
        "tf1grad",
        "tune",
        "--rounds",
        "1",
        "--steps",
        "6",
        "--settings",
        "no-fast",
        script,
        "--rate",
        "0.1",
    )
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    lines = output.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines[1:3]}
    assert set(rows) == {"default", "no-fast"}
    for startup, step, cpu, memory, _ in rows.values():
        assert (
            float(startup) > float(step) / 1e3 > 0 and float(cpu) > 0 and 50 < float(memory) < 5000
        )
    assert rows["default"][4] == "-" and float(rows["no-fast"][4]) == 0
    assert "round 1 of 1, setting 2 of 2, no-fast" in errors
    line = next(line for line in lines if re.match(r" {4}.*tf1grad run ", line))
    assert shlex.split(line)[-3:] == [script, "--rate", "0.1"]
