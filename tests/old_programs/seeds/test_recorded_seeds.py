"""Tests `--record-seeds` and `--seeds FILE`: TF 1.15's random numbers on any TensorFlow; the record is TF 1.15.5's."""

import json
import os
import shutil

import pytest
import tensorflow.compat.v1 as tf

from paths import PROGRAMS, ROOT
from script_folder import ScriptFolder

IS_TF1 = tf.__version__.startswith("1.")
SCRIPT = os.path.join(PROGRAMS, "random_ops.py")
RECORD = os.path.join(ROOT, "tests", "recorded", "random_ops.json")  # by run --record-seeds, on TF 1.15.5
PRINTED = os.path.join(ROOT, "tests", "recorded", "random_ops.txt")  # by the same run


@pytest.fixture
def folder(tmp_path):
    """Makes a `ScriptFolder` with the script and the recorded seeds."""
    shutil.copy(SCRIPT, str(tmp_path / "train.py"))
    shutil.copy(RECORD, str(tmp_path / "seeds.json"))
    return ScriptFolder(tmp_path)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def graphs(path):
    return json.loads(read(path))["graphs"]


def said(errors):
    return [line for line in errors.splitlines() if line.startswith("tf1grad:")]


def test_recorded_seeds_give_the_numbers_of_tf1(folder):
    code, output, errors = folder.run("--seeds", "seeds.json", "--record-seeds", "again.json", "train.py")
    assert code == 0, errors[-3000:]
    assert output == read(PRINTED) and said(errors) == []
    assert graphs(folder.path + "/again.json") == graphs(RECORD)


@pytest.mark.slow
def test_record_lists_the_random_ops(folder):
    folder.lines("--seeds", "tf1" if IS_TF1 else "count", "--record-seeds", "again.json", "train.py")
    found, recorded = graphs(folder.path + "/again.json"), graphs(RECORD)
    assert [[op[:2] for op in ops] for ops in found] == [[op[:2] for op in ops] for ops in recorded]
    assert (found == recorded) == IS_TF1  # random ops counted give others


def test_unknown_ops_are_reported(folder):
    folder.write("train.py", """
        import tensorflow as tf
        tf.set_random_seed(1)
        tf.random_normal([2], name="a")
        tf.random_uniform([2], name="new")
        for _ in range(20):
            tf.random_normal([2], name="b")
        print([op.get_attr("seed2") for op in tf.get_default_graph().get_operations()
               if op.type.startswith("Random")][:3])
    """)
    folder.write("seeds.json", json.dumps({"graphs": [[
        ["RandomStandardNormal", "a/RandomStandardNormal", 1, 11], ["RandomUniform", "old/RandomUniform", 1, 12],
        ["RandomStandardNormal", "b/RandomStandardNormal", 1, 13]]]}))
    code, output, errors = folder.run("--seeds", "seeds.json", "train.py")
    lines = said(errors)
    assert (code, output) == (0, "[11, 12, 13]\n")
    assert "'new/RandomUniform', which gets the seed of the RandomUniform 'old/RandomUniform' at the same" in lines[0]
    assert "'b_1/RandomStandardNormal', which gets the seed of --seeds=tf1" in lines[1]
    assert len(lines) == 11 and lines[-1].endswith("does not have further ops either.")


@pytest.mark.parametrize("arguments, part", [
    (["--seeds", "train.py"], "'train.py' is not a file that --record-seeds wrote"),
    (["--seeds", "missing.json"], "expected tf1, count, native, or a file that --record-seeds wrote; got 'missing"),
    (["--record-seeds", "no/folder/seeds.json"], "can't write --record-seeds"),
])
def test_wrong_seed_files_are_refused(folder, arguments, part):
    code, output, errors = folder.run(*(arguments + ["train.py"]))
    assert (code, output) == (2, "") and part in errors
