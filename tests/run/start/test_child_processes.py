"""Tests that child processes of a program run as the program does,
and that other Pythons are left alone.
"""

import json
import os
import runpy
import subprocess
import sys
import zipfile

import pytest

from paths import ROOT
from tf1grad.programs.period import installation, layer
from tf1grad.programs.process import messages, ownership
from tf1grad.run.start import child_processes, startup, unserved_children
from tf1grad.run.start.options import Options

# NumPy has had neither since 1.24 and 2.4, so that both need what `run` does with the code of a
# module.
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


@pytest.mark.slow
def test_children_by_any_name_of_this_python(folder):
    """Tests a PATH on which `python` and `python3` are this Python,
    as in an activated environment.
    """
    folder.write("worker.py", WORKER)
    folder.write(
        "train.py",
        """
        import os, subprocess, sys
        for python in sys.argv[1:]:
            process = subprocess.Popen([python, "worker.py", "--", "x"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, universal_newlines=True)
            output, errors = process.communicate()
            print(process.returncode, output, "tf1grad/" in errors, errors.count('worker.py", line 13'))
    """,
    )
    names = [
        name
        for name in ("python", "python3", sys.executable)
        if name == sys.executable
        or os.path.exists(os.path.join(os.path.dirname(sys.executable), name))
    ]
    expected = ["1 ['worker.py', '--', 'x'] (1, '1.5', 2.0) None", " False 1"] * len(names)
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    assert folder.lines("train.py", *names, env={"PATH": path}) == expected


