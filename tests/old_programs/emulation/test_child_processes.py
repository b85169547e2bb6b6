"""Tests that child processes of a program run as the program does, and that other Pythons are left alone."""

import os
import subprocess
import sys

import pytest

from paths import ROOT
from tf1grad.old_programs.emulation import child_processes

# NumPy has had neither since 1.24 and 2.4, so that both need what `run` does with the code of a module.
WORKER = """
    import sys
    import numpy as np

    text = "%.1f" % np.array([1.5])
    number = np.float(2)

    def work(x):
        return x, text, number

    if __name__ == "__main__":
        print(sys.argv, work(1), __spec__)
        {}["missing"]
"""


@pytest.fixture
def environment(folder):
    """Returns a PATH on which `python` and `python3` are this Python, as in an activated environment."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    return {"PATH": path}


def test_children_by_any_name_of_this_python(folder, environment):
    folder.write("worker.py", WORKER)
    folder.write("train.py", """
        import os, subprocess, sys
        for python in sys.argv[1:]:
            process = subprocess.Popen([python, "worker.py", "--", "x"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, universal_newlines=True)
            output, errors = process.communicate()
            print(process.returncode, output, "tf1grad/old_programs" in errors, errors.count('worker.py", line 13'))
    """)
    names = [name for name in ("python", "python3", sys.executable)
             if name == sys.executable or os.path.exists(os.path.join(os.path.dirname(sys.executable), name))]
    expected = ["1 ['worker.py', '--', 'x'] (1, '1.5', 2.0) None", " False 1"] * len(names)
    assert folder.lines("train.py", *names, env=environment) == expected


def test_spawned_processes_read_the_program_as_it_was_read(folder):
    folder.write("train.py", WORKER.replace("__main__", "never") + """
    if __name__ == "__main__":
        import multiprocessing, runpy
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.apply_async(work, (3,)).get(60))
        print(runpy.run_path("train.py")["text"])
    """)
    assert folder.lines("train.py") == ["(3, '1.5', 2.0)", "1.5"]


def test_interpreter_of_another_environment_is_left_alone(folder):
    """Its path is as it was, and the sitecustomize that it has runs."""
    folder.write("site/sitecustomize.py", "import sys\nsys.customized = True\n")
    site = child_processes.SITE
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([site, os.path.join(folder.path, "site")]),
                       TF1GRAD_RUN='{"environment": ["/another", "3.99"], "seeds": "tf1"}')
    program = ("import sys\n"
               f"print(sys.customized, 'tf1grad' in sys.modules, {site!r} in sys.path, {ROOT!r} in sys.path)")
    assert subprocess.check_output([sys.executable, "-c", program], cwd="/", env=environment).split() == [
        b"True", b"False", b"False", subprocess.check_output(
            [sys.executable, "-c", f"import sys\nprint({ROOT!r} in sys.path)"], cwd="/",
            env=dict(os.environ, PYTHONPATH="")).strip()]  # as a checkout that is installed is


def test_sitecustomize_parses_on_any_python():
    fissix = pytest.importorskip("fissix.refactor", reason="fissix reads Python 2 without running one")
    tool = fissix.RefactoringTool(["fissix.fixes.fix_print"])  # with Python 2's grammar
    with open(os.path.join(child_processes.SITE, "sitecustomize.py"), encoding="utf-8") as file:
        text = file.read()
    assert str(tool.refactor_string(text, "sitecustomize.py")) == text
    assert "nonlocal" not in text and " f\"" not in text and "ModuleNotFoundError" not in text


def test_the_path_of_children_grows_once(monkeypatch):
    monkeypatch.setenv(child_processes.OPTIONS, "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["a", "", "b"]))
    child_processes.follow({})
    child_processes.follow({})
    assert os.environ["PYTHONPATH"].split(os.pathsep) == [child_processes.SITE, "a", "", "b"]