MORE = """
    import multiprocessing, runpy, subprocess, sys
    import numpy as np
    import worker

    def work(x):
        from tensorflow.contrib.training import HParams
        promoted = type(np.float32(3) * 2.5).__name__
        return worker.work(HParams(x=x).values()["x"]), np.__version__, promoted, customized

    if __name__ == "__main__":
        print(*work(3), runpy.run_path("worker.py")["text"])
        for method in sys.argv[1:]:
            if method == "subprocess":
                print(subprocess.check_output([sys.executable, "-c", "import train; print(*train.work(3))"]).decode())
            else:
                with multiprocessing.get_context(method).Pool(1) as pool:
                    print(*pool.apply(work, (3,)))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "methods",
    [["subprocess", "fork"], pytest.param(["spawn", "forkserver"], marks=pytest.mark.slow)],
    ids=" ".join,
)
def test_children_run_as_the_program(folder, methods):
    """Tests the translation of modules, `tf.contrib`, NumPy with its promotion of then,
    and a sitecustomize.
    """
    folder.write("site/sitecustomize.py", "import builtins\nbuiltins.customized = True\n")
    folder.write("worker.py", WORKER)
    folder.write("train.py", MORE)
    before = _files(folder)
    path = os.pathsep.join([os.path.join(folder.path, "site"), ROOT])
    first, *others = filter(None, folder.lines("train.py", *methods, env={"PYTHONPATH": path}))
    assert first.startswith("(3, '1.5', 2.0) ") and first.endswith(" float64 True 1.5")
    assert others == [first[: -len(" 1.5")]] * len(methods)
    assert _files(folder) == before


def _files(folder):
    """Returns the files beside the sitecustomize, which Python itself imports."""
    return [
        name for name in folder.files() if "__pycache__" not in name or not name.startswith("site")
    ]


@pytest.mark.slow
def test_interpreter_of_another_environment_is_left_alone(folder):
    """Its path is as it was, and the sitecustomize that it has runs."""
    folder.write("site/sitecustomize.py", "import sys\nsys.customized = True\n")
    site = child_processes.SITE
    environment = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join([site, os.path.join(folder.path, "site")]),
        TF1GRAD_RUN='{"environment": ["/another", "3.99"], "seeds": "tf1"}',
    )
    program = f"import sys\nprint(sys.customized, 'tf1grad' in sys.modules, {site!r} in sys.path)"
    output = subprocess.check_output([sys.executable, "-c", program], cwd="/", env=environment)
    assert output.split() == [b"True", b"False", b"False"]


@pytest.fixture
def begin(monkeypatch, tmp_path):
    """Returns a function that executes the sitecustomize of children in this process, with
    `tmp_path` on the path alone, and returns the options with which it joined the program.
    """
    joined, kept = [], sys.modules.get("sitecustomize")
    monkeypatch.setattr(startup, "join", joined.append)
    monkeypatch.setattr(sys, "path", [child_processes.SITE, str(tmp_path)])

    def execute(**options):
        monkeypatch.setenv(child_processes.OPTIONS, json.dumps(options))
        sys.modules["sitecustomize"] = execute  # the one that is executed
        runpy.run_path(os.path.join(child_processes.SITE, "sitecustomize.py"))
        return joined

    yield execute
    sys.modules["sitecustomize"] = kept
    if kept is None:
        del sys.modules["sitecustomize"]


def test_a_child_finds_tf1grad_where_it_is_not_on_its_path(begin, tmp_path):
    """As a child in another folder does that got tf1grad from the folder of its parent."""
    options = {"environment": [sys.prefix, sys.version], "seeds": "tf1"}
    assert begin(**options) == [options]
    assert sys.path == [str(tmp_path), ROOT]
    begin(**options)
    assert sys.path == [str(tmp_path), ROOT]


def test_a_child_without_another_sitecustomize_begins(begin):
    assert begin(environment=["/another", "3.99"]) == []
    assert sys.modules["sitecustomize"] is begin


def test_a_sitecustomize_that_needs_a_missing_module_says_so_as_without_run(begin, tmp_path):
    """Python itself prints the error, and goes on."""
    (tmp_path / "sitecustomize.py").write_text("import no_such_module\n")
    with pytest.raises(ImportError, match="no_such_module"):
        begin(environment=["/another", "3.99"])


def starting(folder, call):
    """Returns what a program prints on stderr that starts a child, twice,
    which says whether it is served.
    """
    folder.write("child.py", "import sys\nprint('tf1grad.programs' in sys.modules)\n")
    folder.write(
        "train.py",
        f"""
        import os, subprocess, sys
        for _ in range(2):
            {call}
        """,
    )
    code, output, errors = folder.run("train.py")
    assert code == 0, errors
    return output, errors


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        "subprocess.call([sys.executable, '-uE', 'child.py'])",
        "subprocess.run([sys.executable, 'child.py'], env={'CUDA_VISIBLE_DEVICES': ''})",
        "subprocess.Popen(sys.executable + ' child.py', shell=True, "
        "env=dict(os.environ, PYTHONPATH='.')).wait()",
    ],
    ids=["-uE", "env", "PYTHONPATH in a shell"],
)
def test_a_child_that_is_not_served_is_named_once(folder, call):
    output, errors = starting(folder, call)
    assert output.split() == ["False", "False"]
    (line,) = errors.splitlines()
    assert "train.py:4 starts a Python that does not find TensorFlow 1.15. " in line


@pytest.mark.slow
def test_other_children_are_not_named(folder):
    calls = [
        "subprocess.call([sys.executable, '-u', 'child.py'])",
        "subprocess.call([sys.executable, 'child.py', '-I'], env=dict(os.environ, X='1'))",
        "subprocess.call([sys.executable, '-m', 'tf1grad', 'run', 'child.py'], "
        f"env=dict(os.environ, PYTHONPATH={ROOT!r}))",
        "subprocess.call(['echo', 'other'], env={})",
    ]
    output, errors = starting(folder, "; ".join(calls))
    assert (output.split(), errors) == (["True", "True", "True", "other"] * 2, "")


def test_sitecustomize_parses_on_any_python():
    fissix = pytest.importorskip(
        "fissix.refactor", reason="fissix reads Python 2 without running one"
    )
    tool = fissix.RefactoringTool(["fissix.fixes.fix_print"])  # with Python 2's grammar
    with open(os.path.join(child_processes.SITE, "sitecustomize.py"), encoding="utf-8") as file:
        text = file.read()
    assert str(tool.refactor_string(text, "sitecustomize.py")) == text
    assert "nonlocal" not in text and ' f"' not in text and "ModuleNotFoundError" not in text


FED = """
    import subprocess, sys
    program = "import sys, tensorflow as tf\\nprint(sys.argv, __file__, tf.VERSION, repr(sys.stdin.read()))\\n"
    for words in ([sys.executable, "-", "x"], ["python"]):
        print(subprocess.run(words, input=program, stdout=subprocess.PIPE, universal_newlines=True).stdout.strip())
    print(subprocess.check_output("echo 'import tensorflow as tf; print(tf.VERSION)' | python -", shell=True).decode())
    print(subprocess.check_output("echo data | python -c 'import sys; print(sys.stdin.read())'", shell=True).decode())
"""
FED_AS_PYTHON_2 = """
    import subprocess, sys
    program = "print 7 / 2\\nraise ValueError, 'wrong'\\n"
    done = subprocess.run([sys.executable, "-"], input=program, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    print(done.stdout, done.stderr.splitlines()[-3:])
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the shell is that of POSIX")
def test_a_child_that_is_fed_its_program(folder):
    """Tests it without an activated environment: no `python` of this environment is on the PATH."""
    folder.write("train.py", FED)
    path = os.pathsep.join(
        each
        for each in os.environ["PATH"].split(os.pathsep)
        if each != os.path.dirname(sys.executable)
    )
    assert list(filter(None, folder.lines("train.py", env={"PATH": path}))) == [
        "['-', 'x'] <stdin> 1.15.5 ''",
        "[''] <stdin> 1.15.5 ''",
        "1.15.5",
        "data",
    ]


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 8), reason="sys.argv is not there when the child begins")
def test_a_child_that_is_fed_python_2(folder):
    pytest.importorskip("fissix", reason="fissix reads Python 2")
    folder.write("train.py", FED_AS_PYTHON_2)
    printed = "\n".join(folder.lines("train.py"))
    assert printed.startswith("3\n") and "line 2, in <module>" in printed and "wrong" in printed


def test_the_path_of_children_grows_once(monkeypatch):
    """A child starts its children with the path that it got."""
    monkeypatch.setenv(child_processes.OPTIONS, "")
    monkeypatch.setenv("PATH", "x")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["a", "", "b"]))
    child_processes.follow(Options())
    child_processes.follow(Options())
    assert os.environ["PYTHONPATH"].split(os.pathsep) == [child_processes.SITE, "a", "", "b"]


def test_what_tf1grad_starts_itself_is_not_named(monkeypatch, capsys):
    """Tests a fetch at a line of the user's that imports a package."""
    monkeypatch.setattr(ownership, "_compiled", {"user.py"})
    monkeypatch.setattr(messages, "said", set())

    def start(*_):
        unserved_children._start(lambda *_: None, None, [sys.executable, "-I", "-c", ""])

    monkeypatch.setattr(installation, "install", start)
    exec(compile("install([], None)", "user.py", "exec"), {"install": layer.install})
    assert capsys.readouterr().err == ""
    exec(compile("start()", "user.py", "exec"), {"start": start})
    assert "user.py:1 starts a Python that does not find" in capsys.readouterr().err


def test_what_an_installed_library_starts_is_not_named(monkeypatch, capsys):
    monkeypatch.setattr(ownership, "_compiled", {"user.py"})
    monkeypatch.setattr(messages, "said", set())
    monkeypatch.setattr(
        ownership, "package_of", lambda file: "library" if file == "library.py" else None
    )

    def start():
        unserved_children._start(lambda *_: None, None, [sys.executable, "-I", "-c", ""])

    library = {"start": start}
    exec(compile("def build():\n    start()", "library.py", "exec"), library)
    exec(compile("build()", "user.py", "exec"), library)
    assert capsys.readouterr().err == ""
    exec(compile("def call(given):\n    given()", "library.py", "exec"), library)
    exec(compile("call(lambda: start())", "user.py", "exec"), library)
    assert "user.py:1 starts a Python that does not find" in capsys.readouterr().err


def test_the_input_of_a_child_is_open_once_when_its_program_runs(monkeypatch):
    """Otherwise who writes to a child that has closed its input would not get to know it."""
    reader, writer = os.pipe()
    os.close(writer)
    put, states = [], []
    monkeypatch.setattr(child_processes, "_input", reader)
    monkeypatch.setattr(os, "dup2", lambda *numbers: put.append(numbers))

    def run(program):
        with pytest.raises(OSError):
            os.fstat(reader)
        states.append(program.argv0)

    monkeypatch.setattr(child_processes, "_run", run)
    child_processes.run_input()
    assert put == [(reader, 0)] and states == [sys.argv[0]]


def test_the_program_of_a_child_is_a_file_that_python_reads_itself(monkeypatch, tmp_path):
    """Python runs what is in a zip file or in a folder."""
    (tmp_path / "train.py").write_text("")
    with zipfile.ZipFile(str(tmp_path / "train.zip"), "w") as file:
        file.writestr("__main__.py", "")
    monkeypatch.setattr(ownership, "is_called_by_interpreter", lambda: True)
    loader = child_processes._program_finder(str(tmp_path / "train.py"))
    assert loader.find_spec("__main__") and loader.find_spec("train") is None
    for other in (tmp_path / "train.zip", tmp_path, tmp_path / "none.py"):
        with pytest.raises(ImportError, match="not the program"):
            child_processes._program_finder(str(other))
    monkeypatch.setattr(ownership, "is_called_by_interpreter", lambda: False)
    with pytest.raises(ImportError, match="not the program"):
        child_processes._program_finder(str(tmp_path / "train.py"))
